"""The role `relay` of an unpacked server: it receives a stream from a source of the kit's."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum, ends_with_checksum
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, TYPE_AT
from conformance.binlog.reader import READS_ALL, framed_events, read_events
from conformance.binlog.writer import frame, write_body
from conformance.implementations.server.role_servers import RoleServers
from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.servers.products import Product
from conformance.servers.receiving import RECEIVING, receive
from conformance.servers.relay_feed import OPTIONS
from conformance.servers.translated_logs import is_naming
from conformance.specs.versions import Profiles

#: The id of the source that sends streams; no generated event of a replica has it.
_SOURCE_ID: Final = 1


class Receiving:
    """The role `relay`: a source of the kit's sends the stream over the loopback address, and relay logs are read."""

    fields: ClassVar[Sequence[str]] = ("log", "data")
    abilities: ClassVar[Sequence[str]] = ("checksums",)
    profiles: ClassVar[Profiles] = RECEIVING

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = RoleServers(product, folder, template)

    def answer(self, request: Request) -> Observation:
        """Return the events of the relay logs."""
        settings = request.settings
        for name in ("flushes", "connections"):
            if settings.get(name):
                raise CannotAnswer(f"{name} cannot be put between two events that a server receives")
        part = part_of(request.stream)
        events = list(framed_events(request.stream[: len(request.stream) - len(part)]))
        if any(each[TYPE_AT] in HEARTBEAT_TYPES for each in events):
            raise CannotAnswer("a server uses the log and the position in a heartbeat, which are invented here")
        mode, log_name = settings["gtid_mode"], settings["source_log"]
        product = self._servers.product
        options = [*(OPTIONS[product.profile.name] or ())]
        if product.dialect.gtid_modes != "none":
            options += [f"--gtid-mode={mode}", f"--enforce-gtid-consistency={'ON' if mode == 'ON' else 'OFF'}"]
        server = self._servers.server(mode, options)
        server.run(f"SET GLOBAL server_id = {settings['server_id']}")
        described = next(read_events(request.stream, READS_ALL)).format
        rotate = naming_rotate(log_name, described)
        done = receive(
            server,
            [rotate, *events],
            part=part,
            source_id=_SOURCE_ID,
            source_log=log_name,
            gtid_mode=mode,
            checksums=described.checksum_bytes > 0,
            ignored_ids=settings.get("ignored_ids", ()),
        )
        self._servers.check()
        answered = ({"log": number, "data": event.hex()} for number, event in events_without_naming(done.relay_logs))
        return Observation(tuple(answered), Refusal(None, "other", done.error) if done.error else None)

    def end(self) -> None:
        """End its servers."""
        self._servers.end()


def part_of(stream: bytes) -> bytes:
    """Return the beginning of the event within which a stream ends; empty if it ends after one."""
    at = len(MAGIC)
    while at + HEADER_BYTES <= len(stream):
        length = max(HEADER.unpack_from(stream, at)[3], HEADER_BYTES)
        if at + length > len(stream):
            break
        at += length
    return stream[at:]


def naming_rotate(log_name: str, described: FormatDescription) -> bytes:
    """Return the Rotate with which a source names its log, which is not a part of the log."""
    body = write_body(EventType.ROTATE, {"next_position": 4, "next_file": log_name.encode()}, described)
    length = HEADER_BYTES + len(body) + described.checksum_bytes
    # What a source only sends has no position.
    return frame(
        EventType.ROTATE,
        body,
        offset=-length,
        checksummed=described.checksum_bytes > 0,
        server_id=_SOURCE_ID,
        flags=int(Flag.ARTIFICIAL),
    )


def events_without_naming(logs: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the events of relay logs, each with the number of its log, without the first Rotate for the source's.

    The question has none, as it begins with the format description. Where a position is one in the relay log, it is
    given as it would be without that Rotate.
    """
    named = False
    for number, log in enumerate(logs):
        end, removed = len(MAGIC), 0
        for event in framed_events(log):
            timestamp, code, server_id, length, log_pos, flags = HEADER.unpack_from(event)
            end += length
            if not named and is_naming(event) and server_id == _SOURCE_ID:
                named, removed = True, length
            elif removed and log_pos == end and code == EventType.ROTATE and server_id != _SOURCE_ID:
                header = HEADER.pack(timestamp, code, server_id, length, log_pos - removed, flags)
                yield number, _checksummed_as(event, header + event[HEADER_BYTES:])
            else:
                yield number, event


def _checksummed_as(event: bytes, changed: bytes) -> bytes:
    """Return a changed event with a checksum of its own, if the event has one."""
    if not ends_with_checksum(event):
        return changed
    body = changed[:-CHECKSUM_BYTES]
    return body + checksum(body).to_bytes(CHECKSUM_BYTES, "little")
