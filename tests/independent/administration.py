"""Variables, logs and restarts of a server that logs, written from docs/roles/log.md."""

from typing import Any

from groups import Transactions
from sessions import Name, Session
from statements import Refused, quoted
from wire import STOP, set_of_text, united

_MODES = ["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]


class Administration(Transactions):
    """Variables, and what is done with logs, sessions and the server."""

    def use(self, session: Session, statement: dict[str, Any]) -> None:
        """USE."""
        if statement["database"] not in self.databases:
            raise Refused
        session.database = statement["database"]

    def set_user_variable(self, session: Session, statement: dict[str, Any]) -> None:
        """SET @v."""
        session.variable = statement["value"]

    def set_session(self, session: Session, statement: dict[str, Any]) -> None:
        """SET SESSION."""
        variable, value = statement["variable"], statement["value"]
        if variable == "binlog_rows_query_log_events":
            session.texts = boolean(statement.get("spelling", value))
        elif variable == "binlog_format":
            leaves_rows = (session.format, value) == ("ROW", "STATEMENT")
            if session.within or (leaves_rows and session.temporary and not self.worklog):
                raise Refused
            session.format = value
        elif variable == "gtid_next":
            mode = self.settings["gtid_mode"]
            is_gtid = ":" in value
            owns = session.given and not self.is_executed(session)
            if session.within or owns or (is_gtid and (mode == "OFF" or value.count(":") > 1)):
                raise Refused
            if value == "ANONYMOUS" and mode == "ON":
                raise Refused
            session.gtid_next, session.anonymous = value, value == "ANONYMOUS"
        else:
            raise Refused

    def set_global(self, session: Session, statement: dict[str, Any]) -> None:
        """SET GLOBAL."""
        variable, value = statement["variable"], statement["value"]
        if session.within and variable in ("gtid_mode", "enforce_gtid_consistency", "binlog_checksum"):
            raise Refused
        if variable == "gtid_mode":
            self.set_mode(value)
        elif variable == "binlog_rows_query_log_events":
            self.settings[variable] = boolean(statement.get("spelling", value))
        elif variable == "enforce_gtid_consistency":
            if not boolean(value) and self.settings["gtid_mode"] == "ON":
                raise Refused
            self.settings[variable] = boolean(value)
        elif variable in ("binlog_format", "binlog_checksum"):
            self.settings[variable] = value
            if variable == "binlog_checksum":
                self.rotate()
        else:
            raise Refused

    def set_mode(self, value: str) -> None:
        """SET GLOBAL gtid_mode."""
        before = self.settings["gtid_mode"]
        others = self.sessions.values()
        if abs(_MODES.index(before) - _MODES.index(value)) > 1:
            raise Refused
        if value == "ON" and (not self.settings["enforce_gtid_consistency"] or any(each.anonymous for each in others)):
            raise Refused
        if value == "OFF" and any(each.given and not self.is_executed(each) for each in others):
            raise Refused
        self.settings["gtid_mode"] = value
        if before != value:
            self.rotate()

    def set_gtid_purged(self, _: Session, statement: dict[str, Any]) -> None:
        """SET GLOBAL gtid_purged."""
        if self.executed:
            raise Refused
        for each in (self.executed, self.purged):
            united(each, set_of_text(statement["gtids"]))

    def flush_logs(self, session: Session, _: dict[str, Any]) -> None:
        """FLUSH BINARY LOGS."""
        self.rotate()
        self.commit(session, explicit=True)

    def purge_logs(self, _: Session, statement: dict[str, Any]) -> None:
        """PURGE BINARY LOGS."""
        kept = [log for log in self.logs if log.number >= statement["to"]]
        if not any(log.number == statement["to"] for log in self.logs):
            raise Refused
        self.logs = kept
        united(self.purged, kept[0].previous or {})

    def disconnect(self, session: Session) -> None:
        """End a session."""
        self.rollback(session)
        session.gtid_next = "AUTOMATIC"
        groups: dict[tuple[str, bool], list[Name]] = {}
        for name, table in session.temporary.items():
            if self.worklog and not table.is_logged:
                continue
            groups.setdefault((name[0], table.transactional), []).append(name)
        for (database, _), names in groups.items():
            text = "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS " + ",".join(quoted(name[1]) for name in names)
            self.write(session, [self.query(database, text, names)])

    def end(self, statement: dict[str, Any]) -> None:
        """Shut the server down, or kill it, and start it again."""
        for session in self.sessions.values():
            if statement["kind"] == "restart":
                self.disconnect(session)
            else:
                session.fixed = False
                self.rollback(session)
        if statement["kind"] == "restart":
            self.log.write(STOP, b"")
        for setting, value in statement.get("options", []):
            option = setting.removeprefix("--").replace("-", "_")
            name = option.removeprefix("skip_")
            is_word = name in ("gtid_mode", "binlog_format")
            self.settings[name] = value if is_word else option == name and boolean(value or "ON")
        self.start()


def boolean(value: str) -> bool:
    """Return what an option is set to."""
    word = str(value).upper()
    if word not in ("ON", "1", "TRUE", "OFF", "0", "FALSE"):
        raise Refused
    return word in ("ON", "1", "TRUE")
