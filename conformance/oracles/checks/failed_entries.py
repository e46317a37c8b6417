"""The entry of the event at which an applier fails: it has the place of the failure, and may be there or not."""

from dataclasses import replace
from typing import Final

from conformance.protocol.observation import Observation
from conformance.strategies.grammar.case import Case

#: What only the last entry has.
_LAST: Final = "tables"


def with_failure_as_expected(case: Case, answer: Observation) -> Observation:
    """Return an applier's answer in which the entry that failed is no different from none.

    Its error has the offset of that entry, if it has none itself. Of an event that cannot be read no entry is expected:
    what the last entry has, the one before it has then.
    """
    error, last = answer.error, answer.events[-1] if answer.events else {}
    if case.role != "apply" or error is None or last.get("outcome") != "failed":
        return answer
    answer = replace(answer, error=replace(error, at=last["offset"])) if error.at is None else answer
    expected = case.expected.events
    is_unexpected = bool(expected) and last["offset"] > expected[-1]["offset"] and len(answer.events) > 1
    if not is_unexpected or _LAST not in last or _LAST in answer.events[-2]:
        return answer
    *entries, before, last = answer.events
    rest = {name: value for name, value in last.items() if name != _LAST}
    return replace(answer, events=(*entries, {**before, _LAST: last[_LAST]}, rest))
