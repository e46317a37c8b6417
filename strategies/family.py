"""Families: the named strategies, each a production of whole streams."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final

from conformance.binlog.servers import server_of
from specs.profiles import PROFILES
from strategies.case import Case
from strategies.case_id import CaseId
from strategies.chooser import Chooser
from strategies.stream import StreamBuilder

#: The modules that register families.
_MODULES: Final = (
    "strategies.families.transactions",
    "strategies.families.ignorable_events",
    "strategies.families.rows_queries",
    "strategies.families.gtids",
    "strategies.families.format_descriptions",
    "strategies.families.golden_vectors",
    "strategies.families.cross_version",
    "strategies.families.event_types",
    "strategies.families.column_types",
    "strategies.faults.event_types",
    "strategies.faults.framing",
)

#: The profiles whose servers have the ignorable flag.
SINCE_IGNORABLE: Final = tuple(each for each in PROFILES if each not in ("mysql-5.1", "mysql-5.5"))
#: The profiles whose servers write MySQL's Gtid events.
WITH_GTIDS: Final = tuple(each for each in PROFILES if server_of(each).gtid_form != "absent")
#: The profiles whose servers can write checksums.
WITH_CHECKSUMS: Final = tuple(each for each in PROFILES if server_of(each).checksums)

Production = Callable[[StreamBuilder], None]


@dataclass(frozen=True, slots=True)
class Family:
    """A named strategy: from choices to a case.

    Attributes:
        name: Its name, part of each case id.
        text: What its streams are like, in one sentence.
        focus: The requirement that its cases are made for.
        profiles: The profiles under which it makes streams.
        fault: Whether its streams break a rule.
        checksums: True or False where its streams always or never have them, None where that is chosen.
        production: Fills a stream.
    """

    name: str
    text: str
    focus: str
    profiles: tuple[str, ...]
    fault: bool
    checksums: bool | None
    production: Production

    def build(self, chooser: Chooser, profile: str, case_id: CaseId) -> Case:
        """Return the case that the chooser's answers make.

        Raises:
            ValueError: The family makes no streams under this profile.
        """
        if profile not in self.profiles:
            raise ValueError(f"the family {self.name} has no streams for {profile}; it has {', '.join(self.profiles)}")
        stream = StreamBuilder(chooser, server_of(profile), checksums=self.checksums)
        self.production(stream)
        return stream.case(case_id, self.focus)


_families: dict[str, Family] = {}


def family(
    *,
    focus: str,
    profiles: tuple[str, ...] = PROFILES,
    fault: bool = False,
    checksums: bool | None = None,
) -> Callable[[Production], Production]:
    """Register a production as the family of the function's name; its docstring is the family's text."""

    def register(production: Production) -> Production:
        name = production.__name__
        if name in _families:
            raise ValueError(f"there are two families {name}")
        text = (production.__doc__ or "").strip().splitlines()[0]
        _families[name] = Family(name, text, focus, profiles, fault, checksums, production)
        return production

    return register


@cache
def families() -> dict[str, Family]:
    """Return every family by name."""
    for module in _MODULES:
        import_module(module)
    return dict(_families)


def case_of(case_id: CaseId) -> Case:
    """Return the case of an id: the same bytes on every machine.

    Raises:
        ValueError: There is no such family, it has no streams for the profile, or the choices do not fit it.
    """
    known = families()
    if case_id.family not in known:
        raise ValueError(f"no family {case_id.family!r}; the families are {', '.join(sorted(known))}")
    return known[case_id.family].build(case_id.chooser(), case_id.profile, case_id)
