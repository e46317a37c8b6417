"""What people write by hand or keep from older runs: baselines and case ids."""

import base64
import binascii
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from conformance.engine.baseline import Baseline, BaselineError
from conformance.engine.tally import Tally
from conformance.protocol.roles.registry import role_names
from conformance.specs.profiles import PROFILE_GROUPS, PROFILES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import RecordingChooser, SeededChooser
from conformance.strategies.grammar.family import families
from tests.kit_fuzzing import command
from tests.kit_fuzzing.command import call
from tests.kit_fuzzing.invariant import Broken, check_end, check_text
from tests.kit_fuzzing.log_mutation import BytesMutation

#: Not the name of an implementation, so that `certify` ends after it has read the baseline.
_NOBODY: Final = "nobody"
_CHOICES: Final = "choices-"
#: Characters of the longest argument that systems pass on.
_ARGUMENT: Final = 1 << 16

BASELINES: Final = (
    b'[[known]]\nfinding = "log_pos differs"\ngroups = ["mysql 5.6 to 8.4"]\nrequirements = ["FORMAT-HEADER-LOG-POS"]\n'
    b'reason = "read as signed"\n',
    b'[[known]]\nfinding = "*"\ngroups = ["mariadb", "mysql before 5.6"]\nrequirements = ["TROUBLE", "UNEXPLAINED"]\n'
    b'reason = """two\nlines"""\n',
    b'[[known]]\nrequirement = "A"\nsignature = "b"\nreason = "c"\n',
    b'known = [{finding = "x", groups = ["worklog"], requirements = ["FORMAT-HEADER-TYPE"], reason = "y"}]\n',
    b"",
)
BASELINE_WORDS: Final = (
    b"[[known]]\n",
    b"[known]\n",
    b"known = ",
    b"finding = ",
    b"groups = ",
    b"requirements = ",
    b"reason = ",
    b"requirement = ",
    b"signature = ",
    *(f'"{group}"'.encode() for group in PROFILE_GROUPS),
    b'"FORMAT-HEADER-TYPE"',
    b'"\\u0000\\u001b\\u202e"',
    b'"\\ud800"',
    b"'''",
    b'"""',
    b"[" * 400,
    b"{a=" * 200,
    b"1979-05-27T07:32:00Z",
    b"nan",
    b"-inf",
    b"9" * 4400,
)


def accept(data: bytes, folder: Path) -> None:
    """Check a baseline: `certify` with it, and its entries written and read again."""
    path = folder / "known.toml"
    path.write_bytes(data)
    outcome = command.run("certify", _NOBODY, "--baseline", str(path))
    check_end(outcome)
    check_text(outcome)
    if outcome.status != 2 or not outcome.errors:
        raise Broken("certify of nobody", f"{outcome.status}: {outcome.errors}")
    baseline = call("baseline", lambda: Baseline.load(path), BaselineError)
    if isinstance(baseline, Exception):
        return
    path.write_text("\n\n".join(entry.lines() for entry in baseline.entries), encoding="utf-8")
    again = call("baseline", lambda: Baseline.load(path))
    if isinstance(again, Exception) or again.entries != baseline.entries:
        raise Broken("baseline changes when written", f"{baseline.entries}: {path.read_text(encoding='utf-8')}")
    call("baseline", lambda: baseline.concluded(Tally(), ()))


def replay(data: bytes, folder: Path) -> None:
    """Check `replay` of a case id."""
    text = data.decode("utf-8", "surrogateescape").replace("\0", "")[:_ARGUMENT]
    outcome = command.run("replay", "--", text, "reference")
    check_end(outcome)
    if outcome.status == 1:
        raise Broken("the reference fails", outcome.output.decode("utf-8", "replace"))
    if outcome.status == 2 and not (outcome.errors or outcome.output):
        raise Broken("replay prints nothing", text)


def case_ids() -> Iterator[bytes]:
    """Yield ids of seeded cases, and of recorded ones, in every role."""
    for number, (name, family) in enumerate(families().items()):
        for role in family.focus:
            profile = next(iter(family.profiles_of(role)))
            seeded = CaseId(name, profile, seed=number, index=0, role=role)
            yield str(seeded).encode()
            if number % 3 == 0:
                chooser = RecordingChooser(SeededChooser(str(seeded)))
                family.build(chooser, profile, seeded)
                yield str(CaseId(name, profile, choices=tuple(chooser.choices), role=role)).encode()


def mutate_id(data: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return another id; where one has recorded choices, mostly one with other choices."""
    head, _, packed = data.partition(_CHOICES.encode())
    if not packed or not rng.randrange(4):
        return mutate(data, size)
    try:
        choices = base64.urlsafe_b64decode(packed + b"=" * (-len(packed) % 4))
    except binascii.Error:
        return mutate(data, size)
    changed = base64.urlsafe_b64encode(mutate(choices, len(choices) + 64)).rstrip(b"=")
    return head + _CHOICES.encode() + changed


ID_WORDS: Final = (
    *(f"{role}:".encode() for role in role_names()),
    *(name.encode() for name in families()),
    *(name.encode() for name in PROFILES),
    b"mysql-8.0.15",
    _CHOICES.encode(),
    b"/",
    b"-1",
    b"9" * 5000,
    "\u0663".encode(),
)
