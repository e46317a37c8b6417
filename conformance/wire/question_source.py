"""The source that a question is asked by: its stream as the logs of a source, with what its settings ask of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.models.sender.sender_settings import Hole, LogFile, Wait
from conformance.wire.source import Cut, Failure, Source, source_of_logs

#: The log that a stream is where a question does not name its logs.
LOG_NAME: Final = "binlog.000001"


def source_of_question(profile: str, stream: bytes, settings: Mapping[str, Any]) -> Source:
    """Return the source that has the logs of a question.

    Args:
        profile: Whose rules it follows.
        stream: The stream of the question, its logs one after the other.
        settings: The settings of the question: those of the role `send`, and in the role `client` its `source`, name
            the logs, and what the source does; others are passed over.

    Raises:
        BinlogError: The stream is not a log at all.
    """
    settings = settings.get("source", settings)
    logs = dict(_logs(stream, settings["logs"])) if "logs" in settings else {LOG_NAME: stream}
    source = source_of_logs(logs, profile=profile, holes=dict(_holes(settings.get("logs", ()))))
    known = {name: make(settings[name]) for name, make in _SETTINGS.items() if name in settings}
    return replace(source, **known)


def _logs(stream: bytes, logs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    begin = 0
    for each in logs:
        yield each["name"], stream[begin : begin + each["length"]]
        begin += each["length"]


def _holes(logs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Hole]]:
    for each in logs:
        if "hole" in each:
            yield each["name"], LogFile.of_json(each).hole


def _known(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return what is given under these names: a question holds more of it, for its judge."""
    return {name: given[name] for name in names if name in given}


#: Setting of a question -> how it becomes that of a source.
_SETTINGS: Final[Mapping[str, Any]] = {
    "server_id": int,
    "gtid_mode": str,
    "waits": lambda waits: tuple(Wait(each["log_name"], each["log_pos"], each["heartbeats"]) for each in waits),
    "cuts": lambda cuts: tuple(Cut(**_known(each, Cut._fields)) for each in cuts),
    "failure": lambda failure: Failure(failure["message"], failure["at_once"]),
}
