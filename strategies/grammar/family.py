"""Families: the named strategies, each of which produces whole streams."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Final

from conformance.binlog.servers import Server, server_of
from conformance.binlog.total_table import check_complete
from conformance.specs.catalogue import catalogue
from conformance.specs.extensions import extensions
from conformance.specs.suggestion import unknown
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import Chooser, RecordingChooser
from conformance.strategies.grammar.covering import Space
from conformance.strategies.grammar.dimension import Dimension, Impossible
from conformance.strategies.grammar.question import Question, asker, dimensions_of_questions
from conformance.strategies.grammar.stream import CHECKSUM, StreamBuilder

#: The modules that register families.
_MODULES: Final = (
    "conformance.strategies.families.transactions",
    "conformance.strategies.families.ignorable_events",
    "conformance.strategies.families.rows_queries",
    "conformance.strategies.families.gtids",
    "conformance.strategies.families.event_types",
    "conformance.strategies.families.flagged_events",
    "conformance.strategies.families.format_descriptions",
    "conformance.strategies.families.golden_vectors",
    "conformance.strategies.families.cross_version",
    "conformance.strategies.families.old_sources",
    "conformance.strategies.families.column_types",
    "conformance.strategies.families.column_character_sets",
    "conformance.strategies.families.column_signs",
    "conformance.strategies.families.json_documents",
    "conformance.strategies.families.column_values",
    "conformance.strategies.families.table_metadata",
    "conformance.strategies.families.mariadb_gtids",
    "conformance.strategies.families.printed_logs",
    "conformance.strategies.families.printed_rows",
    "conformance.strategies.families.printed_databases",
    "conformance.strategies.families.replica_logs",
    "conformance.strategies.families.replica_versions",
    "conformance.strategies.families.skips_and_stops",
    "conformance.strategies.families.odd_groups",
    "conformance.strategies.families.own_events",
    "conformance.strategies.families.boundaries",
    "conformance.strategies.families.received_streams",
    "conformance.strategies.families.unrecognised_events",
    "conformance.strategies.families.sent_logs",
    "conformance.strategies.families.sent_gtids",
    "conformance.strategies.families.failing_sources",
    "conformance.strategies.families.large_events",
    "conformance.strategies.families.recorded_logs",
    "conformance.strategies.families.logging_decisions",
    "conformance.strategies.families.statement_bytes",
    "conformance.strategies.families.tables_info",
    "conformance.strategies.families.extended_queries",
    "conformance.strategies.families.table_filters",
    "conformance.strategies.families.group_filters",
    "conformance.strategies.families.created_table_filters",
    "conformance.strategies.families.rename_filters",
    "conformance.strategies.faults.event_types",
    "conformance.strategies.faults.framing",
    "conformance.strategies.faults.bodies",
    "conformance.strategies.faults.relay_logs",
    "conformance.strategies.faults.resources",
    "conformance.strategies.faults.boundaries",
    "conformance.strategies.faults.boundary_operators",
    "conformance.strategies.faults.shipped_boundaries",
    "conformance.strategies.faults.extended_queries",
    "conformance.strategies.faults.groups",
    "conformance.strategies.faults.previous_gtids",
    "conformance.strategies.families.logged_transactions",
    "conformance.strategies.families.logged_chains",
    "conformance.strategies.families.logged_savepoints",
    "conformance.strategies.families.logged_numbers",
    "conformance.strategies.families.logged_side_effects",
    "conformance.strategies.families.logged_sessions",
    "conformance.strategies.families.logged_given_gtids",
    "conformance.strategies.families.logged_rows_queries",
    "conformance.strategies.families.logged_definitions",
    "conformance.strategies.families.logged_extensions",
)

#: Fills a stream.
Production = Callable[[StreamBuilder], None]
#: Makes a question for a server that is not about a stream.
Asking = Callable[[Chooser, Server], Question]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A named strategy: from choices to a case.

    Attributes:
        name: Its name, part of each case id.
        text: A description of its streams in one sentence.
        focus: Role -> the requirement that its cases in this role are made for.
        profiles: The profiles under which it makes streams.
        fault: Whether its streams break a rule.
        checksums: True or False if its streams always or never have them, None if that is chosen.
        few: Whether it has a few cases only, each of which takes long: a run without end does not repeat them.
        production: Fills a stream; None if its questions are not about streams.
        asking: Makes the question if it is not about a stream.
        dimensions: The ways in which its streams or questions vary.
        impossible: Their classes that no case has together.
    """

    name: str
    text: str
    focus: Mapping[str, str]
    profiles: Profiles
    fault: bool
    checksums: bool | None
    few: bool
    production: Production | None
    asking: Asking | None = None
    dimensions: tuple[Dimension[Any], ...] = ()
    impossible: tuple[Impossible, ...] = ()

    @property
    def function(self) -> Callable[..., Any]:
        """The function that fills a stream or asks."""
        function = self.production or self.asking
        assert function is not None, "a family has a production or an asking"
        return function

    def space(self, role: str) -> Space:
        """Return the dimensions of its cases in a role: its own, and those of the questions about its streams."""
        return _space(self, role)

    def chooser(self, case_id: CaseId) -> Chooser:
        """Return the chooser that makes one of its cases."""
        if case_id.choices is not None or case_id.role not in self.focus:
            return case_id.chooser()
        assert case_id.index is not None, "a seeded case has an index"
        row = self.space(case_id.role).row(case_id.profile, index=case_id.index, key=case_id.key)
        return case_id.chooser(row)

    def profiles_of(self, role: str) -> Profiles:
        """Return the profiles under which it has cases in a role: those of the requirement that they are made for."""
        return self.profiles & catalogue()[self.focus[role]].holds

    def build(self, chooser: Chooser, profile: str, case_id: CaseId) -> Case:
        """Return the case made by the chooser's answers.

        Raises:
            ValueError: The family has no streams under this profile, or no questions in the id's role.
        """
        if profile not in self.profiles:
            raise ValueError(f"the family {self.name} has no streams for {profile}; it has {', '.join(self.profiles)}")
        focus = self.focus.get(case_id.role)
        if focus is None:
            ids = " or ".join(str(CaseId(self.name, profile, 0, 0, role=role)) for role in self.focus)
            raise ValueError(
                f"the family {self.name} has no questions in the role {case_id.role!r}; its ids are such as {ids}"
            )
        chooser.impossible = self.impossible
        if self.asking is not None:
            case = self.asking(chooser, server_of(profile)).case(case_id, focus)
        else:
            assert self.production is not None, "a family has a production or an asking"
            stream = StreamBuilder(chooser, server_of(profile), checksums=self.checksums)
            self.production(stream)
            case = asker(case_id.role)(stream).case(case_id, focus)
        # What several families share may be asked in a family that does not declare it.
        declared = {each.name for each in self.space(case_id.role).dimensions}
        return replace(case, classes={name: each for name, each in chooser.met.items() if name in declared})


@cache
def _space(family: Family, role: str) -> Space:
    dimensions = family.dimensions
    if family.production is not None:
        chosen = (CHECKSUM,) if family.checksums is None else ()
        declared = {each.name: each.classes for each in (*chosen, *dimensions)}
        for each in dimensions_of_questions(role):
            if each.name in declared:
                continue  # The family declares it itself, for other dimensions to depend on it.
            # What only some streams are asked means nothing to families that make none of them.
            if all(set(declared.get(name, ())).issuperset(classes) for name, classes in each.when.items()):
                dimensions = (*dimensions, each)
                declared[each.name] = each.classes
        dimensions = (*chosen, *dimensions)
    return Space(f"{family.name} {role}", dimensions, family.impossible)


_families: dict[str, Family] = {}


def family(
    *,
    focus: str | tuple[str, ...],
    profiles: Profiles = EVERY_PROFILE,
    fault: bool = False,
    checksums: bool | None = None,
    few: bool = False,
    dimensions: Sequence[Dimension[Any]] = (),
    impossible: Sequence[Impossible] = (),
) -> Callable[[Production], Production]:
    """Register a production as the family of the function's name; its docstring is the family's text.

    Args:
        focus: The requirements that its cases are made for, one for each role.
        profiles: The profiles under which it makes streams.
        fault: Whether its streams break a rule.
        checksums: True or False if its streams always or never have them, None if that is chosen.
        few: Whether it has a few cases only, each of which takes long.
        dimensions: The ways in which its streams vary; the production asks each of them.
        impossible: Their classes that no stream has together.
    """

    def register(production: Production) -> Production:
        name, text = _name_and_text(production)
        _register(
            Family(
                name,
                text,
                _by_role(focus),
                profiles,
                fault,
                checksums,
                few,
                production,
                dimensions=tuple(dimensions),
                impossible=tuple(impossible),
            )
        )
        return production

    return register


def asking_family(
    *,
    focus: str | tuple[str, ...],
    profiles: Profiles = EVERY_PROFILE,
    fault: bool = False,
    dimensions: Sequence[Dimension[Any]] = (),
    impossible: Sequence[Impossible] = (),
) -> Callable[[Asking], Asking]:
    """Register a function that makes questions not about streams as the family of its name.

    Args:
        focus: The requirement that its cases are made for.
        profiles: The profiles under which it makes questions.
        fault: Whether its questions are about something that breaks a rule.
        dimensions: The ways in which its questions vary; the function asks each of them.
        impossible: Their classes that no question has together.
    """

    def register(asking: Asking) -> Asking:
        name, text = _name_and_text(asking)
        _register(
            Family(
                name,
                text,
                _by_role(focus),
                profiles,
                fault,
                None,
                False,
                None,
                asking,
                tuple(dimensions),
                tuple(impossible),
            )
        )
        return asking

    return register


def _name_and_text(production: Callable[..., Any]) -> tuple[str, str]:
    """Return a family's name and its text; Python drops docstrings at PYTHONOPTIMIZE=2."""
    name = production.__name__
    return name, (production.__doc__ or name).strip().splitlines()[0]


def _by_role(focus: str | tuple[str, ...]) -> dict[str, str]:
    requirements = (focus,) if isinstance(focus, str) else focus
    check_complete("specs/requirements", requirements, catalogue(), entry="the requirement that the family is for")
    return {catalogue()[each].role: each for each in requirements}


def _register(made: Family) -> None:
    if made.name in _families:
        raise ValueError(f"there are two families {made.name}")
    _families[made.name] = made


@cache
def families() -> dict[str, Family]:
    """Return every family by name, in the order of the modules, whichever of them was imported first."""
    modules = [import_module(module).__name__ for module in _MODULES]
    for extension in extensions():
        modules += [extension.module(module).__name__ for module in extension.extension.families]
    places = {module: place for place, module in enumerate(modules)}
    ordered = sorted(_families.items(), key=lambda item: places.get(item[1].function.__module__, len(places)))
    return dict(ordered)


@cache
def families_of_extensions() -> frozenset[str]:
    """Return the names of the families that extensions have added."""
    modules = {module for each in extensions() for module in each.extension.families}
    return frozenset(name for name, each in families().items() if each.function.__module__ in modules)


def recorded(case_id: CaseId) -> Case:
    """Return the case of an id under an id of recorded choices, which can be shrunk.

    Raises:
        ValueError: As for `case_of`.
    """
    made_by = _family_of(case_id)
    chooser = RecordingChooser(made_by.chooser(case_id))
    case = made_by.build(chooser, case_id.profile, case_id)
    return case.with_id(CaseId(case_id.family, case_id.profile, choices=tuple(chooser.choices), role=case_id.role))


def makes(case_id: str, stream: bytes) -> bool:
    """Return whether an id, perhaps of another version of the kit, is one of a case with a stream."""
    try:
        return bytes(case_of(CaseId.parse(case_id)).stream) == stream
    except ValueError:
        return False


def case_of(case_id: CaseId) -> Case:
    """Return the case of an id: the same bytes on every machine.

    Raises:
        ValueError: There is no such family, it has no streams for the profile, or the choices do not fit it.
    """
    made_by = _family_of(case_id)
    return made_by.build(made_by.chooser(case_id), case_id.profile, case_id)


def _family_of(case_id: CaseId) -> Family:
    known = families()
    if case_id.family not in known:
        raise ValueError(unknown("family", case_id.family, known, plural="families", command="families"))
    return known[case_id.family]
