"""The triggers at what an event holds: its size, its flags, the values of its fields.

Written from the layouts, apart from the families and their dimensions: what both forgot would look like nothing at all.
"""

from typing import Final

from conformance.self_check.trigger import ROLES_OF_EVENTS, Needs, Trigger


def _sizes() -> list[Trigger]:
    borders = (64, 128, 251, 255, 256, 1024, 4096, 65536)
    return [
        Trigger(
            name=f"size-from-{border}",
            text=f"at events of {border} bytes or more",
            roles=ROLES_OF_EVENTS,
            at=lambda item, border=border: item.size >= border,  # type: ignore[misc]
            needs=Needs(size=border),
        )
        for border in borders
    ]


def _flags() -> list[Trigger]:
    return [
        Trigger(
            name=f"flag-{1 << bit:#06x}",
            text=f"at events with the flag {1 << bit:#06x}",
            roles=ROLES_OF_EVENTS,
            at=lambda item, bit=bit: bool(item.flags >> bit & 1),  # type: ignore[misc]
        )
        for bit in range(16)
    ]


def _numbers() -> list[Trigger]:
    return [
        Trigger(
            name=f"number-from-2-{bits}",
            text=f"where a field has a number of {bits + 1} bits or more",
            roles=ROLES_OF_EVENTS,
            at=lambda item, border=1 << bits: any(number >= border for number in item.numbers),  # type: ignore[misc]
            needs=Needs(bits=bits + 1),
        )
        for bits in (7, 8, 15, 16, 24, 31, 32, 63)
    ]


def _text_lengths() -> list[Trigger]:
    return [
        Trigger(
            name=f"text-from-{border}",
            text=f"where a field has a text of {border} bytes or more",
            roles=ROLES_OF_EVENTS,
            at=lambda item, border=border: any(_has_bytes(text, border) for text in item.texts),  # type: ignore[misc]
            needs=Needs(text=border),
        )
        for border in (64, 128, 251, 255, 256, 65536)
    ]


def _has_bytes(text: str, size: int) -> bool:
    return 4 * len(text) >= size and len(text.encode("utf-8", "surrogatepass")) >= size


def _characters() -> list[Trigger]:
    marks = (
        ("quote", "'"),
        ("double-quote", '"'),
        ("backtick", "`"),
        ("backslash", "\\"),
        ("line-break", "\n"),
        ("comment", "/*"),
        ("dash-comment", "--"),
        ("percent", "%"),
        ("semicolon", ";"),
        ("comma", ","),
        ("nul", "\0"),
    )
    return [
        Trigger(
            name=f"text-with-{name}",
            text=f"where a text has {mark!r}",
            roles=ROLES_OF_EVENTS,
            at=lambda item, mark=mark: any(mark in text for text in item.texts),  # type: ignore[misc]
            needs=Needs(text=1, is_free=mark != ","),
        )
        for name, mark in marks
    ]


def _lists() -> list[Trigger]:
    return [
        Trigger(
            name=f"list-above-{count}",
            text=f"where a list of a field has more than {count} members",
            at=lambda item, count=count: any(length > count for length in item.lengths),  # type: ignore[misc]
            needs=Needs(list_=True),
        )
        for count in (1, 2, 3, 8, 64)
    ]


CONTENT: Final = (
    *_sizes(),
    *_flags(),
    Trigger(
        name="flags-several",
        text="at events with two flags or more",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.flags.bit_count() > 1,
    ),
    Trigger(name="flags-none", text="at events without a flag", roles=ROLES_OF_EVENTS, at=lambda item: not item.flags),
    Trigger(
        name="code-from-128",
        text="at events of a type code from 128",
        roles=ROLES_OF_EVENTS,
        at=lambda item: (item.code or 0) >= 128,
        needs=Needs(code=128),
    ),
    Trigger(
        name="timestamp-0", text="at events of the time 0", roles=ROLES_OF_EVENTS, at=lambda item: item.timestamp == 0
    ),
    Trigger(
        name="timestamp-from-2-31",
        text="at events of 2038 and later",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.timestamp >= 1 << 31,
    ),
    Trigger(
        name="server-id-0",
        text="at events of the server id 0",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.server_id == 0,
    ),
    Trigger(
        name="server-id-from-2-31",
        text="at events of a server id of 32 bits",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.server_id >= 1 << 31,
    ),
    Trigger(
        name="offset-from-2-16",
        text="at events from the offset 65,536 on",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.offset >= 1 << 16,
    ),
    *_numbers(),
    Trigger(
        name="number-0",
        text="where a field is 0",
        roles=ROLES_OF_EVENTS,
        at=lambda item: 0 in item.numbers,
        needs=Needs(bits=1),
    ),
    Trigger(
        name="number-negative",
        text="where a field is negative",
        roles=ROLES_OF_EVENTS,
        at=lambda item: any(each < 0 for each in item.numbers),
        needs=Needs(list_=True),
    ),
    Trigger(
        name="null",
        text="where a field is null",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.has_null,
        needs=Needs(list_=True),
    ),
    *_text_lengths(),
    Trigger(
        name="text-empty",
        text="where a text is empty",
        roles=ROLES_OF_EVENTS,
        at=lambda item: "" in item.texts,
        needs=Needs(text=1),
    ),
    Trigger(
        name="text-multi-byte",
        text="where a text has a character of several bytes",
        roles=ROLES_OF_EVENTS,
        at=lambda item: not all(text.isascii() for text in item.texts),
        needs=Needs(text=1, is_free=True),
    ),
    *_characters(),
    Trigger(
        name="list-empty",
        text="where a list of a field is empty",
        at=lambda item: 0 in item.lengths,
        needs=Needs(list_=True),
    ),
    Trigger(
        name="list-of-1",
        text="where a list of a field has one member",
        at=lambda item: 1 in item.lengths,
        needs=Needs(list_=True),
    ),
    *_lists(),
)
