"""The GTID of a transaction."""

import re
from typing import Final, NamedTuple
from uuid import UUID

from conformance.binlog.gtid_set import GNO_END, uuid_text

_GTID: Final = re.compile(
    r"(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::(?P<tag>[a-z_][a-z0-9_]{0,31}))?:(?P<gno>[1-9][0-9]{0,18})"
)


class Gtid(NamedTuple):
    """One GTID: UUID (16 bytes), tag (empty for none), number."""

    uuid: bytes
    tag: str
    gno: int

    def __str__(self) -> str:
        return ":".join([uuid_text(self.uuid), *([self.tag] if self.tag else []), str(self.gno)])

    @classmethod
    def parse(cls, text: str) -> "Gtid":
        """Return the GTID that ``UUID:NUMBER`` or ``UUID:TAG:NUMBER`` names.

        Raises:
            ValueError: The text is not a GTID.
        """
        match = _GTID.fullmatch(text)
        if match is None or int(match["gno"]) >= GNO_END:
            raise ValueError(f"{text!r} is not a valid GTID: write UUID:NUMBER or UUID:TAG:NUMBER")
        return cls(UUID(match["uuid"]).bytes, match["tag"] or "", int(match["gno"]))
