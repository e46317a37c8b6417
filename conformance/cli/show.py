"""`binlog-conformance show`: logs as mysqlbinlog prints them, or as SHOW BINLOG EVENTS lists them."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, timedelta, timezone, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

import click

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.reader import ReaderRules
from conformance.binlog.servers import READER_RULES, server_of
from conformance.cli.boundary_lines import COLUMNS as COLUMNS_OF_BOUNDARIES
from conformance.cli.boundary_lines import boundary_line, parser_for
from conformance.cli.examples import examples
from conformance.cli.integer import Integer
from conformance.cli.limit_option import limit_option
from conformance.cli.log_files import print_error
from conformance.cli.log_writer import LogWriter
from conformance.cli.main import CONFORMING
from conformance.cli.profile_option import ProfileName
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import Base64Output, CannotPrint, PrintOptions
from conformance.models.rendering.printer import printer_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS, PrinterVersion
from conformance.models.rendering.show_binlog_events import COLUMNS, show_binlog_events
from conformance.reference.boundary import EVERY_EVENT
from conformance.reference.printed_boundaries import boundaries_of
from conformance.specs.profiles import newest, profile_named

_OFFSET: Final = re.compile(r"([+-])(\d\d):(\d\d)")


def _zone(ctx: click.Context, param: click.Parameter, value: str) -> tzinfo:
    """Return the time zone of a name or an offset.

    Raises:
        click.BadParameter: There is no such zone.
    """
    match = _OFFSET.fullmatch(value)
    try:
        if match:
            sign = -1 if match[1] == "-" else 1
            return timezone(sign * timedelta(hours=int(match[2]), minutes=int(match[3])))
        return UTC if value == "UTC" else ZoneInfo(value)
    except (OSError, ValueError, KeyError) as error:
        message = f"there is no time zone {value!r}; write +08:00 or a name such as Europe/Berlin"
        raise click.BadParameter(message, ctx, param) from error


@click.command(
    "show",
    epilog=examples(
        "show binlog.000001 -v",
        "show binlog.000001 --format events --profile mysql-5.7",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(("mysqlbinlog", "events", "json", "boundaries")),
    default="mysqlbinlog",
    show_default=True,
    help="Print the text of mysqlbinlog, the rows of SHOW BINLOG EVENTS, those rows as JSON lines, or what the "
    "profile's transaction boundary parser does with each event.",
)
@click.option("-v", "--verbose", count=True, help="Show rows as SQL in comments; -vv adds column types and statements.")
@click.option(
    "--base64-output",
    type=click.Choice(("auto", "decode-rows", "never")),
    default="auto",
    show_default=True,
    help="How to print events that can only be executed in base64.",
)
@click.option(
    "--profile",
    type=ProfileName(),
    help="Profile whose program is imitated, such as mysql-8.0 or mysql-8.0.15.  [default: the newest of the product "
    "that reads the log's rows events]",
)
@click.option(
    "--start-position",
    type=Integer(min=4),
    default=4,
    metavar="OFFSET",
    help="Print from this event on; of several files, in the first.",
)
@click.option("--time-zone", "zone", default="UTC", callback=_zone, show_default=True, help="Time zone of timestamps.")
@click.option("--verify-binlog-checksum", "verify", is_flag=True, help="Refuse an event whose checksum is wrong.")
@limit_option
def command(
    files: tuple[str, ...],
    *,
    form: str,
    verbose: int,
    base64_output: Base64Output,
    profile: str | None,
    start_position: int,
    zone: tzinfo,
    verify: bool,
) -> None:
    """Print binary logs the way mysqlbinlog or SHOW BINLOG EVENTS does; `-` reads standard input.

    A file or a pipe gets the bytes of the log as mysqlbinlog writes them; on a terminal, control characters and marks
    that reorder text are shown as their codes.

    Exit status: 0 printed to the end, 1 damaged, 2 cannot be printed, or an event is beyond a limit.
    """
    options = PrintOptions(verbose=verbose, base64_output=base64_output, zone=zone)
    writer = LogWriter(_rules(form, profile, verify=verify), start=start_position, with_format=form == "mysqlbinlog")
    if form == "mysqlbinlog":
        status = _print_text(files, options, profile, writer)
    elif form == "boundaries":
        status = _print_boundaries(files, profile, writer)
    else:
        status = _print_rows(files, profile, writer, as_json=form == "json")
    raise SystemExit(status)


def _rules(form: str, profile: str | None, *, verify: bool) -> ReaderRules:
    """Return what is read: under WL#4033 an ignorable event of any type, declared or not, is skipped."""
    if form == "boundaries":
        return replace(EVERY_EVENT, verify_checksums=verify)
    return ReaderRules(
        verify_checksums=verify,
        beyond_format_description=profile == "worklog",
        highest_type=127 if form == "mysqlbinlog" and profile != "worklog" else 255,
    )


def _print_text(files: tuple[str, ...], options: PrintOptions, profile: str | None, writer: "LogWriter") -> int:
    printer: MysqlbinlogText | None = None
    program = ""
    status = CONFORMING

    def lines(events: Iterable[Event]) -> Iterator[str]:
        nonlocal printer, program
        for number, event in enumerate(events):
            if printer is None:
                program = _program(profile, event)
                version = PRINTER_VERSIONS[program]
                printer = printer_of(version, options, boundaries_of(version))
                yield from printer.opening()
            if not number:
                printer.start_log()
            _check_known(event, program)
            yield from printer.event(event)
            _print_warnings(printer, f"{log_name}:{event.offset}")

    for log_name in files:
        status = max(status, writer.write_log(log_name, lines))
    if printer is not None:
        writer.write(printer.closing())
        _print_warnings(printer, log_name)
    return status


def _check_known(event: Event, program: str) -> None:
    """Raise `CannotPrint` where the program of a profile stops, at an event of a type that it does not know."""
    code = event.format.type_code(event.header.type)
    if not event.recognised or code in READER_RULES[program].known:
        return
    name = f"the program of {program} does not know events of type {code} ({type_name(code)})"
    raise CannotPrint(event.offset, f"{name}; name one that does: --profile {_newest_reader(program, code)}")


def _newest_reader(profile: str, code: int) -> str:
    """Return the newest profile of a profile's product whose program knows a type."""
    product = profile_named(profile).product
    readers = READER_RULES.where(lambda rules: code in rules.known)
    return next((each for each in reversed(readers.names) if profile_named(each).product == product), "worklog")


def _print_warnings(printer: MysqlbinlogText, place: str) -> None:
    """Print the warnings so far, and hold none of them: a log may give one for each event."""
    for warning in printer.warnings:
        print_error(f"{place}: warning: {warning}")
    printer.warnings.clear()


def _print_boundaries(files: tuple[str, ...], profile: str | None, writer: "LogWriter") -> int:
    """Print the steps of the parser of a profile, by default that of the newest server of the log's product.

    Raises:
        UserError: The servers of the profile have no boundary parser.
    """
    status = CONFORMING
    writer.write(["\t".join(COLUMNS_OF_BOUNDARIES)])
    for name in files:

        def lines(events: Iterable[Event], name: str = name) -> Iterator[str]:
            parser = None
            for event in events:
                if parser is None:
                    parser = parser_for(_profile(profile, event))
                yield boundary_line(os.path.basename(name), event, parser)

        status = max(status, writer.write_log(name, lines))
    return status


def _print_rows(files: tuple[str, ...], profile: str | None, writer: "LogWriter", *, as_json: bool) -> int:
    status = CONFORMING
    if not as_json:
        writer.write(["\t".join(COLUMNS)])
    for name in files:

        def lines(events: Iterable[Event], name: str = name) -> Iterator[str]:
            for event in events:
                for row in show_binlog_events(os.path.basename(name), [event], _version(profile, event)):
                    yield _json(asdict(row)) if as_json else row.line()

        status = max(status, writer.write_log(name, lines))
    return status


def _json(row: dict[str, Any]) -> str:
    """Return a row as JSON; bytes that are not UTF-8, which are surrogates, are escaped."""
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def _profile(profile: str | None, event: Event) -> str:
    """Return the profile that is imitated, by default from the log's first format description."""
    if profile is not None:
        return profile
    version = event.format.server_version
    if version == server_of("worklog").version:
        return "worklog"
    return newest("mariadb" if "MariaDB" in version else "mysql").name


def _program(profile: str | None, event: Event) -> str:
    """Return the profile whose program prints a log.

    Before 5.6, format descriptions end before the rows events of version 2; mysqlbinlog reads version 1 up to 8.0.
    """
    chosen = _profile(profile, event)
    if profile is None and event.format.event_types < EventType.WRITE_ROWS:
        return _newest_reader(chosen, EventType.WRITE_ROWS_V1)
    return chosen


def _version(profile: str | None, event: Event) -> PrinterVersion:
    """Return the version of the program that prints a log."""
    return PRINTER_VERSIONS[_profile(profile, event)]
