"""The statuses that a requirement or a cell of the matrix can have, and how each is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from conformance.specs.run_record import WITHOUT_ANSWERS, TroubleStatus

#: The statuses of a case that show whether the requirement holds.
JUDGED: Final = ("pass", "fail", "crash", "hang", "protocol-error")
BROKEN: Final = JUDGED[1:]
#: Statuses that show nothing, one way or the other: never counted as a pass.
UNJUDGED: Final = ("not-asked", "blocked", "unsupported", "not-reached", "no-oracle", "untestable")
#: Statuses of requirements that the kit cannot judge, whatever the implementation.
BEYOND_THE_KIT: Final = ("no-oracle", "untestable")
#: Statuses of a case without an answer that can be judged, with the word for what the implementation did.
TROUBLES: Final[Mapping[TroubleStatus, str]] = {
    "crash": "crashed",
    "hang": "hung",
    "protocol-error": "broke the protocol",
}


@dataclass(frozen=True, slots=True)
class Status:
    """How a status is shown.

    Attributes:
        name: As in the run record.
        symbol: One character, for readers who do not see the colour.
        label: One or two words.
        meaning: A sentence for readers who see it for the first time.
    """

    name: str
    symbol: str
    label: str
    meaning: str


#: Every status, in the order reports list them.
STATUSES: Final = {
    status.name: status
    for status in (
        Status("pass", "✓", "pass", "Every case that exercised the requirement met it."),
        Status("fail", "✗", "fail", "It answered, and the answer breaks the requirement."),
        Status("crash", "‼", "crash", "It crashed at some of the streams that exercise the requirement."),
        Status("hang", "∞", "hang", "It gave no answer within the time limit."),
        Status("protocol-error", "≠", "protocol error", "Its answer is incomplete, or breaks the protocol."),
        Status("not-asked", "…", "not asked", f"{WITHOUT_ANSWERS.capitalize()}, so some cases were not asked."),
        Status(
            "blocked",
            "⊣",
            "blocked",
            "Every answer ended before its events, or does not know their type: see the finding.",
        ),
        Status("unsupported", "□", "unsupported", "It declares that it does not support this; not counted as a pass."),
        Status("not-reached", "○", "not reached", "The kit can judge it, but no case of this run exercised it."),
        Status("no-oracle", "·", "no oracle yet", "The kit cannot judge it yet."),
        Status("untestable", "⊘", "untestable", "It cannot be tested from outside; the catalogue gives the reason."),
    )
}
