"""Numbers and sizes chosen by what their encoding needs: as likely of one byte as of eight, and often at a border."""

from typing import Final

from conformance.strategies.grammar.chooser import Chooser

#: The sizes at which a length needs another byte, or is packed in another way.
_BORDERS: Final = (0, 1, 250, 251, 255, 256)
_LARGE: Final = (65_535, 65_536)
#: The usual sizes are up to this one.
_USUAL: Final = 100


def whole_number(choose: Chooser, bits: int, *, low: int = 0) -> int:
    """Return an integer from `low` that fits in some bits: often of all of them, else of any number of bits alike."""
    length = bits if choose.yes(5) else choose.integer(low.bit_length(), bits)
    least = 1 << (length - 1) if length else 0
    return choose.integer(max(low, least), (1 << length) - 1)


def size_up_to(choose: Chooser, most: int, *, low: int = 0) -> int:
    """Return a size: mostly a small one, sometimes at a border, seldom a large one."""
    if choose.yes(4):
        return choose.one_of([each for each in (*_BORDERS, most) if low <= each <= min(most, _LARGE[0])])
    if most >= _LARGE[0] and choose.yes(30):
        return choose.one_of([each for each in (*_LARGE, most) if each <= most])
    return choose.integer(low, min(most, _USUAL))
