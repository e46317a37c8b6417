"""Prints a log line where the answer should be."""

from speaker import converse, say

converse(lambda seq, stream: say("INFO: decoding"))
