"""The two boundary parsers that receivers have, written from WL#4162 and docs/roles/boundary.md."""

from wire import ARTIFICIAL, IGNORABLE, Event, Format

#: The boundary types by their numbers.
WORDS = (
    "Not Defined",
    "Ignore Boundary",
    "Self Contained",
    "Start Transaction",
    "Inside Transaction",
    "End Transaction",
)
_NOT, _IGNORE, _SELF, _START, _INSIDE, _END = range(6)
_SELF_TYPES = {0, 1, 3, 6, 7, 8, 10, 11, 12, 26, 27, 35, 36, 37, 40, 41}
_INSIDE_TYPES = {9, 17, 19, 20, 21, 22, 23, 24, 25, 29, 30, 31, 32, 39}


def statement(event: Event, form: Format) -> bytes | None:
    """Return the text of a Query or Execute_load_query event, None where the body is too short for one."""
    body = form.body(event)
    post = form.post_header(event.type) or 13
    if len(body) < post:
        return None
    database, status = body[8], int.from_bytes(body[11:13], "little")
    at = post + status + database
    if event.type == 2 and post == 17:
        return body[at : at + int.from_bytes(body[13:15], "little")]
    return body[at + 1 :] if at + 1 <= len(body) else None


class Worklog:
    """The parser of WL#4162: markers, its table, and a guess for events without a marker.

    Attributes:
        state: Its own type, as a number.
        used: The boundary type of the last event, as a number.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin another stream."""
        self.state, self.used, self.begun = _NOT, _NOT, False

    def feed(self, event: Event, form: Format) -> str:
        """Take an event, and return the warning that it causes."""
        kind = event.flags >> 10 & 7
        if kind in (_NOT, 6, 7):
            kind = self._guess(event, form)
        self.used = kind
        is_begin = event.type in (2, 18) and statement(event, form) == b"BEGIN"
        if kind == _IGNORE:
            return ""
        within = self.state in (_START, _INSIDE)
        if within != (kind in (_INSIDE, _END)):
            words = f"Unable to change boundary parser from {WORDS[self.state]} to {WORDS[kind]}."
            self.state, self.begun = _NOT, False
            return words
        self.begun = is_begin or (self.begun and kind == _INSIDE)
        self.state = kind
        return ""

    @property
    def within_transaction(self) -> bool:
        """Whether the stream is within a transaction."""
        return self.state in (_START, _INSIDE)

    def _guess(self, event: Event, form: Format) -> int:
        code, within = event.type, self.state in (_START, _INSIDE)
        if code in (2, 18):
            text = statement(event, form)
            if text == b"BEGIN":
                return _INSIDE if within and not self.begun else _START
            if text in (b"COMMIT", b"ROLLBACK"):
                return _END
            return _SELF if not within else _INSIDE if self.begun else _END
        if code in (5, 13, 14):
            return _INSIDE if within else _START
        if code == 4:
            return _IGNORE if event.flags & ARTIFICIAL else _SELF
        if code in (33, 34, 42):
            return _START
        if code in (16, 38):
            return _END
        if code in _INSIDE_TYPES:
            return _INSIDE
        if code in (15, 28):
            return _IGNORE
        if code in _SELF_TYPES:
            return _SELF
        return _IGNORE if event.flags & IGNORABLE else _SELF


_GTID, _BEGIN, _COMMIT, _XA_ROLLBACK, _STATEMENT, _BEFORE, _INCIDENT, _PASS, _PAYLOAD, _ERROR = range(10)
#: State -> the next state for each class of event; ! where it is an error.
_STEPS = {
    "NONE": "GTID DML NONE! NONE! NONE DDL NONE NONE NONE! ERROR!",
    "GTID": "GTID! DML NONE! NONE NONE DDL NONE GTID NONE ERROR!",
    "DDL": "GTID! DML! NONE! NONE! NONE DDL NONE DDL NONE! ERROR!",
    "DML": "GTID! DML! NONE NONE DML DML NONE DML NONE! ERROR!",
    "ERROR": "GTID! DML! NONE! NONE! NONE! NONE! NONE ERROR NONE! ERROR!",
}


class Shipped:
    """The parser of MySQL 5.7 and later.

    Attributes:
        state: Its state.
        failed: Whether the last event was an error; servers print nothing of some.
    """

    def __init__(self, profile: str) -> None:
        self.version = {"mysql-5.7": 57, "mysql-8.0": 80, "mysql-8.4": 84}.get(profile, 90)
        self.reset()

    def reset(self) -> None:
        """Begin another stream."""
        self.state, self.failed = "NONE", False

    def feed(self, event: Event, form: Format) -> str:
        """Take an event, and return the warning that it causes."""
        kind = self._kind(event, form)
        self.failed = False
        if kind is None:
            return ""
        before, step = self.state, _STEPS[self.state].split()[kind]
        self.state, self.failed = step.rstrip("!"), step.endswith("!")
        return self._words(kind, before) if self.failed else ""

    @property
    def within_transaction(self) -> bool:
        """Whether the stream is within a transaction."""
        return self.state not in ("NONE", "ERROR")

    def _kind(self, event: Event, form: Format) -> int | None:
        code, version = event.type, self.version
        if code == 2:
            text = statement(event, form)
            if not text:
                return _ERROR if version == 57 or text is None else None
            return _of_text(text)
        tagged = {42: _GTID} if version >= 84 else {}
        table = {33: _GTID, 34: _GTID, **tagged, 16: _COMMIT, 38: _COMMIT, 26: _INCIDENT}
        table.update(dict.fromkeys((5, 13, 14), _BEFORE))
        table.update(dict.fromkeys((9, 17, 18, 19, 29, 30, 31, 32, 37), _STATEMENT))
        table.update(dict.fromkeys((3, 4, 7, 11, 15, 27, 35, 36), _PASS))
        if version == 57:
            table.update(dict.fromkeys((20, 21, 22, 23, 24, 25), _STATEMENT))
            table.update(dict.fromkeys((1, 6, 8, 10, 12), _PASS))
        else:
            table.update({39: _STATEMENT, 40: _PAYLOAD, 41: _PASS})
        if version == 80:
            table.update(dict.fromkeys((23, 24, 25), _STATEMENT))
        if version == 90:
            table[43] = _PASS
        return table.get(code, _PASS if event.flags & IGNORABLE else _ERROR)

    def _words(self, kind: int, before: str) -> str:
        names = "GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT" if self.version >= 84 else "GTID_LOG_EVENT"
        where = {
            "NONE": "outside a transaction",
            "GTID": "after a GTID_LOG_EVENT",
            "DDL": "in the middle of a DDL",
            "DML": "in the middle of a DML",
        }.get(before)
        subject = {
            _GTID: f"{names} or ANONYMOUS_GTID_LOG_EVENT",
            _BEGIN: "QUERY(BEGIN)",
            _COMMIT: "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT",
            _XA_ROLLBACK: "QUERY(XA ROLLBACK)",
        }.get(kind)
        if kind == _ERROR:
            return "Unsupported non-ignorable event fed into the event stream."
        if kind == _GTID and before == "GTID":
            where = f"after a {names} or an ANONYMOUS_GTID_LOG_EVENT"
        return "" if subject is None or where is None else f"{subject} is not expected in an event stream {where}."


def _of_text(text: bytes) -> int:
    upper = text.upper()
    if b"BEGIN".startswith(text) or text.startswith(b"XA START"):
        return _BEGIN
    if b"COMMIT".startswith(text) or (upper.startswith(b"ROLLBACK") and not upper.startswith(b"ROLLBACK TO ")):
        return _COMMIT
    return _XA_ROLLBACK if upper.startswith(b"XA ROLLBACK") else _STATEMENT
