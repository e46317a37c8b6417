"""Values as the protocol writes them: what a reader is expected to report for bytes, decimals and floating numbers.

The grammar makes them from its own choices, never from what a reader decodes.
"""

import base64
import struct
from typing import Any, Final, NamedTuple

from conformance.strategies.grammar.chooser import Chooser

#: The struct formats of FLOAT and DOUBLE.
FLOAT: Final = struct.Struct("<f")
DOUBLE: Final = struct.Struct("<d")

#: Floating numbers at the edges of both widths, without negative zero, which JSON loses in some languages.
_EDGES: Final = (0.0, -0.0, 1.0, -1.5, 0.1, 1e-38, -3.4028234663852886e38, 1.401298464324817e-45)
_DOUBLE_EDGES: Final = (*_EDGES, 1.7976931348623157e308, -5e-324, 4503599627370497.5)
#: The most digits of a DECIMAL, and the most after its point.
_PRECISION_LIMIT: Final = 65
_SCALE_LIMIT: Final = 30


class Value(NamedTuple):
    """One value.

    Attributes:
        wire: What the layouts write.
        shown: What a reader reports.
    """

    wire: Any
    shown: Any


def shown_bytes(data: bytes) -> Any:
    """Return bytes as text where they are UTF-8, else as base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def shown_text(data: bytes, text: str) -> Any:
    """Return bytes in a character set that the log names, with their text: a reader may report either."""
    if data == text.encode("utf-8"):
        return text
    return {"base64": base64.b64encode(data).decode("ascii"), "text": text}


def real(choose: Chooser, form: struct.Struct) -> float:
    """Return a finite number that a struct format holds exactly."""
    if choose.yes(3):
        number = choose.one_of(_DOUBLE_EDGES if form is DOUBLE else _EDGES)
    else:
        number = float(choose.integer(-(2**53), 2**53)) * 2.0 ** choose.integer(-40, 40)
    rounded: float = form.unpack(form.pack(number))[0]
    return rounded


class DecimalSize(NamedTuple):
    """The digits of a DECIMAL: all of them, and those after the point."""

    precision: int
    scale: int


def decimal_size(choose: Chooser) -> DecimalSize:
    """Return the size of a DECIMAL."""
    precision = choose.one_of((10, 1, 9, 18, 30, 65)) if choose.yes() else choose.integer(1, _PRECISION_LIMIT)
    return DecimalSize(precision, choose.integer(0, min(precision, _SCALE_LIMIT)))


def decimal_text(choose: Chooser, size: DecimalSize) -> str:
    """Return a DECIMAL of a size: every digit after the point, no needless zero before it, and no negative zero."""
    limit = 10**size.precision - 1
    # Half of them are short: readers of the packed digits fail at leading groups of zeros.
    if choose.yes():
        limit = min(limit, 10 ** choose.integer(1, size.precision) - 1)
    number = choose.integer(-limit, limit)
    digits = f"{abs(number):0{size.scale + 1}d}"
    border = len(digits) - size.scale
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:border]}.{digits[border:]}" if size.scale else f"{sign}{digits}"
