"""Adapter for asyncmy: its `BinLogStream`, fed by a simulated connection or connected to a source.

See README.md and docs/protocol.md.
"""

import asyncio
import base64
import json
import os
import struct
import sys
import time
import traceback
from importlib.metadata import version
from typing import Any, TextIO

from asyncmy import connect
from asyncmy.errors import MySQLError
from asyncmy.replication import BinLogStream
from asyncmy.replication import errors as replication_errors
from asyncmy.replication.gtid import Gtid
from fields import EVENT_CLASSES, NAMES, reported
from server import Connection, EndOfStream, Refused, server_of

PROFILES = ["mysql"]
#: How the library refuses an event: its own exceptions, and those that bytes other than it expects cause.
REFUSALS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    LookupError,
    NotImplementedError,
    ValueError,
    struct.error,
    MySQLError,
    replication_errors.TableMetadataUnavailableError,
    replication_errors.BinLogNotEnabledError,
)
#: A fault of the library's own code, whatever the bytes are: a crash, after which the events before it are kept.
CRASHES: tuple[type[Exception], ...] = (AttributeError, NameError, TypeError, RecursionError, SystemError)
#: Every class of events, as the library leaves some out unless they are named.
EVERYTHING: dict[str, Any] = {"only_events": EVENT_CLASSES, "filter_non_implemented_events": False}
#: What is reported of an event in the role `client`; where the stream is after it is beside them.
OF_CLIENT = ("type", "log_pos", "timestamp", "server_id", "flags", "query")
REPLICA_ID = 4247
#: Characters of a traceback that are reported.
LAST_WORDS = 2000


async def decode(stream: bytes) -> dict[str, Any]:
    """Return the events that the library returns, the error that it stops with, and its crash if there is one."""
    server = server_of(stream)
    reader = BinLogStream(
        Connection(server),
        Connection(server),
        server_id=1,
        master_log_file="binlog.000001",
        master_log_position=4,
        resume_stream=True,
        **EVERYTHING,
    )
    answer: dict[str, Any] = {"events": [], "error": None}
    try:
        async for event in reader:
            # The position is the stream's own, from which it would connect again.
            position = reader._master_log_position
            answer["events"].append({**reported(event, server.feed.at), "position": position})
    except EndOfStream:
        pass
    except Refused as refused:
        answer["error"] = refused.error
    except Exception as error:  # noqa: BLE001 - one that is not the library's is raised again
        answer |= ended_by(error, server.feed.at)
    return answer


def ended_by(error: Exception, at: int | None) -> dict[str, Any]:
    """Return an exception of the library as the protocol has it: an error, or a crash.

    Raises:
        Exception: It is of a kind that is not known to be the library's.
    """
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, CRASHES):
        return {"crash": f"{words}\n{traceback.format_exc()[-LAST_WORDS:]}"}
    # So the library refuses to read beyond a packet.
    if not isinstance(error, REFUSALS) and type(error) is not Exception:
        raise error
    code = {"code": error.args[0]} if isinstance(error, MySQLError) and error.args else {}
    return {"error": {"at": at, "kind": "other", "message": words, **code}}


class Watched:
    """A connection of the library that shows where the source has no more: the library would connect again."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_connection":
            super().__setattr__(name, value)
        else:
            setattr(self._connection, name, value)

    async def read_packet(self) -> Any:
        """Return the next packet.

        Raises:
            EndOfStream: It is the one that ends the events.
        """
        packet = await self._connection.read_packet()
        if packet.is_eof_packet():
            raise EndOfStream
        return packet


async def deliver(settings: dict[str, Any]) -> dict[str, Any]:
    """Return what the library's stream delivers of a source that it connects to, and where it then is."""
    if settings["gtid_set"] == "":
        return {"unsupported": "the library takes an empty GTID set for none"}
    answer: dict[str, Any] = {"events": [], "error": None}
    opened: list[Any] = []
    try:
        for _ in range(2):
            opened.append(await connect(**{name: settings[name] for name in ("host", "port", "user", "password")}))
        stream = stream_of_source(Watched(opened[0]), opened[1], settings)
        try:
            async for event in stream:
                fields = reported(event, 0)
                kept = {name: fields[name] for name in OF_CLIENT if name in fields}
                answer["events"].append({**kept, **place_of(stream)})
        except EndOfStream:
            answer["events"].append({"type": None, "log_pos": 0, **place_of(stream)})
    except Exception as error:  # noqa: BLE001 - one that is not the library's is raised again
        answer |= ended_by(error, None)
    finally:
        for connection in opened:
            await connection.ensure_closed()
    return answer


def stream_of_source(connection: Any, control: Any, settings: dict[str, Any]) -> BinLogStream:
    """Return a stream that begins where the settings have it."""
    if settings["gtid_set"] is None:
        place = {"master_log_file": settings["log_name"], "master_log_position": settings["log_pos"]}
    else:
        place = {"master_auto_position": {Gtid(each) for each in settings["gtid_set"].split(",")}}
    return BinLogStream(
        connection,
        control,
        server_id=REPLICA_ID,
        slave_heartbeat=settings["heartbeat_seconds"],
        resume_stream=True,
        blocking=True,
        **place,
        **EVERYTHING,
    )


def place_of(stream: BinLogStream) -> dict[str, Any]:
    """Return where the stream would connect again."""
    return {"resume_log": stream._master_log_file, "resume_pos": stream._master_log_position}


def declaration() -> dict[str, Any]:
    """Return the declaration."""
    client = {"fields": [*OF_CLIENT, "resume_log", "resume_pos"], "abilities": ["error_code"], "profiles": PROFILES}
    return {
        "protocol": 1,
        "implementation": {
            "name": "asyncmy",
            "version": version("asyncmy"),
            "language": "Python",
            "homepage": "https://github.com/long2ice/asyncmy",
        },
        "roles": {
            "decode": {"fields": NAMES, "abilities": ["error_at"], "profiles": PROFILES},
            "client": client,
        },
    }


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question."""
    if request["cmd"] == "decode" and "stream" in request:
        return asyncio.run(decode(base64.b64decode(request["stream"])))
    if request["cmd"] == "client":
        return asyncio.run(deliver(request["settings"]))
    return {"unsupported": "another role, or a stream in a file"}


def serve(out: TextIO) -> None:
    """Answer the requests on standard input."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        answer = declaration() if request["cmd"] == "start" else {"seq": request["seq"], **answer_to(request)}
        out.write(json.dumps(answer, separators=(",", ":")) + "\n")
        out.flush()


if __name__ == "__main__":
    # The library returns times of TIMESTAMP columns in the zone of the process.
    os.environ["TZ"] = "UTC"
    time.tzset()
    answers, sys.stdout = sys.stdout, sys.stderr  # The library's own output must not be taken for an answer.
    serve(answers)
