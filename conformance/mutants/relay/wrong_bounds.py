"""Receivers that begin or end their relay logs wrongly."""

from dataclasses import replace
from typing import Any

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import BEFORE_LENGTHS
from conformance.models.replica.relay import Receiver
from conformance.models.replica.relay_rules import OwnGtids, RelayRules


class DescribesFirstLog(Receiver):
    """A receiver that writes its format description into the first relay log alone."""

    def _make(self, code: EventType, body: bytes, **options: Any) -> None:
        if code != EventType.FORMAT_DESCRIPTION or not self._log:
            super()._make(code, body, **options)


class DescribesConnections(Receiver):
    """A receiver that writes its format description again for each connection, in the same relay log."""

    def _connect(self) -> None:
        described = bool(self.events)
        super()._connect()
        if described:
            own = next(each for each in self.events if each.type == EventType.FORMAT_DESCRIPTION)
            self._write(own._replace(log=self._log))


class GoesOnAfterRotates(Receiver):
    """A receiver that ends a relay log with a Rotate event and goes on in it."""

    def _open(self, *, created: int) -> None:
        if not self._logs:
            super()._open(created=created)


class DeclaresNoRotates(Receiver):
    """A receiver whose own format descriptions declare a post-header of no bytes for Rotate."""

    def _make(self, code: EventType, body: bytes, **options: Any) -> None:
        if code == EventType.FORMAT_DESCRIPTION:
            at = BEFORE_LENGTHS + EventType.ROTATE - 1
            body = body[:at] + b"\0" + body[at + 1 :]
        super()._make(code, body, **options)


class HasGtidsInEveryVersion(Receiver):
    """A receiver whose relay logs have a Previous_gtids event of its own in every version."""

    def _rules(self) -> RelayRules:
        return replace(super()._rules(), previous_gtids=OwnGtids.ALWAYS)


class HasNoGtids(Receiver):
    """A receiver whose relay logs never have a Previous_gtids event of its own where the mode decides."""

    def _rules(self) -> RelayRules:
        rules = super()._rules()
        with_mode = rules.previous_gtids is OwnGtids.WITH_GTID_MODE
        return replace(rules, previous_gtids=OwnGtids.NEVER) if with_mode else rules
