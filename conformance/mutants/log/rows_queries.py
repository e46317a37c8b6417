"""The mutants of the role `log` in Rows_query events (WL#4033), and in the format of what is logged (WL#3303)."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.server.statements import (
    InternalRows,
)
from conformance.mutants.log.event_faults import (
    creation_as_statement,
    first_text_only,
    first_two_texts_only,
    ignorable_before_rows,
    insert_without_begin,
    rows_of_other_table,
    table_map_for_each,
    text_after_table_map,
    text_per_table,
    text_with_rows,
    texts_first,
    texts_for,
)
from conformance.mutants.log.faults import (
    changed,
    each_event,
    of_type,
    other_scenario,
    set_fields,
    set_flags,
    units,
)
from conformance.mutants.log.gtid_faults import text_lost_in_crash
from conformance.mutants.log.option_faults import (
    as_ascii,
    case_of_name_matters,
    global_at_once,
    ignored_at_start,
    never_global,
    of_text,
    on_one_line,
    only_words,
    takes_anything,
    without_comments,
)
from conformance.mutants.log.transaction_faults import (
    in_both_formats,
    in_format,
    merged_delayed,
    of_rows_queries,
    other_sessions,
    rotating_options,
    savepoints_once,
    scoped_globally,
    with_option_on,
)
from conformance.mutants.mutant import Mutant

LOG_ROWS_QUERY_MUTANTS: Final[tuple[Mutant, ...]] = (
    # WL#4033
    Mutant(
        "logs-option-lost-in-crash",
        "WL4033-LOG-SEVERAL-STATEMENTS",
        "after a crash the server starts without the option that it was started with",
        answer=text_lost_in_crash,
    ),
    Mutant(
        "logs-text-unflagged",
        "WL4033-LOG-FLAG-SET",
        "Rows_query events are not ignorable",
        answer=changed(of_type(EventType.ROWS_QUERY), set_flags(0, clear=int(Flag.IGNORABLE))),
    ),
    Mutant(
        "logs-text-more-flags",
        "WL4033-LOG-FLAG-ALONE",
        "Rows_query events have another flag too",
        answer=changed(of_type(EventType.ROWS_QUERY), set_flags(int(Flag.NO_FILTER))),
    ),
    Mutant(
        "logs-text-cut",
        "WL4033-LOG-ROWS-QUERY-WRITTEN",
        "a Rows_query holds the statement without its last character",
        answer=changed(
            of_type(EventType.ROWS_QUERY), lambda event: set_fields(rows_query=event.fields["rows_query"][:-1])(event)
        ),
    ),
    *(
        Mutant(
            f"logs-text-{name}",
            "WL4033-LOG-ROWS-QUERY-WRITTEN",
            f"a Rows_query holds the statement {how}",
            answer=changed(of_type(EventType.ROWS_QUERY), of_text(change)),
        )
        for name, how, change in (
            ("without-comments", "without its comments", without_comments),
            ("on-one-line", "with spaces for line breaks and tabs", on_one_line),
            ("as-ascii", "with question marks for other characters than those of ASCII", as_ascii),
            ("up-to-255", "up to its 255th byte", lambda text: text[:255]),
            ("up-to-65535", "up to its 65,535th byte", lambda text: text[:65_535]),
        )
    ),
    Mutant(
        "logs-text-although-off",
        "WL4033-LOG-ROWS-QUERY-CONDITIONS",
        "the text is logged before rows although the option is off",
        answer=text_with_rows(b"# any", of_type(EventType.TABLE_MAP)),
        also=("WL4033-LOG-OPTION-OFF-OLD-SAFE",),
    ),
    Mutant(
        "logs-text-of-internal-rows",
        "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT",
        "rows without a statement get a Rows_query",
        answer=texts_for(InternalRows),
    ),
    Mutant(
        "logs-text-per-table",
        "WL4033-LOG-ROWS-QUERY-PER-STATEMENT",
        "the text is logged before each Table_map of a statement",
        answer=each_event(text_per_table),
    ),
    Mutant(
        "logs-text-after-table-map",
        "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
        "the text is logged after the Table_map",
        answer=each_event(text_after_table_map),
    ),
    Mutant(
        "logs-insert-without-begin",
        "WL4033-LOG-ONE-STATEMENT-SEQUENCE",
        "an INSERT on its own whose text is logged has no BEGIN",
        answer=units(insert_without_begin),
        also=(
            "FORMAT-LOG-END-NEEDS-BEGIN",
            "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
        ),
    ),
    Mutant(
        "logs-first-text-only",
        "WL4033-LOG-SEVERAL-STATEMENTS",
        "only the first statement of a transaction has its text",
        answer=each_event(first_text_only),
    ),
    Mutant(
        "logs-two-texts-only",
        "WL4033-LOG-SEVERAL-STATEMENTS",
        "the third and later statements of a transaction have no text",
        answer=each_event(first_two_texts_only),
    ),
    Mutant(
        "logs-texts-first",
        "WL4033-LOG-SEVERAL-STATEMENTS",
        "the texts of all statements of a transaction come before the rows of the first",
        answer=units(texts_first),
    ),
    Mutant(
        "logs-option-unknown",
        "WL4033-LOG-OPTION-NAME",
        "the option's name is not recognised",
        answer=other_sessions(of_rows_queries(lambda each: None)),
    ),
    *(
        Mutant(
            name,
            "WL4033-LOG-OPTION-NAME",
            text,
            answer=other_scenario(change),
            # A global value that is not taken holds for no new session either.
            also=("WL4033-LOG-OPTION-SCOPE",),
        )
        for name, text, change in (
            ("logs-option-only-words", "the option takes ON and OFF in capitals and nothing else", only_words),
            ("logs-option-case-matters", "the option is not found under its name in capitals", case_of_name_matters),
            ("logs-option-takes-anything", "every value that is not OFF switches the option on", takes_anything),
            ("logs-option-not-at-start", "the option is ignored on the command line", ignored_at_start),
        )
    ),
    Mutant(
        "logs-option-at-once",
        "WL4033-LOG-OPTION-SCOPE",
        "a new global value applies to the sessions that are connected",
        answer=other_scenario(global_at_once),
    ),
    Mutant(
        "logs-option-never-global",
        "WL4033-LOG-OPTION-SCOPE",
        "a new global value applies to no session",
        answer=other_scenario(never_global),
    ),
    Mutant(
        "logs-option-global",
        "WL4033-LOG-OPTION-SCOPE",
        "the option of one session applies to all",
        answer=other_scenario(scoped_globally),
    ),
    Mutant(
        "logs-option-rotates",
        "WL4033-LOG-OPTION-DYNAMIC",
        "a new value of the option begins a new log",
        answer=other_scenario(rotating_options),
    ),
    Mutant(
        "logs-option-on",
        "WL4033-LOG-OPTION-DEFAULT-OFF",
        "the option is on by default",
        answer=other_scenario(with_option_on),
        also=("WL4033-LOG-ROWS-QUERY-CONDITIONS", "WL4033-LOG-OPTION-OFF-OLD-SAFE"),
    ),
    Mutant(
        "logs-option-stays-on",
        "WL4033-LOG-OPTION-SELECTED",
        "a session that switched the option on cannot switch it off",
        answer=other_sessions(of_rows_queries(lambda each: replace(each, value="ON"))),
    ),
    Mutant(
        "logs-option-off-ignorable",
        "WL4033-LOG-OPTION-OFF-OLD-SAFE",
        "with the option off an empty ignorable event is logged before rows",
        answer=units(ignorable_before_rows),
        also=("WL4033-LOG-ROWS-QUERY-CONDITIONS",),
    ),
    Mutant(
        "logs-delayed-table-maps",
        "WL4033-LOG-DELAYED-ONE-TABLE-MAP",
        "each rows event of an INSERT DELAYED has a Table_map",
        answer=units(table_map_for_each),
    ),
    Mutant(
        "logs-delayed-shared",
        "WL4033-LOG-DELAYED-NOT-SHARED",
        "a rows event holds rows of two INSERT DELAYED statements",
        answer=merged_delayed,
    ),
    # WL#3303
    Mutant(
        "logs-statement-as-rows",
        "WL3303-LOG-AS-STATEMENT",
        "in statement format rows are logged",
        answer=other_scenario(in_format("STATEMENT", "ROW")),
    ),
    Mutant(
        "logs-rows-as-statement",
        "WL3303-LOG-AS-ROWS",
        "in row format statements are logged",
        answer=other_scenario(in_format("ROW", "STATEMENT")),
        also=("WL3303-LOG-MIXTURE",),
    ),
    Mutant(
        "logs-statement-and-rows",
        "WL3303-LOG-AS-STATEMENT",
        "in statement format rows are logged in addition to the statements",
        answer=in_both_formats("STATEMENT", "ROW"),
    ),
    Mutant(
        "logs-statement-twice",
        "WL3303-LOG-AS-STATEMENT",
        "in statement format statements are logged twice",
        answer=in_both_formats("STATEMENT", "STATEMENT"),
    ),
    Mutant(
        "logs-rows-and-statement",
        "WL3303-LOG-AS-ROWS",
        "in row format statements are logged in addition to their rows",
        answer=in_both_formats("ROW", "STATEMENT"),
    ),
    Mutant(
        "logs-rows-of-other-table",
        "FORMAT-LOG-FIELDS",
        "the rows of a statement on two tables have each other's table id",
        answer=each_event(rows_of_other_table),
    ),
    Mutant(
        "logs-rows-twice",
        "WL3303-LOG-AS-ROWS",
        "in row format the rows of a statement are logged twice",
        answer=in_both_formats("ROW", "ROW"),
    ),
    Mutant(
        "logs-savepoint-keeps-place",
        "FORMAT-LOG-SAVEPOINTS",
        "a savepoint that is set again keeps its first place, so that more is rolled back to it",
        answer=other_scenario(savepoints_once),
    ),
    Mutant(
        "logs-mixture-as-statement",
        "WL3303-LOG-MIXTURE",
        "in row format CREATE TABLE ... SELECT is logged as a statement",
        answer=creation_as_statement,
    ),
)
