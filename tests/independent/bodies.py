"""Whether the body of an event has room for its fields, after the layouts of the documentation of binary logs."""

from watch import statement
from wire import ANONYMOUS, GTID, GTID_TAGGED, PREVIOUS_GTIDS, ROTATE, Bytes, Event, Format, gtid_of, set_of_body

_ROWS = {23: 1, 24: 2, 25: 1, 30: 1, 31: 2, 32: 1, 39: 2}
#: The bytes that the body of a type has at least.
_LEAST = {29: 1, 2: 13, 18: 26, ROTATE: 9, 5: 9, 13: 16, 16: 8, 9: 4, 17: 4, 11: 4, 26: 3, 38: 13, 36: 18, 37: 52}
_STRING, _REAL, _INTEGER, _DECIMAL = 0, 1, 2, 4


def check(event: Event, form: Format) -> None:
    """Raise ValueError or IndexError if a field of an event is not within its body."""
    body, code = form.body(event), event.type
    if len(body) < _LEAST.get(code, 0):
        raise ValueError("the body is too short")
    if code in (2, 18):
        _check_query(event, form, body)
    elif code == 14:
        _check_variable(Bytes(body))
    elif code == 19:
        _check_table_map(Bytes(body), form.post_header(19) or 8)
    elif code in _ROWS:
        _check_rows(Bytes(body), code, form.post_header(code) or 8)
    elif code == 26:
        data = Bytes(body)
        data.take(2)
        data.take(data.number(1))
    elif code == 38:
        data = Bytes(body)
        data.take(5)
        data.take(data.number(4) + data.number(4))
    elif code == PREVIOUS_GTIDS:
        set_of_body(body)
    elif code in (GTID, GTID_TAGGED):
        gtid_of(event, form)
    elif code == ANONYMOUS:
        Bytes(body).take(25)


def _check_query(event: Event, form: Format, body: bytes) -> None:
    post = form.post_header(event.type) or 13
    data = Bytes(body)
    data.take(post)
    data.take(int.from_bytes(body[11:13], "little"))
    data.take(body[8])
    if statement(event, form) is None:
        raise ValueError("the body is too short")
    if event.type == 2 and post == 17:
        data.take(int.from_bytes(body[13:15], "little"))
        data.take(int.from_bytes(body[15:17], "little"))


def _check_variable(data: Bytes) -> None:
    data.take(data.number(4))
    if not data.number(1):
        data.take(5)
        data.take(data.number(4))


def _check_table_map(data: Bytes, post: int) -> None:
    data.take(post)
    for _ in range(2):
        data.take(data.packed() + 1)
    columns = data.packed()
    data.take(columns)
    data.take(data.packed())
    data.take((columns + 7) // 8)
    while data.at < len(data.data):
        data.take(1)
        data.take(data.packed())


def _check_rows(data: Bytes, code: int, post: int) -> None:
    if post == 10:
        data.take(8)
        more = data.number(2)
        if more < 2:
            raise ValueError("the length counts its own bytes")
        data.take(more - 2)
    else:
        data.take(post)
    columns = data.packed()
    data.take((columns + 7) // 8 * _ROWS[code])
