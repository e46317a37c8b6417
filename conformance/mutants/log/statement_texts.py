"""The mutants of the role `log` that log a statement in other words than those in which it was issued."""

import re
from collections.abc import Callable
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.mutants.log.faults import Answer, changed, set_fields
from conformance.mutants.mutant import Mutant

_COMMENT: Final = re.compile(rb"\s*/\*.*?\*/\s*", re.DOTALL)


def _spelled(change: Callable[[bytes], bytes]) -> Answer:
    """Return the answer with the texts of the statements changed that the server does not write itself."""
    return changed(
        lambda log, unit, event: event.type == EventType.QUERY and not event.generated,
        lambda event: set_fields(query=change(event.fields["query"]))(event),
    )


LOG_STATEMENT_TEXT_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-statements-in-upper-case",
        "FORMAT-LOG-STATEMENT",
        "statements are logged in upper case",
        answer=_spelled(bytes.upper),
    ),
    Mutant(
        "logs-statements-without-comments",
        "FORMAT-LOG-STATEMENT",
        "statements are logged without their comments",
        answer=_spelled(lambda text: _COMMENT.sub(b" ", text).strip()),
    ),
)
