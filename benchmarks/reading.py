"""Reading: events a second of one core in `check`, in the reader alone, and in both boundary parsers.

The log is one that MySQL 8.0 could have written, of transactions as the families make them; it is read from memory.
"""

import io
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from measure import Measure

from conformance.binlog.reader import read_file
from conformance.binlog.servers import server_of
from conformance.log_check.log_checker import LogChecker
from conformance.models.boundary.columnar_parser import EventColumns, parse_worklog
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import families
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import sound_log

#: How often the columns of the log are repeated for the columnar parser, whose batches are large.
_REPEATED: Final = 50
#: Events a second -> what is wanted of it.
WANTED: Final = {"check": 200_000.0, "columnar boundary parser": 10_000_000.0}


def large_log(events: int) -> bytes:
    """Return a sound log of at least so many events."""
    families()
    stream = StreamBuilder(SeededChooser("benchmark"), server_of("mysql-8.0"), checksums=True)
    sound_log.begin_log(stream)
    while stream.count < events:
        sound_log.add_groups(stream, 20, 20, anonymous=True)
    return bytes(stream.bytes)


def checked(log: bytes) -> None:
    """Judge a log as `check` does.

    Raises:
        RuntimeError: Something is offences, or the log was not read to its end.
    """
    offences: list[Any] = []
    result = LogChecker("benchmark", report=offences.append).check(io.BytesIO(log))
    if offences or result.log.end != len(log):
        raise RuntimeError(f"the log of the benchmark is not sound: {offences[:1]}")


def measures(rounds: int, events: int) -> Iterator[Measure]:
    """Yield events a second of processor time, for a log of at least so many events."""
    log = large_log(events)
    every = list(read_file(io.BytesIO(log)))
    fed = [FedEvent.of(each) for each in every]
    single = EventColumns.of(fed)
    columns = EventColumns(*(_repeated(each) for each in (single.types, single.flags, single.texts)))

    def step() -> None:
        parser = WorklogParser()
        for each in fed:
            parser.feed(each)

    ways: dict[str, tuple[Callable[[], object], int]] = {
        "check": (lambda: checked(log), len(every)),
        "reader alone": (lambda: sum(1 for _ in read_file(io.BytesIO(log))), len(every)),
        "readable boundary parser": (step, len(fed)),
        "columnar boundary parser": (lambda: parse_worklog(columns), len(fed) * _REPEATED),
    }
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, (act, count) in ways.items():
            began = time.process_time()
            act()
            if number:
                samples[name].append(count / (time.process_time() - began))
    against = f"one core of this machine, {len(every):,} events"
    for name, each in samples.items():
        limit = WANTED.get(name)
        wanted = None if limit is None else (">=", limit)
        yield Measure(part="reading", name=name, unit="events/s", against=against, samples=each, wanted=wanted)


def _repeated(column: Any) -> Any:
    import numpy as np

    return np.tile(column, _REPEATED)
