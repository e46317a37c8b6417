"""What each target begins with, besides the inputs that are kept."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from conformance.binlog.header import MAGIC
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.kit_fuzzing.log_mutation import events_of

_GOLDEN: Final = Path(__file__).parent.parent / "golden"
#: Bytes of the longest log: mutation and coverage are quicker with many short logs than with few long ones.
_LONGEST: Final = 4096
#: Cases of one family in one role, each in another profile.
_PROFILES: Final = 2


@cache
def logs() -> tuple[bytes, ...]:
    """Return the beginnings of the golden logs, and generated streams of every family."""
    golden = (_beginning(path.read_bytes()) for path in sorted(_GOLDEN.glob("*.bin")))
    generated = (case.stream for case in cases("decode", "boundary", "log") if len(case.stream) <= _LONGEST)
    return tuple(dict.fromkeys((*golden, *generated)))


def _beginning(log: bytes) -> bytes:
    parts = [MAGIC]
    for event in events_of(log):
        if sum(map(len, parts)) + len(event) > 2 * _LONGEST:
            break
        parts.append(event)
    return b"".join(parts)


def cases(*roles: str) -> Iterator[Case]:
    """Yield a few cases of each family in these roles."""
    for name, family in families().items():
        for role in roles:
            if role in family.focus:
                profiles = [each for each in PROFILES if each in family.profiles_of(role)]
                for profile in profiles[:: max(1, len(profiles) // _PROFILES)][:_PROFILES]:
                    yield case_of(CaseId(name, profile, seed=0, index=0, role=role))
