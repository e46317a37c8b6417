"""A command that has commands of its own."""

import click

from conformance.specs.suggestion import unknown


class CommandGroup(click.Group):
    """A group of commands; a mistyped one is answered with those that there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is named, and its arguments."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            ctx.fail(unknown("command", args[0], names, plural="commands"))
        return super().resolve_command(ctx, args)
