"""The statuses that a requirement or a cell of the matrix can have: how each is shown and said."""

from dataclasses import dataclass
from typing import Final

#: Whose results say whether the requirement holds.
JUDGED: Final = ("pass", "fail", "crash", "hang", "protocol-error")
BROKEN: Final = JUDGED[1:]
#: Nothing was shown, one way or the other: never counted as a pass.
UNJUDGED: Final = ("unsupported", "not-reached", "no-oracle", "untestable")
#: The kit cannot judge these, whatever the implementation.
BEYOND_THE_KIT: Final = ("no-oracle", "untestable")


@dataclass(frozen=True, slots=True)
class Status:
    """How a status is shown.

    Attributes:
        name: As in the run record.
        symbol: One character that tells it without colour.
        label: One or two words.
        meaning: A sentence for those who meet it the first time.
    """

    name: str
    symbol: str
    label: str
    meaning: str


#: Every status, in the order reports list them.
STATUSES: Final = {
    status.name: status
    for status in (
        Status("pass", "✓", "pass", "Every case that exercised the requirement went as it says."),
        Status("fail", "✗", "fail", "It answered, and the answer breaks the requirement."),
        Status("crash", "‼", "crash", "It died on a stream."),
        Status("hang", "∞", "hang", "It gave no answer within the time limit."),
        Status(
            "protocol-error", "≠", "protocol error", "Its answer cannot be read: not the protocol's, or incomplete."
        ),
        Status("unsupported", "□", "unsupported", "It declares that it does not do this; not counted as a pass."),
        Status("not-reached", "○", "not reached", "The kit can judge it, but no case of this run exercised it."),
        Status("no-oracle", "·", "no oracle yet", "The kit cannot judge it yet."),
        Status("untestable", "⊘", "untestable", "No outside kit can test it; the catalogue says why."),
    )
}
