"""A log that is judged in shares has the verdicts, notes and counts of one that is judged as a whole."""

import pickle
from io import BytesIO
from random import Random

import pytest
from broken_logs import BROKEN
from click.testing import CliRunner
from written_log import OTHER_UUID, WrittenLog, gtid_set

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.limits import Limits, limits_in_force
from conformance.binlog.reader import framed_events
from conformance.cli import checked_files, divided_log
from conformance.cli.main import cli
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.seams import shares_of
from conformance.log_check.shares import NOT_COMPARED, judge_share, state_of
from conformance.log_check.verdicts import nobody

NUMBERS = (2, 3, 7)
JOINED = divided_log._joined


def results(checked):
    verdicts = checked.verdicts
    error = checked.unreadable
    return (
        (error and (error.at, error.kind, error.message), checked.healthy, checked.log),
        (dict(verdicts.judged), dict(verdicts.broken)),
        (checked.executed.gtids(), checked.executed.size, checked.previous_gtids, checked.rotate),
    )


def judged_whole(data, **options):
    findings = []
    checker = LogChecker("bin.000001", report=findings.append, **options)
    return findings, results(checker.check(BytesIO(data)))


def judged_in_shares(data, number, **options):
    """Return what `judged_whole` returns, the number of shares, and how many were judged a second time."""
    shares = shares_of(BytesIO(data), len(data), number, reach=len(data))
    findings, again, joined = [], 0, None
    for share in shares:
        of_share = []
        checker = LogChecker("bin.000001", report=nobody, **options)
        judged = judge_share(checker, BytesIO(data), share, of_share.append)
        judged = pickle.loads(pickle.dumps(judged))
        if joined is None or judged.follows(joined):
            findings += of_share
            if joined is not None:
                judged.checker.join(joined)
            joined = judged.checker
        else:
            again += 1
            joined.report_to(findings.append, nobody)
            stream = BytesIO(data)
            stream.seek(joined.log.end)
            joined.read(stream, end=share.end)
        if joined.stopped:
            break
    joined.report_to(findings.append, nobody)
    return (findings, results(joined.finish())), len(shares), again


def assert_same(data, **options):
    whole = judged_whole(data, **options)
    for number in NUMBERS:
        assert judged_in_shares(data, number, **options)[0] == whole


def transactions(log, first, last):
    for number in range(first, last + 1):
        log.gtid(number).insert(rows_query=True)
    return log


def healthy(profile="mysql-8.0", last=24, **options):
    log = WrittenLog(profile, **options).begin(gtid_set((1, 4)))
    return bytes(transactions(log, 5, last).rotate("bin.000002").data)


def reframed(events):
    return b"\xfebin" + b"".join(map(bytes, events))


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-8.0", "mysql-9.x", "worklog"])
@pytest.mark.parametrize("number", NUMBERS)
def test_each_share_of_a_healthy_log_counts_at_once(profile, number):
    data = healthy(profile)
    result, shares, again = judged_in_shares(data, number)
    assert (shares, again) == (number, 0)
    assert result == judged_whole(data)
    assert result[0] == []


def test_a_share_of_a_log_without_gtids_counts_at_once():
    log = WrittenLog("mysql-8.0").begin()
    for _ in range(12):
        log.anonymous().insert()
    result, shares, again = judged_in_shares(bytes(log.data), 3)
    assert (shares, again) == (3, 0)
    assert result == judged_whole(bytes(log.data))


def test_a_share_of_a_log_of_mariadb_counts_at_once():
    log = WrittenLog("mariadb-10.x").begin()
    for number in range(1, 13):
        log.event(162, gno=number, domain_id=0, mariadb_gtid_flags=0).table_map().rows().xid()
    result, shares, again = judged_in_shares(bytes(log.data), 3)
    assert (shares, again) == (3, 0)
    assert result == judged_whole(bytes(log.data))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: "-".join((each.make.__name__, *each.requirements)))
def test_a_fault_after_some_transactions(broken):
    """What breaks a requirement at the beginning of its log breaks it, or another one, among other transactions."""
    log = broken.make()
    data = bytes(log.data)
    whole = healthy(log.server.profile)
    options = {"profile": broken.profile, "rows": broken.rows}
    for logged in (data, reframed([*framed_events(whole), *framed_events(data)])):
        assert_same(logged, **options)
    events = list(framed_events(whole))
    for place in (9, 10, len(events) // 2, len(events) - 3):
        assert_same(reframed([*events[:place], *framed_events(data), *events[place:]]), **options)


def changed(events, place, kind):
    event = bytearray(events[place])
    if kind == "bad checksum":
        event[-1] ^= 1
    elif kind == "flag":
        event[17] ^= int(Flag.IGNORABLE)
    elif kind == "marker":
        event[18] |= 0x04
    elif kind == "type":
        event[4] = 200
    elif kind == "length":
        event[9] ^= 0x10
    return [*events[:place], bytes(event), *events[place + 1 :]]


KINDS = ("bad checksum", "flag", "marker", "type", "length", "missing", "twice", "cut")


@pytest.mark.parametrize(
    ("checksums", "kind"),
    [
        *((False, each) for each in KINDS),
        # An event with a checksum that is changed has above all a bad checksum.
        *(pytest.param(True, each, marks=pytest.mark.slow if each in KINDS[1:5] else ()) for each in KINDS),
    ],
)
def test_a_fault_at_every_event(checksums, kind):
    """Every event of the log, so those directly before each seam, at it and after it."""
    events = list(framed_events(healthy(checksums=checksums, last=11)))
    for place in range(1, len(events)):
        if kind == "missing":
            data = reframed([*events[:place], *events[place + 1 :]])
        elif kind == "twice":
            data = reframed([*events[: place + 1], *events[place:]])
        elif kind == "cut":
            data = reframed([*events[:place], events[place][:-3]])
        else:
            data = reframed(changed(events, place, kind))
        assert_same(data, rows=place % 2 == 0)


@pytest.mark.parametrize("seed", range(40))
def test_faults_at_drawn_places(seed):
    random = Random(seed)
    events = list(framed_events(healthy(checksums=False)))
    for _ in range(random.randrange(1, 4)):
        place = random.randrange(len(events))
        event = bytearray(events[place])
        event[random.randrange(len(event))] ^= 1 << random.randrange(8)
        events[place] = bytes(event)
        other = random.randrange(len(events))
        events[place], events[other] = events[other], events[place]
    assert_same(reframed(events))


def test_positions_that_stay_shifted():
    """The transaction before a share shows by how much."""
    log = transactions(WrittenLog("mysql-8.0").begin(), 1, 3)
    shifted = transactions(WrittenLog("mysql-8.0").begin(), 1, 20)
    data = bytes(log.data[: log.offsets[9]]) + bytes(shifted.data[shifted.offsets[30] :])
    result, shares, again = judged_in_shares(data, 3)
    assert (shares, again) == (3, 0)
    assert result == judged_whole(data)
    assert result[0]


@pytest.mark.parametrize("uuid", [None, OTHER_UUID])
def test_a_gtid_that_two_shares_use(uuid):
    used = {} if uuid is None else {"uuid": uuid}
    log = transactions(WrittenLog("mysql-8.0").begin().gtid(3, **used).insert(), 11, 24)
    log.gtid(3, **used).insert()
    transactions(log, 25, 27)
    result, shares, again = judged_in_shares(bytes(log.data), 3)
    assert (shares, again > 0) == (3, True)
    assert result == judged_whole(bytes(log.data))
    assert [each.requirement for each in result[0]] == ["FORMAT-LOG-GTID-ONCE"]


def test_logical_timestamps_that_go_back_at_a_seam():
    log = WrittenLog("mysql-8.0").begin()
    for number in range(1, 21):
        log.gtid(number, timestamps=(number % 10, number % 10 + 1)).insert()
    for number in NUMBERS:
        result, _, _ = judged_in_shares(bytes(log.data), number)
        assert result == judged_whole(bytes(log.data))
    assert len(result[0]) == 2


@pytest.mark.parametrize("flags", [0, int(Flag.BINLOG_IN_USE)])
def test_a_torn_tail(flags):
    data = bytes(transactions(WrittenLog("mysql-8.0").begin(flags=flags), 1, 20).data)
    for cut in (3, 30, 60, 100):
        assert_same(data[:-cut])


@pytest.mark.parametrize("second", ["mysql-8.0", "mysql-5.7"])
def test_a_second_format_description(second):
    first, other = healthy(), healthy(second)
    assert_same(first + other[4:])
    assert_same(first + other[4:] + first[4:])


@pytest.mark.parametrize("values", range(1, 9))
def test_the_limit_on_intervals_holds_for_the_sum(values):
    log = WrittenLog("mysql-8.0").begin()
    for number in (1, 3, 5, 7, 4, 2, 9, 11, 13, 15, 12, 14, 17):
        log.gtid(number).insert()
    with limits_in_force(Limits(values=values)):
        assert_same(bytes(log.data))


def test_a_relay_log():
    flags = int(Flag.RELAY_LOG)
    log = transactions(WrittenLog("mysql-8.0").begin(flags=flags), 1, 12)
    assert_same(bytes(log.data))


@pytest.mark.parametrize("data", [b"", b"\xfebin", b"\xfdbin" + bytes(200), b"text", b"\xfebin" + bytes(300)])
def test_what_is_not_a_log_has_one_share(data):
    assert len(shares_of(BytesIO(data), len(data), 4, reach=len(data))) == 1
    assert_same(data)


def test_no_seam_is_sought_beyond_the_reach():
    data = healthy()
    assert len(shares_of(BytesIO(data), len(data), 4, reach=0)) == 1


def test_whatever_a_checker_remembers_is_its_state_or_named():
    """A name that no object has would hide one that was renamed."""
    checker = LogChecker("bin.000001", report=nobody, rows=True)
    checker.read(BytesIO(healthy()))
    parts = [checker, checker.log, *vars(checker).values(), *checker._rules]
    for kind, names in NOT_COMPARED.items():
        (thing,) = {id(each): each for each in parts if type(each) is kind}.values()
        assert all(hasattr(thing, name) for name in names)
    for rule in checker._rules:
        kept = state_of(rule)[1]
        assert kept.keys() == vars(rule).keys() - NOT_COMPARED.get(type(rule), frozenset())


@pytest.mark.parametrize("rule", range(23))
def test_a_change_in_what_a_rule_remembers_is_seen(rule):
    checker = LogChecker("bin.000001", report=nobody, rows=True)
    checker.read(BytesIO(healthy()))
    before = state_of(checker)
    changed_rule = checker._rules[rule]
    for name in vars(changed_rule).keys() - NOT_COMPARED.get(type(changed_rule), frozenset()):
        kept = getattr(changed_rule, name)
        setattr(changed_rule, name, "something else")
        assert state_of(checker) != before
        setattr(changed_rule, name, kept)
    assert state_of(checker) == before


def test_the_state_of_what_hides_it_is_refused():
    with pytest.raises(TypeError, match="is not known"):
        state_of([iter([])])


@pytest.mark.parametrize("seed", range(20))
def test_sets_are_disjoint_if_no_number_is_in_both(seed):
    random = Random(seed)
    one, other = (set(random.sample(range(1, 40), random.randrange(0, 12))) for _ in range(2))
    sets = ExecutedGtids(), ExecutedGtids()
    for numbers, gtids in zip((one, other), sets, strict=True):
        for number in numbers:
            gtids.add(bytes(16), "", number)
    assert sets[0].is_disjoint(sets[1]) == one.isdisjoint(other)


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize("gtid_twice", [False, True])
def test_processes_that_share_a_log_print_what_one_prints(tmp_path, monkeypatch, options, gtid_twice):
    """More violations than are shown, in each share, and a share that has to be judged a second time."""
    log = WrittenLog("mysql-8.0").begin()
    for number in range(1, 91):
        log.gtid(2 if gtid_twice and number == 80 else number).query("BEGIN", flags=int(Flag.IGNORABLE)).xid()
    path = tmp_path / "bin.000001"
    path.write_bytes(log.data)
    divided = []
    monkeypatch.setattr(divided_log, "LEAST_SHARE", 2000)
    monkeypatch.setattr(checked_files, "LEAST_SHARE", 2000)
    monkeypatch.setattr(divided_log, "_joined", lambda *args: divided.append(len(args[1])) or JOINED(*args))
    files = [path, tmp_path / "missing"]
    alone, beside = (CliRunner().invoke(cli, ["check", *options, "-j", jobs, *map(str, files)]) for jobs in "14")
    assert divided == [4]
    assert alone.exit_code == beside.exit_code == 2
    assert beside.stdout == alone.stdout
    assert beside.stderr == alone.stderr
    assert path.name in alone.stdout
