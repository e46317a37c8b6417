"""What tests see real servers do, collected into the tables of `specs/witnesses`.

    BINLOG_WITNESSES=FOLDER pytest tests/real_servers tests/log_check ...
    python -m tests.witnesses FOLDER

A test calls `witnessed` for what it saw a server do. Nothing is collected unless BINLOG_WITNESSES names a folder, in
which each process of a run writes a file of its own. The command puts what is in the folder into the tables: all rows
of a test and a server are replaced by what the test saw of the server in this run; a row that stays as it was keeps
its date.
"""

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, get_args

from conformance.log_check.log_checker import CheckedLog
from conformance.reports.record import RunRecord
from conformance.specs.catalogue import catalogue
from conformance.specs.profiles import profile_named
from conformance.specs.run_record import TroubleStatus
from conformance.specs.witness import SERVER_ROLES, Witness, read_table, table_text
from conformance.strategies.grammar.case import Case

VARIABLE: Final = "BINLOG_WITNESSES"
#: What a certified server is not asked, although it passes: it gets statements of its own, not those of a question,
#: whose text looks safer or less safe than the question has it.
NOT_ASKED: Final = frozenset({"WL3303-SAFETY-GIVEN"})
TABLES: Final = Path(__file__).parent.parent / "specs" / "witnesses"


def witnessed(server: str, requirement: str, *, kept: bool) -> None:
    """Record that the running test saw a server keep a requirement, or break it.

    Args:
        server: The server's release, as a profile: ``mysql-5.6.24``.
        requirement: The requirement's id.
        kept: Whether it kept it.

    Raises:
        ValueError: There is no such requirement or server, or a name stands for a series.
    """
    if requirement not in catalogue():
        raise ValueError(f"{requirement!r} is not a requirement: `binlog-conformance requirements` lists them")
    if profile_named(server).first != profile_named(server).last or server.count(".") != 2:
        raise ValueError(f"{server!r} is not a release: write mysql-5.6.24")
    folder = os.environ.get(VARIABLE)
    if not folder:
        return
    test = os.environ["PYTEST_CURRENT_TEST"].partition(" ")[0].partition("[")[0]
    row = {"requirement": requirement, "server": server, "kept": kept, "test": test}
    Path(folder).mkdir(parents=True, exist_ok=True)
    with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def witnessed_in_log(checked: CheckedLog) -> None:
    """Record what a judged log shows of its servers: of the replica that wrote it, or of the server that logged it."""
    log, verdicts = checked.log, checked.verdicts
    for requirement in verdicts.judged:
        entry = catalogue()[requirement]
        server = log.profile if entry.role == "relay" else log.source or log.profile
        kept = not verdicts.broken[requirement]
        # A relay log may begin with events of a source that it does not name.
        if entry.role in SERVER_ROLES and (server in entry.holds or not kept):
            witnessed(server, requirement, kept=kept)


def witnessed_in_case(server: str, case: Case) -> None:
    """Record that a server answered a generated case as the model does: it keeps all that the case exercises.

    Of an answer that differs nothing is recorded, as it does not show which requirement is broken.
    """
    for requirement in case.marks:
        entry = catalogue().get(requirement)
        if entry is not None and entry.role in SERVER_ROLES and server in entry.holds:
            witnessed(server, requirement, kept=True)


def witnessed_in_record(server: str, record: RunRecord) -> None:
    """Record what a certification of a server shows: what it passed and never failed, and what it failed.

    A question that the server declined shows nothing, and neither does a crash or a hang.
    """
    for each in record.requirements:
        statuses = {status for status, count in each.results.get(server, {}).items() if count}
        if each.role not in SERVER_ROLES or server not in catalogue()[each.id].holds or each.id in NOT_ASKED:
            continue
        if "fail" in statuses:
            witnessed(server, each.id, kept=False)
        elif "pass" in statuses and not statuses & set(get_args(TroubleStatus)):
            witnessed(server, each.id, kept=True)


def collected(folder: Path, *, day: date) -> Iterator[Witness]:
    """Yield a row for each requirement, server and test in a folder: a server keeps what it never broke in a test."""
    kept: dict[tuple[str, str, str], bool] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            key = row["requirement"], row["server"], row["test"]
            kept[key] = kept.get(key, True) and row["kept"]
    for (requirement, server, test), each in kept.items():
        yield Witness(requirement, server, "keeps" if each else "breaks", test, day)


def merged(old: Iterable[Witness], new: Iterable[Witness]) -> list[Witness]:
    """Return the rows of both: the new ones replace all old ones of the same test and server."""
    before, now = {each.key: each for each in old}, {each.key: each for each in new}
    run = {(each.test, each.server) for each in now.values()}
    rows = [each for each in before.values() if (each.test, each.server) not in run]
    for key, each in now.items():
        as_before = before.get(key)
        rows.append(replace(each, day=as_before.day) if as_before and as_before.seen == each.seen else each)
    return rows


def table_of(requirement: str) -> str:
    """Return the name of the table that has the rows of a requirement: one for each document."""
    return f"{requirement.partition('-')[0].lower()}.tsv"


def main() -> None:
    """Put what is in a folder into the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder that BINLOG_WITNESSES named")
    new = list(collected(parser.parse_args().folder, day=datetime.now(UTC).date()))
    TABLES.mkdir(exist_ok=True)
    old = [each for path in TABLES.glob("*.tsv") for each in read_table(path.read_text(encoding="utf-8"))]
    tables: dict[str, list[Witness]] = {path.name: [] for path in TABLES.glob("*.tsv")}
    for each in merged(old, new):
        tables.setdefault(table_of(each.requirement), []).append(each)
    for name, rows in tables.items():
        (TABLES / name).write_text(table_text(rows), encoding="utf-8")
        print(f"specs/witnesses/{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
