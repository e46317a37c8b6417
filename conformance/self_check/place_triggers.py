"""The triggers at places: first, last, after a reset, beside another one of its type."""

from typing import Final

from conformance.self_check.question_view import ItemView
from conformance.self_check.trigger import ROLES_OF_EVENTS, Trigger


def _differs(item: ItemView, name: str) -> bool:
    return item.previous is not None and getattr(item, name) != getattr(item.previous, name)


PLACE: Final = (
    Trigger(name="item-third", text="at the third event or statement", at=lambda item: item.index == 2),
    Trigger(name="item-above-16", text="after 16 events or statements", at=lambda item: item.index >= 16),
    Trigger(name="item-above-64", text="after 64 events or statements", at=lambda item: item.index >= 64),
    Trigger(name="item-above-255", text="after 255 events or statements", at=lambda item: item.index >= 255),
    Trigger(
        name="only-of-kind",
        text="where there is no other of the same type",
        at=lambda item: not item.earlier and not item.later,
    ),
    Trigger(
        name="first-of-several",
        text="at the first of several of a type",
        at=lambda item: not item.earlier and item.later > 0,
    ),
    Trigger(
        name="middle-of-several",
        text="at neither the first nor the last of several of a type",
        at=lambda item: bool(item.earlier and item.later),
    ),
    Trigger(
        name="last-of-several",
        text="at the last of several of a type",
        at=lambda item: item.earlier > 0 and not item.later,
    ),
    Trigger(name="third-of-kind", text="from the third of a type on", at=lambda item: item.earlier >= 2),
    Trigger(name="fourth-of-kind", text="from the fourth of a type on", at=lambda item: item.earlier >= 3),
    Trigger(name="after-64-of-kind", text="after 64 of a type", at=lambda item: item.earlier >= 64),
    Trigger(
        name="after-same",
        text="directly after one of the same type",
        at=lambda item: item.previous is not None and not _differs(item, "kind"),
    ),
    Trigger(name="after-other", text="directly after one of another type", at=lambda item: _differs(item, "kind")),
    Trigger(
        name="before-same", text="directly before one of the same type", at=lambda item: item.next_kind == item.kind
    ),
    Trigger(name="last", text="at the last event or statement", at=lambda item: item.next_kind is None),
    Trigger(
        name="after-flagged",
        text="directly after an event with a flag",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.previous is not None and item.previous.flags != 0,
    ),
    Trigger(
        name="after-unflagged",
        text="directly after an event without a flag",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.previous is not None and not item.previous.flags,
    ),
    Trigger(
        name="after-other-server",
        text="where the server id changes",
        roles=ROLES_OF_EVENTS,
        at=lambda item: _differs(item, "server_id"),
    ),
    Trigger(
        name="after-other-time",
        text="where the time changes",
        roles=ROLES_OF_EVENTS,
        at=lambda item: _differs(item, "timestamp"),
    ),
    Trigger(name="log-first", text="in the first log", roles=ROLES_OF_EVENTS, at=lambda item: item.log == 0),
    Trigger(name="log-second", text="in the second log", roles=ROLES_OF_EVENTS, at=lambda item: item.log == 1),
    Trigger(name="log-third", text="from the third log on", roles=ROLES_OF_EVENTS, at=lambda item: item.log >= 2),
    Trigger(
        name="after-reset",
        text="directly after another log or another stream began",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.after_reset,
    ),
    Trigger(
        name="transaction-first",
        text="in the first transaction",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.transaction == 1,
    ),
    Trigger(
        name="transaction-second",
        text="in the second transaction",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.transaction == 2,
    ),
    Trigger(
        name="transaction-fourth",
        text="from the fourth transaction on",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.transaction >= 4,
    ),
    Trigger(
        name="transaction-above-64",
        text="after 64 transactions",
        roles=ROLES_OF_EVENTS,
        at=lambda item: item.transaction > 64,
    ),
)
