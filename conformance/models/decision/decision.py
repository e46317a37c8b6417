"""The words of a logging decision: what it depends on, and what comes of it."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from conformance.models.decision.capability import Capability

#: What the parser made of a statement. A row injection (a ``BINLOG`` statement, or a rows event that a replica applies)
#: is known to shipped servers only.
Safety = Literal["safe", "unsafe", "row-injection"]
#: The logging mode, ``BINLOG_FORMAT``.
Mode = Literal["statement", "mixed", "row"]
#: The logging format; no third exists.
Format = Literal["statement", "row"]

SAFETIES: Final[tuple[Safety, ...]] = get_args(Safety)
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


@dataclass(frozen=True, slots=True)
class Message:
    """The error or the warning that a decision gives.

    Attributes:
        kind: ``error``: the statement is not executed; ``warning``: it is.
        label: What the message is about; the worklog's labels are ``not loggable`` and ``unsafe``.
        code: The number of it in shipped servers; the worklog has none.
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
        row: Number of the row of the table that decided, from 1; None where a rule outside of the table did.
        rule: That rule in words.
        format: The format of what is logged; None where nothing is.
        message: The error or warning, None for neither.
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
    """Return a row of a decision table in words: its condition, the capabilities, and what comes of them."""
    row, statement = ("yes" if each else "no" for each in (capability.row, capability.statement))
    action = str(message) if message else ""
    if format:
        action += (", " if action else "") + f"logged as {format}"
    return f"{condition} row logging capable {row}, statement logging capable {statement}: {action}"


#: Logging is off: errors and warnings hold only while it is on, and nothing is logged.
LOGGING_OFF: Final = Decision(None, "logging is off: the statement is executed and not logged, without a message", None)
