"""Which real pairs are run: links between servers, and rows of options in which every two values meet that can."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import combinations, pairwise, product
from typing import Any, Final, get_args

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.models.handshake.announcement import ANNOUNCEMENTS
from conformance.models.handshake.refusal import Peer, Position, Refused, refusal
from conformance.models.server.settings import CHECKSUMS, GTID_MODES
from conformance.servers.products import DIALECTS, SERVERS
from conformance.specs.profiles import profile_named
from conformance.specs.versions import Profiles

SOURCE_ID: Final = 1
REPLICA_ID: Final = 100
#: The servers that can write rows events of the first version besides the second.
_WITH_BOTH_ROWS: Final = Profiles("mysql >= 5.6, < 9.0")
_MARIADB: Final = Profiles("mariadb")
_WITH_TEXTS: Final = WITH_ROWS_QUERIES | _MARIADB
_MODES: Final = {"none": ("OFF",), "at the start": ("OFF", "ON"), "running": GTID_MODES}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlan:
    """A source, a replica, and their options.

    Attributes:
        source: The source's name, a key of `SERVERS`.
        replica: The replica's name.
        source_mode: The source's gtid_mode, ``OFF`` where there is none.
        replica_mode: The replica's.
        checksum: The source's binlog_checksum, ``NONE`` where there is none.
        rows: The version of the source's rows events.
        texts: Whether the source logs statements' texts before rows.
        position: How the replica asks for events.
        replica_checksum: The replica's binlog_checksum, ``CRC32`` where there is none.
        same_id: Whether both have the same server id.
    """

    source: str
    replica: str
    source_mode: str
    replica_mode: str
    checksum: str
    rows: int
    texts: bool
    position: Position
    replica_checksum: str = "CRC32"
    same_id: bool = False

    def __str__(self) -> str:
        options = f"{self.source_mode}-{self.replica_mode}-{self.checksum}-v{self.rows}"
        marks = ["texts" if self.texts else "plain", self.position]
        marks += ["unchecked"] * (self.replica_checksum == "NONE") + ["same_id"] * self.same_id
        return f"{self.source}-to-{self.replica}-{options}-{'-'.join(marks)}"

    @property
    def refused(self) -> Refused | None:
        """The error with which the receiver stops before it takes an event, as the model has it."""
        source = Peer(
            profile=SERVERS[self.source], server_id=SOURCE_ID, gtid_mode=self.source_mode, checksum=self.checksum
        )
        replica_id = SOURCE_ID if self.same_id else REPLICA_ID
        replica = Peer(
            profile=SERVERS[self.replica],
            server_id=replica_id,
            gtid_mode=self.replica_mode,
            checksum=self.replica_checksum,
        )
        return refusal(source, replica, position=self.position)


def links(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of servers: neighbours and far ends of each product in both directions, each with itself, and
    each MySQL server with the MariaDB server of its place, in both directions."""
    chosen = [each for each in SERVERS if each in set(names)]
    series = [
        [each for each in chosen if profile_named(SERVERS[each]).product == name] for name in ("mysql", "mariadb")
    ]
    met: dict[tuple[str, str], None] = {}
    for each in series:
        far = [(each[0], each[-1]), *zip(each, each[2:], strict=False)] if len(each) > 2 else []
        for pair in (*pairwise(each), *far, *zip(*series, strict=False)):
            met |= {pair: None, pair[::-1]: None}
    yield from met | {(each, each): None for each in chosen}


def _off(source: str, replica: str, **options: Any) -> PairPlan:
    """Return a run without GTIDs and checksums, by file."""
    fixed: dict[str, Any] = {"source_mode": "OFF", "replica_mode": "OFF", "checksum": "NONE", "position": "file"}
    return PairPlan(source=source, replica=replica, **{"rows": 2, "texts": False, **fixed, **options})


#: The runs that rows of the worklogs' tables name: WL#4033, new to old, with texts as the first unknown events and
#: without; WL#7592, OFF to 5.6.22 and later.
NAMED: Final = (
    _off("mysql56", "mysql55", rows=1, texts=True),
    _off("mysql56", "mysql55", rows=1),
    _off("mysql57", "mysql56", texts=True),
    _off("mysql80", "mysql56"),
    _off("mariadb1011", "mariadb1011", rows=1, texts=True),
    _off("mariadb1011", "mysql80", rows=1, texts=True),
)


def plans(names: Iterable[str]) -> list[PairPlan]:
    """Return the runs: every link once, and rows in which every two values of options meet that the models accept."""
    accepted: dict[tuple[str, str], list[PairPlan]] = {}
    refused: dict[tuple[str, str], list[PairPlan]] = {}
    for link in links(names):
        made = list(_options(*link))
        accepted[link] = [each for each in made if each.refused is None]
        refused[link] = [each for each in made if each.refused is not None]
    made = [*_cover(accepted, _sets), *_cover(refused, _refused_sets, every_link=False)]
    return list(dict.fromkeys([*made, *(each for each in NAMED if {each.source, each.replica} <= set(names))]))


def _options(source: str, replica: str) -> Iterator[PairPlan]:
    of_source, of_replica = SERVERS[source], SERVERS[replica]
    source_dialect, replica_dialect = DIALECTS[of_source], DIALECTS[of_replica]
    assert source_dialect is not None
    assert replica_dialect is not None
    source_modes, replica_modes = _MODES[source_dialect.gtid_modes], _MODES[replica_dialect.gtid_modes]
    checksums = CHECKSUMS if source_dialect.checksums else ("NONE",)
    rows = (1, 2) if of_source in _WITH_BOTH_ROWS else (2,) if of_source in WITH_ROWS_QUERIES else (1,)
    texts = (False, True) if of_source in _WITH_TEXTS else (False,)
    # Without checksums of its own, MariaDB takes events of a source that knows none.
    own = CHECKSUMS if of_replica in _MARIADB and not source_dialect.checksums else ("CRC32",)
    choices = product(source_modes, replica_modes, checksums, rows, texts, get_args(Position), own, (False, True))
    for source_mode, replica_mode, checksum, version, text, position, of_replica_itself, same in choices:
        if position == "gtid" and not _asks_by_gtid(of_source, of_replica, replica_mode):
            continue
        yield PairPlan(
            source=source, replica=replica, source_mode=source_mode, replica_mode=replica_mode, checksum=checksum,
            rows=version, texts=text, position=position, replica_checksum=of_replica_itself, same_id=same,
        )  # fmt: skip


def _asks_by_gtid(source: str, replica: str, mode: str) -> bool:
    """Return whether a replica can ask by GTIDs: 5.6 only with gtid_mode=ON, MariaDB by those of its own."""
    if ANNOUNCEMENTS[replica].capability:
        return bool(ANNOUNCEMENTS[source].capability)
    return mode == "ON" or (mode != "OFF" and replica in Profiles("mysql >= 5.7"))


_Sets = frozenset[frozenset[tuple[str, object]]]


def _sets(plan: PairPlan) -> _Sets:
    values = [(each.name, getattr(plan, each.name)) for each in fields(plan)]
    together = {("source", plan.source), ("replica", plan.replica)}
    return frozenset(frozenset(pair) for pair in combinations(values, 2) if set(pair) != together)


def _refused_sets(plan: PairPlan) -> _Sets:
    """Return what a refusal depends on: the replica's version with the modes and the position, or the server ids."""
    modes = (plan.source_mode, plan.replica_mode, plan.position)
    condition = ("same id", True) if plan.same_id else ("modes", (*modes, plan.replica_checksum))
    return frozenset({frozenset({("replica", plan.replica), condition}), frozenset({("source", plan.source)})})


def _cover(
    choices: dict[tuple[str, str], list[PairPlan]], sets_of: Callable[[PairPlan], _Sets], *, every_link: bool = True
) -> Iterator[PairPlan]:
    """Yield plans until all their sets occurred, each time the first one that brings the most new ones."""
    sets = {plan: sets_of(plan) for made in choices.values() for plan in made}
    left = set().union(*sets.values()) if sets else set()
    for link in choices if every_link else ():
        if choices[link]:
            best = max(choices[link], key=lambda plan: len(sets[plan] & left))
            left -= sets[best]
            yield best
    while left:
        best = max(sets, key=lambda plan: len(sets[plan] & left))
        left -= sets[best]
        yield best
