"""The protocol: what may come in, and that the schemas and the reader agree on it."""

import base64
import json
import math
import re
from dataclasses import replace
from importlib import resources

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import event as note
from hypothesis import strategies as st

from conformance.binlog.errors import ERROR_KINDS
from conformance.protocol.messages import (
    ProtocolError,
    decode_answer,
    decode_declaration,
    encode_bulk_request,
    encode_request,
    encode_start,
    encode_stop,
)
from conformance.protocol.observation import (
    ABILITIES,
    Declaration,
    Observation,
    Refusal,
    Request,
    RoleDeclaration,
    Trouble,
)
from conformance.protocol.roles.decode import FIELDS, FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE, missing_fields
from conformance.protocol.roles.registry import role_names, role_of
from conformance.specs.profiles import PROFILES
from conformance.specs.versions import EVERY_PROFILE, Profiles

ALIGNED = RoleDeclaration(frozenset({"offset", "type"}), frozenset(), EVERY_PROFILE)


def schema(name):
    text = (resources.files("conformance.specs") / "schemas" / f"protocol-{name}.schema.json").read_text(
        encoding="utf-8"
    )
    validator = jsonschema.Draft202012Validator(json.loads(text))
    validator.check_schema(validator.schema)
    return validator


DECLARATIONS, REQUESTS = schema("declaration"), schema("request")
ANSWERS = {role: schema(f"{role}-answer") for role in role_names()}


def answer(**fields):
    return json.dumps({"seq": 7, "events": [{"offset": 4, "type": 15}], "error": None, **fields}).encode()


def decode(line, role=ALIGNED, *, name="decode"):
    return decode_answer(line, seq=7, request=Request(name, "worklog", b""), role=role)


def signature_of(line, role=ALIGNED):
    with pytest.raises(ProtocolError) as raised:
        decode(line, role)
    return raised.value.signature


# The kit's requests


def test_a_request_has_the_stream_and_no_part_of_the_expected_answer():
    line = encode_request(Request("decode", "mysql-8.0", b"\xfebin"), 7)
    expected = {"cmd": "decode", "seq": 7, "profile": "mysql-8.0", "stream": base64.b64encode(b"\xfebin").decode()}
    assert line.endswith(b"\n")
    assert json.loads(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        encode_start(),
        encode_stop(),
        encode_request(Request("decode", "mysql-8.0", b""), 1),
        encode_bulk_request(role="decode", profile="worklog", seq=2, path="/corpus/shard", offset=4, length=120),
    ],
)
def test_the_kits_messages_conform_to_their_schema(line):
    REQUESTS.validate(json.loads(line))


# The answers of an implementation


def test_events_and_the_error_are_read():
    error = {"at": 120, "kind": "truncated", "message": "binlog truncated"}
    expected = Observation(({"offset": 4, "type": 15},), Refusal(120, "truncated", "binlog truncated"))
    assert decode(answer(error=error)) == expected


def test_integers_may_come_as_decimal_digits():
    events = [{"offset": "4", "type": "16", "xid": "18446744073709551615", "last_committed": "-1"}]
    read = {"offset": 4, "type": 16, "xid": 18446744073709551615, "last_committed": -1}
    assert decode(answer(events=events)) == Observation((read,))


def test_an_implementation_may_decline():
    assert decode(b'{"seq":7,"unsupported":"no MariaDB"}') == Trouble("unsupported", "declined", "no MariaDB")


@pytest.mark.parametrize(
    ("line", "signature"),
    [
        (answer(seq=8), "wrong-seq"),
        (b"Segmentation fault", "not-json"),
        (b'{"seq":7,"events":[NaN],"error":null}', "not-json"),
        (b"[" * 100_000, "not-json"),
        (b"[]", "not-an-object"),
        (b'{"seq":7,"unsupported":"\xff"}', "not-utf-8"),
        (b'{"seq":7,"unsupported":"\\ud800"}', "not-unicode"),
        (answer(seq="7"), "breaks-the-schema"),
        (answer(events=[{"offset": 4, "type": 256}]), "breaks-the-schema"),
        (answer(events=[{"type": 15}]), "breaks-the-schema"),
        (answer(events=[{"offset": 4}]), "missing-field type"),
        (answer(crash=""), "breaks-the-schema"),
        (answer(events=[{"offset": True, "type": 2}]), "breaks-the-schema"),
        (answer(events=[{"offset": 4, "type": 2, "query": None}]), "breaks-the-schema"),
        (answer(events=[{"offset": 4, "type": 2, "handled": "skipped"}]), "breaks-the-schema"),
        (answer(events=[{"offset": 4, "type": 30, "rows": [{"after": {"0": 1}}]}]), "breaks-the-schema"),
        (answer(error={"at": 4, "kind": "bad", "message": ""}), "breaks-the-schema"),
        (b'{"seq":7,"events":[]}', "breaks-the-schema"),
        (answer(unsupported="no"), "breaks-the-schema"),
        (answer(seq=8, events=[{}]), "wrong-seq"),
        (b'{"seq":8,"events":[],"seq":7,"error":null}', "key-twice"),
        (b'{"seq":7,"events":[],"error":null,"events":[]}', "key-twice"),
        (b'{"seq":7,"events":[],"error":null,"events" \t:[]}', "key-twice"),
        (b'{"seq":7,"events":[{"offset":4,"type":2,"offset":4}],"error":null}', "key-twice"),
        (b'{"seq":7,"events":[{"offset":4,"type":2,"query":"\\":","query":"a"}],"error":null}', "key-twice"),
        (b'{"seq":7,"events":[],"error":{"at":4,"kind":"other","message":"","at":5}}', "key-twice"),
        (b'{"seq":7,"events":[],"error":null,"x":{"y":1,"y":1}}', "key-twice"),
        (b'{"seq":7,"events":[],"error":null,"x":[[1e999]]}', "number-too-large"),
        (b'{"seq":7,"events":[{"offset":4,"type":2,"x":-1e999}],"error":null}', "number-too-large"),
        (b'{"seq":7,"events":[{"offset":4,"type":14,"variable_value":1e999}],"error":null}', "number-too-large"),
        (b'{"seq":7,"events":[{"offset":1e999,"type":2}],"error":null}', "number-too-large"),
        (b'{"seq":7,"events":[],"error":{"at":1e999,"kind":"other","message":""}}', "number-too-large"),
    ],
)
def test_what_breaks_the_protocol_is_named(line, signature):
    assert signature_of(line) == signature


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (answer(seq="7"), "seq: expected an integer, found '7'"),
        (answer(seq=8), "seq: expected 7, found 8"),
        (answer(events={}), "events: expected a list, found an object"),
        (
            answer(events=[{"offset": 4, "type": 256}]),
            "events[0].type: expected an integer of at least 0 and of at most 255 or null, found 256",
        ),
        (answer(events=[{"type": 15}]), "events[0].offset is missing"),
        (
            answer(events=[{"offset": True, "type": 2}]),
            "events[0].offset: expected an integer of at least 0, found true",
        ),
        (answer(events=[{"offset": 4, "type": 2, "xid": "07"}]), "events[0].xid: expected an integer, found '07'"),
        (
            answer(events=[{"offset": 4, "type": 2, "handled": "skipped"}]),
            "events[0].handled: 'skipped' is not one of ignored, known, refused",
        ),
        (
            answer(events=[{"offset": 4, "type": 30, "rows": [{"after": {"0": 1}}]}]),
            "events[0].rows[0].before is missing",
        ),
        (
            answer(error={"at": "x", "kind": "other", "message": ""}),
            "error.at: expected an integer of at least 0 or null, found 'x'",
        ),
        (b'{"seq":7,"events":[]}', "error is missing: it is null where the whole stream was read"),
    ],
)
def test_the_place_that_breaks_the_schema_is_named(line, detail):
    with pytest.raises(ProtocolError) as raised:
        decode(line)
    assert raised.value.detail == detail


# Missing fields


def declared(*fields):
    return RoleDeclaration(frozenset({"offset", "type", *fields}), frozenset(), EVERY_PROFILE)


def test_a_declared_field_that_applies_may_not_be_missing():
    role = declared("xid", "query", "flags", "handled")
    event = {"offset": 4, "type": 16}
    assert missing_fields(role, event) == ("flags", "handled", "xid")
    assert signature_of(answer(events=[event]), role) == "missing-field flags,handled,xid"


def test_an_ignored_event_owes_its_header_only():
    event = {"offset": 4, "type": 29, "handled": "ignored"}
    assert missing_fields(declared("rows_query", "handled"), event) == ()


def test_an_optional_field_is_never_missing():
    event = {"offset": 4, "type": 33, "gtid": "ANONYMOUS"}
    assert missing_fields(declared("gtid", "original_commit_timestamp"), event) == ()


def test_the_table_of_types_has_every_field_and_no_other():
    of_types = {name for each in FIELDS_OF_TYPE.values() for name in each.required + each.optional}
    assert of_types | set(FIELDS_OF_EVERY_TYPE) == set(FIELDS)


def test_the_type_code_may_be_null_or_not_be_declared():
    events = [{"offset": 4, "type": None, "xid": 1}, {"offset": 35, "type": None}]
    assert decode(answer(events=events), declared("xid")) == Observation(tuple(events))
    untyped = RoleDeclaration(frozenset({"offset"}), frozenset(), EVERY_PROFILE)
    assert decode(answer(events=[{"offset": 4}]), untyped) == Observation(({"offset": 4},))


def test_a_refused_event_owes_its_header_only():
    event = {"offset": 4, "type": 16, "flags": 0, "handled": "refused", "refused": "4 bytes remain"}
    assert missing_fields(declared("xid", "flags", "handled"), event) == ()


# Crashes that the adapter survives


def test_a_crash_in_an_answer_is_one_without_numbers_in_its_name():
    words = "panic: index out of range [22] with length 21\ngoroutine 1 [running]"
    crash = decode(answer(crash=words))
    assert (crash.status, crash.signature) == ("crash", "panic: index out of range [#] with length #")
    assert crash.detail == f"{words}\n(after 1 entry)"
    address = decode(answer(events=[], crash="nil dereference at 0xC0ffee"))
    assert address.signature == "nil dereference at #"
    assert address.detail.endswith("(after 0 entries)")


@pytest.mark.parametrize(
    "calls",
    [
        'Traceback (most recent call last):\n  File "a.py", line 8, in f\n    g(x)\n    ^^^^\n',
        '^^^^^\n  File "a.py", line 8, in f\n    g(x)\n',
        "    ^^^^\n",
        "",
    ],
)
def test_a_crash_is_named_by_its_exception_and_not_by_the_calls_before_it(calls):
    crash = decode(answer(events=[], crash=f"{calls}IndexError: index out of range"))
    assert crash.signature == "IndexError: index out of range"


def test_a_crash_of_which_only_calls_are_known_is_named_by_the_first():
    assert decode(answer(events=[], crash="    g(x)\n    ^^^^\n")).signature == "g(x)"


# Declarations


def declaration(**fields):
    about = {"name": "my-parser", "version": "1.2", "language": "Go"}
    role = {"fields": ["offset", "type"], "abilities": ["framing"], "profiles": ["mysql-8.0", "mysql-5.7"]}
    return {"protocol": 1, "implementation": about, "roles": {"decode": role}, **fields}


def test_a_declaration_is_read():
    role = RoleDeclaration(
        frozenset({"offset", "type"}), frozenset({"framing"}), Profiles.claimed("mysql-5.7", "mysql-8.0")
    )
    expected = Declaration("my-parser", "1.2", "Go", roles={"decode": role})
    assert decode_declaration(json.dumps(declaration()).encode()) == expected


def changed_role(**fields):
    message = declaration()
    message["roles"]["decode"].update(fields)
    return message


def test_fields_may_be_those_of_a_product():
    line = json.dumps(changed_role(fields_of={"mariadb": ["offset", "type", "xid"]})).encode()
    role = decode_declaration(line).roles["decode"]
    assert role.under("mysql-8.0").fields == {"offset", "type"}
    assert role.under("mariadb-10.6.5").fields == {"offset", "type", "xid"}
    assert role.every_field == {"offset", "type", "xid"}


def test_a_field_that_is_not_declared_for_a_product_is_not_owed_there():
    role = replace(declared("xid"), fields_of={"mariadb": frozenset({"offset", "type"})})
    line = answer(events=[{"offset": 4, "type": 16}])
    assert signature_of(line, role) == "missing-field xid"
    request = Request("decode", "mariadb-10.x", b"")
    assert decode_answer(line, seq=7, request=request, role=role) == Observation(({"offset": 4, "type": 16},))


BAD_DECLARATIONS = [
    changed_role(fields_of={"mariadb": ["type"]}),
    changed_role(fields_of={"oracle": ["offset"]}),
    changed_role(fields_of={"mariadb-10.x": ["offset"]}),
    declaration(protocol=2),
    declaration(protocol=True),
    declaration(protocol="1"),
    declaration(implementation="my-parser"),
    declaration(implementation={"name": "", "version": "1", "language": "Go"}),
    declaration(implementation={"name": "a", "version": 1, "language": "Go"}),
    declaration(implementation={"name": "a" * 201, "version": "1", "language": "Go"}),
    declaration(implementation={"name": "a", "version": "1", "language": "Go", "homepage": None}),
    declaration(roles={}),
    declaration(roles=[]),
    declaration(roles={"parse": changed_role()["roles"]["decode"]}),
    declaration(roles={"decode": []}),
    changed_role(fields=["type"]),
    changed_role(fields=["offset", "type", "lenght"]),
    changed_role(fields="offset type"),
    changed_role(fields=["offset", "type", 3]),
    changed_role(abilities=["speed"]),
    changed_role(profiles=["mysql-4.0"]),
    changed_role(profiles=["mysql-8.x.1"]),
    changed_role(profiles=["mysql > 5.6"]),
    changed_role(profiles=None),
    {"protocol": 1},
]
GOOD_DECLARATIONS = [
    declaration(),
    changed_role(fields_of={"mariadb": ["offset"], "worklog": ["offset", "rows"]}),
    declaration(extra="is ignored"),
    changed_role(fields=list(FIELDS), abilities=list(ABILITIES), profiles=list(PROFILES)),
    changed_role(profiles=["worklog", "mysql-8.0.15", "mysql >= 5.6, < 8.0", "mariadb"]),
    *(
        declaration(roles={name: {"fields": list(role_of(name).always), "abilities": [], "profiles": []}})
        for name in role_names()
    ),
]


@pytest.mark.parametrize("message", BAD_DECLARATIONS)
def test_a_bad_declaration_is_refused_by_the_reader_and_by_the_schema(message):
    assert not DECLARATIONS.is_valid(message)
    with pytest.raises(ProtocolError):
        decode_declaration(json.dumps(message).encode())


def test_an_unknown_release_is_refused_with_what_there_is():
    with pytest.raises(ProtocolError, match=r"no profile 'mysql-8\.0\.99'; the releases of mysql are") as refused:
        decode_declaration(json.dumps(changed_role(profiles=["mysql-8.0.99"])).encode())
    assert "roles.decode.profiles" in str(refused.value)


@pytest.mark.parametrize("message", GOOD_DECLARATIONS)
def test_a_good_declaration_passes_the_reader_and_the_schema(message):
    DECLARATIONS.validate(message)
    decode_declaration(json.dumps(message).encode())


# The reader and the schema agree on any answer

INTEGERS = st.integers(-(2**63), 2**64 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JUNK = st.sampled_from(
    [None, True, 7, -1, 3.0, 3.5, "7", "+7", "07", "-0", "1_0", "7.0", "256", "", "x", "null", [], {}, "9" * 21]
)
IMAGES = st.none() | st.dictionaries(st.integers(0, 300).map(str), JUNK, max_size=3)
ROWS = st.fixed_dictionaries({"before": IMAGES, "after": IMAGES})
NUMBERS = {"offset": st.integers(0, 2**63), "type": st.integers(0, 255)}


def good_value(name, field):
    if field.kind == "integer":
        numbers = NUMBERS.get(name, INTEGERS)
        return numbers | numbers.map(str)
    if field.kind == "word":
        return st.sampled_from(field.words)
    return {"text": TEXTS, "value": JUNK, "rows": st.lists(ROWS, max_size=2)}[field.kind]


def good_entries(role):
    about = role_of(role)
    values = {name: good_value(name, field) for name, field in about.fields.items()}
    always = {name: values.pop(name) for name in about.always}
    entries = st.fixed_dictionaries(always, optional=values | {"column_names": JUNK})
    declined = st.fixed_dictionaries({"unsupported": TEXTS.filter(bool)}, optional={"column_names": JUNK})
    return entries | declined if about.may_decline else entries


GOOD_ERRORS = st.none() | st.fixed_dictionaries(
    {"at": st.none() | st.integers(0), "kind": st.sampled_from(list(ERROR_KINDS)), "message": TEXTS},
    optional={"code": st.none() | INTEGERS | INTEGERS.map(str)},
)
STREAMS = st.lists(st.binary(max_size=6).map(lambda data: base64.b64encode(data).decode()), max_size=2)


def good_answers(role):
    if role_of(role).answers_streams:
        content = {"streams": STREAMS}
    else:
        content = {"events": st.lists(good_entries(role), max_size=3)}
    declined = st.fixed_dictionaries({"seq": st.just(7), "unsupported": TEXTS.filter(bool)}, optional={"note": JUNK})
    return st.fixed_dictionaries({"seq": st.just(7), **content, "error": GOOD_ERRORS}) | declined


def places(value, path=()):
    """Every place inside a JSON value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


@st.composite
def damaged(draw, answers, role):
    """An answer in which one thing is taken out, added, or put in another's place."""
    message = json.loads(json.dumps(draw(answers)))
    path = draw(st.sampled_from(list(places(message))[1:]))
    parent = message
    for key in path[:-1]:
        parent = parent[key]
    damage = draw(st.sampled_from(["replace", "remove", "add"]))
    if damage == "replace":
        parent[path[-1]] = draw(JUNK)
    elif damage == "remove":
        del parent[path[-1]]
    elif isinstance(parent, dict):
        names = [*role_of(role).fields, "events", "streams", "error", "unsupported", "at", "kind", "code"]
        parent[draw(st.sampled_from(names))] = draw(JUNK)
    return message


def fault_of(line, role):
    try:
        decode(line, role=RoleDeclaration(frozenset(), frozenset(), EVERY_PROFILE), name=role)
    except ProtocolError as error:
        return error
    return None


@pytest.mark.parametrize("role", role_names())
@given(data=st.data())
def test_the_reader_and_the_schema_agree_and_a_refusal_names_the_place(role, data):
    answers = good_answers(role)
    message = data.draw(answers | damaged(answers, role))
    fault = fault_of(json.dumps(message).encode(), role)
    if fault is not None:
        assume(fault.signature != "wrong-seq")  # An answer to another question is not the schema's business.
        assert fault.signature == "breaks-the-schema"
        assert re.match(r"[a-z0-9_]+(\.[a-z0-9_]+|\[\d+\])*(:| is missing)", fault.detail)
    note(f"accepted: {fault is None}")
    assert ANSWERS[role].is_valid(message) == (fault is None)


@pytest.mark.parametrize(
    ("line", "signature"),
    [
        (json.dumps(declaration()).replace('"Go"', '"Go", "x": 1e999').encode(), "number-too-large"),
        (json.dumps(declaration()).replace('"Go"', '"Go", "language": "C"').encode(), "key-twice"),
    ],
)
def test_a_declaration_has_no_key_twice_and_no_infinite_number(line, signature):
    with pytest.raises(ProtocolError) as raised:
        decode_declaration(line)
    assert raised.value.signature == signature


@pytest.mark.parametrize(
    "line",
    [
        b'{"seq":7,"events":[{"offset":4,"type":2,"query":"a\\":b"}],"error":null}',
        b'{"seq" : 7, "events" : [{"offset" : 4, "type" : 2, "query" : "a\\" : b"}], "error" : null, "x":{"y":1e9}}',
        b'{"seq":7,"events":[{"offset":4,"type":2,"query":"a\\":b"}],"error":null,"events2":[],"y":{"seq":7}}',
    ],
)
def test_unknown_keys_white_space_and_colons_in_texts_are_accepted(line):
    (event,) = decode(line).events
    assert event["query"].startswith('a"')


def test_the_words_about_a_crash_are_kept_in_part():
    trouble = decode(answer(crash="panic: " + "x" * 100_000))
    assert len(trouble.detail) < 5_000
    assert len(decode(b'{"seq":7,"unsupported":"' + b"x" * 100_000 + b'"}').detail) < 5_000


def test_digits_are_read_in_a_second_step_to_the_same_answer():
    events = [{"offset": 4, "type": 2, "thread_id": 9, "query": "7", "variable_value": "7"}]
    digits = [{"offset": "4", "type": "2", "thread_id": "9", "query": "7", "variable_value": "7"}]
    assert decode(answer(events=digits)) == decode(answer(events=events)) == Observation(tuple(events))


@pytest.mark.parametrize(("written", "sign"), [("-0", -1.0), ("-0.0", -1.0), ("0", 1.0), ('":-0,"', None)])
def test_minus_zero_keeps_its_sign_as_go_and_c_write_it(written, sign):
    line = answer(events=[{"offset": 4, "type": 15, "rows": [{"before": None, "after": {"0": "VALUE"}}]}])
    observed = decode(line.replace(b'"VALUE"', written.encode()))
    value = observed.events[0]["rows"][0]["after"]["0"]
    assert value == ":-0," if sign is None else math.copysign(1.0, value) == sign
