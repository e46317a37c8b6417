"""`binlog-conformance families`: the families of cases, and what each is about."""

import json
from typing import Any

import click

from conformance.cli.examples import examples
from conformance.cli.names import ROLE, ROLES_HELP
from conformance.strategies.grammar.covering import arrays_text
from conformance.strategies.grammar.family import Family, families, families_of_extensions


def describe(family: Family) -> dict[str, Any]:
    """Return a family: its text, its roles with their requirements and profiles."""
    return {
        "name": family.name,
        "text": family.text,
        "roles": {
            role: {"requirement": each, "profiles": list(family.profiles_of(role))}
            for role, each in family.focus.items()
        },
        "fault": family.fault,
        "dimensions": {each.name: list(each.classes) for each in family.dimensions},
    }


@click.command(
    "families",
    epilog=examples(
        "families --role boundary",
        "families --json",
    ),
)
@click.option("--role", type=ROLE, help=f"Those of one role: {ROLES_HELP}.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with all that is known of each.")
@click.option(
    "--arrays",
    is_flag=True,
    help="Print the covering arrays of the families of extensions, for the file that an extension keeps them in "
    "(needs the package covertable).",
)
def command(role: str | None, as_json: bool, arrays: bool) -> None:
    """List the families of cases that `certify --family` and `fuzz --family` take."""
    if arrays:
        made = [each for name, each in families().items() if name in families_of_extensions()]
        click.echo(arrays_text(each.space(role) for each in made for role in each.focus), nl=False)
        return
    listed = [each for each in families().values() if role is None or role in each.focus]
    if as_json:
        click.echo(json.dumps([describe(each) for each in listed], indent=1, ensure_ascii=False))
        return
    for each in listed:
        click.echo(f"{each.name:36} {', '.join(each.focus)}\n    {each.text}")
