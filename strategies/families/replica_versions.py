"""Relay logs of older and newer sources for the appliers of each version (WL#7592, Cross-version compatibility)."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, server_of
from conformance.specs.versions import Profiles
from conformance.strategies.families.cross_version import OLDER
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups
from conformance.strategies.groups.replica_variants import GROUPS

_IGNORABLE: Final = int(Flag.IGNORABLE)
_5_6: Final = Profiles("worklog", "mysql >= 5.6, < 5.7")
_5_7: Final = Profiles("worklog", "mysql >= 5.7, < 8.0")
_OLD_SOURCE: Final = choices("source", OLDER)
#: The sources that are newer than a replica of 5.6 or 5.7.
_NEW_SOURCE: Final = choices("source", ("mysql-5.7", "mysql-8.0", "mysql-8.4"))
_FORM: Final = Dimension(
    "group",
    {"transaction": "transaction", "CREATE inside a transaction": "create", "statement that is one": "statement"},
)
_FLAGGED: Final = yes_or_no("flagged")
_ANONYMOUS: Final = yes_or_no("anonymous")
#: 5.6.22 knows the type, and passes over its events whether they have the flag or not.
_FLAGGED_ANONYMOUS: Final = yes_or_no(_FLAGGED.name, when={_ANONYMOUS.name: ("yes",)})
#: The replicas that a new source suits with gtid_mode=ON, and those that it suits with OFF too.
_WITH_ON: Final = Dimension(
    "replica",
    {each: each for each in ("5.6.21", "5.6.5", "5.6.20", "5.6.22", "5.7.5", "5.7.1", "5.7.4")},
    profiles={
        **{each: _5_6 for each in ("5.6.21", "5.6.5", "5.6.20", "5.6.22")},
        **{each: _5_7 for each in ("5.7.5", "5.7.1", "5.7.4")},
    },
)
_BEFORE_5_6_22: Final = choices("replica", ("5.6.21", "5.6.20", "5.6.5"))
_BEFORE_5_7_6: Final = choices("replica", ("5.7.5", "5.7.4", "5.7.1"))

#: An old source's groups have no Gtid event, and what a replica of these writes before them in its own log is its own.
_NEW_REPLICA: Final = Dimension(
    "replica",
    {"the profile's": "", **{each: each for each in ("5.7.5", "5.7.6", "5.7.1")}},
    profiles=dict.fromkeys(("5.7.5", "5.7.6", "5.7.1"), _5_7),
)


@family(
    focus="WL7592-COMPAT-OLD-NEW",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(_OLD_SOURCE, _FORM, GROUPS, _NEW_REPLICA),
)
def older_source_streams(stream: StreamBuilder) -> None:
    """Logs of 5.1 and 5.5, without Gtid events, for the applier of a new replica with gtid_mode=OFF."""
    replica = stream.server
    stream.settings["gtid_mode"] = "OFF"
    if version := stream.vary(_NEW_REPLICA):
        stream.settings["version"] = version
    source, form = server_of(stream.vary(_OLD_SOURCE)), stream.vary(_FORM)
    stream.server = source
    stream.checksummed = False
    replica_groups.begin_relay_log(stream, lengths=source.post_header_lengths)
    rows = replica.reads_rows_v1
    stream.server = replica
    for number in stream.several_of(GROUPS):
        stream.server = source
        if number:
            planned = replica_groups.group(stream, rows=rows)
        elif form == "create":
            # CREATE TABLE ... SELECT before WL#7592: one group.
            planned = [data_changes.query(stream, "BEGIN"), *replica_groups.create(stream)]
            planned += [*data_changes.changes(stream, rows=rows), data_changes.query(stream, "COMMIT")]
        elif form == "statement":
            planned = replica_groups.create(stream)
        else:
            planned = replica_groups.transaction(stream, rows=rows)
        replica_groups.add(stream, planned)
        stream.server = replica


@family(focus="WL7592-APPLY-ON-56-57", profiles=_5_6 | _5_7, dimensions=(_WITH_ON, _NEW_SOURCE, GROUPS))
def newer_sources_with_gtids(stream: StreamBuilder) -> None:
    """Logs of newer sources for the applier of a 5.6 or 5.7 replica, both with gtid_mode=ON."""
    version = stream.vary(_WITH_ON)
    _add_newer(stream, version=version, anonymous=False, flags=0)


@family(focus="WL7592-COMPAT-OFF-5622", profiles=_5_6, dimensions=(_NEW_SOURCE, _ANONYMOUS, _FLAGGED_ANONYMOUS, GROUPS))
def newer_source_streams(stream: StreamBuilder) -> None:
    """Logs of newer sources for the applier of a 5.6 replica, whose gtid_mode is the source's."""
    anonymous = stream.vary(_ANONYMOUS)
    version = "5.6.22" if anonymous else "5.6.21"
    flags = _IGNORABLE if anonymous and stream.vary(_FLAGGED_ANONYMOUS) else 0
    _add_newer(stream, version=version, anonymous=anonymous, flags=flags)


@family(
    focus="WL7592-COMPAT-OFF-5621",
    profiles=_5_6,
    fault=True,
    dimensions=(_BEFORE_5_6_22, _NEW_SOURCE, _FLAGGED, GROUPS),
)
def anonymous_before_5_6_21(stream: StreamBuilder) -> None:
    """Anonymous groups of a newer source for the applier of a replica of 5.6.21 or older."""
    version = stream.vary(_BEFORE_5_6_22)
    _add_newer(stream, version=version, anonymous=True, flags=_IGNORABLE if stream.vary(_FLAGGED) else 0)


@family(
    focus="WL7592-COMPAT-OFF-575", profiles=_5_7, fault=True, dimensions=(_BEFORE_5_7_6, _NEW_SOURCE, _FLAGGED, GROUPS)
)
def anonymous_before_5_7_5(stream: StreamBuilder) -> None:
    """Anonymous groups of a newer source for the applier of a replica of 5.7.5 or older."""
    version = stream.vary(_BEFORE_5_7_6)
    _add_newer(stream, version=version, anonymous=True, flags=_IGNORABLE if stream.vary(_FLAGGED) else 0)


def _add_newer(stream: StreamBuilder, *, version: str, anonymous: bool, flags: int) -> None:
    """Add groups of a newer source, for a replica of a version with the source's gtid_mode."""
    replica = stream.server
    source = server_of(stream.vary(_NEW_SOURCE))
    stream.settings.update(gtid_mode="OFF" if anonymous else "ON", version=version)
    stream.server = source
    replica_groups.begin_relay_log(stream, lengths=source.post_header_lengths)
    stream.server = replica
    for _ in stream.several_of(GROUPS):
        stream.server = source
        planned = replica_groups.group(stream)
        replica_groups.add(stream, replica_groups.with_gtid(stream, planned, anonymous=anonymous, flags=flags))
        stream.server = replica
