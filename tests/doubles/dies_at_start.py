"""Ends before it has declared itself."""

import sys

sys.exit("no library here")
