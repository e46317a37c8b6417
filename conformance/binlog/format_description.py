"""The format description event: how the events after it are to be read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm
from conformance.binlog.errors import MalformedBody
from conformance.binlog.header import HEADER_BYTES

#: Bytes of the body before the array of post-header lengths: version, server version, created, header length.
BEFORE_LENGTHS: Final = 2 + 50 + 4 + 1
#: The first server versions that write a checksum algorithm byte.
_CHECKSUM_SINCE: Final = {"mysql": (5, 6, 1), "mariadb": (5, 3, 0)}
#: The 5.1 and 5.2 alphas with row events number them before Xid: code in the file -> the code of all later servers.
_ALPHA: Final = re.compile(r"5\.(1\.[1-5]-a_drop5|2\.[0-2]-a_drop6)")
_ALPHA_CODES: Final = {16: 19, 17: 20, 18: 21, 19: 22, 20: 16, 21: 17, 22: 18}
_VERSION: Final = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})")


@lru_cache(maxsize=256)
def version_tuple(server_version: str) -> tuple[int, int, int]:
    """Return (major, minor, patch); (0, 0, 0) if the text does not begin with such a version."""
    match = _VERSION.match(server_version)
    if match is None or any(int(part) > 255 for part in match.groups()):
        return (0, 0, 0)
    major, minor, patch = match.groups()
    return int(major), int(minor), int(patch)


@lru_cache(maxsize=256)
def _renumbered_codes(server_version: str) -> Mapping[int, int]:
    """Return the codes whose meaning in the logs of a server version differs from that in all later ones."""
    return _ALPHA_CODES if _ALPHA.match(server_version) else {}


def has_checksum_algorithm(server_version: str) -> bool:
    """Return whether a server of this version ends its format description with algorithm byte and CRC32."""
    flavour = "mariadb" if "MariaDB" in server_version else "mysql"
    return version_tuple(server_version) >= _CHECKSUM_SINCE[flavour]


@dataclass(frozen=True, slots=True)
class FormatDescription:
    """What governs the events after a format description.

    Attributes:
        binlog_version: 4 for every log this kit reads.
        server_version: The version that the server reports.
        created: Seconds since 1970 when the server started with this log, else 0.
        header_length: Bytes of the common header, 19.
        post_header_lengths: Bytes of post-header, for type code 1 at index 0.
        checksum_algorithm: The algorithm byte, None if the server is too old to write one.
        checksum_bytes: Bytes of checksum at the end of each event that this format description governs.
    """

    binlog_version: int
    server_version: str
    created: int
    header_length: int
    post_header_lengths: bytes
    checksum_algorithm: int | None
    checksum_bytes: int = field(init=False, repr=False, compare=False)
    _codes: Mapping[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        with_checksums = self.checksum_algorithm == ChecksumAlgorithm.CRC32
        object.__setattr__(self, "checksum_bytes", CHECKSUM_BYTES if with_checksums else 0)
        object.__setattr__(self, "_codes", _renumbered_codes(self.server_version))

    @property
    def event_types(self) -> int:
        """The number of event types that the server declares: the highest type code it may write."""
        return len(self.post_header_lengths)

    @property
    def is_mariadb(self) -> bool:
        """Whether a server of MariaDB wrote it."""
        return "MariaDB" in self.server_version

    def post_header_length(self, type_code: int) -> int:
        """Return the declared post-header length in bytes, 0 for a type that is not declared."""
        if 0 < type_code <= len(self.post_header_lengths):
            return self.post_header_lengths[type_code - 1]
        return 0

    def type_code(self, code: int) -> int:
        """Return the event type code that `code` means: a different one only in logs of the row-format alphas."""
        return self._codes.get(code, code)

    @classmethod
    def from_event(cls, event: bytes) -> "FormatDescription":
        """Read a whole format description event, header and checksum included.

        Raises:
            MalformedBody: It is too short, or its binary log version or header length is not supported.
        """
        end = len(event)
        at = HEADER_BYTES
        if end < at + BEFORE_LENGTHS:
            raise MalformedBody(f"a format description of {end} bytes; at least {at + BEFORE_LENGTHS} are expected")
        binlog_version = int.from_bytes(event[at : at + 2], "little")
        if binlog_version != 4:
            raise MalformedBody(f"binary log version {binlog_version}; this kit reads version 4")
        server_version = event[at + 2 : at + 52].split(b"\0", 1)[0].decode("ascii", "replace")
        created = int.from_bytes(event[at + 52 : at + 56], "little")
        header_length = event[at + 56]
        if header_length < HEADER_BYTES:
            raise MalformedBody(
                f"a common header length of {header_length} bytes; at least {HEADER_BYTES} are expected"
            )
        algorithm = None
        if has_checksum_algorithm(server_version):
            end -= 1 + CHECKSUM_BYTES
            if end < at + BEFORE_LENGTHS:
                raise MalformedBody(f"a format description of {server_version} without its checksum algorithm")
            algorithm = event[end]
            if algorithm not in (
                ChecksumAlgorithm.NONE,
                ChecksumAlgorithm.CRC32,
                ChecksumAlgorithm.UNDEFINED,
            ):
                raise MalformedBody(f"{algorithm} is not a valid checksum algorithm: 0 is none, 1 is CRC32")
        return cls(
            binlog_version=binlog_version,
            server_version=server_version,
            created=created,
            header_length=header_length,
            post_header_lengths=bytes(event[at + BEFORE_LENGTHS : end]),
            checksum_algorithm=algorithm,
        )

    def body(self) -> bytes:
        """Return the event's body: the bytes between the common header and the CRC32."""
        parts = [
            self.binlog_version.to_bytes(2, "little"),
            self.server_version.encode("ascii").ljust(50, b"\0"),
            self.created.to_bytes(4, "little"),
            bytes([self.header_length]),
            self.post_header_lengths,
        ]
        if self.checksum_algorithm is not None:
            parts.append(bytes([self.checksum_algorithm]))
        return b"".join(parts)
