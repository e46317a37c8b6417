"""The mutants of the role `log` in statements that servers log in unusual ways (WL#7592)."""

import re
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.server.logged_event import Unit
from conformance.models.server.logging_rules import DropClass
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import (
    CreateTable,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    Maintain,
    Rollback,
)
from conformance.mutants.log.consistency_faults import (
    CREATE_SELECT,
    MIXED_ENGINES,
    TEMPORARY_INSIDE,
    changes_rows,
    is_of_temporary_tables,
    of_temporary_tables,
    refusing,
)
from conformance.mutants.log.event_faults import (
    created_as_given,
    created_wider,
    drops_of,
    in_two_transactions,
    with_single_backticks,
)
from conformance.mutants.log.faults import (
    Answer,
    begins,
    changed,
    is_query,
    other_rules,
    other_scenario,
    set_fields,
    units,
    without,
)
from conformance.mutants.log.gtid_faults import (
    anonymous_at_end,
    anonymous_at_shutdown,
    given_gtid_at_end,
    number_temporary,
    own_gtid_of,
    without_gtid_of_partial_drop,
)
from conformance.mutants.log.transaction_faults import (
    joined,
    unlogged,
    wrapped,
)
from conformance.mutants.mutant import Mutant

#: The classes of tables in a DROP TABLE, temporary ones first.
_ALL_CLASSES: Final[tuple[DropClass, ...]] = (
    "temporary-plain",
    "temporary-transactional",
    "base-plain",
    "base-transactional",
    "missing",
)
#: The database before the name of a table.
_OTHER_DATABASE: Final = re.compile(rb"`[^`]*`\.(?=`)")


def is_numberless(scenario: Scenario) -> bool:
    """Return whether a server writes Anonymous_gtid events and no GTIDs."""
    return scenario.settings.gtid_mode == "OFF" and not scenario.settings.before_wl7592


def is_given_creation(scenario: Scenario, unit: Unit) -> bool:
    """Return whether a unit is logged under WL#7592 as the statement was given."""
    return not (scenario.settings.before_wl7592 or unit.events[-1].generated)


def _replacing(start: bytes, old: bytes, new: bytes) -> Answer:
    """Return what answers with a text replaced in the statements that begin with another."""
    return changed(is_query(start), lambda event: set_fields(query=event.fields["query"].replace(old, new))(event))


LOG_STATEMENT_MUTANTS: Final[tuple[Mutant, ...]] = (
    # WL#7592: unusual statements
    Mutant(
        "logs-off-restricted",
        "WL7592-LOG-OFF-NO-RESTRICTIONS",
        "temporary tables inside a transaction are refused with gtid_mode=OFF",
        answer=refusing(of_temporary_tables),
    ),
    Mutant(
        "logs-off-mixed-engines-refused",
        "WL7592-LOG-OFF-NO-RESTRICTIONS",
        "changes of transactional and of other tables together are refused with gtid_mode=OFF",
        answer=refusing(changes_rows),
    ),
    Mutant(
        "logs-on-mixed-engines",
        "WL7592-LOG-ON-MIXED-ENGINES-REFUSED",
        "changes that GTID consistency refuses are logged",
        answer=MIXED_ENGINES,
    ),
    Mutant(
        "logs-off-no-create-select",
        "WL7592-LOG-OFF-CREATE-SELECT-ALLOWED",
        "CREATE TABLE ... SELECT is not logged with gtid_mode=OFF",
        answer=unlogged(CreateTableSelect, condition=is_numberless),
    ),
    Mutant(
        "logs-on-create-select",
        "WL7592-LOG-ON-CREATE-SELECT-REFUSED",
        "CREATE TABLE ... SELECT is logged although GTID consistency refuses it",
        answer=CREATE_SELECT,
    ),
    Mutant(
        "logs-create-select-in-group",
        "WL7592-LOG-CREATE-SELECT-STATEMENT",
        "in statement format CREATE TABLE ... SELECT is logged between BEGIN and COMMIT",
        answer=wrapped((CreateTableSelect,), condition=is_given_creation),
        also=(
            "WL7592-LOG-ON-GTID-FIRST",
            "WL7592-LOG-OFF-ANON-DDL",
            "WL40-CREATE-SBR-AS-IS",
        ),
    ),
    Mutant(
        "logs-create-select-kept-in-row",
        "WL7592-LOG-CREATE-SELECT-ROW",
        "the CREATE TABLE before the rows keeps its SELECT",
        answer=created_as_given(CreateTableSelect, condition=in_two_transactions),
    ),
    Mutant(
        "logs-create-select-other-columns",
        "WL7592-LOG-CREATE-SELECT-ROW",
        "the CREATE TABLE before the rows has one column more",
        answer=created_wider(in_two_transactions),
    ),
    Mutant(
        "logs-create-select-single-backticks",
        "WL7592-LOG-CREATE-SELECT-ROW",
        "in the CREATE TABLE before the rows a backtick of a name is not doubled",
        answer=with_single_backticks(b"CREATE TABLE"),
        also=("FORMAT-LOG-STATEMENT",),
    ),
    Mutant(
        "logs-drops-single-backticks",
        "WL7592-LOG-DROP-GROUPS",
        "in a DROP TABLE that the server writes itself a backtick of a name is not doubled",
        answer=with_single_backticks(b"DROP TABLE"),
        also=(
            "FORMAT-LOG-STATEMENT",
            "WL40-LIST-EACH-TABLE",
            "WL7592-LOG-DROP-TEMPORARY-FIRST",
            "WL7592-LOG-DROPDB-PARTIAL",
        ),
    ),
    Mutant(
        "logs-create-inside",
        "WL7592-LOG-CREATE-NOT-INSIDE",
        "CREATE TABLE ... SELECT is logged as one transaction",
        answer=other_rules(create_select="one"),
    ),
    Mutant(
        "logs-drop-together",
        "WL7592-LOG-DROP-GROUPS",
        "a DROP TABLE is logged as one statement",
        answer=other_rules(drop_groups=(_ALL_CLASSES,), drop_plain_alone=False),
    ),
    Mutant(
        "logs-drop-base-first",
        "WL7592-LOG-DROP-TEMPORARY-FIRST",
        "temporary tables are dropped after the others",
        answer=other_rules(drop_groups=(_ALL_CLASSES[2:], _ALL_CLASSES[:1], _ALL_CLASSES[1:2])),
    ),
    Mutant(
        "logs-drop-without-databases",
        "WL7592-LOG-DROP-GROUPS",
        "a DROP TABLE names the tables of other databases without these",
        answer=changed(
            is_query(b"DROP TABLE"),
            lambda event: set_fields(query=_OTHER_DATABASE.sub(b"", event.fields["query"]))(event),
        ),
        also=("FORMAT-LOG-STATEMENT",),
    ),
    Mutant(
        "logs-drop-without-condition",
        "FORMAT-LOG-STATEMENT",
        "a DROP TABLE IF EXISTS is logged without IF EXISTS, so that it stops replicas",
        answer=_replacing(b"DROP", b"IF EXISTS ", b""),
    ),
    Mutant(
        "logs-creation-without-condition",
        "FORMAT-LOG-STATEMENT",
        "a CREATE TABLE IF NOT EXISTS that the server writes itself lacks IF NOT EXISTS, so that it stops replicas",
        answer=_replacing(b"CREATE", b"IF NOT EXISTS ", b""),
    ),
    Mutant(
        "logs-drop-with-two-commas",
        "FORMAT-LOG-STATEMENT",
        "the names in a DROP of several temporary tables have two commas between them",
        answer=_replacing(b"DROP TEMPORARY", b"`,`", b"`,,`"),
    ),
    Mutant(
        "logs-on-drops-one-gtid",
        "WL7592-LOG-DROP-ON-GTID-EACH",
        "the statements of one DROP TABLE share a GTID",
        answer=joined((DropTable,), mode="ON"),
    ),
    Mutant(
        "logs-off-drops-one-gtid",
        "WL7592-LOG-DROP-OFF-ANON-EACH",
        "the statements of one DROP TABLE share an Anonymous_gtid event",
        answer=joined((DropTable,), mode="OFF"),
    ),
    Mutant(
        "logs-temporary-drop-left-out",
        "WL7592-LOG-DROP-TEMPORARY-INSIDE",
        "DROP TEMPORARY TABLE inside a transaction is not logged in it",
        answer=without(
            lambda log, unit, event: begins(unit) and event.fields.get("query", b"").startswith(b"DROP TEMP")
        ),
    ),
    Mutant(
        "logs-temporary-drop-as-any",
        "WL7592-LOG-DROP-TEMPORARY-INSIDE",
        "inside a transaction DROP TEMPORARY TABLE is logged as DROP TABLE, which drops other tables too",
        answer=changed(
            lambda log, unit, event: begins(unit) and is_query(b"DROP TEMP")(log, unit, event),
            lambda event: replace(
                event, fields={**event.fields, "query": event.fields["query"].replace(b"TEMPORARY ", b"", 1)}
            ),
        ),
    ),
    Mutant(
        "logs-partial-drop-incomplete",
        "WL7592-LOG-DROPDB-PARTIAL",
        "the first table that a failed DROP DATABASE dropped is left out",
        answer=drops_of(lambda names: names[1:] or [b"`other`"]),
        also=("WL7592-LOG-DROP-GROUPS",),
    ),
    Mutant(
        "logs-partial-drop-one-byte-longer",
        "FORMAT-LOG-EVENTS",
        "the DROP TABLE of a failed DROP DATABASE may be one byte longer than on servers",
        answer=other_rules(drop_limit=1025),
    ),
    Mutant(
        "logs-partial-drop-twice",
        "WL7592-LOG-DROPDB-SPLIT",
        "each statement of a failed DROP DATABASE repeats a table of the previous one",
        answer=drops_of(lambda names: [*names, b"`%b`" % (b"table_" + b"x" * 50 + b"_0")]),
        also=("WL7592-LOG-DROP-GROUPS",),
    ),
    Mutant(
        "logs-off-partial-drop-one-gtid",
        "WL7592-LOG-DROPDB-OFF-ANON-EACH",
        "the statements of a failed DROP DATABASE share an Anonymous_gtid event",
        answer=joined((DropDatabase,), mode="OFF"),
    ),
    Mutant(
        "logs-on-partial-drop-one-gtid",
        "WL7592-LOG-DROPDB-ON-GTID-EACH",
        "the statements of a failed DROP DATABASE share a GTID",
        answer=joined((DropDatabase,), mode="ON"),
    ),
    Mutant(
        "logs-partial-drop-own-gtid",
        "WL7592-LOG-DROPDB-NAMED-ONE",
        "a failed DROP DATABASE is logged with the server's own GTID although one was given",
        answer=own_gtid_of((DropDatabase,), words=b"DROP TABLE"),
    ),
    Mutant(
        "logs-partial-drops-with-gtids",
        "WL7592-LOG-DROPDB-NAMED-SEVERAL",
        "a failed DROP DATABASE with a given GTID is logged as if none was given",
        answer=other_scenario(without_gtid_of_partial_drop),
    ),
    Mutant(
        "logs-partial-drop-uses-gtid",
        "WL7592-LOG-DROPDB-NAMED-SEVERAL",
        "a failed DROP DATABASE with a given GTID uses it up, and the next one is skipped",
        answer=without(
            lambda log, unit, event: (
                unit.events[-1].fields.get("query", b"").startswith(b"drop database")
                and unit.events[0].type != EventType.ANONYMOUS_GTID
            )
        ),
    ),
    Mutant(
        "logs-maintenance-own-gtid",
        "WL7592-LOG-MAINTENANCE-KEEPS-GTID",
        "OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE with a given GTID are logged under the server's own",
        answer=own_gtid_of((Maintain,)),
    ),
    Mutant(
        "logs-disconnect-given-gtid",
        "WL7592-LOG-DISCONNECT-DROPS",
        "the DROP at the end of a session is logged under the GTID that the client had given",
        answer=given_gtid_at_end,
    ),
    Mutant(
        "logs-no-failed-maintenance",
        "WL7592-LOG-MAINTENANCE-FAILED",
        "OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE are not logged",
        answer=unlogged(Maintain),
    ),
    Mutant(
        "logs-temporary-in-group",
        "WL7592-LOG-TEMPORARY-OUTSIDE",
        "CREATE TEMPORARY TABLE outside a transaction is logged between BEGIN and COMMIT",
        answer=wrapped((CreateTable,), condition=is_of_temporary_tables),
        also=(
            "WL7592-LOG-ON-GTID-FIRST",
            "WL7592-LOG-OFF-ANON-DDL",
        ),
    ),
    Mutant(
        "logs-temporary-rolled-back",
        "WL7592-LOG-TEMPORARY-INSIDE",
        "a rollback removes temporary tables from the log",
        answer=unlogged(Rollback),
    ),
    Mutant(
        "logs-temporary-releases-gtid-next",
        "WL7592-LOG-TEMPORARY-INSIDE",
        "CREATE TEMPORARY TABLE inside a transaction sets GTID_NEXT=ANONYMOUS back to AUTOMATIC",
        answer=units(number_temporary),
    ),
    Mutant(
        "logs-on-temporary-inside",
        "WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED",
        "CREATE TEMPORARY TABLE inside a transaction is logged with gtid_mode=ON",
        answer=TEMPORARY_INSIDE,
    ),
    Mutant(
        "logs-disconnect-anonymous",
        "WL7592-LOG-DISCONNECT-DROPS",
        "the DROP at the end of a session is logged as if GTID_NEXT were ANONYMOUS",
        answer=units(anonymous_at_end),
    ),
    Mutant(
        "logs-shutdown-anonymous",
        "WL7592-LOG-DISCONNECT-DROPS",
        "the DROP of a session that a shutdown ends is logged as GTID_NEXT=ANONYMOUS had it",
        answer=anonymous_at_shutdown,
    ),
    Mutant(
        "logs-no-disconnect-drops",
        "WL7592-LOG-DISCONNECT-DROPS",
        "when a session ends, the DROP of its temporary tables is not logged",
        answer=unlogged(Disconnect),
    ),
    Mutant(
        "logs-disconnect-of-first-alone",
        "WL7592-LOG-DISCONNECT-DROPS",
        "when another session than the first ends, the DROP of its temporary tables is not logged",
        answer=unlogged(Disconnect, condition=lambda scenario: scenario.statements[-1].session > 1),
    ),
)
