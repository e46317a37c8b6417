"""Transactions and how they come into a log, written from docs/roles/log.md and the worklogs."""

from typing import Any

from binary_logs import BinaryLogs
from sessions import Event, Name, Session
from statements import Refused, quoted
from wire import is_subset, set_of_text


class Transactions(BinaryLogs):
    """The transactions of sessions: what they hold is written when they end."""

    def commit(self, session: Session, tables: list[Name] = [], *, explicit: bool = False) -> None:  # noqa: B006
        """Write what the transaction holds, and end it."""
        if session.cache or (explicit and session.given):
            begin = self.query(session.begun_in if session.cache else session.database, "BEGIN", tables)
            self.write(session, [begin, *session.cache, self.query(session.database, "COMMIT", tables)])
        session.anonymous = session.anonymous and not explicit
        session.clear()

    def rollback(self, session: Session) -> None:
        """Undo the transaction, and write it with ROLLBACK if it holds what cannot be undone."""
        for take_back in reversed(session.undo):
            take_back()
        self.drop_cache(session)
        session.clear()
        session.give_up()

    def drop_cache(self, session: Session) -> None:
        """Forget the events of a transaction, or write them with ROLLBACK if one cannot be undone."""
        if session.fixed and session.cache:
            ends = [
                self.query(each, word) for each, word in ((session.begun_in, "BEGIN"), (session.database, "ROLLBACK"))
            ]
            self.write(session, [ends[0], *session.cache, ends[1]])
        session.cache, session.fixed, session.registered = [], False, False

    def at_once(self, session: Session, events: list[Event]) -> None:
        """Write a transaction of its own."""
        begin, end = self.query(session.database, "BEGIN"), self.query(session.database, "COMMIT")
        self.write(session, [begin, *events, end])
        session.registered = session.within

    def keep(self, session: Session, events: list[Event], *, fixed: bool = False) -> None:
        """Keep events for the end of the transaction."""
        if not session.cache:
            session.begun_in = session.database
        session.cache += events
        session.registered = True
        session.fixed |= fixed

    def is_consistent(self, session: Session) -> bool:
        """Return whether GTID consistency is enforced for a session."""
        mode = self.settings["gtid_mode"]
        automatic = mode == "ON_PERMISSIVE" and session.gtid_next == "AUTOMATIC"
        return self.settings["enforce_gtid_consistency"] or mode == "ON" or automatic or session.given

    def is_executed(self, session: Session) -> bool:
        """Return whether the given GTID of a session was executed before: statements are then passed over."""
        return session.given and is_subset(set_of_text(session.gtid_next), self.executed)

    def begin(self, session: Session, _: dict[str, Any]) -> None:
        """Begin a transaction."""
        if session.within:
            if session.given:
                raise Refused
            self.commit(session)
        session.within = True

    def end_work(self, session: Session, _: dict[str, Any]) -> None:
        """COMMIT."""
        self.commit(session, explicit=True)

    def undo_work(self, session: Session, _: dict[str, Any]) -> None:
        """ROLLBACK."""
        self.rollback(session)

    def savepoint(self, session: Session, statement: dict[str, Any]) -> None:
        """SAVEPOINT."""
        if not session.within:
            return
        name = statement["name"]
        session.savepoints = [each for each in session.savepoints if each[0] != name]
        place = len(session.cache) if session.registered else None
        session.savepoints.append((name, place, len(session.undo)))
        if session.registered:
            self.keep(session, [self.query(session.database, f"SAVEPOINT {quoted(name)}")])

    def rollback_to(self, session: Session, statement: dict[str, Any]) -> None:
        """ROLLBACK TO."""
        names = [each[0] for each in session.savepoints]
        if statement["name"] not in names:
            raise Refused
        at = names.index(statement["name"])
        name, place, undone = session.savepoints[at]
        session.savepoints = session.savepoints[: at + 1]
        for take_back in reversed(session.undo[undone:]):
            take_back()
        session.undo = session.undo[:undone]
        if place is None:
            self.drop_cache(session)
        elif session.fixed:
            self.keep(session, [self.query(session.database, f"ROLLBACK TO {quoted(name)}")])
        else:
            session.cache = session.cache[: place + 1]
