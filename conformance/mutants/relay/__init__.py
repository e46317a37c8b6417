"""The mutants of the role `relay`: the model of a receiver with one fault each."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from conformance.binlog.header import MAGIC
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.models.replica.relay import NewFeed, Receiver, RelaySettings
from conformance.mutants.mutant import Mutant
from conformance.mutants.relay.changed_entries import (
    clears_ignorable,
    cuts_own_lengths,
    drops_checksums,
    marks_guesses,
    moves_rotates,
    rewords,
    silent,
    spoils_ends,
    unsealed_description,
)
from conformance.mutants.relay.faulty_receivers import (
    ClosesGaps,
    CopiesLaterPreviousGtids,
    CopiesPreviousGtids,
    CountsCutOff,
    CountsIgnored,
    CountsUnended,
    DropsExtended,
    DropsFirstText,
    DropsIgnorable,
    DropsRows,
    DropsUnknown,
    FeedsAll,
    FeedsIgnored,
    FeedsOwn,
    FollowsLoggedRotates,
    ForgetsAtConnection,
    IgnoredSetsLeftOut,
    IgnoresOnce,
    IgnoresRotates,
    KeepsFirstAlgorithm,
    KeepsFirstSet,
    KeepsFormatOfConnection,
    KeepsIdsIn31Bits,
    KeepsIdsInBytes,
    KeepsParser,
    KeepsParserOnReconnect,
    KeepsSourcesGtids,
    KeepsTimeOfStart,
    LeavesOutWarned,
    LosesTagged,
    LowerCaseNames,
    NoOwnPreviousGtids,
    OwnIdEverywhere,
    RenewsFirstFormat,
    RepeatsWithoutFlags,
    ReplacesNothing,
    ReplacesUnlessFlushed,
    ResetsAtFormats,
    RetrievesAtCommits,
    RetrievesAtNextGtid,
    RetrievesAtSavepoints,
    RetrievesAtUsualEnds,
    RetrievesChanges,
    RetrievesCreations,
    RetrievesEarly,
    RetrievesLate,
    TakesIgnored,
    TakesUnknownOfIgnored,
    WritesFlagged,
    WritesMysqlGtids,
    WritesNewHeartbeats,
)
from conformance.mutants.relay.spoilt_events import (
    passing_over_spoilt,
    passing_over_spoilt_of_ignored,
    refusing_malformed,
    unverified,
    unverified_descriptions,
    unverified_unwritten,
    writing_parts,
)
from conformance.mutants.relay.unended_groups import (
    CountsNamedAtRotate,
    CountsNoIncidents,
    EndsAtHeartbeat,
    EndsAtStop,
    KeepsGtidOfConnection,
    KeepsGtidOverAnonymous,
    LeavesOutIncidents,
    LeavesOutUnknownOfNone,
    NeedsBegin,
)
from conformance.mutants.relay.wrong_bounds import (
    DeclaresNoRotates,
    DescribesConnections,
    DescribesFirstLog,
    GoesOnAfterRotates,
    HasGtidsInEveryVersion,
    HasNoGtids,
)
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.reference.relay import answer_with


def _of(receiver: Callable[[RelaySettings, NewFeed], Receiver]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty receiver."""
    return lambda request: answer_with(receiver, request)


def _changing(change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Callable[[Request], Observation]:
    """Return the answer with each entry changed."""

    def answer(request: Request) -> Observation:
        observed = answer_with(Receiver, request)
        return replace(observed, events=tuple(map(change, observed.events)))

    return answer


def _stops_at_warning(request: Request) -> Observation:
    observed = answer_with(Receiver, request)
    for index, entry in enumerate(observed.events):
        if entry["warning"]:
            return Observation(observed.events[: index + 1], Refusal(None, "other", entry["warning"]))
    return observed


def _stops_at_old_sources(request: Request) -> Observation:
    if request.profile not in WITH_CHECKSUMS:
        return Observation((), Refusal(len(MAGIC), "other", "the format description has no checksum algorithm"))
    return answer_with(Receiver, request)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "relay-ignorable-dropped",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "does not write ignorable events of unknown types",
        answer=_of(DropsIgnorable),
    ),
    Mutant(
        "relay-extended-dropped",
        "WL40-RELAY-EXTENDED-QUERY",
        "does not write Query events with tables info",
        answer=_of(DropsExtended),
    ),
    Mutant(
        "relay-ignorable-unflagged",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "clears the ignorable flag of events of unknown types",
        answer=_changing(clears_ignorable),
    ),
    Mutant(
        "relay-query-checksum",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "the last byte of copied Query events is changed",
        answer=_changing(spoils_ends),
    ),
    Mutant(
        "relay-rows-dropped",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "does not write rows events",
        answer=_of(DropsRows),
    ),
    Mutant(
        "relay-first-text-dropped",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "does not write a Rows_query event that comes first in a relay log",
        answer=_of(DropsFirstText),
    ),
    Mutant(
        "relay-unknown-dropped",
        "WL4033-RELAY-UNKNOWN-NOT-LOST",
        "does not write events of unknown types without the ignorable flag",
        answer=_of(DropsUnknown),
    ),
    Mutant(
        "relay-retrieved-at-usual-ends",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "does not count a transaction that is prepared, or in a payload",
        answer=_of(RetrievesAtUsualEnds),
    ),
    Mutant(
        "relay-rolled-back-not-retrieved",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "does not count a transaction that is rolled back",
        answer=_of(RetrievesAtCommits),
    ),
    Mutant(
        "relay-retrieved-at-creations",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "of the statements that are transactions counts those that begin with CREATE alone",
        answer=_of(RetrievesCreations),
    ),
    Mutant(
        "relay-empty-not-retrieved",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "does not count a transaction without a change",
        answer=_of(RetrievesChanges),
    ),
    Mutant(
        "relay-retrieved-at-savepoint",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as soon as it goes back to a savepoint",
        answer=_of(RetrievesAtSavepoints),
    ),
    Mutant(
        "relay-ignores-once",
        "FORMAT-RELAY-IGNORED",
        "writes the events of servers to be ignored after the connection was lost",
        answer=_of(IgnoresOnce),
    ),
    Mutant(
        "relay-replacement-missing",
        "FORMAT-RELAY-EVENT",
        "writes no Rotate in the place of the source's Previous_gtids event",
        answer=_of(ReplacesNothing),
    ),
    Mutant(
        "relay-guess-marked",
        "WL4162-TT-GUESS-LEAVES-BYTES",
        "writes the guessed boundary type into the event",
        answer=_changing(marks_guesses),
    ),
    Mutant(
        "relay-parser-not-reset",
        "WL4162-RESET-RECEIVER-LOOP",
        "continues with the parser of the previous connection",
        answer=_of(KeepsParser),
    ),
    Mutant(
        "relay-parser-kept-on-reconnect",
        "WL4162-RESET-RECEIVER-LOOP",
        "continues with the parser after a reconnect",
        answer=_of(KeepsParserOnReconnect),
    ),
    Mutant(
        "relay-flagged-written",
        "FORMAT-RELAY-MARIADB-LEFT-OUT",
        "writes events with the ignorable flag as MySQL does",
        answer=_of(WritesFlagged),
    ),
    Mutant(
        "relay-mysql-gtids-written",
        "FORMAT-RELAY-MARIADB-LEFT-OUT",
        "writes the Gtid events of MySQL that have no flag",
        answer=_of(WritesMysqlGtids),
    ),
    Mutant(
        "relay-ignored-gtid-counts",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts the GTIDs of servers to be ignored as received",
        answer=_of(CountsIgnored),
    ),
    Mutant(
        "relay-ignored-id-written",
        "FORMAT-RELAY-IGNORED",
        "writes the events of one server of those to be ignored",
        answer=_of(TakesIgnored),
    ),
    Mutant(
        "relay-unknown-of-ignored-id-written",
        "FORMAT-RELAY-IGNORED",
        "writes the unknown ignorable events of servers to be ignored",
        answer=_of(TakesUnknownOfIgnored),
    ),
    Mutant(
        "relay-previous-gtids-of-second-log",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "begins every relay log from the third on with the Previous_gtids of the second",
        answer=_of(KeepsFirstSet),
    ),
    Mutant(
        "relay-sources-gtids-as-retrieved",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "puts the source's Previous_gtids into its own",
        answer=_of(KeepsSourcesGtids),
    ),
    Mutant(
        "relay-last-gtid-missing",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as received only when the next one begins",
        answer=_of(RetrievesLate),
    ),
    Mutant(
        "relay-last-gtid-before-anonymous-missing",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as received only when the next one that has a GTID begins",
        answer=_of(RetrievesAtNextGtid),
    ),
    Mutant(
        "relay-unfinished-gtid-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as received when it begins",
        answer=_of(RetrievesEarly),
    ),
    Mutant(
        "relay-warning-in-other-words",
        "WL4162-RELAY-WARN-TEXT",
        "names the same type twice in its warnings",
        answer=_changing(rewords),
    ),
    Mutant("relay-warning-missing", "WL4162-WARN-RECEIVER", "does not warn", answer=_changing(silent)),
    Mutant(
        "relay-stops-at-warning",
        "WL4162-WARN-RECEIVER",
        "stops with an error where it should warn",
        answer=_stops_at_warning,
    ),
    Mutant(
        "relay-stops-at-old-sources",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "stops with an error at the format description of a source without checksums, before it writes anything",
        answer=_stops_at_old_sources,
    ),
    Mutant(
        "relay-warned-event-left-out",
        "WL4162-RELAY-KEEPS-EVENTS",
        "does not write an event that causes a warning",
        answer=_of(LeavesOutWarned),
    ),
    Mutant(
        "relay-parser-fed-all",
        "WL4162-RELAY-FEEDS-QUEUED",
        "feeds the parser events that it does not write",
        answer=_of(FeedsAll),
    ),
    Mutant(
        "relay-parser-fed-ignored",
        "WL4162-RELAY-FEEDS-QUEUED",
        "feeds the parser the events of servers that are to be ignored",
        answer=_of(FeedsIgnored),
        also=("WL4162-RESET-RECEIVER-LOOP",),
    ),
    Mutant(
        "relay-parser-fed-own",
        "WL4162-RELAY-FEEDS-QUEUED",
        "feeds the parser the replica's own events, which come back to it",
        answer=_of(FeedsOwn),
        also=("WL4162-RESET-RECEIVER-LOOP",),
    ),
    Mutant(
        "relay-ignored-set-left-out",
        "FORMAT-RELAY-EVENT",
        "leaves out the Previous_gtids event of a source that is to be ignored, and writes no Rotate for it",
        answer=_of(IgnoredSetsLeftOut),
    ),
    Mutant(
        "relay-cut-off-group-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received in which the connection was lost",
        answer=_of(CountsCutOff),
    ),
    Mutant(
        "relay-group-of-crashed-source-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received within which the source crashed",
        answer=_of(CountsUnended),
    ),
    Mutant(
        "relay-gtid-kept-over-anonymous",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction that does not end as received at the end of the anonymous one after it",
        answer=_of(KeepsGtidOverAnonymous),
    ),
    Mutant(
        "relay-stop-ends-group",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received that has not ended before a Stop event",
        answer=_of(EndsAtStop),
    ),
    Mutant(
        "relay-heartbeat-ends-group",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received that has not ended before a heartbeat",
        answer=_of(EndsAtHeartbeat),
    ),
    Mutant(
        "relay-group-needs-begin",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "does not take a transaction as received that has no BEGIN before its Xid",
        answer=_of(NeedsBegin),
    ),
    Mutant(
        "relay-format-repeated-without-flags",
        "FORMAT-RELAY-EVENT",
        "goes on in the next relay log with the source's format description without its flags",
        answer=_of(RepeatsWithoutFlags),
    ),
    Mutant(
        "relay-named-group-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received of which only the Gtid event came before the source's next log",
        answer=_of(CountsNamedAtRotate),
    ),
    Mutant(
        "relay-gtid-of-lost-connection",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes the GTID after which the connection was lost for that of the anonymous group that comes then",
        answer=_of(KeepsGtidOfConnection),
    ),
    Mutant(
        "relay-unknown-of-no-server",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "does not write ignorable events of unknown types with the server id 0",
        answer=_of(LeavesOutUnknownOfNone),
    ),
    Mutant(
        "relay-incident-dropped",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "does not write Incident events",
        answer=_of(LeavesOutIncidents),
    ),
    Mutant(
        "relay-incident-not-retrieved",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "never counts the GTID of an Incident event",
        answer=_of(CountsNoIncidents),
    ),
    Mutant(
        "relay-first-format-renewed",
        "FORMAT-RELAY-EVENT",
        "goes on in each further relay log with the first format description that it has received",
        answer=_of(RenewsFirstFormat),
    ),
    Mutant(
        "relay-format-of-first-connection",
        "FORMAT-RELAY-EVENT",
        "goes on in the next relay log with a format description of its first connection, whatever came after",
        answer=_of(KeepsFormatOfConnection),
    ),
    Mutant(
        "relay-replacement-missing-after-flush",
        "FORMAT-RELAY-EVENT",
        "writes no Rotate in the place of the source's Previous_gtids event once a relay log was flushed",
        answer=_of(ReplacesUnlessFlushed),
    ),
    Mutant(
        "relay-next-format-created",
        "FORMAT-RELAY-EVENT",
        "goes on in the next relay log with the time of the source's start in its format description",
        answer=_of(KeepsTimeOfStart),
    ),
    Mutant(
        "relay-no-previous-gtids",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "begins its relay logs without a Previous_gtids event",
        answer=_of(NoOwnPreviousGtids),
    ),
    Mutant(
        "relay-tagged-gtids-lost",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "leaves out the GTIDs with tags in the Previous_gtids events of its relay logs",
        answer=_of(LosesTagged),
    ),
    Mutant(
        "relay-closes-gaps",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes the GTIDs before and after a missing one for one interval in the sets of its relay logs",
        answer=_of(ClosesGaps),
    ),
    Mutant(
        "relay-gtids-of-connection",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts only the GTIDs that it has received on the last connection",
        answer=_of(ForgetsAtConnection),
    ),
    Mutant(
        "relay-ids-in-one-byte",
        "FORMAT-RELAY-IGNORED",
        "keeps the lowest byte of the server ids that are to be ignored",
        answer=_of(KeepsIdsInBytes),
    ),
    Mutant(
        "relay-ids-in-31-bits",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "takes a server for one that is to be ignored if their ids differ in the highest bit alone",
        answer=_of(KeepsIdsIn31Bits),
    ),
    Mutant(
        "relay-parser-reset-by-format",
        "WL4162-WARN-RECEIVER",
        "resets the parser at each format description",
        answer=_of(ResetsAtFormats),
    ),
    Mutant(
        "relay-previous-gtids-copied",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
        "writes the source's Previous_gtids events",
        answer=_of(CopiesPreviousGtids),
    ),
    Mutant(
        "relay-later-previous-gtids-copied",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
        "writes the Previous_gtids events of the source's logs after the first",
        answer=_of(CopiesLaterPreviousGtids),
    ),
    Mutant(
        "relay-new-heartbeats-written",
        "FORMAT-RELAY-EVENT",
        "writes heartbeats of the second version",
        answer=_of(WritesNewHeartbeats),
    ),
    Mutant(
        "relay-rotate-of-ignored-dropped",
        "FORMAT-RELAY-IGNORED",
        "does not write the Rotate events of servers that are to be ignored",
        answer=_of(IgnoresRotates),
    ),
    Mutant(
        "relay-names-in-lower-case",
        "FORMAT-RELAY-EVENT",
        "keeps the names of the source's logs in lower case",
        answer=_of(LowerCaseNames),
    ),
    Mutant(
        "relay-name-of-crashed-source",
        "FORMAT-RELAY-EVENT",
        "keeps the name of the source's log that ends without a Rotate",
        answer=_of(FollowsLoggedRotates),
    ),
    Mutant(
        "relay-checksums-dropped",
        "FORMAT-RELAY-EVENT",
        "writes events without the checksums that the format description announces",
        answer=_changing(drops_checksums),
    ),
    Mutant(
        "relay-own-length-without-checksum",
        "FORMAT-RELAY-EVENT",
        "does not count the checksum in the length of its own events",
        answer=_changing(cuts_own_lengths),
    ),
    Mutant(
        "relay-own-description-unsealed",
        "FORMAT-RELAY-EVENT",
        "changes its own format description after its checksum was made",
        answer=_changing(unsealed_description),
    ),
    Mutant(
        "relay-own-rotate-undeclared",
        "FORMAT-RELAY-EVENT",
        "declares a post-header of no bytes for Rotate in its own format descriptions",
        answer=_of(DeclaresNoRotates),
    ),
    Mutant(
        "relay-described-once",
        "FORMAT-RELAY-LOG-BOUNDS",
        "writes its format description into the first relay log alone",
        answer=_of(DescribesFirstLog),
        also=("WL7592-RELAY-PREVIOUS-GTIDS-OWN", "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED"),
    ),
    Mutant(
        "relay-described-per-connection",
        "FORMAT-RELAY-LOG-BOUNDS",
        "writes its format description again for each connection",
        answer=_of(DescribesConnections),
    ),
    Mutant(
        "relay-goes-on-after-rotate",
        "FORMAT-RELAY-LOG-BOUNDS",
        "goes on in a relay log after the Rotate event with which it ends it",
        answer=_of(GoesOnAfterRotates),
    ),
    Mutant(
        "relay-gtids-in-every-version",
        "FORMAT-RELAY-OWN-GTIDS",
        "begins relay logs with a Previous_gtids event in every version",
        answer=_of(HasGtidsInEveryVersion),
    ),
    Mutant(
        "relay-gtids-in-no-mode",
        "FORMAT-RELAY-OWN-GTIDS",
        "begins no relay log with a Previous_gtids event where gtid_mode decides on it",
        answer=_of(HasNoGtids),
    ),
    Mutant(
        "relay-own-checksums-of-first-log",
        "FORMAT-RELAY-EVENT",
        "gives its own events checksums, or none, as the source's first format description has it",
        answer=_of(KeepsFirstAlgorithm),
    ),
    Mutant(
        "relay-checksums-unverified",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "writes events whose checksum is wrong",
        answer=unverified,
    ),
    Mutant(
        "relay-descriptions-unverified",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "writes format descriptions whose checksum is wrong",
        answer=unverified_descriptions,
    ),
    Mutant(
        "relay-unwritten-unverified",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "does not look at the checksums of heartbeats and Stop events, which it does not write",
        answer=unverified_unwritten,
    ),
    Mutant(
        "relay-spoilt-event-left-out",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "leaves out an event whose checksum is wrong, and goes on",
        answer=passing_over_spoilt,
    ),
    Mutant(
        "relay-spoilt-event-of-ignored",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "does not look at the checksums of events of servers that are to be ignored",
        answer=passing_over_spoilt_of_ignored,
    ),
    Mutant(
        "relay-part-written",
        "FORMAT-RELAY-WHOLE-EVENTS",
        "writes the part of an event that has arrived when the connection is lost",
        answer=writing_parts,
    ),
    Mutant(
        "relay-malformed-refused",
        "FORMAT-RELAY-BODIES-UNREAD",
        "reads the bodies of all events, and stops at a malformed one",
        answer=refusing_malformed,
    ),
    Mutant(
        "relay-rotate-position",
        "WL7592-RELAY-ROTATE-OWN-POSITION",
        "gives its own Rotate events end positions that are not in the relay log",
        answer=_changing(moves_rotates),
    ),
    Mutant(
        "relay-own-server-id",
        "WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO",
        "writes its own server id into its own events",
        answer=_of(OwnIdEverywhere),
    ),
)
