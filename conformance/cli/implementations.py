"""`binlog-conformance implementations`: the implementations, and whether each can be used here."""

import json

import click

from conformance.cli.examples import examples
from conformance.implementations.registry import catalogue


@click.command(
    "implementations",
    epilog=examples(
        "implementations",
        "implementations --mutants --json",
    ),
)
@click.option("--mutants", is_flag=True, help="List the mutants of the reference implementation too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object with the arrays, of mutants if asked for.")
def command(mutants: bool, as_json: bool) -> None:
    """List the implementations, and whether each can be used here."""
    implementations = [
        {"name": each.name, "usage": each.usage, "description": each.description, "missing": each.available()}
        for each in catalogue()
    ]
    listed: dict[str, list[dict[str, str | None]]] = {"implementations": implementations}
    if mutants:
        from conformance.mutants.registry import mutants as every_mutant

        listed["mutants"] = [
            {"name": f"reference:{each.name}", "requirement": each.requirement, "text": each.text}
            for each in every_mutant()
        ]
    if as_json:
        click.echo(json.dumps(listed, indent=1, ensure_ascii=False))
        return
    for each in implementations:
        usable = "ready" if each["missing"] is None else f"not usable here: {each['missing']}"
        click.echo(f"{each['usage']:44} {usable}\n    {each['description']}")
    for each in listed.get("mutants", ()):
        click.echo(f"{each['name']:44} {each['requirement']}\n    {each['text']}")
