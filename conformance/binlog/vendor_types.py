"""Event types of vendors, from extensions: what a code means in the logs of their servers, and nowhere else.

The format description names the server that wrote a log. A code that a vendor has given a meaning is an unknown type in
the log of any other server, so that an installed extension changes no answer to the kit's own streams.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.layout import Layout
from conformance.binlog.layouts.by_type import OPAQUE, layout_of
from conformance.specs.extensions import objects_of

#: The names of the kit's own types, which a vendor's may not have.
_NAMES: Final = frozenset(each.name for each in EventType)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorEventType:
    """An event type of a vendor.

    Attributes:
        code: Its event type code, one that MySQL and MariaDB do not use.
        name: Its name in reports, such as ``ACME_AUDIT_NOTE``.
        server_version: A part of the version in the format description of the logs that have it, such as ``-acme``.
        layout: The fields of its body.
    """

    code: int
    name: str
    server_version: str
    layout: Layout

    def __post_init__(self) -> None:
        """Refuse a code or a name that is in use.

        Raises:
            ValueError: MySQL or MariaDB uses the code or the name, or the version is empty.
        """
        if self.code in EventType.__members__.values() or not 0 < self.code <= 0xFF:
            raise ValueError(f"{self.name} has the code {self.code}: write one up to 255 that no server uses")
        if self.name in _NAMES or not self.name:
            raise ValueError(f"{self.name!r} is not a valid name of a vendor's event type: there is one of that name")
        if not self.server_version:
            raise ValueError(f"{self.name} has no server_version: write a part that only those of the vendor have")


@cache
def vendor_event_types() -> tuple[VendorEventType, ...]:
    """Return the event types of all extensions.

    Raises:
        conformance.specs.extensions.BrokenExtension: Two have one name or one code.
    """
    types: list[VendorEventType] = []
    for extension, made in objects_of("event_types", VendorEventType):
        for other in types:
            if made.name == other.name or made.code == other.code:
                extension.refuse(f"{made.name}, {made.code}, has the name or the code of {other.name}, {other.code}")
        types.append(made)
    return tuple(types)


@lru_cache(maxsize=256)
def _types_of(server_version: str) -> dict[int, VendorEventType]:
    return {each.code: each for each in vendor_event_types() if each.server_version in server_version}


def vendor_type(code: int, governing: FormatDescription) -> VendorEventType | None:
    """Return what a vendor's servers mean by a code, None if the log is of no such server."""
    return _types_of(governing.server_version).get(code)


def layout_under(governing: FormatDescription, code: int) -> Layout:
    """Return the layout of events with a code under a format description; `OPAQUE` for an unknown type."""
    return _layout(governing.server_version, code, governing.type_code(code), governing.post_header_length(code))


@lru_cache(maxsize=1024)
def _layout(server_version: str, code: int, meaning: int, post_header_length: int) -> Layout:
    """Return the layout of events with a code that has a meaning under a server's version; cached, as types recur."""
    layout = layout_of(meaning, post_header_length)
    if layout is not OPAQUE:
        return layout
    vendors = _types_of(server_version).get(code)
    return OPAQUE if vendors is None else vendors.layout


@cache
def vendor_type_name(code: int) -> str:
    """Return the name of an event that is known to be of a vendor's type, empty if no vendor uses the code."""
    return next((each.name for each in vendor_event_types() if each.code == code), "")
