"""`binlog-conformance`: the group of all commands, and how every command reports a user's mistake."""

import contextlib
import errno
import os
import sys
import traceback
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn

import click

from conformance import __version__
from conformance.cli.command_group import CommandGroup
from conformance.cli.hidden_password import hide_password
from conformance.cli.interruption import Interruption
from conformance.cli.settings_files import SETTINGS_FILES
from conformance.reports.standard_streams import guard_standard_streams
from conformance.specs.extensions import BrokenExtension, extension_of
from conformance.specs.suggestion import unknown

#: Exit statuses: conforming, not conforming, could not run.
CONFORMING: Final = 0
NOT_CONFORMING: Final = 1
COULD_NOT_RUN: Final = 2

#: The words of other errors that mean that memory, or what a thread needs, is used up.
_LACK_OF_MEMORY: Final = ("failed to map segment", "Cannot allocate memory", "can't start new thread")

#: The error of the system when a process has too many files open, and what to do about it.
_TOO_MANY_FILES: Final = (errno.EMFILE, errno.ENFILE)
_FEWER_FILES: Final = "too many open files: allow more of them (ulimit -n); certify and check need fewer with -j 1"


class _Entry(NamedTuple):
    """What is known of a command before its module is imported.

    Attributes:
        module: The module, which is imported only when the command is called.
        summary: Its line in the list of commands.
    """

    module: str
    summary: str


#: Command -> its module and its line in the list of commands.
COMMANDS: Final = {
    "certify": _Entry("conformance.cli.certify", "Judge an implementation against every requirement."),
    "fuzz": _Entry("conformance.cli.fuzz", "Look for failures until the time is up."),
    "replay": _Entry("conformance.cli.replay", "Make one case again, and judge an implementation on it."),
    "requirements": _Entry("conformance.cli.requirements", "List the requirements, or show the whole life of one."),
    "families": _Entry("conformance.cli.families", "List the families of cases."),
    "implementations": _Entry("conformance.cli.implementations", "List, build and check what has a name."),
    "extensions": _Entry("conformance.cli.extensions", "List the installed packages that add to the kit."),
    "report": _Entry("conformance.cli.report", "Write the reports of a run record."),
    "compare": _Entry("conformance.cli.compare", "Compare runs: versions, implementations, nights."),
    "results": _Entry("conformance.cli.results", "Keep the records of certified implementations, with a site."),
    "decode": _Entry("conformance.cli.decode", "Show the events of binary logs."),
    "check": _Entry("conformance.cli.check", "Judge binary logs and relay logs, alone and as a chain."),
    "show": _Entry("conformance.cli.show", "Print binary logs like mysqlbinlog or SHOW BINLOG EVENTS."),
    "boundaries": _Entry("conformance.cli.boundaries", "Show the steps of WL#4162's transaction boundary parser."),
    "filter": _Entry("conformance.cli.filter", "Copy a binary log without the tables that rules leave out."),
    "decide": _Entry("conformance.cli.decide", "Show how WL#3303 logs a statement, and why."),
    "serve": _Entry("conformance.cli.serve", "Serve binary logs to replication clients."),
    "self-check": _Entry("conformance.cli.self_check", "Judge wrong implementations made by machine."),
    "corpus": _Entry("conformance.cli.corpus", "Generate, judge and compare very large corpora on Spark."),
}


#: Key of the name of the settings file in a context.
_SETTINGS_FILE: Final = f"{__name__}.settings"


class UserError(click.ClickException):
    """A mistake of the user, or something that keeps the kit from running: one line, exit status 2."""

    exit_code = COULD_NOT_RUN

    def show(self, file: object = None) -> None:
        """Print the message as one line."""
        _print_line(self.message)


def words_of(error: OSError) -> str:
    """Return what kept the system from reading or writing: the file if it is known, and what to do if it is not."""
    if error.errno in _TOO_MANY_FILES:
        return _FEWER_FILES
    return f"{error.filename or 'reading or writing'}: {error.strerror or error}"


class _OutputClosed(Exception):
    """The reader of the output has closed it."""


class _Commands(CommandGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name].module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, for which none of their modules is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, left = super().resolve_command(ctx, args)
        if name is not None and command is not None and not ctx.resilient_parsing:
            ctx.default_map = {name: _settings(ctx, name, command)}
        return name, command, left

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # Click would exit with 1, which means "not conforming".
            raise _OutputClosed from error


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExamples:\n  binlog-conformance certify mysql-replication --report report\n"
    "  binlog-conformance certify --help\n  binlog-conformance --settings nightly.toml certify",
)
@click.version_option(__version__, prog_name="binlog-conformance")
@click.option(
    "--settings",
    metavar="FILE",
    help="File of settings (TOML), a table for each command.  "
    "[default: binlog-conformance.toml, or tool.binlog-conformance in pyproject.toml, of the current folder]",
)
def cli(settings: str | None) -> None:
    """Test implementations of MySQL binary logs against the rules of MySQL's worklogs.

    Exit status: 0 conforming, 1 not conforming, 2 could not run, or nothing was judged.
    """


def _settings(ctx: click.Context, name: str, command: click.Command) -> dict[str, Any]:
    """Return the settings of a command.

    Raises:
        UserError: They cannot be read, or a key or a value is wrong.
    """
    named = ctx.params.get("settings")
    try:
        if named is None and not any(map(os.path.isfile, SETTINGS_FILES)):
            return {}
        from conformance.cli.settings import read_settings, settings_of

        file, tables = read_settings(named)
        for each in tables:
            if each not in COMMANDS:
                raise UserError(f"{file}: {unknown('command', each, COMMANDS, plural='commands')}")
        ctx.meta[_SETTINGS_FILE] = file
        return settings_of(name, command, file, tables)
    except ValueError as error:
        raise UserError(str(error)) from error


def main() -> None:
    """Run the command line and exit.

    Anything that stops a command is reported in one line, with exit status 2.
    """
    hide_password()
    guard_standard_streams()
    interruption = Interruption()
    try:
        try:
            _run()
        finally:
            interruption.ignore()
    except KeyboardInterrupt:
        _could_not_run(str(interruption))
    except Exception as error:  # noqa: BLE001 - an error must not end with 1, "not conforming"
        # Click raises Abort for an interrupt, and for the end of a file, as of a module that was not written whole.
        if interruption.happened or (isinstance(error, click.exceptions.Abort) and not _is_end_of_file(error)):
            _could_not_run(str(interruption))
        _exit_because_of(error)


def _is_end_of_file(error: Exception) -> bool:
    return isinstance(error.__cause__, EOFError)


def _run() -> None:
    try:
        cli.main(standalone_mode=False)
    finally:
        sys.stdout.flush()


def _exit_because_of(error: Exception) -> NoReturn:
    match error:
        case click.ClickException():
            _print_mistake(error)
            sys.exit(COULD_NOT_RUN)
        case _OutputClosed() | BrokenPipeError():
            _could_not_run()
        case OSError():
            _could_not_run(words_of(error))
        case _ if _is_lack_of_memory(error):
            _could_not_run(f"ran out of memory at {_place(error)}: allow more of it, or give it less to read")
        case BrokenExtension():
            _could_not_run(str(error))
        case RecursionError():
            _could_not_run(f"nested too deeply at {_place(error)}")
        case _:
            traceback.print_exception(error)
            _could_not_run(f"this is a bug of {_owner_of(error)}; please report it with the lines above")


def _owner_of(error: Exception) -> str:
    """Return whose bug an exception is: that of an extension if it was raised in its code, otherwise the kit's."""
    frames = traceback.walk_tb(error.__traceback__)
    modules = [frame.f_globals.get("__name__", "") for frame, _ in frames]
    with contextlib.suppress(BrokenExtension):
        owners = [each for each in map(extension_of, modules) if each is not None]
        if owners:
            return f"the extension {owners[-1].name} of {owners[-1]}"
    return "the kit"


def _is_lack_of_memory(error: BaseException | None) -> bool:
    """Return whether memory is used up: the error itself, or one that was being handled when it was raised."""
    while error is not None:
        if isinstance(error, MemoryError) or any(words in str(error) for words in _LACK_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def _place(error: Exception) -> str:
    """Return the innermost function of the kit in which an error was raised."""
    place = "its start"
    frames = traceback.walk_tb(error.__traceback__)
    for module, name in ((frame.f_globals.get("__name__", ""), frame.f_code.co_name) for frame, _ in frames):
        if module.startswith("conformance.") and module != __name__:
            place = f"{module}.{name}"
    return place


def _print_mistake(error: click.ClickException) -> None:
    if isinstance(error, click.UsageError) and error.ctx is not None and not _is_help(error):
        path = error.ctx.command_path
        if _is_from_settings(error):
            _print_line(f"{error.ctx.meta[_SETTINGS_FILE]}: {error.format_message()}")
            return
        _print_line(f"{error.format_message()} (see {path} --help)")
    elif isinstance(error, click.UsageError) and _is_help(error):
        error.show()
    else:
        _print_line(error.format_message())


def _is_from_settings(error: click.UsageError) -> bool:
    """Return whether an error is about a value of the settings."""
    param = getattr(error, "param", None)
    if error.ctx is None or param is None or param.name is None:
        return False
    return error.ctx.get_parameter_source(param.name) is click.core.ParameterSource.DEFAULT_MAP


def _is_help(error: click.UsageError) -> bool:
    """Return whether there were no arguments, so that the text is the help (not an error before Click 8.2)."""
    kind = getattr(click.exceptions, "NoArgsIsHelpError", None)
    return kind is not None and isinstance(error, kind)


def _could_not_run(reason: str = "") -> NoReturn:
    """Print the reason, if any, and exit; output that a closed or full file does not take is dropped."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if reason:
        # A terminal that has been closed takes no line.
        with contextlib.suppress(OSError):
            _print_line(reason)
    sys.exit(COULD_NOT_RUN)


def _print_line(text: str) -> None:
    click.echo(f"binlog-conformance: {' '.join(text.split())}", err=True)
