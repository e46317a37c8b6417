"""The domain of each field of each layout: the classes of its encoding, derived from its codec.

What is in one class is encoded alike; at a border between two of them readers go wrong: the sign of an integer, the
width of a length-encoded one, an empty text, one that is longer than a byte can count.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from conformance.binlog import codecs, layouts, tables_info, varlen
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout

#: Class -> whether a value is in it.
Domain = dict[str, Callable[[object], bool]]

#: Sizes of texts and lists of bytes, at which lengths need another byte.
SIZES = ((0, 0), (1, 1), (2, 250), (251, 255), (256, 65_535), (65_536, 1 << 32))
_DOUBLE = 1 << 53


def _named(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} or more" if high >= 1 << 32 else f"{low} to {high}"


def _between(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: low <= value <= high


def _of_integer(size: int, *, signed: bool = False, bits: int = 0) -> Domain:
    """Return the classes of an integer of `size` bytes, or of fewer bits: by the bytes that it needs, and its sign."""
    bits = bits or 8 * size - signed
    low_bits = bits - 1 + signed
    domain = {"0": _between(0, 0), "one byte": _between(1, min(0xFF, (1 << low_bits) - 1))}
    if size > 1:
        domain["all bytes"] = _between(1 << 8 * (size - 1), (1 << bits) - 1)
    if size == 8:
        domain["more than a double holds"] = _between(_DOUBLE + 1, (1 << bits) - 1)
    if not signed:
        domain["highest bit"] = _between(1 << (bits - 1), (1 << bits) - 1)
    return domain


def _of_size(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: low <= len(value) <= high


def _of_bytes(most: int = 1 << 32) -> Domain:
    return {_named(low, high): _of_size(low, high) for low, high in SIZES if low <= most}


def _of_list() -> Domain:
    return {str(number): _of_size(number, number) for number in (0, 1, 2)} | {"3 or more": _of_size(3, 1 << 32)}


def _of_packed() -> Domain:
    return {
        "one byte": _between(0, 250),
        "0xfc and one byte's worth": _between(251, 255),
        "0xfc": _between(256, (1 << 16) - 1),
        "0xfd": _between(1 << 16, (1 << 24) - 1),
        "0xfe": _between(1 << 24, (1 << 64) - 1),
    }


def _of_varlen(*, signed: bool) -> Domain:
    def width(value):
        return varlen.varlen_width(value << 1 if signed else value)

    return {
        "1 byte": lambda value: width(value) == 1,
        "2 bytes": lambda value: width(value) == 2,
        "3 to 8 bytes": lambda value: 3 <= width(value) <= 8,
        "9 bytes": lambda value: width(value) == 9,
    }


def _of_fixed(size: int) -> Domain:
    return {"zeros": lambda value: not any(value), "others": any}


def _of_sets() -> Domain:
    def sources(value):
        return value.sources

    return {
        "empty": lambda value: not sources(value),
        "one source": lambda value: len(sources(value)) == 1,
        "several sources": lambda value: len(sources(value)) > 1,
        "one interval": lambda value: any(len(each.intervals) == 1 for each in sources(value)),
        "several intervals": lambda value: any(len(each.intervals) > 1 for each in sources(value)),
        "tags": lambda value: value.tagged,
    }


def domain_of(codec: object) -> Domain:
    """Return the classes of the values of a codec.

    Raises:
        TypeError: There are none for codecs of its kind: write them here.
    """
    match codec:
        case codecs.Int(size=size, signed=signed):
            return _of_integer(size, signed=signed)
        case codecs.FlaggedInt(size=size):
            return _of_integer(size, bits=8 * size - 1)
        case codecs.Packed():
            return _of_packed()
        case codecs.Bytes(size=int(size)):
            return _of_fixed(size)
        case codecs.Counted(length=codecs.Int(size=1)):
            return _of_bytes(255)
        case codecs.Padded(size=size):
            return {"empty": _of_size(0, 0), "short": _of_size(1, size - 1), "full": _of_size(size, size)}
        case codecs.Bytes() | codecs.Rest() | codecs.Counted() | codecs.Terminated() | varlen.VarlenText():
            return _of_bytes()
        case codecs.Repeated() | tables_info.TablesInfo():
            return _of_list()
        case codecs.Gtids():
            return _of_sets()
        case varlen.Varlen(signed=signed):
            return _of_varlen(signed=signed)
        case varlen.VarlenUuid():
            return _of_fixed(16)
    raise TypeError(f"no domain for the codec {codec}")


def named_layouts() -> dict[str, Layout]:
    """Return every layout by its name."""
    by_name: dict[str, Layout] = {}
    for module in iter_modules(layouts.__path__):
        names = vars(import_module(f"{layouts.__name__}.{module.name}"))
        own = {name: each for name, each in names.items() if isinstance(each, Layout)}
        by_name |= {f"{module.name}.{name}": each for name, each in own.items()}
    return by_name


def fields_of(layout: Layout) -> Iterator[Field]:
    """Yield the fields of a layout, those of its block included."""
    yield from layout.post_header
    if isinstance(layout.block, Keyed):
        yield from layout.block.fields.values()
    yield from layout.body
