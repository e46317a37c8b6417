"""The judge: takes a case and its answer, and returns a verdict for each requirement that the case exercises.

Every verdict, from `certify` to a corpus on a cluster, is made here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.causes import broken_by_crash, cause_of_trouble, causes, governing, obstacle
from conformance.oracles.checks.common_refusals import ON_FEATURE, crashed_at, event_of_trouble
from conformance.oracles.checks.empty_groups import without_empty_groups
from conformance.oracles.checks.events_held_back import BEFORE_FAULT, held_back
from conformance.oracles.checks.failed_entries import with_failure_as_expected
from conformance.oracles.checks.free_orders import in_expected_order
from conformance.oracles.checks.governing_formats import LATEST_GOVERNS
from conformance.oracles.checks.misled_readers import misled
from conformance.oracles.checks.post_headers import EXTRA_DATA, LONGER, finds_value, has_same_rows
from conformance.oracles.checks.relay_divisions import with_expected_division
from conformance.oracles.checks.row_values import differs_in_signs
from conformance.oracles.differences import DECISIVE, Difference, accounted, differences, first_of_chain
from conformance.oracles.oracle import Check, Oracle
from conformance.oracles.registry import freedom_of, oracles
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import (
    Declaration,
    Observation,
    Request,
    RoleDeclaration,
    Trouble,
    without_numbers,
)
from conformance.protocol.roles.decode import is_refused
from conformance.protocol.roles.registry import role_of
from conformance.specs.catalogue import ENTRY, EVERY_FIELD, catalogue, owners
from conformance.specs.profiles import profile_named
from conformance.specs.run_record import NOT_ASKED, TROUBLE, UNEXPLAINED
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families_of_extensions

#: Failed checks of one requirement on one case that are looked at, and causes that it shows.
_CHECKS: Final = 64
_CAUSES: Final = 8
#: Roles in which one thing that is missing or added takes along others that belong to it: the first check is the cause.
_SEQUENCES: Final = frozenset({"apply", "filter", "log"})


def request_of(case: Case) -> Request:
    """Return the request for a case; it holds no part of the expected answer."""
    measured = not _measured().isdisjoint(case.marks)
    return Request(case.role, case.id.profile, case.stream, case.settings, is_measured=measured)


@cache
def _measured() -> frozenset[str]:
    return frozenset(requirement for requirement, oracle in oracles().items() if oracle.is_measured)


class Judge:
    """Judges the answers of one implementation in one role.

    Args:
        role: What the implementation declares for the role.

    Attributes:
        role: The same.
    """

    def __init__(self, role: RoleDeclaration) -> None:
        self.role = role
        #: Product -> the judge of its cases, where other fields are declared for it.
        self._of_products = {
            product: Judge(replace(role, fields=fields, fields_of={})) for product, fields in role.fields_of.items()
        }
        self._oracles = oracles()
        self._supported = {requirement for requirement, oracle in self._oracles.items() if self._can_show(oracle)}
        self._good = {requirement: self._good_verdict(requirement) for requirement in self._oracles}
        self._asks_more = {requirement for requirement, oracle in self._oracles.items() if oracle.asks_more}

    def _good_verdict(self, requirement: str) -> Verdict:
        """Return the verdict on a requirement that the answer satisfies."""
        return Verdict(requirement, "pass" if requirement in self._supported else "unsupported")

    def _can_show(self, oracle: Oracle) -> bool:
        shown = not oracle.any_of or bool(oracle.any_of & self.role.fields)
        return shown and oracle.needs <= self.role.fields and oracle.abilities <= self.role.abilities

    def supports(self, requirement: str) -> bool:
        """Return whether the implementation declares what a requirement's oracle needs."""
        return requirement in self._supported

    def supports_any(self, requirement: str) -> bool:
        """Return whether it is declared for any product."""
        return self.supports(requirement) or any(each.supports(requirement) for each in self._of_products.values())

    def declined(self, case: Case) -> list[Verdict]:
        """Return the verdicts on a case that is not sent to the implementation, none if it must be sent.

        A fault is not sent to an implementation that does not declare the ability it tests: an adapter that cuts the
        stream into events itself would be judged by its own loop, and a reader that verifies no checksum by one. A case
        of an extension is sent to those only that declare what its focus needs: others do not read its vendor's logs.
        """
        if (judge := self._judge_of(case)) is not self:
            return judge.declined(case)
        if case.id.family in families_of_extensions() and case.focus not in self._supported:
            return [Verdict(requirement, "unsupported") for requirement in case.marks if requirement in self._oracles]
        if case.expected.refused_at is None or (case.focus in self._supported and self._can_show_fault(case)):
            return []
        refused = len(case.expected.events)
        return [
            Verdict(requirement, "unsupported")
            for requirement, indices in case.marks.items()
            if refused in indices and requirement in self._oracles
        ]

    def _can_show_fault(self, case: Case) -> bool:
        requirements = governing(case)
        return not requirements or not self._supported.isdisjoint(requirements)

    def judge(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        """Return a verdict for each requirement that the case exercises and that was reached.

        A crash, a hang or a protocol error leaves nothing to judge. It is charged once: to the requirement on the event
        that must be refused, to the one for which the event was made at which it began, or to `TROUBLE`. Every other
        requirement that the case exercises only counts it; where the event is made for a should, none does.
        """
        if (judge := self._judge_of(case)) is not self:
            return judge.judge(case, answer)
        if isinstance(answer, Trouble):
            return self._of_trouble(case, answer)
        if self._as_expected(case, answer):
            return [self._good[requirement] for requirement in case.marks if requirement in self._good]
        return self._examine(case, answer)

    def allows(self, case: Case, answer: Observation) -> bool:
        """Return whether an answer differs from the expected one only in what is free, or is not asked."""
        alignment = Alignment(case, _as_if_expected(case, answer), self.role.under(case.id.profile))
        return all(freedom_of(alignment, each) is not None for each in differences(alignment))

    def _judge_of(self, case: Case) -> "Judge":
        if not self._of_products:
            return self
        return self._of_products.get(profile_named(case.id.profile).product, self)

    def _of_trouble(self, case: Case, trouble: Trouble) -> list[Verdict]:
        if trouble.status == "unsupported":
            return self._of_declined(case, trouble)
        at_the_fault = self._at_the_fault(case, trouble)
        charged = broken if (broken := broken_by_crash(trouble, at_the_fault)) in self._supported else at_the_fault
        made_for_should = at_the_fault != TROUBLE and catalogue()[at_the_fault].level == "should"
        met = [at_the_fault] if made_for_should else [each for each in case.marks if each in self._supported]
        if trouble.status == NOT_ASKED:
            cause = Cause(NOT_ASKED, reason=trouble.signature)
            return [
                Verdict(each, trouble.status, trouble.signature, trouble.detail, charged=False, cause=cause)
                for each in met
            ]
        cause = cause_of_trouble(case, trouble, charged)
        verdicts = [Verdict(charged, trouble.status, trouble.signature, _message_of(trouble), cause=cause)]
        verdicts += [
            Verdict(each, trouble.status, trouble.signature, charged=False, cause=cause)
            for each in met
            if each != charged
        ]
        return verdicts

    def _of_declined(self, case: Case, trouble: Trouble) -> list[Verdict]:
        """Return the verdicts on a case that the implementation declines: what it took first is judged all the same.

        An adapter notices that an answer is too long to be sent only when it has it.
        """
        verdicts = {each: Verdict(each, "unsupported") for each in case.marks if each in self._oracles}
        if trouble.memory is not None:
            took = Observation((), memory=trouble.memory, processor_seconds=trouble.processor_seconds)
            failed = (each for each in self._examine(case, took) if each.is_failure)
            verdicts |= {each.requirement: each for each in failed if self._is_measured(each.requirement)}
        return list(verdicts.values())

    def _is_measured(self, requirement: str) -> bool:
        return requirement in self._oracles and self._oracles[requirement].is_measured

    def _at_the_fault(self, case: Case, trouble: Trouble) -> str:
        """Return the requirement on the event that must be refused, or at which trouble began; `TROUBLE` if on none."""
        event = event_of_trouble(case, trouble)
        if case.expected.refused_at is None or event < len(case.expected.events):
            # It has begun at an event that is to be read, whatever comes after it.
            on_feature = ON_FEATURE.get(crashed_at(case, trouble) or "", TROUBLE)
            otherwise = on_feature if on_feature in case.marks else TROUBLE
            made_for = case.expected.made_for.get(event, otherwise)
            return made_for if made_for in self._supported else TROUBLE
        return next((each for each in governing(case) if each in self._supported), TROUBLE)

    def _as_expected(self, case: Case, answer: Observation) -> bool:
        """Return whether the answer equals the expected one; then it satisfies every requirement."""
        expected = case.expected
        error = answer.error
        if (error is None) != (expected.refused_at is None) or len(answer.events) != len(expected.events):
            return False
        if error is not None and (error.at, error.code) != (expected.refused_at, expected.refused_code):
            return False
        if not self._asks_more.isdisjoint(case.marks):
            return False
        pairs = zip(expected.events, answer.events, strict=True)
        if role_of(case.role).answers_streams:
            # The kit has read these streams itself, with every field; only some of the fields are expected.
            return all(all(seen.get(name) == value for name, value in wanted.items()) for wanted, seen in pairs)
        declared = self.role.fields
        return all(
            _projected(seen, declared) == _projected(wanted, declared) and not is_refused(seen)
            for wanted, seen in pairs
        )

    def _examine(self, case: Case, answer: Observation) -> list[Verdict]:
        alignment = Alignment(case, _as_if_expected(case, answer), self.role)
        verdicts: dict[str, Verdict] = {}
        failed: dict[str, list[Check]] = {}
        parts: dict[str, Fraction] = {}
        every: list[Check] = []
        torn = alignment.about.answers_streams and answer.error is not None
        for requirement, indices in case.marks.items():
            oracle = self._oracles.get(requirement)
            if oracle is None or oracle.owns:
                continue
            if requirement not in self._supported:
                verdicts[requirement] = self._good[requirement]
                continue
            if alignment.declined.issuperset(indices) and indices:
                verdicts[requirement] = Verdict(requirement, "unsupported")
                continue
            if oracle.is_measured and answer.memory is None:
                verdicts[requirement] = Verdict(requirement, "unsupported")
                continue
            checks = [] if torn and not oracle.of_torn_logs else list(oracle.examine(alignment, requirement))
            elsewhere = _blamed_on_others(alignment, requirement)
            checks = [check for check in checks if check.at is None or check.at not in elsewhere]
            wrong = [check for check in checks if check.signature]
            every += wrong
            if wrong:
                failed[requirement] = wrong
                parts[requirement] = Fraction(len(wrong), len(checks))
            elif checks:
                verdicts[requirement] = self._good[requirement]
            elif (cause := obstacle(alignment, indices)) is not None:
                verdicts[requirement] = Verdict(requirement, "blocked", charged=False, cause=cause)
        failures = _failures(alignment, self._of_differences(alignment, every) | failed)
        # First that of whose events most are wrong: it governs little else, and is the closest to what is wrong.
        closest = sorted(failures, key=lambda requirement: -parts.get(requirement, 0))
        by_closeness = {requirement: failures[requirement] for requirement in closest}
        return list((verdicts | self._of_owners(alignment) | by_closeness).values())

    def _of_differences(self, alignment: Alignment, failed: list[Check]) -> dict[str, list[Check]]:
        """Return what is wrong by each requirement that is blamed for what the failed checks do not account for."""
        case = alignment.case
        by_field = owners(case.role, case.id.profile)
        blamed: dict[str, list[Check]] = {}
        unlike: Iterable[Difference] = differences(alignment)
        if case.role in DECISIVE:
            unlike = first_of_chain(case.role, (each for each in unlike if freedom_of(alignment, each) is None))
        for difference in unlike:
            if accounted(alignment, difference, failed) or freedom_of(alignment, difference) is not None:
                continue
            if difference.check.at is not None and difference.check.at in _blamed_on_others(alignment):
                continue
            owner = by_field.get(difference.owned_as) or by_field.get(EVERY_FIELD, UNEXPLAINED)
            requirement = case.expected.made_for.get(difference.index, owner)
            if requirement == LONGER and finds_value(alignment, difference.index, difference.field):
                requirement = owner  # The number is found.
            if (requirement, difference.field) == (EXTRA_DATA, "rows") and differs_in_signs(
                alignment, difference.index
            ):
                requirement = owner  # So are the numbers of the rows.
            if requirement == LONGER and has_same_rows(alignment, difference):
                continue  # The rows are found, so it is not the post-header; what is in them is judged elsewhere.
            if requirement == UNEXPLAINED or self._is_shown(requirement, difference):
                blamed.setdefault(requirement, []).append(difference.check)
        return blamed

    def _is_shown(self, requirement: str, difference: Difference) -> bool:
        """Return whether a difference shows that a requirement is broken; an entry shows it without any field."""
        if difference.field == ENTRY and not self._oracles[requirement].owns:
            return self._oracles[requirement].abilities <= self.role.abilities
        return requirement in self._supported

    def _of_owners(self, alignment: Alignment) -> dict[str, Verdict]:
        """Return the good verdicts on the requirements that own fields which the answer shows."""
        case = alignment.case
        shown = {field for each in alignment.observed_entries() for field in each}
        if shown or (not case.expected.events and case.expected.refused_at is None):
            shown.add(EVERY_FIELD)
        return {
            each: self._good[each]
            for each in owners(case.role, case.id.profile).values()
            if each in case.marks and not (each in self._supported and self._oracles[each].owns.isdisjoint(shown))
        }


class Judges:
    """Judges the answers of one implementation in every role that it declares.

    Args:
        declaration: What the implementation declares.
    """

    def __init__(self, declaration: Declaration) -> None:
        self._judges = {name: Judge(role) for name, role in declaration.roles.items()}

    def declined(self, case: Case) -> list[Verdict]:
        """Return the verdicts on a case that is not sent to the implementation, none if it must be sent."""
        return self._judges[case.role].declined(case)

    def supports(self, role: str, requirement: str) -> bool:
        """Return whether the implementation declares what a requirement's oracle needs, for any product."""
        return self._judges[role].supports_any(requirement)

    def judge(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        """Return a verdict for each requirement that the case exercises and that was reached."""
        return self._judges[case.role].judge(case, answer)


def _blamed_on_others(alignment: Alignment, requirement: str = "") -> frozenset[int]:
    """Return the offsets of events for which one requirement is blamed, whatever is wrong at them, if not this one.

    That is for what a reader got wrong before, and for holding events back.
    """
    led_astray = frozenset() if requirement == LATEST_GOVERNS else misled(alignment)
    kept = frozenset() if requirement == BEFORE_FAULT else held_back(alignment)
    return led_astray | kept


def _as_if_expected(case: Case, answer: Observation) -> Observation:
    """Return an answer without what may be there or not, and in the expected order where the order is free."""
    answer = with_expected_division(case, with_failure_as_expected(case, without_empty_groups(case, answer)))
    return in_expected_order(case, answer)


def _failures(alignment: Alignment, failed: Mapping[str, Sequence[Check]]) -> dict[str, Verdict]:
    """Return the failure of each requirement: of its first failed check, with one further for each other cause."""
    most = 1 if alignment.case.role in _SEQUENCES else _CHECKS
    checks = [(requirement, check) for requirement, each in failed.items() for check in each[:most]]
    why = causes(alignment, [check for _, check in checks])
    by_cause: dict[str, dict[str, Verdict]] = {}
    for (requirement, check), cause in zip(checks, why, strict=True):
        by_cause.setdefault(requirement, {}).setdefault(cause.text, _failure(requirement, check, cause))
    return {
        requirement: replace(first, further=tuple(further[: _CAUSES - 1]))
        for requirement, (first, *further) in ((each, by_cause[each].values()) for each in by_cause)
    }


def _failure(requirement: str, check: Check, cause: Cause) -> Verdict:
    message = check.message[:1].upper() + check.message[1:]
    return Verdict(requirement, "fail", check.signature, message, check.at, cause=cause, log=check.log)


def _message_of(trouble: Trouble) -> str:
    """Return what happened, which the signature holds without numbers and the detail may repeat with them."""
    if any(text.startswith(trouble.signature) for text in (trouble.detail, without_numbers(trouble.detail))):
        return trouble.detail
    return f"{trouble.signature}: {trouble.detail}" if trouble.detail.strip() else trouble.signature


def _projected(event: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name in declared}
