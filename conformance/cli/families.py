"""`binlog-conformance families`: the families of cases, and what each is about."""

import json
from typing import Any

import click

from conformance.cli.examples import examples
from conformance.cli.names import ROLE, ROLES_HELP
from conformance.strategies.grammar.family import Family, families


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
def command(role: str | None, as_json: bool) -> None:
    """List the families of cases that `certify --family` and `fuzz --family` take."""
    listed = [each for each in families().values() if role is None or role in each.focus]
    if as_json:
        click.echo(json.dumps([describe(each) for each in listed], indent=1, ensure_ascii=False))
        return
    for each in listed:
        click.echo(f"{each.name:36} {', '.join(each.focus)}\n    {each.text}")
