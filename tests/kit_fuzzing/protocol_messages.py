"""The protocol reader: declarations and answers, and what judge, record and reports make of them.

The first byte of an answer chooses the case that it answers, and whether reports are written; the rest is the line.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from conformance.engine.events import FailureFound, RunFinished, RunStarted
from conformance.engine.failure import Counts, Failure
from conformance.engine.record_lines import RecordLines
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.tally import Tally
from conformance.oracles.judge import Judge, Judges, request_of
from conformance.oracles.verdict import Verdict
from conformance.protocol.messages import ProtocolError, decode_answer, decode_declaration
from conformance.protocol.observation import ABILITIES, Declaration, Observation, Trouble
from conformance.protocol.roles.registry import role_names, role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.reports.record import RecordWriter
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from tests.kit_fuzzing import seeds
from tests.kit_fuzzing.command import call
from tests.kit_fuzzing.invariant import Broken
from tests.kit_fuzzing.records import check_report

#: Cases of each role.
_CASES: Final = 3
#: Bytes of the longest stream of a case.
_STREAM: Final = 1500
#: Bit of an answer's first byte with which reports are written.
_REPORTED: Final = 0x80
_SEQ: Final = 1


@cache
def reference() -> ReferenceImplementation:
    """Return the implementation whose declaration and answers are the seeds."""
    return ReferenceImplementation()


@cache
def cases() -> tuple[Case, ...]:
    """Return the cases that are answered: a few of each role."""
    chosen: list[Case] = []
    for role in role_names():
        possible = [case for case in seeds.cases(role) if len(case.stream) <= _STREAM]
        chosen += possible[:: max(1, len(possible) // _CASES)][:_CASES]
    return tuple(chosen)


def declare(data: bytes, folder: Path) -> None:
    """Check the reading of a declaration, and the record and reports of a run with it."""
    declaration = call("declaration", lambda: decode_declaration(data), ProtocolError)
    if isinstance(declaration, Exception):
        _check_signature(declaration)
        return
    call("selection", lambda: _plan(declaration), NothingToRun)
    call("judge", lambda: Judges(declaration))
    _check_run(declaration, None, folder)


def _plan(declaration: Declaration) -> None:
    for selection in Selection().in_every_role(declaration):
        selection.pairs(declaration)


def answer(data: bytes, folder: Path) -> None:
    """Check the reading of an answer and its verdicts, and if they are to be written, the record and the reports."""
    choice, line = data[0] if data else 0, data[1:]
    case = cases()[(choice & ~_REPORTED) % len(cases())]
    role = reference().declaration.roles[case.role]
    observed = call("answer", lambda: decode_answer(line, seq=_SEQ, request=request_of(case), role=role), ProtocolError)
    if isinstance(observed, Exception):
        _check_signature(observed)
        return
    verdicts = call("judge", lambda: Judge(role).judge(case, observed))
    assert isinstance(verdicts, list), "the judge documents no exception"
    if choice & _REPORTED:
        _check_run(reference().declaration, (case, observed, verdicts), folder)


def _check_signature(error: Exception) -> None:
    """Check that the signature of a protocol error is a short name, as it is a key of baselines."""
    signature = getattr(error, "signature", "")
    if not 0 < len(signature) <= 500 or not signature.isprintable():
        raise Broken("signature of a protocol error", repr(signature[:1000]))


def _check_run(
    declaration: Declaration, judged: tuple[Case, Observation | Trouble, list[Verdict]] | None, folder: Path
) -> None:
    path = folder / "run.jsonl"
    call("record", lambda: _write_run(declaration, judged, path))
    outcome = check_report(path, folder)
    if outcome.status == 2 and outcome.errors:
        raise Broken("record cannot be read again", outcome.errors)


def _write_run(
    declaration: Declaration, judged: tuple[Case, Observation | Trouble, list[Verdict]] | None, path: Path
) -> None:
    """Write the record of a run with at most one case."""
    tally, failures, plan = Tally(), list[Failure](), list[tuple[str, str]]()
    if judged is not None:
        case, observed, verdicts = judged
        plan.append((case.id.family, case.id.profile))
        tally.add(case, verdicts)
        failures += _failures(case, observed, verdicts)
    with RecordWriter(path) as writer:
        listener = RecordLines(writer.append)
        roles = tuple(declaration.roles) if judged is None else (judged[0].role,)
        listener(RunStarted("command:fuzzed", declaration, roles, plan, "*", 0, 1, None))
        for failure in failures:
            listener(FailureFound(failure))
        listener(RunFinished(tally, failures, (), (), conforming=not failures))


def _failures(case: Case, observed: Observation | Trouble, verdicts: list[Verdict]) -> Iterator[Failure]:
    """Yield a failure for each finding, of the first requirement that shows it."""
    first: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.is_failure and verdict.charged:
            first.setdefault(verdict.finding, verdict)
    group = group_of(case.id.profile)
    for verdict in first.values():
        counts = Counts(cases=1, requirements={verdict.requirement: 1}, profiles={case.id.profile: 1})
        yield Failure(verdict, case, observed, str(case.id), group, counts)


def declarations() -> Iterator[bytes]:
    """Yield a declaration of every role, one of each role, and a short one."""
    roles = {
        name: {"fields": sorted(role_of(name).fields), "abilities": sorted(ABILITIES), "profiles": ["mysql-8.0"]}
        for name in role_names()
    }
    for chosen in (roles, *({name: role} for name, role in roles.items())):
        about = {"name": "fuzzed", "version": "1", "language": "Python", "homepage": "https://example.org"}
        yield _line({"protocol": 1, "implementation": about, "roles": chosen})
    limited = {"fields": ["offset", "type"], "abilities": [], "profiles": ["mysql >= 5.6, < 8.0", "mysql-8.0.15"]}
    of_product = {"fields_of": {"mariadb": ["offset", "type", "xid"]}}
    about = {"name": "fuzzed", "version": "1", "language": "Python"}
    yield _line({"protocol": 1, "implementation": about, "roles": {"decode": {**limited, **of_product}}})


def answers() -> Iterator[bytes]:
    """Yield a right answer to each case, and answers with a refusal, a crash and a reason not to answer."""
    for number, case in enumerate(cases()):
        observed = reference().ask(request_of(case))
        content = "streams" if role_of(case.role).answers_streams else "events"
        entries: list[Any] = []
        error = None
        if isinstance(observed, Observation):
            streams = [b64encode(each).decode() for each in observed.streams]
            entries = streams if content == "streams" else list(observed.events)
            refusal = observed.error
            error = refusal and {"at": refusal.at, "kind": refusal.kind, "message": refusal.message}
        head = bytes([number | _REPORTED * (zlib.crc32(case.stream) & 1)])
        yield head + _line({"seq": _SEQ, content: entries, "error": error})
        refused = {"at": 4, "kind": "malformed", "message": "no"}
        yield bytes([number | _REPORTED]) + _line({"seq": _SEQ, content: entries[:1], "error": refused})
    yield b"\x80" + _line({"seq": _SEQ, "events": [], "error": None, "crash": "boom\nat line 3"})
    yield b"\x80" + _line({"seq": _SEQ, "unsupported": "no"})


def _line(message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":"), default=str).encode()
