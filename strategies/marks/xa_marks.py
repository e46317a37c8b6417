"""The statements of XA transactions in a log to be filtered: which belong together, and whether they may be dropped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from conformance.models.filtering.group_filter import Fate
from conformance.models.filtering.log_part import Part

_BETWEEN: Final = frozenset({Part.STATEMENT, Part.TABLE_MAP, Part.ROWS})
#: XA START, XA END and XA_prepare.
_STATEMENTS: Final = frozenset({Part.BEGIN, Part.MEMBER, Part.END})
_ANNOUNCING: Final = frozenset({Part.MARKER, Part.MARKER_AND_BEGIN})


@dataclass(slots=True)
class XaTransaction:
    """An XA transaction.

    Attributes:
        statements: The indices of XA START, XA END, XA_prepare, and XA COMMIT or XA ROLLBACK; of a transaction that
            began before the log, of the last alone.
        markers: The indices of the Gtid events before its two groups.
        is_dropped: Whether there is something between XA START and XA END, and none of it passes.
    """

    statements: list[int] = field(default_factory=list)
    markers: list[int] = field(default_factory=list)
    is_dropped: bool = False


def xa_transactions(fates: Sequence[Fate]) -> Iterator[XaTransaction]:
    """Yield the XA transactions among the events of a log, in the order in which they begin."""
    by_name: dict[str, XaTransaction] = {}
    open_: XaTransaction | None = None
    markers: list[int] = []
    between: list[bool] = []
    for index, fate in enumerate(fates):
        part = fate.part.part
        if part in _ANNOUNCING:
            markers.append(index)
            continue
        if part is Part.BEGIN and fate.part.xa:
            open_ = by_name[fate.part.xa] = XaTransaction(markers=markers)
            between = []
            yield open_
        if part is Part.XA_FINISH:
            finished = by_name.get(fate.part.xa)
            if finished is None:
                finished = XaTransaction()
                yield finished
            finished.statements.append(index)
            finished.markers += markers
        elif open_ is not None and part in _BETWEEN:
            between.append(bool(fate.kept))
        elif open_ is not None and part in _STATEMENTS:
            open_.statements.append(index)
        if open_ is not None and part is Part.END:
            open_.is_dropped = bool(between) and not any(between)
            open_ = None
        markers = []
