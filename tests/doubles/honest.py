"""Does nothing wrong."""

from speaker import converse

converse()
