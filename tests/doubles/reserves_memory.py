"""Reserves 8 GiB of addresses, as a runtime does for its heap, and uses none of them."""

import mmap

from speaker import converse, honest, write

#: May be neither read nor written until it is used.
NO_ACCESS = 0

heap = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=NO_ACCESS)
converse(lambda seq, stream: write(honest(seq, stream)))
