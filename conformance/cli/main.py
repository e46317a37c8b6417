"""`binlog-conformance`: the group of all commands, and what every command does with a user's mistake."""

import sys
from importlib import import_module
from typing import Final

import click

from conformance import __version__

#: Exit statuses: conforming, not conforming, could not run.
CONFORMING: Final = 0
NOT_CONFORMING: Final = 1
COULD_NOT_RUN: Final = 2

#: The commands: name -> module, which is imported only when its command is called.
_COMMANDS: Final = {
    "certify": "conformance.cli.certify",
    "replay": "conformance.cli.replay",
    "requirements": "conformance.cli.requirements",
    "implementations": "conformance.cli.implementations",
    "report": "conformance.cli.report",
    "decode": "conformance.cli.decode",
    "check": "conformance.cli.check",
    "corpus": "conformance.cli.corpus",
}


class UserError(click.ClickException):
    """A mistake of the user, or something that keeps the kit from running: one line, exit status 2."""

    exit_code = COULD_NOT_RUN

    def show(self, file: object = None) -> None:
        """Print the one line."""
        click.echo(f"binlog-conformance: {' '.join(self.message.split())}", err=True)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="binlog-conformance")
def cli() -> None:
    """Prove that an implementation reads MySQL binary logs as the worklogs say.

    Exit status: 0 conforming, 1 not conforming, 2 could not run.
    """


def main() -> None:
    """Run the command line and exit."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("binlog-conformance: interrupted", err=True)
        sys.exit(COULD_NOT_RUN)
    except click.ClickException as error:
        error.show()
        sys.exit(COULD_NOT_RUN)
    except BrokenPipeError:
        sys.exit(COULD_NOT_RUN)
