"""Whether the limit on its memory ended a process, as far as the last words of its runtime show it."""

import re
from typing import Final

#: What runtimes write before they end because the system refuses them memory. Not among them is a heap that a runtime
#: limits by itself, as Java's -Xmx and Node do: the kit's limit did not cause that.
_LAST_WORDS: Final = re.compile(
    rb"""
      ^memory\ allocation\ of\ \d+\ bytes\ failed                            # Rust
    | ^(fatal\ error|runtime):\ .*(out\ of\ memory|cannot\ allocate\ memory)  # Go
    | There\ is\ insufficient\ memory\ for\ the\ Java\ Runtime\ Environment
    | ^terminate\ called\ .*'std::bad_alloc'                                # C++
    | ^MemoryError(:\ [^\n]*)?\s*\Z                                         # Python, at the end of a traceback
    """,
    re.MULTILINE | re.VERBOSE,
)


def ran_out_of_memory(errors: bytes) -> bool:
    """Return whether a process that has ended was refused memory, given its standard error."""
    return _LAST_WORDS.search(errors) is not None
