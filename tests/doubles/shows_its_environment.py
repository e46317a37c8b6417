"""Declines each request with the names of its environment's variables."""

import os

from speaker import converse, write

converse(lambda seq, stream: write({"seq": seq, "unsupported": " ".join(os.environ)}))
