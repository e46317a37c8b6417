"""Every field of every layout has its domain, and generated streams meet each class of it that a stream can have."""

from collections import defaultdict
from fnmatch import fnmatchcase

import pytest

from conformance.binlog.codecs import Codec
from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.strategies.field_domains import domain_of, fields_of, named_layouts

#: Profiles that between them have every layout, and cases of each family and profile: the heavy rows come last.
PROFILES = ("worklog", "mysql-5.1", "mysql-5.7", "mysql-8.0", "mysql-9.x", "mariadb-11.x")
FEWEST = 20

OLD = "no server of a profile writes it: it is known so that a far older log can be shown"
UNREAD = "a reader passes over the event, or keeps its body as bytes"
UNWRITTEN = "no released server writes the event"
LENGTH = "it is the length or the number of what follows, which servers keep shorter"
VERSION = "it is a fixed number, or one of a few"
NEVER_ZERO = "servers count from 1, or write the event only where there is something to write"
NAMES = "names have up to 64 characters, of up to 3 bytes"
PATHS = "paths have up to 512 bytes, and are never empty"
TIMES = "it is a time in microseconds since 1970, or a size, which servers write if it is known"
PADDING = "it fills a body up to its least size"
WIDE = "a table has up to 4096 columns, and at least one"
SETTINGS = "the settings of a session take up to some kB"
STATEMENT = "a statement has a text, and this one begins with some words of its own"
COMPRESSED = "what is compressed is smaller, and has a header"
#: Layout, field and class that no stream has, as patterns -> why.
MISSING = (
    ("old_layouts.*", "*", "*", OLD),
    ("log_layouts.START_V3", "*", "*", OLD),
    ("row_layouts.*SHORT", "*", "*", OLD),
    ("mariadb_layouts.PARTIAL_ROW_DATA", "*", "*", UNWRITTEN),
    ("row_layouts.*ROWS_COMPRESSED", "*", "*", UNWRITTEN),
    ("*.OPAQUE", "*", "*", UNREAD),
    ("log_layouts.IGNORABLE", "*", "*", UNREAD),
    ("transaction_layouts.LARGE_TRANSACTION_HEADER", "*", "*", UNWRITTEN),
    ("*", "*_length", "*", LENGTH),
    ("*", "*_count", "0xf[de]", WIDE),
    ("group_layouts.*", "*_count", "*", LENGTH),
    ("mariadb_layouts.GTID_LIST", "gtid_list_head", "*", LENGTH),
    ("*", "*server_version", "*", VERSION),
    ("*", "*_version*", "*", VERSION),
    ("*", "database_end", "*", VERSION),
    ("*", "*_flags", "*", VERSION),
    ("*", "*_type*", "*", VERSION),
    ("*", "last_non_ignorable_field", "*", VERSION),
    ("gtid_layouts.GTID_TAGGED", "message_size", "*", LENGTH),
    ("*", "incident", "*", VERSION),
    ("*", "gtid_specified", "highest bit", VERSION),
    ("*", "is_null", "highest bit", VERSION),
    ("*", "one_phase", "highest bit", VERSION),
    ("*", "encryption_scheme", "*", VERSION),
    ("*", "duplicate_handling", "highest bit", VERSION),
    ("*", "variable_charset", "*", VERSION),
    ("*", "error_code", "*", VERSION),
    ("log_layouts.FORMAT_DESCRIPTION", "post_header_lengths", "*", "a server declares between 26 and 198 types"),
    ("log_layouts.FORMAT_DESCRIPTION", "created", "*", "it is 0 or a time of today"),
    ("*", "*gno", "0", NEVER_ZERO),
    ("*", "*_id", "0", NEVER_ZERO),
    ("*", "sequence_number", "0", NEVER_ZERO),
    ("*", "commit_group_ticket", "*", NEVER_ZERO),
    ("*", "extra_engines", "0", NEVER_ZERO),
    ("*", "nonce", "zeros", NEVER_ZERO),
    ("*", "*_timestamp", "*", TIMES),
    ("*", "next_position", "*", TIMES),
    ("*", "log_position", "*", TIMES),
    ("*", "file_name_*", "*", TIMES),
    ("gtid_layouts.GTID_TAGGED", "source_uuid", "zeros", NEVER_ZERO),
    ("gtid_layouts.GTID_TAGGED", "tag", "*", "a tag has 1 to 32 characters"),
    ("*", "next_file", "*", PATHS),
    ("*", "log_name", "*", PATHS),
    ("*", "database", "*", NAMES),
    ("*", "table", "*", NAMES),
    ("*", "variable_name", "*", NAMES),
    ("*", "server_uuid", "*", "a UUID is a text of 36 characters"),
    ("group_layouts.VIEW_CHANGE", "*", "*", "the name and number of a view are a group's own"),
    ("*", "fill", "*", PADDING),
    ("*", "null_bits", "*", WIDE),
    ("*", "columns_present*", "*", WIDE),
    ("row_layouts.UPDATE_*", "column_count", "*", WIDE),
    ("row_layouts.*COMPRESSED_V1", "column_count", "*", WIDE),
    ("*", "column_metadata", "*", WIDE),
    ("*", "optional_metadata", "*", WIDE),
    ("*", "extra_data", "*", "it holds the ids of partitions, of some bytes"),
    ("*", "row_data", "*", WIDE),
    ("*", "compressed_rows", "*", COMPRESSED),
    ("*", "compressed_query", "*", COMPRESSED),
    ("transaction_layouts.TRANSACTION_PAYLOAD", "*", "*", COMPRESSED),
    ("*", "status_variables", "*", SETTINGS),
    ("*", "query", "*", STATEMENT),
    ("*", "rows_query", "0", STATEMENT),
    ("*", "xa_data", "*", "an XA transaction has a name of 1 to 128 bytes"),
)


#: Fields with exceptions alone: versions of servers have three bytes, and tickets are known of untagged events only.
NEVER_MET = [
    ("gtid_layouts.GTID", "immediate_server_version"),
    ("gtid_layouts.GTID", "original_server_version"),
    ("gtid_layouts.GTID_TAGGED", "commit_group_ticket"),
]


@pytest.fixture(scope="module")
def unmet():
    """(layout, field) -> the classes of its domain that no stream has."""
    layouts = named_layouts()
    names = {id(layout): name for name, layout in reversed(layouts.items())}
    left = {
        (names[id(each)], field.name): domain_of(field.codec) for each in layouts.values() for field in fields_of(each)
    }
    for event in events():
        layout, _ = event.layout()
        try:
            values = event.fields()
        except MalformedBody:
            continue
        for field, value in values.items():
            domain = left.get((names.get(id(layout)), field), {})
            for name in [name for name, holds in domain.items() if holds(value)]:
                del domain[name]
    return {place: set(domain) for place, domain in left.items() if domain}


def events():
    """Yield the events that readers know, of cases of all families of streams."""
    for name, family in families().items():
        for profile in PROFILES:
            if "decode" not in family.focus or profile not in family.profiles_of("decode"):
                continue
            for index in range(max(FEWEST, len(family.space("decode").rows(profile)))):
                stream = case_of(CaseId(name, profile, seed=5, index=index)).stream
                try:
                    yield from (each for each in read_events(stream, server_of(profile).rules) if each.recognised)
                except BinlogError:
                    continue


def reason(layout, field, name):
    return next(
        (row for row in MISSING if all(map(fnmatchcase, (layout, field, name), row[:3]))),
        None,
    )


def test_streams_have_every_class_of_every_field_that_is_not_excepted(unmet):
    lacking = defaultdict(list)
    for (layout, field), names in unmet.items():
        for name in sorted(names):
            if reason(layout, field, name) is None:
                lacking[layout, field].append(name)
    assert dict(lacking) == {}, "draw these values in strategies/events, or write here why no stream has them"


def test_every_exception_is_needed(unmet):
    used = {reason(layout, field, name) for (layout, field), names in unmet.items() for name in names}
    assert [row for row in MISSING if row not in used] == []


def test_an_exception_of_some_classes_leaves_others_to_be_met(unmet):
    whole = {OLD, UNWRITTEN, UNREAD}
    never = [
        (layout, field)
        for layout, each in named_layouts().items()
        for field, domain in ((each.name, set(domain_of(each.codec))) for each in fields_of(each))
        if unmet.get((layout, field)) == domain and reason(layout, field, min(domain))[3] not in whole
    ]
    assert never == NEVER_MET


def test_a_field_with_a_new_codec_needs_a_domain():
    class Roman(Codec):
        """Roman numerals."""

    with pytest.raises(TypeError, match="no domain for the codec"):
        domain_of(Roman())
