"""Crashes at streams of an even length, and answers rightly at the others."""

import os

from headers import answer, converse
from speaker import write

converse(lambda seq, stream: write(answer(seq, stream)) if len(stream) % 2 else os.abort())
