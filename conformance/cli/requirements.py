"""`binlog-conformance requirements`: the catalogue, and which requirements can be judged yet."""

import json
from typing import Any

import click

from conformance.cli.examples import examples
from conformance.cli.main import UserError
from conformance.cli.names import REQUIREMENT, ROLE, ROLES_HELP
from conformance.cli.requirement_life import life_of, page
from conformance.mutants.registry import mutants
from conformance.oracles.registry import oracles
from conformance.specs.catalogue import Requirement, catalogue, select
from conformance.specs.witness import needs_witness, without_witness
from conformance.strategies.grammar.family import families


def describe(requirement: Requirement) -> dict[str, Any]:
    """Return a requirement with what exists for it: oracle, families, mutants."""
    return {
        "id": requirement.id,
        "level": requirement.level,
        "role": requirement.role,
        "text": requirement.text,
        "statements": [{"id": each.id, "anchor": each.anchor} for each in requirement.statements],
        "profiles": list(requirement.holds),
        "families": [{"name": name, "exists": name == "*" or name in families()} for name in requirement.families],
        "oracle": requirement.id in oracles(),
        "mutants": [mutant.name for mutant in mutants() if mutant.requirement == requirement.id],
        "interpretation": requirement.interpretation,
        "untestable": requirement.untestable,
    }


def state(described: dict[str, Any]) -> str:
    """Return the state of a requirement: ``judged``, ``untestable``, or what is missing."""
    if described["untestable"] is not None:
        return "untestable"
    missing = [
        name
        for name, there in (
            ("oracle", described["oracle"]),
            ("family", any(each["exists"] for each in described["families"])),
            ("mutant", bool(described["mutants"])),
        )
        if not there
    ]
    return f"no {', no '.join(missing)}" if missing else "judged"


@click.command(
    "requirements",
    epilog=examples(
        "requirements --worklog 4033",
        "requirements WL4033-READ-UNKNOWN-SKIPPED",
        "requirements --role boundary --json",
    ),
)
@click.argument("requirement", type=REQUIREMENT, metavar="[ID]", required=False)
@click.option("--worklog", metavar="W", help="One worklog: 4033, WL#4033; FORMAT for the wire format itself.")
@click.option("--role", type=ROLE, help=f"One role: {ROLES_HELP}.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all that is known: an array, or one object.")
def command(requirement: str | None, worklog: str | None, role: str | None, as_json: bool) -> None:
    """List the requirements, and for each whether an oracle, a family and a mutant exist yet.

    With an ID, print that requirement in full: its text, statements, profiles and interpretation, and where its
    families, oracle and mutants are defined.
    """
    if requirement is not None:
        if worklog is not None or role is not None:
            raise click.UsageError("an ID names one requirement; leave out --worklog and --role")
        _print_one(requirement, as_json)
    else:
        _print_list(worklog, role, as_json)


def _print_one(requirement: str, as_json: bool) -> None:
    life = life_of(catalogue()[requirement])
    click.echo(json.dumps(life, indent=1, ensure_ascii=False) if as_json else "\n".join(page(life)))


def _print_list(worklog: str | None, role: str | None, as_json: bool) -> None:
    try:
        described = [describe(each) for each in select(worklog=worklog, role=role)]
    except ValueError as error:
        raise UserError(str(error)) from error
    if as_json:
        click.echo(json.dumps(described, indent=1, ensure_ascii=False))
        return
    for each in described:
        click.echo(f"{each['id']}  [{each['level']}, {each['role']}]  {state(each)}")
        click.echo(f"    {each['text']}")
        if each["untestable"]:
            click.echo(f"    Not testable from outside: {each['untestable']}")
    states = [state(each) for each in described]
    judged, untestable = states.count("judged"), states.count("untestable")
    click.echo(
        f"\n{len(described)} requirements: {judged} judged, {untestable} not testable from outside, "
        f"{len(described) - judged - untestable} still without oracle, family or mutant"
    )
    names = {each["id"] for each in described}
    on_servers = [each for each in catalogue().values() if each.id in names and needs_witness(each)]
    if on_servers:
        gaps = sum(each.id in names for each in without_witness())
        click.echo(f"{len(on_servers)} are on servers: no server was seen to keep {gaps} of them")
