"""The cells of the kill matrix, and the work that fills them: one family's cases, put to every mutant of a role."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from conformance.mutants.mutant import Mutant, MutantImplementation
from conformance.mutants.registry import mutants
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.decisions import Decisions
from conformance.self_check.edits import Difference, Edit
from conformance.self_check.question_view import QuestionView, view_of
from conformance.self_check.trigger import Trigger
from conformance.self_check.triggers import triggers_of
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case import Case

#: The forms of a triggered mutant: wrong in the whole answer to a question, or only in the entries about an item.
QUESTION: Final = "question"
ITEM: Final = "item"


@dataclass(frozen=True, slots=True)
class TriggerForm:
    """A trigger in one form.

    Attributes:
        trigger: The trigger.
        form: `QUESTION` or `ITEM`.
    """

    trigger: Trigger
    form: str

    @property
    def name(self) -> str:
        """The trigger's name, and the form where the trigger is about an item and the whole answer is wrong."""
        is_wide = self.form == QUESTION and self.trigger.whole is None
        return f"any-{self.trigger.name}" if is_wide else self.trigger.name


@cache
def forms_of(role: str) -> tuple[TriggerForm, ...]:
    """Return the triggers of a role, each in its forms."""
    return tuple(
        TriggerForm(each, form)
        for each in triggers_of(role).values()
        for form in ((QUESTION,) if each.at is None else (ITEM, QUESTION))
    )


@cache
def mutants_of(role: str) -> tuple[Mutant, ...]:
    """Return the mutants of a role, except those that only a process of their own can be."""
    return tuple(
        each
        for each in mutants()
        if catalogue()[each.requirement].role == role and not oracles()[each.requirement].is_measured
    )


@dataclass(frozen=True, slots=True, order=True)
class Kill:
    """A case in which a triggered mutant was noticed.

    Attributes:
        order: The case's place among those that are asked: round, and pair of family and profile.
        case: The case's id.
        blamed: The requirements that the first finding of the case breaks.
        rank: 0 if the mutant's own requirement, or another that it breaks, is one of them, 1 if one is broken in
            another finding of the case, 2 if none is blamed there.
    """

    order: tuple[int, int]
    case: str
    blamed: tuple[str, ...]
    rank: int


@dataclass(slots=True)
class MutantCells:
    """What is known of one mutant under every trigger.

    Attributes:
        met: A bit for each trigger that held in a case where the mutant's answer is wrong there.
        free: A bit for each trigger that held where the mutant's answer differs in what is free, or is not asked.
        differs: In how many cases the mutant's answer differed at all.
        kills: Trigger's index -> the first kill, and the first with the right requirement.
        codes: The type codes of the events at which the mutant's answers differ.
    """

    met: int = 0
    free: int = 0
    differs: int = 0
    kills: dict[int, list[Kill]] = field(default_factory=dict)
    codes: set[int] = field(default_factory=set)

    def add(self, other: "MutantCells") -> None:
        """Add what another worker found."""
        self.met |= other.met
        self.free |= other.free
        self.differs += other.differs
        self.codes |= other.codes
        for index, kills in other.kills.items():
            for kill in kills:
                self.add_kill(index, kill)

    def add_kill(self, index: int, kill: Kill) -> None:
        """Add a kill, and keep the first one, and the first one with the best blame."""
        kills = [*self.kills.get(index, ()), kill]
        kept = [min(kills), min(kills, key=lambda each: (each.rank, each.order))]
        self.kills[index] = kept[:1] if kept[0] == kept[1] else kept

    def closed(self) -> int:
        """Return a bit for each trigger under which nothing better can be found: killed with the right blame."""
        return sum(1 << index for index, kills in self.kills.items() if kills[-1].rank == 0)


def filled(
    role: str, cases: Iterable[tuple[tuple[int, int], int, Case]], closed: Mapping[str, int]
) -> dict[str, MutantCells]:
    """Return what some cases show of each mutant of a role.

    Args:
        role: The role.
        cases: The cases, each with its order and its number in the run.
        closed: Each mutant that is asked -> a bit for each trigger of which nothing more is asked.
    """
    worker = _Worker(role, closed)
    for order, number, case in cases:
        worker.ask(order, number, case)
    return worker.cells


class _Worker:
    def __init__(self, role: str, closed: Mapping[str, int]) -> None:
        self._reference = ReferenceImplementation()
        self._judge = Judge(self._reference.declaration.roles[role])
        self._forms = forms_of(role)
        every = (1 << len(self._forms)) - 1
        self._open = {name: every & ~bits for name, bits in closed.items()}
        self._mutants = [(each, MutantImplementation(each)) for each in mutants_of(role) if each.name in closed]
        self.cells = {each.name: MutantCells() for each, _ in self._mutants}

    def ask(self, order: tuple[int, int], number: int, case: Case) -> None:
        """Put a case to every mutant that may still show something.

        Raises:
            RuntimeError: The reference does not conform at this case, so that every mutant would seem to be noticed; or
                a mutant fails instead of answering.
        """
        if self._judge.declined(case):
            return
        request = request_of(case)
        right = self._reference.ask(request)
        if isinstance(right, Trouble):
            return
        if any(verdict.is_failure for verdict in self._judge.judge(case, right)):
            raise RuntimeError(f"the reference does not conform at {case.id}")
        question = _Question(case, right, view_of(request, number, right), self._forms)
        for mutant, implementation in self._mutants:
            wanted = self._open[mutant.name] & question.holding
            if wanted and case.id.profile in catalogue()[mutant.requirement].holds:
                try:
                    answer = answer_of(implementation, request)
                except Exception as error:
                    raise RuntimeError(f"the mutant {mutant.name} fails at {case.id}") from error
                if answer is not None:
                    self._put(question, mutant, answer, wanted, order)

    def _put(
        self, question: "_Question", mutant: Mutant, answer: Observation | Trouble, wanted: int, order: tuple[int, int]
    ) -> None:
        if answer == question.right:
            return
        cells = self.cells[mutant.name]
        cells.differs += 1
        wrong = _WrongAnswer(question, answer, self._judge, mutant, order)
        cells.codes |= wrong.codes
        for index in _bits(wanted):
            edits = wrong.edits_of(index)
            if edits is None:
                continue
            kill = wrong.kill(edits)
            if kill is None and wrong.is_free(edits):
                cells.free |= 1 << index
                continue
            cells.met |= 1 << index
            if kill is not None:
                cells.add_kill(index, kill)
                if kill.rank == 0:
                    self._open[mutant.name] &= ~(1 << index)


def answer_of(implementation: MutantImplementation, request: Request) -> Observation | Trouble | None:
    """Return a mutant's answer; None where it changes a scenario into one that no server runs.

    Raises:
        ValueError: The mutant fails at a question of another role.
    """
    try:
        return implementation.ask(request)
    except ValueError:
        if request.role != "log":
            raise
        return None


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class _Question:
    """A case, and where each trigger holds in it.

    Attributes:
        case: The case.
        right: The reference's answer.
        request: The question.
        masks: For each trigger in the form of items, a bit for each item at which it holds; None in the other form.
        holding: A bit for each trigger that holds somewhere.
    """

    def __init__(self, case: Case, right: Observation, view: QuestionView, forms: Sequence[TriggerForm]) -> None:
        self.case, self.right, self.request = case, right, view.request
        self._view = view
        places = {each.trigger.name: each.trigger.items(view) for each in forms if each.form == ITEM}
        self.masks: list[int | None] = []
        self.holding = 0
        for index, each in enumerate(forms):
            whole = each.trigger.whole
            mask = places.get(each.trigger.name, 0)
            holds = whole(view) if whole is not None else bool(mask)
            self.masks.append(mask if each.form == ITEM else None)
            self.holding |= holds << index

    @property
    def item_codes(self) -> list[int | None]:
        """The type code of each item."""
        return [item.code for item in self._view.items]

    def items_of_entries(self) -> list[int]:
        """Return the item that each entry of the right answer is about; the last number is that of the answer's end."""
        items = self._view.items
        last = len(items) - 1
        at = {item.offset: item.index for item in items}
        places: list[int] = []
        if self.right.streams or not self.request.stream:
            places = [min(index, last) for index in range(len(self.right.events))]
        elif all("data" in entry for entry in self.right.events):
            places = _copied(self.right, self._view)
        else:
            for index, entry in enumerate(self.right.events):
                offset = entry.get("offset", entry.get("pos"))
                places.append(at.get(offset, 0 if offset is None else min(index, last)))
        error = self.right.error
        return [*places, last if error is None or error.at is None else at.get(error.at, last)]


def _copied(right: Observation, view: QuestionView) -> list[int]:
    """Return the items of a receiver's entries: the event that is copied, or after which something is written."""
    places, at = [], 0
    for entry in right.events:
        data = bytes.fromhex(entry["data"])
        code = data[4]
        match = next((item.index for item in view.items[at:] if item.code == code and item.size == len(data)), None)
        if match is not None:
            at = match
        places.append(at)
    return places


class _WrongAnswer:
    """A mutant's answer to a question, with the edits that make it, and what the judge finds of each part of them.

    Attributes:
        codes: The type codes of the events at which it differs.
    """

    def __init__(
        self,
        question: _Question,
        answer: Observation | Trouble,
        judge: Judge,
        mutant: Mutant,
        order: tuple[int, int],
    ) -> None:
        self._question, self._answer, self._judge = question, answer, judge
        self._broken, self._order = frozenset({mutant.requirement, *mutant.also}), order
        self._kills: dict[tuple[Edit, ...], Kill | None] = {}
        self._free: dict[tuple[Edit, ...], bool] = {}
        self._difference: Difference | None = None
        self.codes: set[int] = set()
        self._every: tuple[Edit, ...] = ()
        self._places: list[int] = []
        self._decisions: Decisions | None = None
        if isinstance(answer, Observation):
            self._decisions = Decisions(question.case, question.right, answer, judge.role)
            self._difference = Difference(question.request, question.right, answer)
            self._every = self._difference.edits
            items = question.items_of_entries()
            self._places = [items[min(edit.start, len(items) - 1)] for edit in self._every]
            codes = question.item_codes
            self.codes = {code for place in self._places if (code := codes[place] if codes else None) is not None}

    def edits_of(self, index: int) -> tuple[Edit, ...] | None:
        """Return the edits that a triggered mutant makes, None if it makes none."""
        mask = self._question.masks[index]
        if mask is None:
            return self._every
        decisions = self._decisions
        if decisions is None:
            return None
        places = zip(self._every, self._places, strict=True)
        made = {edit for edit, place in places if mask >> place & 1 and decisions.leads(edit.start)}
        numbers = {decisions.of(edit.start) for edit in made} - {None}
        edits = tuple(each for each in self._every if each in made or decisions.of(each.start) in numbers)
        return edits or None

    def kill(self, edits: tuple[Edit, ...]) -> Kill | None:
        """Return how an answer with some of the edits is noticed, None if it is not."""
        if edits not in self._kills:
            verdicts = self._judge.judge(self._question.case, self._with(edits))
            self._kills[edits] = _kill(self._question.case, self._order, verdicts, self._broken)
        return self._kills[edits]

    def is_free(self, edits: tuple[Edit, ...]) -> bool:
        """Return whether an answer with some of the edits differs only in what is free, or is not asked."""
        if edits not in self._free:
            answer = self._with(edits)
            self._free[edits] = not isinstance(answer, Trouble) and self._judge.allows(self._question.case, answer)
        return self._free[edits]

    def _with(self, edits: tuple[Edit, ...]) -> Observation | Trouble:
        if self._difference is None or edits == self._every:
            return self._answer
        return self._difference.with_edits(edits)


def _kill(case: Case, order: tuple[int, int], verdicts: Sequence[Verdict], broken: Set[str]) -> Kill | None:
    failed = [verdict for verdict in verdicts if verdict.is_failure]
    if not failed:
        return None
    first = min(failed, key=lambda each: (*_place(each), each.finding))
    heads = sorted({each.requirement for each in failed if each.finding == first.finding or _is_beside(each, first)})
    rank = 0 if not broken.isdisjoint(heads) else 1 if any(each.requirement in broken for each in failed) else 2
    return Kill(order, str(case.id), tuple(heads), rank)


def _place(verdict: Verdict) -> tuple[float, float]:
    """Return the sort key of the place in an answer: the last is that of the answer as a whole."""
    return (float("inf"), 0) if verdict.at is None else (verdict.log, verdict.at)


def _is_beside(one: Verdict, other: Verdict) -> bool:
    return one.at is not None and _place(one) == _place(other)
