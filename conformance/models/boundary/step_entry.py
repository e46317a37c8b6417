"""A boundary parser's step, as an entry of the protocol."""

from typing import Final

from conformance.models.boundary.header_answers import HeaderAnswers
from conformance.models.boundary.shipped_parser import ShippedStep
from conformance.models.boundary.worklog_parser import ParserStep

#: The warning of an error for which servers have no text.
WITHOUT_TEXT: Final = "error"
#: The letters of the worklog's list, in the order of `HeaderAnswers`.
_LETTERS: Final = "abcdefgh"


def answer_letters(answers: HeaderAnswers) -> str:
    """Return the letters of the answers that are yes, such as ``aeg``."""
    return "".join(letter for letter, name in zip(_LETTERS, answers.__slots__, strict=True) if getattr(answers, name))


def worklog_entry(step: ParserStep, answers: HeaderAnswers, *, within: bool) -> dict[str, str]:
    """Return the entry for a step of the worklog's parser."""
    return {
        "marker": step.marker.heading,
        "answers": answer_letters(answers),
        "boundary_type": step.boundary_type.heading,
        "state": step.state.heading,
        "within_transaction": "yes" if within else "no",
        "warning": step.warning or "",
    }


def shipped_entry(step: ShippedStep, *, within: bool) -> dict[str, str]:
    """Return the entry for a step of a shipped parser: an error without a text is `WITHOUT_TEXT`."""
    silent = WITHOUT_TEXT if step.error else ""
    return {"within_transaction": "yes" if within else "no", "warning": step.warning.text if step.warning else silent}
