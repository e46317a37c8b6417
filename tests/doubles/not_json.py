"""Prints a log line where the answer should be."""

from speaker import converse, write

converse(lambda seq, stream: write("INFO: decoding"))
