"""Typed events to the entries of a run record (`specs/schemas/run-record.schema.json`)."""

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from conformance import __version__
from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import type_name
from conformance.binlog.header import HEADER, HEADER_BYTES, HEADER_FIELDS, MAGIC
from conformance.binlog.reader import ReaderRules, read_events
from conformance.engine.coverage import cell_text, tables_of_oracles
from conformance.engine.events import Event, FailureFound, RunFinished, RunStarted
from conformance.engine.failure import Failure
from conformance.engine.tally import Tally
from conformance.oracles.judge import STATUSES
from conformance.oracles.registry import oracles
from conformance.protocol.observation import Declaration, Observation, Refusal, Trouble
from conformance.specs.catalogue import Requirement, select
from conformance.strategies.grammar.family import families

#: Version of the run record.
SCHEMA = 1
#: Bytes of a stream, or of one value, that a record holds; shrunk streams are far below.
_STREAM_LIMIT = 1 << 20
_VALUE_LIMIT = 400

#: How to read a stream for its dump: everything that can be framed, checksums right or wrong.
_DUMP_RULES = ReaderRules(verify_checksums=False, beyond_format_description=True)


class RecordEntries:
    """A listener that turns a run's events into record entries.

    Args:
        append: Takes each entry, in the record's order.
    """

    def __init__(self, append: Callable[[Mapping[str, Any]], None]) -> None:
        self._append = append
        self._roles: tuple[str, ...] = ()
        self._spec = ""
        self._requirements = "*"
        self._profiles: tuple[str, ...] = ()
        self._began = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Append the entries of one event."""
        if isinstance(event, RunStarted):
            self._spec = event.spec
            self._requirements = event.requirements
            self._roles = event.roles
            self._profiles = _profiles(event)
            self._append(_header(event))
        elif isinstance(event, FailureFound):
            self._append(failure_entry(event.failure, self._spec))
        elif isinstance(event, RunFinished):
            for entry in self._ending(event):
                self._append(entry)

    def _ending(self, event: RunFinished) -> Iterator[Mapping[str, Any]]:
        tally = event.tally
        verdicts: dict[str, int] = {}
        for requirement in select(pattern=self._requirements):
            if requirement.role not in self._roles:
                continue
            entry = _requirement(requirement, event, self._profiles)
            verdicts[entry["verdict"]] = verdicts.get(entry["verdict"], 0) + 1
            yield entry
        faults = {name for name, family in families().items() if family.fault}
        yield {
            "kind": "coverage",
            "event_types": {name: dict(counts) for name, counts in tally.event_types.items()},
            "families": {name: dict(counts) for name, counts in tally.families.items()},
            "faults": {name: dict(counts) for name, counts in tally.families.items() if name in faults},
            "tables": dict(_tables(tally)),
        }
        yield {
            "kind": "footer",
            "cases": tally.cases,
            "events": tally.events,
            "verdicts": verdicts,
            "failures": len(event.failures),
            "known_failures": sum(failure.known is not None for failure in event.failures),
            "unexpected_passes": [f"{each.requirement}: {each.signature}" for each in event.unexpected_passes],
            "stale_baseline": [f"{each.requirement}: {each.signature}" for each in event.stale],
            "conforming": event.conforming,
            "elapsed": round(time.monotonic() - self._began, 3),
        }


def _tables(tally: Tally) -> Iterator[tuple[str, dict[str, dict[str, int]]]]:
    """Yield the tables that were touched, with the cells that were not."""
    for table in tables_of_oracles():
        met = tally.tables.get(table.name)
        if met:
            cells = dict.fromkeys(map(cell_text, table.every)) | met
            yield table.name, {cell: dict(met.get(cell, {})) for cell in cells}


def _header(event: RunStarted) -> dict[str, Any]:
    return {
        "kind": "header",
        "schema": SCHEMA,
        "kit": __version__,
        "implementation": {"spec": event.spec, **_declaration(event.declaration)},
        "roles": list(event.roles),
        "profiles": list(_profiles(event)),
        "families": list(dict.fromkeys(family for family, _ in event.plan)),
        "requirements": event.requirements,
        "seed": event.seed,
        "examples": event.examples,
        "seconds": event.seconds,
        "started": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _declaration(declaration: Declaration) -> dict[str, Any]:
    return {
        "name": declaration.name,
        "version": declaration.version,
        "language": declaration.language,
        "homepage": declaration.homepage or None,
        "roles": {
            name: {
                "fields": sorted(role.fields),
                "abilities": sorted(role.abilities),
                "profiles": list(role.profiles),
            }
            for name, role in declaration.roles.items()
        },
    }


def _profiles(event: RunStarted) -> tuple[str, ...]:
    return tuple(dict.fromkeys(profile for _, profile in event.plan))


def _requirement(requirement: Requirement, event: RunFinished, profiles: Sequence[str]) -> dict[str, Any]:
    has_oracle = requirement.id in oracles()
    results = event.tally.results.get(requirement.id, {})
    if requirement.untestable is not None:
        verdict = "untestable"
    elif not has_oracle:
        verdict = "no-oracle"
    else:
        verdict = event.tally.verdict(requirement.id)
    return {
        "kind": "requirement",
        "id": requirement.id,
        "worklog": requirement.worklog,
        "level": requirement.level,
        "role": requirement.role,
        "text": requirement.text,
        "section": requirement.section,
        "interpretation": requirement.interpretation,
        "untestable": requirement.untestable,
        # Single releases are profiles of a run that asks for them.
        "profiles": list(dict.fromkeys((*requirement.holds, *filter(requirement.holds.__contains__, profiles)))),
        "families": list(requirement.families),
        "oracle": has_oracle,
        "results": {profile: {status: counts[status] for status in STATUSES} for profile, counts in results.items()},
        "verdict": verdict,
    }


def failure_entry(failure: Failure, spec: str) -> dict[str, Any]:
    """Return the entry of a failure: its shrunk case as hex and as events, expected beside observed."""
    case, verdict = failure.case, failure.verdict
    expected = case.expected
    refusal = None
    if expected.refused_at is not None:
        refusal = Refusal(expected.refused_at, expected.refused_kind, "", expected.refused_code)
    return {
        "kind": "failure",
        "requirement": verdict.requirement,
        "status": verdict.status,
        "signature": verdict.signature,
        "profile": case.id.profile,
        "family": case.id.family,
        "case": str(case.id),
        "role": case.role,
        "settings": dict(case.settings),
        "found": failure.found,
        "count": failure.count,
        "message": verdict.message,
        "at": verdict.at,
        "stream": case.stream[:_STREAM_LIMIT].hex(),
        "events": dump(case.stream[:_STREAM_LIMIT]),
        "expected": {"events": [dict(event) for event in expected.events], "error": _refusal(refusal)},
        "observed": _observed(failure.answer),
        "type_names": _type_names(expected.events, failure.answer),
        "detail": failure.answer.detail if isinstance(failure.answer, Trouble) else "",
        "replay": f"binlog-conformance replay {case.id} {shlex.quote(spec)}",
        "known": failure.known,
    }


def _type_names(expected: Sequence[Mapping[str, Any]], answer: Observation | Trouble) -> dict[str, str]:
    """Return the names of the event types that stand in the answers, by their codes in digits."""
    told = () if isinstance(answer, Trouble) else answer.events
    codes = {entry.get("type") for entry in (*expected, *told)}
    return {str(code): type_name(code) for code in sorted(each for each in codes if type(each) is int)}


def _observed(answer: Observation | Trouble) -> dict[str, Any] | None:
    if isinstance(answer, Trouble):
        return None
    return {"events": [dict(event) for event in answer.events], "error": _refusal(answer.error)}


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    told = {"at": refusal.at, "kind": refusal.kind, "message": refusal.message}
    return told if refusal.code is None else {**told, "code": refusal.code}


def dump(stream: bytes) -> list[dict[str, Any]]:
    """Return the events of a stream with where each field stands, offsets counted from the start of the stream.

    A stream that cannot be read on ends with one entry of the bytes that are left.
    """
    entries: list[dict[str, Any]] = []
    at = 0
    try:
        for event in read_events(stream, _DUMP_RULES):
            if at == 0:
                entries.append(_magic(stream))
            spans = [
                {
                    "offset": event.offset + span.offset,
                    "size": span.size,
                    "name": span.name,
                    "value": _shown(span.value),
                }
                for span in event.spans()
            ]
            entries.append(_entry(event.offset, len(event.data), event.header.type, spans))
            at = event.end
    except BinlogError as error:
        entries += _unread(stream, max(at, 0), error)
    return entries or [_magic(stream)]


def _magic(stream: bytes) -> dict[str, Any]:
    size = min(len(MAGIC), len(stream))
    span = {"offset": 0, "size": size, "name": "magic", "value": stream[:size].hex(" ")}
    return {"offset": 0, "size": size, "type": 0, "name": "MAGIC", "summary": "", "spans": [span]}


def _unread(stream: bytes, at: int, error: BinlogError) -> list[dict[str, Any]]:
    """Return what stands from the fault on: the header, if there is one, and the bytes behind it."""
    entries = []
    if at == 0:
        entries.append(_magic(stream))
        at = min(len(MAGIC), len(stream))
    left = len(stream) - at
    if left <= 0:
        return entries
    spans = []
    type_code = None
    if left >= HEADER_BYTES:
        header = HEADER.unpack_from(stream, at)
        type_code = header[1]
        place = at
        for (name, size), value in zip(HEADER_FIELDS, header, strict=True):
            spans.append({"offset": place, "size": size, "name": name, "value": str(value)})
            place += size
    behind = at + (HEADER_BYTES if spans else 0)
    if behind < len(stream):
        rest = stream[behind:]
        spans.append({"offset": behind, "size": len(rest), "name": "unread", "value": _shown(rest)})
    entries.append(_entry(at, left, type_code, spans, summary=str(error)))
    return entries


def _entry(
    offset: int, size: int, type_code: int | None, spans: list[dict[str, Any]], *, summary: str = ""
) -> dict[str, Any]:
    name = "UNREAD" if type_code is None else type_name(type_code)
    return {"offset": offset, "size": size, "type": type_code or 0, "name": name, "summary": summary, "spans": spans}


def _shown(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        text = value.decode("utf-8", "replace")
        shown = repr(text)[1:-1] if text and all(each.isprintable() or each in "\n\t" for each in text) else value.hex()
    else:
        shown = str(value)
    return shown if len(shown) <= _VALUE_LIMIT else f"{shown[: _VALUE_LIMIT - 40]}... ({len(shown)} characters)"
