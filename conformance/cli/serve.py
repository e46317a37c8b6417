"""`binlog-conformance serve`: a replication source whose logs are files, or those of a case."""

import errno
import os
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

import click

from conformance.binlog.errors import BinlogError
from conformance.binlog.header import MAGIC
from conformance.cli.certify import Duration
from conformance.cli.examples import examples
from conformance.cli.integer import Integer
from conformance.cli.log_files import CannotOpen, open_log, problem
from conformance.cli.main import UserError
from conformance.cli.profile_option import ProfileName
from conformance.specs.profiles import newest
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from conformance.wire.credentials import PLUGINS
from conformance.wire.listener import LOOPBACK, Listener
from conformance.wire.question_source import source_of_question
from conformance.wire.session import Access
from conformance.wire.source import Ending, Source, source_of_logs

#: The modes that servers have.
_GTID_MODES: Final = ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")
#: Seconds of one step of waiting, between which Ctrl-C is noticed on every system.
_STEP: Final = 0.5
_MOST_PORT: Final = 65535
#: The most bytes of a log, whose positions have 32 bits where clients ask for them.
_MOST_BYTES: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class _Served:
    """A source, and what it is made of."""

    origin: str
    source: Source


class _EndingOption(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """How a dump ends: ``N`` or ``N:ERROR``."""

    name = "events[:error]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Ending:
        """Return the ending; what is not one is a usage error."""
        if isinstance(value, Ending):
            return value
        count, colon, error = str(value).partition(":")
        if not (count.isdecimal() and (error.isdecimal() or not colon)) or int(error or 0) > 0xFFFF:
            self.fail(f"{value!r} is not a valid end of a dump: write 12 or, with an error, 12:1236", param, ctx)
        return Ending(int(count), int(error or 0))


@click.command(
    "serve",
    epilog=examples(
        "serve binlog.000001 binlog.000002 --port 3307 --password secret",
        "serve transactions/mysql-8.0/0/3 --end-after 5",
    ),
)
@click.argument("named", metavar="FILE|CASE|FAMILY...", nargs=-1, required=True)
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=Integer(0, _MOST_PORT),
    default=0,
    show_default=True,
    help="Port of the first source, those of further ones follow; 0: free ports.",
)
@click.option("--password", help="Password of every user.  [default: every password is right]")
@click.option(
    "--authentication",
    "plugin",
    type=click.Choice(PLUGINS),
    default=None,
    help="How clients authenticate.  [default: as with servers of the version]",
)
@click.option(
    "--tls", metavar="FILE", help="Offer TLS, with the certificate and the key in this file (PEM).  [default: none]"
)
@click.option("--profile", type=ProfileName(), help="Which server it is.  [default: the release in the last log]")
@click.option("--gtid-mode", type=click.Choice(_GTID_MODES), help="The source's gtid_mode.  [default: as its logs are]")
@click.option("--semi-sync", is_flag=True, help="Offer semi-synchronous replication.")
@click.option(
    "--stop-at-end", is_flag=True, help="End each dump after the last event, for clients too that would wait."
)
@click.option(
    "--end-after",
    "endings",
    type=_EndingOption(),
    multiple=True,
    help="Disconnect the first dump after so many events, or with :ERROR send that error; repeat it for later dumps.",
)
@click.option("--time", "seconds", type=Duration(), help="Stop after this long, as after Ctrl-C.")
def command(
    named: tuple[str, ...],
    *,
    host: str,
    port: int,
    password: str | None,
    plugin: str | None,
    tls: str | None,
    profile: str | None,
    gtid_mode: str | None,
    semi_sync: bool,
    stop_at_end: bool,
    endings: tuple[Ending, ...],
    seconds: float | None,
) -> None:
    """Serve binary logs to replication clients, until Ctrl-C.

    Files are the logs of one source, oldest first. Each case, given by its id, and each family, which stands for its
    first case, is a source of its own with a port of its own.

    Exit status: 0 ended by Ctrl-C or --time, 2 could not run.
    """
    _check_host(host)
    served = [
        replace(
            each,
            source=replace(
                each.source,
                gtid_mode=gtid_mode or each.source.gtid_mode,
                semi_sync=semi_sync,
                ends=stop_at_end,
                endings=endings or each.source.endings,
            ),
        )
        for each in _sources(named, profile)
    ]
    access = Access(password=password, plugin=plugin or "", tls=None if tls is None else _certificate(tls))
    with Listener(host=host, access=access) as listener, suppress(KeyboardInterrupt):
        for number, each in enumerate(served):
            chosen = _serve(listener, each.source, port + number if port else 0)
            click.echo(f"{host}:{chosen}  {_described(each)}")
        until = None if seconds is None else time.monotonic() + seconds
        while until is None or time.monotonic() < until:
            time.sleep(_STEP if until is None else max(0.0, min(_STEP, until - time.monotonic())))


def _check_host(host: str) -> None:
    """Refuse an address that cannot be listened on, and an empty one, which would be every address of this machine."""
    try:
        if host:
            socket.getaddrinfo(host, None)
            return
    except (OSError, UnicodeError):
        pass
    raise UserError(f"{host!r} is not an address of this machine; name one with --host")


def _serve(listener: Listener, source: Source, port: int) -> int:
    try:
        return listener.serve(source, port=port)
    except (OSError, OverflowError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        other = "--host" if getattr(error, "errno", None) == errno.EADDRNOTAVAIL else "--port"
        raise UserError(f"{listener.host}:{port} cannot be listened on: {reason}; name another {other}") from error


def _described(served: _Served) -> str:
    source = served.source
    logs = ", ".join(f"{log.name} ({size:,} bytes)" for log, size in zip(source.logs, source.sizes, strict=True))
    facts = f"{source.version}, gtid_mode {source.gtid_mode}, checksums {source.checksum}: {logs}"
    damage = f"; then an error: {source.damage}" if source.damage else ""
    return f"{served.origin}: {facts}{damage}" if served.origin else f"{facts}{damage}"


def _certificate(file: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(file)
    except (OSError, ssl.SSLError) as error:
        raise UserError(f"{file}: is not a certificate with its key: {error.strerror or error}") from error
    return context


def _sources(named: tuple[str, ...], profile: str | None) -> Iterator[_Served]:
    """Yield what is named: one source of all files, one for each case.

    Raises:
        UserError: A name is nothing of these, or a file cannot be read as a log.
    """
    files = [each for each in named if _is_file(each)]
    if files:
        yield _Served("", _source_of_files(files, profile))
    for each in named:
        if each not in files:
            yield _source_of_case(each, profile)


def _is_file(name: str) -> bool:
    if name in families():
        return os.path.isfile(name)
    try:
        CaseId.parse(name)
    except ValueError:
        return True
    return os.path.isfile(name)


def _source_of_files(files: list[str], profile: str | None) -> Source:
    logs: dict[str, bytes] = {}
    for each in files:
        base = os.path.basename(each)
        if base in logs:
            raise UserError(f"{each}: a log {base} is named already; the logs of a source have different names")
        try:
            with open_log(each) as stream:
                logs[base] = _contents(stream)
            # Errors name the file.
            if not source_of_logs({base: logs[base]}, profile=profile).logs[0].events:
                raise CannotOpen("no event at all; name a log from its beginning")
        except CannotOpen as error:
            raise UserError(f"{each}: {error}") from error
        except BinlogError as error:
            raise UserError(problem(each, error)) from error
    return source_of_logs(logs, profile=profile)


def _contents(stream: BinaryIO) -> bytes:
    """Return a log, or the beginning of what is none, as a device may have no end.

    Raises:
        CannotOpen: It is larger than a log that clients can ask for.
    """
    begin = stream.read(len(MAGIC))
    data = begin + (stream.read(_MOST_BYTES) if begin == MAGIC else b"")
    if len(data) > _MOST_BYTES:
        raise CannotOpen("larger than 4 GiB; positions in a log have 32 bits")
    return data


def _source_of_case(name: str, profile: str | None) -> _Served:
    try:
        case = case_of(_case_id(name, profile))
        source = source_of_question(case.id.profile, case.stream, case.settings)
    except ValueError as error:
        raise UserError(str(error)) from error
    except BinlogError as error:
        raise UserError(f"{name}: {error.message}; a source has whole logs") from error
    return _Served(str(case.id), source)


def _case_id(name: str, profile: str | None) -> CaseId:
    if name not in families():
        return CaseId.parse(name)
    of_family = families()[name]
    role = next(iter(of_family.focus))
    profiles = of_family.profiles_of(role)
    product_newest = newest("mysql").name
    chosen = profile or (product_newest if product_newest in profiles else profiles.names[-1])
    return CaseId(name, chosen, seed=0, index=0, role=role)
