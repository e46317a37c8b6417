"""The terms of a logging decision: its inputs and its result."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from conformance.models.decision.capability import Capability

#: The parser's class of a statement. Only shipped servers know a row injection (a ``BINLOG`` statement, or a rows event
#: that a replica applies).
Safety = Literal["safe", "unsafe", "row-injection"]
#: The logging mode, ``BINLOG_FORMAT``.
Mode = Literal["statement", "mixed", "row"]
#: The logging format; there is no third one.
Format = Literal["statement", "row"]

SAFETIES: Final[tuple[Safety, ...]] = get_args(Safety)
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


@dataclass(frozen=True, slots=True)
class Message:
    """The error or the warning that a decision gives.

    Attributes:
        kind: ``error``: the statement is not executed; ``warning``: it is executed.
        label: The subject of the message; the worklog's labels are ``not loggable`` and ``unsafe``.
        code: Its number in shipped servers; None in the worklog.
    """

    kind: Literal["error", "warning"]
    label: str
    code: int | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.code}: {self.label}" if self.code else f"{self.kind}: {self.label}"


@dataclass(frozen=True, slots=True)
class Decision:
    """How one statement is logged.

    Attributes:
        row: Number of the row of the table that decided, from 1; None if a rule outside the table did.
        rule: The row or rule in words.
        format: The format in which it is logged; None if it is not logged.
        message: The error or warning, None if there is none.
    """

    row: int | None
    rule: str
    format: Format | None
    message: Message | None = None

    @property
    def executed(self) -> bool:
        """Whether the statement is executed: an error stops it before it has any effect."""
        return self.message is None or self.message.kind != "error"


def rule_text(condition: str, capability: Capability, message: Message | None, format: Format | None) -> str:
    """Return a row of a decision table in words: its condition, the capabilities, and the result."""
    row, statement = ("yes" if each else "no" for each in (capability.row, capability.statement))
    action = str(message) if message else ""
    if format:
        action += (", " if action else "") + f"logged as {format}"
    return f"{condition} row logging capable {row}, statement logging capable {statement}: {action}"


#: Logging is off: there are no errors and warnings, and nothing is logged.
LOGGING_OFF: Final = Decision(None, "logging is off: the statement is executed and not logged, without a message", None)
