"""The events of a group are kept or dropped together."""

import pytest

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName

TABLE_A, TABLE_B = TableName("test", "a"), TableName("test", "b")
_WORDS = {
    "gtid": LogPart(Part.MARKER),
    "begin": LogPart(Part.BEGIN),
    "gtid+begin": LogPart(Part.MARKER_AND_BEGIN),
    "xa-begin": LogPart(Part.BEGIN, xa="X'61',X'',1"),
    "xa-commit": LogPart(Part.XA_FINISH, xa="X'61',X'',1"),
    "xa-commit-2": LogPart(Part.XA_FINISH, xa="X'62',X'',1"),
    "end": LogPart(Part.END),
    "context": LogPart(Part.CONTEXT),
    "file-end": LogPart(Part.FILE_END),
    "member": LogPart(Part.MEMBER),
    "log": LogPart(Part.LOG),
    "incident": LogPart(Part.INCIDENT),
    "a": LogPart(Part.STATEMENT, (TABLE_A,)),
    "b": LogPart(Part.STATEMENT, (TABLE_B,)),
    "ab": LogPart(Part.STATEMENT, (TABLE_A, TABLE_B)),
    "nothing": LogPart(Part.STATEMENT),
    "map-a": LogPart(Part.TABLE_MAP, (TABLE_A,), table_id=1),
    "map-b": LogPart(Part.TABLE_MAP, (TABLE_B,), table_id=2),
    "rows-a": LogPart(Part.ROWS, table_id=1),
    "rows-b": LogPart(Part.ROWS, table_id=2),
    "last-a": LogPart(Part.ROWS, table_id=1, statement_end=True),
    "last-b": LogPart(Part.ROWS, table_id=2, statement_end=True),
    "last": LogPart(Part.ROWS, table_id=0xFFFFFF, statement_end=True),
}


def fates(words):
    """Return the fates of events if the table a is ignored."""
    groups = GroupFilter(TableFilter(FilterRules(ignore_tables=frozenset({TABLE_A}))))
    decided = [fate for word in words for group in groups.add(_WORDS[word]) for fate in group]
    return decided + groups.finish()


def kept(text):
    """Return the words of the events that pass; one that must end its statement has an exclamation mark."""
    words = text.split()
    decided = fates(words)
    assert len(decided) == len(words)
    return " ".join(word + "!" * fate.ends_statement for word, fate in zip(words, decided, strict=True) if fate.kept)


@pytest.mark.parametrize(
    ("log", "left"),
    [
        ("log log", "log log"),
        # An Incident ends no transaction and is in no statement: it goes with its own Gtid event alone.
        ("incident a gtid incident gtid a", "incident gtid incident"),
        ("gtid begin a end gtid incident gtid begin a end", "gtid incident"),
        ("gtid a gtid b", "gtid b"),
        ("gtid ab", ""),
        ("nothing", "nothing"),
        ("gtid begin a end gtid begin b end", "gtid begin b end"),
        ("gtid begin a b a end", "gtid begin b end"),
        ("gtid+begin a end gtid+begin b end", "gtid+begin b end"),
        ("gtid begin end", "gtid begin end"),
        # Context goes with the statement after it.
        ("context a context b", "context b"),
        ("begin context context a context b end", "begin context b end"),
        # A file that is given up has no table.
        ("begin context context file-end end b", "b"),
        # Rows go with their Table_map, and the last one that is left ends the statement.
        ("begin map-a last-a end", ""),
        ("begin map-b last-b end", "begin map-b last-b end"),
        ("begin map-a map-b rows-b last-a end", "begin map-b rows-b! end"),
        ("begin map-a map-b rows-a last-b end", "begin map-b last-b end"),
        ("begin map-a map-b rows-b rows-b rows-a last end", "begin map-b rows-b rows-b last end"),
        ("begin map-a rows-a last end", ""),
        ("begin map-a map-b last-a end", ""),
        ("begin map-a last-a map-b last-b end", "begin map-b last-b end"),
        # The statement's text concerns all its tables.
        ("begin context map-a map-b rows-b last-a end", "begin map-b rows-b! end"),
        ("begin context map-b last-b end", "begin context map-b last-b end"),
        # Rows outside transactions.
        ("map-a last-a map-b last-b", "map-b last-b"),
        ("gtid map-a last-a gtid map-b last-b", "gtid map-b last-b"),
        # Events outside groups stay in their place.
        ("begin a log end", "log"),
        ("member begin a member end member", "member member"),
        ("begin b member end", "begin b member end"),
        # XA transactions: what was not prepared is not committed.
        ("xa-begin a member end gtid xa-commit", ""),
        ("xa-begin b member end gtid xa-commit", "xa-begin b member end gtid xa-commit"),
        ("xa-begin a member end gtid xa-commit-2", "gtid xa-commit-2"),
        # Crashes: a group that has no end.
        ("gtid begin a gtid begin b end", "gtid begin b end"),
        ("gtid begin b gtid begin a end", "gtid begin b"),
        ("map-b rows-b gtid begin a end", "map-b rows-b"),
        # A log that begins inside a transaction.
        ("b a end a", "b end"),
    ],
)
def test_the_events_that_a_filter_keeps(log, left):
    assert kept(log) == left


def test_a_payload_is_filtered_inside():
    groups = GroupFilter(TableFilter(FilterRules(ignore_tables=frozenset({TABLE_A}))))

    def payload(text):
        return LogPart(Part.PAYLOAD, inner=tuple(_WORDS[word] for word in text.split()))

    groups.add(_WORDS["gtid"])
    [[_, mixed]] = groups.add(payload("begin a b end"))
    assert (mixed.kept, mixed.is_whole, [each.kept for each in mixed.inner]) == (True, False, [True, False, True, True])
    groups.add(_WORDS["gtid"])
    [[gtid, dropped]] = groups.add(payload("begin a end"))
    assert (gtid.kept, dropped.kept) == (False, False)
    [[whole]] = groups.add(payload("begin b end"))
    assert (whole.kept, whole.is_whole) == (True, True)
    [[ended]] = groups.add(payload("begin map-a map-b rows-b last-a end"))
    assert not ended.is_whole


def test_groups_are_decided_as_soon_as_they_end():
    groups = GroupFilter(TableFilter(FilterRules(ignore_tables=frozenset({TABLE_A}))))
    sizes = [
        [len(group) for group in groups.add(_WORDS[word])]
        for word in ("log", "gtid", "begin", "a", "end", "b", "gtid", "begin")
    ]
    assert sizes == [[1], [], [], [], [4], [1], [], []]
    assert len(groups.finish()) == 2
