"""A server that logs, written from the five worklogs and docs/roles/log.md: nobody may blame it."""

import base64
from typing import Any

from administration import Administration
from definitions import Definitions
from sessions import Session
from statements import Refused
from wire import serve

_IMPLICIT = {
    "create_database", "drop_database", "rename_table", "alter_table", "maintain", "flush_logs",
    "create_table", "create_table_like", "create_table_select", "drop_table",
}  # fmt: skip


class Server(Definitions, Administration):
    """A server with its logs, in one scenario."""

    def run(self, statement: dict[str, Any]) -> None:
        """Run a statement; one that is refused changes nothing."""
        kind, number = statement["kind"], statement.get("session", 1)
        if kind in ("restart", "crash"):
            self.end(statement)
            return
        session = self.sessions.setdefault(number, Session(self.settings))
        if kind == "disconnect":
            self.disconnect(session)
            del self.sessions[number]
            return
        session.anonymous = session.gtid_next == "ANONYMOUS"
        if self.is_executed(session) and kind != "use" and not kind.startswith("set_"):
            return
        try:
            if not kind.startswith("set_") and kind not in ("use", "begin", "commit", "rollback"):
                self.check(session, kind, statement)
            getattr(self, {"commit": "end_work", "rollback": "undo_work"}.get(kind, kind))(session, statement)
            if kind in _IMPLICIT and not session.within:
                session.anonymous = False
        except Refused:
            if not session.within and kind != "create_table_select":
                session.give_up()

    def check(self, session: Session, kind: str, statement: dict[str, Any]) -> None:
        """Refuse what may not be run with the GTID that is given."""
        is_read = statement.get("action") == "checksum" and not self.worklog
        commits = kind in _IMPLICIT and not statement.get("temporary") and not is_read
        is_ruled_out = session.gtid_next == "ANONYMOUS" and self.settings["gtid_mode"] == "ON"
        if not session.gtid_next or is_ruled_out or (commits and session.within and session.given):
            raise Refused
        if commits and session.within:
            self.commit(session)
        if kind == "create_table_select" and not statement.get("temporary") and self.is_consistent(session):
            raise Refused
        if statement.get("temporary") and session.within and self.is_consistent(session):
            raise Refused


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the logs that a scenario leaves."""
    scenario = request["settings"]["scenario"]
    server = Server(scenario["settings"])
    for statement in scenario["statements"]:
        server.run(statement)
    return {"streams": [base64.b64encode(bytes(log.data)).decode() for log in server.logs], "error": None}


if __name__ == "__main__":
    serve("log", ["log", "type"], [], answer, ["worklog", "mysql-5.7"])
