"""A real server as a replica that receives a stream from a source of the kit's: the relay logs that it writes."""

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from conformance.servers.real_server import RealServer
from conformance.servers.wire_source import NATIVE, SHA2, WireSource
from conformance.specs.versions import Profiles

#: The servers that can be asked to receive a stream.
RECEIVING: Final = Profiles("mysql >= 5.5", "mariadb")
#: Those that know caching_sha2_password.
_WITH_SHA2: Final = Profiles("mysql >= 8.0")
_WITH_RETRY_COUNT: Final = Profiles("mysql >= 5.6")
#: Those that keep the list of ignored servers at RESET REPLICA, and take an empty one whatever their gtid_mode.
_KEEPS_IGNORED: Final = Profiles("mysql >= 5.5, < 5.7")
#: The first words of the boundary parser's warnings in the error log.
_WARNING: Final = re.compile(
    r"\[(?:MY-0104(?:42|43|44|45|46)\] \[Repl|Warning)\] "
    r"(?P<text>Unsupported non-ignorable event fed.*|[A-Z]\S.* not expected in an event stream.*)"
)
#: Seconds that a replica may take to receive a stream, and between two polls.
_LIMIT: Final = 15.0
_POLL: Final = 0.05
#: Polls in a row in which the receiver is idle, with the same state.
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
    part: bytes = b"",
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
        part: The beginning of one more event, within which the connection is lost.
        source_id: The source's server id.
        source_log: The name of the source's log.
        gtid_mode: The gtid_mode that the source reports.
        checksums: Whether the source's events have checksums.
        ignored_ids: The servers whose events the replica ignores.
    """
    dialect, name = server.product.dialect, server.product.profile.name
    replica, to = dialect.replica, dialect.source
    # 5.7 begins the next relay log with the GTIDs received before, unless another source is named first.
    other = f"{dialect.change_source} {to}_HOST='another'"
    server.run(f"STOP {replica}", other, dialect.reset_replica, dialect.reset_logs)
    logged = server.error_log.stat().st_size
    with WireSource(
        events,
        part=part,
        server_id=source_id,
        gtid_mode=gtid_mode,
        checksum="CRC32" if checksums else "NONE",
        plugin=SHA2 if name in _WITH_SHA2 else NATIVE,
    ) as source:
        # With gtid_mode=ON other versions take not even an empty list.
        lists = name in _KEEPS_IGNORED or gtid_mode != "ON" or ignored_ids
        ignored = f", IGNORE_SERVER_IDS=({', '.join(map(str, ignored_ids))})" if lists else ""
        retries = f", {to}_RETRY_COUNT=1" if name in _WITH_RETRY_COUNT else ""
        server.run(
            f"{dialect.change_source} {to}_HOST='127.0.0.1', {to}_PORT={source.port}, {to}_USER='x', "
            f"{to}_PASSWORD='x', {to}_SSL=0, {to}_CONNECT_RETRY=1, "
            f"{to}_LOG_FILE='{source_log}', {to}_LOG_POS=4, {to}_HEARTBEAT_PERIOD=30{retries}{ignored}",
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
        status = _status(server)
        sizes = sum(path.stat().st_size for path in server.data.glob("relay.0*"))
        if status["Last_IO_Errno"]:
            return f"{status['Last_IO_Errno']}: {status['Last_IO_Error']}"
        column = server.product.dialect.replica_column
        state = (status[f"{column}_IO_Running"], status[f"{column}_IO_State"], sizes)
        same = same + 1 if source.sent.is_set() and _is_idle(*state[:2], source) and state == before else 0
        before = state
        time.sleep(_POLL)
    return "" if same >= _SAME else "the receiver does not reach the end"


def _is_idle(running: str, doing: str, source: WireSource) -> bool:
    """Return whether a receiver has ended, or waits for what the source did not send."""
    return running == "No" or (doing.startswith("Waiting") and source.is_read)


def _status(server: RealServer) -> Mapping[str, Any]:
    """Return the status of the replica: the names of its columns, and their values."""
    with closing(server.connect()) as session, session.cursor() as cursor:
        cursor.execute(f"SHOW {server.product.dialect.replica} STATUS")
        return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
