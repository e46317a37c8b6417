"""Events that are sent or written as they came: how what is wrong with one is named."""

from conformance.oracles.cause import Cause
from conformance.oracles.oracle import Check


def wrong(role: str, kind: str, words: str, message: str, *, field: str = "") -> Check:
    """Return the check of an event that is passed on wrongly, with what is wrong as its cause.

    Args:
        role: The role.
        kind: The name of the event's type; empty where it does not matter.
        words: What is wrong.
        message: What was expected and what was observed.
        field: The field that is wrong, empty for the whole event.
    """
    cause = Cause(words, kind, field, role=role)
    return Check(cause.text.removeprefix(f"{role}: "), message, cause=cause)
