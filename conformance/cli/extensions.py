"""`binlog-conformance extensions`: the packages that add to the kit, and what each adds."""

import json
from collections.abc import Iterator
from typing import Any

import click

from conformance.binlog.vendor_types import VendorEventType
from conformance.cli.examples import examples
from conformance.implementations.registry import NamedImplementation
from conformance.implementations.registry import catalogue as implementations
from conformance.mutants.mutant import Mutant
from conformance.mutants.registry import mutants
from conformance.oracles.oracle import Oracle
from conformance.oracles.registry import oracles
from conformance.protocol.roles.registry import role_of
from conformance.specs.catalogue import catalogue, requirements_of, roles
from conformance.specs.extensions import InstalledExtension, extensions
from conformance.strategies.grammar.family import families


def describe(installed: InstalledExtension) -> dict[str, Any]:
    """Return what an extension adds."""
    about = installed.extension
    return {
        "name": installed.name,
        "package": installed.distribution,
        "version": installed.version,
        "requirements": [each.id for each in requirements_of(installed)],
        "event types": [each.name for each in installed.objects(about.event_types, VendorEventType)],
        "fields": list(about.fields),
        "abilities": list(about.abilities),
        "families": [name for name, each in families().items() if each.function.__module__ in about.families],
        "oracles": [each.requirement for each in installed.objects(about.oracles, Oracle)],
        "mutants": [each.name for each in installed.objects(about.mutants, Mutant)],
        "roles": list(about.roles),
        "implementations": [each.name for each in installed.objects(about.implementations, NamedImplementation)],
    }


def _check_every_part() -> None:
    """Load all parts of all extensions.

    Raises:
        conformance.specs.extensions.BrokenExtension: A part cannot be used.
    """
    catalogue()
    families()
    oracles()
    mutants()
    implementations()
    for role in roles():
        role_of(role)


def _lines(described: dict[str, Any]) -> Iterator[str]:
    yield f"{described['name']}: {described['package']} {described['version']}"
    for part, names in described.items():
        if isinstance(names, list) and names:
            yield f"    {part}: {', '.join(names)}"


@click.command(
    "extensions",
    epilog=examples(
        "extensions",
        "extensions --json",
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with what each adds.")
def command(as_json: bool) -> None:
    """List the installed packages that add to the kit, and what each adds: docs/extensions.md.

    Every part is loaded and checked, so that one that is broken is named.
    """
    _check_every_part()
    described = [describe(each) for each in extensions()]
    if as_json:
        click.echo(json.dumps(described, indent=1, ensure_ascii=False))
        return
    for each in described:
        click.echo("\n".join(_lines(each)))
    if not described:
        click.echo("no extension is installed")
