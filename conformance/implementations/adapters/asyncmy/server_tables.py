"""What a server knows of a table, from a Table_map event: the library reads no names or signs in the log itself.

A server would answer from its `information_schema.columns`. What the event does not have is not there either, except
that columns have numbers for names, and ENUM and SET columns numbers for labels.
"""

import codecs
from collections.abc import Iterator, Sequence
from typing import Any

from asyncmy.charset import charset_by_id

HEADER_BYTES = 19
ENUM, SET, STRING = 247, 248, 254
LABELLED = (ENUM, SET)
#: Types with a sign, and with a character set, in the order in which the optional metadata goes through them.
NUMERIC = (0, 1, 2, 3, 4, 5, 8, 9, 13, 246)
CHARACTER = (15, 249, 250, 251, 252, 253, 254)
#: Type -> bytes of its metadata; the others have none.
METADATA_BYTES = {
    **dict.fromkeys((4, 5, 17, 18, 19, 242, 245, 249, 250, 251, 252, 255), 1),
    **dict.fromkeys((15, 16, 246, 247, 248, 253, 254), 2),
}
BINARY = 63
#: Character set -> the ids of its collations, where the library's table of them has none.
OTHER_CHARSETS = {
    "ucs2": (35, 90, *range(128, 152), 159),
    "utf16": (54, 55, *range(101, 125)),
    "utf16le": (56, 62),
    "utf32": (60, 61, *range(160, 184)),
    "utf8mb4": range(255, 400),
}
OF_COLLATION = {number: name for name, numbers in OTHER_CHARSETS.items() for number in numbers}
#: Codes of the optional metadata.
SIGNS, DEFAULT_CHARSET, CHARSETS, NAMES, SET_LABELS, ENUM_LABELS = range(1, 7)
#: Of the columns with labels.
LABELS_DEFAULT_CHARSET, LABELS_CHARSETS = 10, 11
#: Character set -> Python's codec, where that has another name.
CODECS = {
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "latin1": "cp1252",
    "utf8mb3": "utf-8",
    "utf8mb4": "utf-8",
}


class Body:
    """The bytes of an event's body, read one field after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        self._at += count
        return self._data[self._at - count : self._at]

    def packed(self) -> int:
        """Return the next integer, which has its own length."""
        first = self.take(1)[0]
        size = {252: 2, 253: 3, 254: 8}.get(first)
        return first if size is None else int.from_bytes(self.take(size), "little")

    def text(self) -> bytes:
        """Return the next text, which has its length before it."""
        return self.take(self.packed())


def columns_of(event: bytes, checksum_bytes: int, utf8: str) -> list[dict[str, Any]]:
    """Return the rows of `information_schema.columns` for the table of a Table_map event; none if it has no table.

    Args:
        event: The event.
        checksum_bytes: How many of its bytes are a checksum.
        utf8: What the server calls the character set of UTF-8 with three bytes at most.
    """
    try:
        return list(_columns(Body(event[HEADER_BYTES : len(event) - checksum_bytes]), utf8))
    except (LookupError, ValueError):
        return []


def labels_of(column: dict[str, Any]) -> list[str]:
    """Return the labels of an ENUM or SET column."""
    labels: list[str] = column["labels"]
    return labels


def _columns(body: Body, utf8: str) -> Iterator[dict[str, Any]]:
    body.take(8)
    for _ in range(2):
        body.take(body.take(1)[0] + 1)
    codes = body.take(body.packed())
    metadata = Body(body.take(body.packed()))
    types = [_type(code, metadata.take(METADATA_BYTES.get(code, 0))) for code in codes]
    body.take((len(types) + 7) // 8)
    entries = {}
    while body:
        code = body.take(1)[0]
        entries[code] = Body(body.take(body.packed()))
    names = {number: name.decode("utf-8", "replace") for number, name in enumerate(_texts(entries.get(NAMES)))}
    unsigned = _by_column(types, NUMERIC, _bits(entries.get(SIGNS)))
    count = sum(code in CHARACTER for code, _ in types)
    collations = _by_column(
        types, CHARACTER, list(_collations(entries.get(CHARSETS), entries.get(DEFAULT_CHARSET), count))
    )
    count = sum(code in LABELLED for code, _ in types)
    of_labels = list(_collations(entries.get(LABELS_CHARSETS), entries.get(LABELS_DEFAULT_CHARSET), count))
    labels_in = _by_column(types, LABELLED, of_labels)
    labels = {
        **_by_column(types, (SET,), list(_labels(entries.get(SET_LABELS)))),
        **_by_column(types, (ENUM,), list(_labels(entries.get(ENUM_LABELS)))),
    }
    for index, (code, size) in enumerate(types):
        codec = _codec(_charset(labels_in.get(index, BINARY), "utf8mb3"))
        own = [label.decode(codec, "replace") for label in labels.get(index, ())] or _numbers(code, size)
        charset = _charset(collations.get(index, BINARY), utf8)
        yield {
            "COLUMN_NAME": names.get(index, str(index)),
            "COLLATION_NAME": charset,  # The library keeps it, and does not read it.
            "CHARACTER_SET_NAME": charset,
            "COLUMN_COMMENT": "",
            "COLUMN_TYPE": _column_type(code, own, bool(unsigned.get(index))),
            "COLUMN_KEY": "",
            "ORDINAL_POSITION": index + 1,
            "labels": own,
        }


def _charset(collation: int, utf8: str) -> str | None:
    """Return the name of a collation's character set, None of that for bytes."""
    if collation == BINARY:
        return None
    name: str = OF_COLLATION.get(collation) or charset_by_id(collation).name
    return utf8 if name == "utf8" else name


def _codec(charset: str | None) -> str:
    """Return Python's name of a character set, that of UTF-8 where it has none."""
    name = CODECS.get(charset or "", charset or "utf-8")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def _type(code: int, metadata: bytes) -> tuple[int, int]:
    """Return the type of a column, and the bytes of its values if it has labels."""
    if code == STRING and metadata[0] in LABELLED:
        return metadata[0], metadata[1]
    return code, metadata[1] if code in LABELLED else 0


def _numbers(code: int, size: int) -> list[str]:
    count = {ENUM: 256**size - 1, SET: 8 * size}.get(code, 0)
    return [str(number) for number in range(1, count + 1)]


def _column_type(code: int, labels: list[str], unsigned: bool) -> str:
    if code in LABELLED:
        listed = ",".join("'" + label.replace("'", "''") + "'" for label in labels)
        return f"{'enum' if code == ENUM else 'set'}({listed})"
    return "number unsigned" if unsigned else "other"


def _by_column(types: Sequence[tuple[int, int]], kinds: Sequence[int], values: Sequence[Any]) -> dict[int, Any]:
    """Return the values, given in the order of the columns of some kinds, by the column's index."""
    return dict(zip((index for index, (code, _) in enumerate(types) if code in kinds), values, strict=False))


def _bits(entry: Body | None) -> list[int]:
    bits = []
    while entry:
        byte = entry.take(1)[0]
        bits += [byte >> shift & 1 for shift in range(7, -1, -1)]
    return bits


def _texts(entry: Body | None) -> Iterator[bytes]:
    while entry:
        yield entry.text()


def _labels(entry: Body | None) -> Iterator[list[bytes]]:
    while entry:
        yield [entry.text() for _ in range(entry.packed())]


def _collations(each: Body | None, default: Body | None, count: int) -> Iterator[int]:
    while each:
        yield each.packed()
    if default:
        usual, others = default.packed(), {}
        while default:
            index = default.packed()
            others[index] = default.packed()
        yield from (others.get(index, usual) for index in range(count))
