"""A real server as a replica that receives a stream from a source of the kit's: the relay logs that it writes."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.servers.real_server import RealServer
from conformance.servers.wire_source import NATIVE, SHA2, WireSource
from conformance.specs.versions import Profiles

#: The servers whose state is read in performance_schema.
RECEIVING: Final = Profiles("mysql >= 5.7")
#: Those that know caching_sha2_password.
_WITH_SHA2: Final = Profiles("mysql >= 8.0")
#: The first words of the boundary parser's warnings in the error log.
_WARNING: Final = re.compile(
    r"\[(?:MY-0104(?:42|43|44|45|46)\] \[Repl|Warning)\] "
    r"(?P<text>Unsupported non-ignorable event fed.*|[A-Z]\S.* not expected in an event stream.*)"
)
#: Seconds that a replica may take to receive a stream, and between two polls.
_LIMIT: Final = 15.0
_POLL: Final = 0.05
#: Polls in a row with the same state before the receiver counts as idle.
_SAME: Final = 4


@dataclass(frozen=True, slots=True)
class Received:
    """What a replica did with a stream.

    Attributes:
        relay_logs: The relay logs, oldest first.
        warnings: The warnings of the boundary parser in its error log.
        error: The number and the text of the receiver's error; empty if it accepted everything.
    """

    relay_logs: tuple[bytes, ...]
    warnings: tuple[str, ...]
    error: str


def receive(
    server: RealServer,
    events: Sequence[bytes],
    *,
    source_id: int,
    source_log: str,
    gtid_mode: str,
    checksums: bool,
    ignored_ids: Sequence[int] = (),
) -> Received:
    """Make a replica that knows nothing receive a stream.

    Args:
        server: A server running with `relay_feed.OPTIONS`.
        events: The events, each with all its bytes.
        source_id: The source's server id.
        source_log: The name of the source's log.
        gtid_mode: The gtid_mode that the source reports.
        checksums: Whether the source's events have checksums.
        ignored_ids: The servers whose events the replica ignores.
    """
    dialect = server.product.dialect
    replica, to = dialect.replica, dialect.source
    # 5.7 begins the next relay log with the GTIDs received before, unless another source is named first.
    other = f"{dialect.change_source} {to}_HOST='another'"
    server.run(f"STOP {replica}", other, dialect.reset_replica, dialect.reset_logs)
    logged = server.error_log.stat().st_size
    with WireSource(
        events,
        server_id=source_id,
        gtid_mode=gtid_mode,
        checksum="CRC32" if checksums else "NONE",
        plugin=SHA2 if server.product.profile.name in _WITH_SHA2 else NATIVE,
    ) as source:
        ignored = f", IGNORE_SERVER_IDS=({', '.join(map(str, ignored_ids))})" if ignored_ids else ""
        server.run(
            f"{dialect.change_source} {to}_HOST='127.0.0.1', {to}_PORT={source.port}, {to}_USER='x', "
            f"{to}_PASSWORD='x', {to}_SSL=0, {to}_CONNECT_RETRY=1, {to}_RETRY_COUNT=1, "
            f"{to}_LOG_FILE='{source_log}', {to}_LOG_POS=4, {to}_HEARTBEAT_PERIOD=30{ignored}",
            f"START {replica} IO_THREAD",
        )
        error = _wait(server, source)
        names = (server.data / "relay.index").read_text().split()
        server.run(f"STOP {replica}")
    # STOP REPLICA adds nothing, so the files are complete.
    logs = tuple((server.data / name).read_bytes() for name in names)
    with server.error_log.open("rb") as log:
        log.seek(logged)
        text = log.read().decode("utf-8", "replace")
    return Received(logs, tuple(match["text"] for match in _WARNING.finditer(text)), error)


def _wait(server: RealServer, source: WireSource) -> str:
    """Wait until the receiver has nothing more to do, and return its error."""
    until = time.monotonic() + _LIMIT
    before, same = None, 0
    while same < _SAME and time.monotonic() < until:
        rows = server.run(
            "SELECT SERVICE_STATE, LAST_ERROR_NUMBER, LAST_ERROR_MESSAGE FROM "
            "performance_schema.replication_connection_status"
        )
        state, number, message = rows[0]
        sizes = sum(path.stat().st_size for path in server.data.glob("relay.0*"))
        if number:
            return f"{number}: {message}"
        same = same + 1 if source.sent.is_set() and (state, sizes) == before else 0
        before = (state, sizes)
        time.sleep(_POLL)
    return "" if same >= _SAME else "the receiver does not reach the end"
