"""`binlog-conformance implementations`: the implementations, and whether each can be used here."""

import click

from conformance.implementations.registry import catalogue


@click.command("implementations")
@click.option("--mutants", is_flag=True, help="List the mutants of the reference implementation too.")
def command(mutants: bool) -> None:
    """List the implementations, and whether each can be used here."""
    for entry in catalogue():
        missing = entry.available()
        usable = "ready" if missing is None else f"not usable here: {missing}"
        click.echo(f"{entry.usage:44} {usable}\n    {entry.description}")
    if mutants:
        from conformance.mutants.registry import mutants as every_mutant

        for mutant in every_mutant():
            click.echo(f"reference:{mutant.name:34} {mutant.requirement}\n    {mutant.text}")
