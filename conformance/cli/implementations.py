"""`binlog-conformance implementations`: list the implementations, build libraries, check adapters."""

import json
import os
from pathlib import Path

import click

from conformance.cli.certify import limit_options
from conformance.cli.command_group import CommandGroup
from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.main import CONFORMING, NOT_CONFORMING, UserError
from conformance.cli.names import IMPLEMENTATION
from conformance.implementations.installation import CACHE, install, installed_versions, version_beside_the_kit
from conformance.implementations.process.limits import DEFAULT_LIMITS, limits_of
from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.registry import NamedImplementation, catalogue, entry_of, implementation


@click.group(
    "implementations",
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=examples(
        "implementations",
        "implementations install go-mysql@1.13.0",
        "implementations check command:./adapter",
        "implementations --mutants --json",
    ),
)
@click.option("--mutants", is_flag=True, help="List the mutants of the reference implementation too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object with the arrays, of mutants if asked for.")
@click.option(
    "--cache",
    type=FilePath(path_type=Path, file_okay=False),
    help=f"Folder of what is built.  [default: {CACHE}, or binlog-conformance in the user's cache]",
)
@click.pass_context
def command(context: click.Context, mutants: bool, as_json: bool, cache: Path | None) -> None:
    """List the implementations, and whether each can be used here.

    A library of another project is built with its adapter by the tools of its language, in any version: by `install`,
    or when it is first certified.
    """
    if cache is not None:
        os.environ[CACHE] = str(cache)
    if context.invoked_subcommand is None:
        _list(mutants=mutants, as_json=as_json)


def _list(*, mutants: bool, as_json: bool) -> None:
    implementations = [
        {
            "name": each.name,
            "usage": each.usage,
            "description": each.description,
            "missing": each.available(),
            "version": each.library.version if each.library else None,
            "installed": installed_versions(each.library) if each.library else None,
            "beside_the_kit": version_beside_the_kit(each.library) if each.library else None,
        }
        for each in catalogue()
    ]
    listed: dict[str, list[dict[str, str | None]]] = {}
    if mutants:
        from conformance.mutants.registry import mutants as every_mutant

        listed["mutants"] = [
            {"name": f"reference:{each.name}", "requirement": each.requirement, "text": each.text}
            for each in every_mutant()
        ]
    if as_json:
        click.echo(json.dumps({"implementations": implementations, **listed}, indent=1, ensure_ascii=False))
        return
    for entry in catalogue():
        click.echo(f"{entry.usage:44} {_state(entry)}\n    {entry.description}")
    for each in listed.get("mutants", ()):
        click.echo(f"{each['name']:44} {each['requirement']}\n    {each['text']}")


def _state(entry: NamedImplementation) -> str:
    """Return whether an implementation can be used here, and which versions of a library are built."""
    missing = entry.available()
    if missing is not None:
        return f"not usable here: {missing}"
    if entry.library is None:
        return "ready"
    installed, beside = installed_versions(entry.library), version_beside_the_kit(entry.library)
    states = [f"ready: {beside or 'modules'} beside the kit"] if beside is not None else []
    states += [f"installed: {', '.join(installed)}"] if installed else []
    if states:
        return "; ".join(states)
    return f"not installed: binlog-conformance implementations install {entry.name}"


@command.command(
    "install",
    epilog=examples("implementations install go-mysql", "implementations --cache builds install mysql_common@0.38.2"),
)
@click.argument(
    "specs",
    metavar="LIBRARY[@VERSION]...",
    nargs=-1,
    required=True,
    shell_complete=IMPLEMENTATION.shell_complete,
)
def install_command(specs: tuple[str, ...]) -> None:
    """Build libraries with their adapters, and start each once.

    The tools of their languages fetch them from the package registries of these languages.
    """
    for spec in specs:
        try:
            entry, rest = entry_of(spec)
            if entry.library is None:
                names = ", ".join(each.name for each in catalogue() if each.library)
                raise UserError(f"{spec!r} is not a library that the kit builds: write one of {names}")
            version = entry.library.version_of(rest) or entry.library.version
            folder = install(entry.library, version)
            with implementation(f"{entry.name}@{version}", limits=DEFAULT_LIMITS) as built:
                declared = built.declaration
        except (CannotStart, ValueError) as error:
            raise UserError(str(error)) from error
        if declared.version != version:
            raise UserError(f"{entry.name} {version} declares that it is {declared.name} {declared.version}: {folder}")
        roles = ", ".join(declared.roles)
        click.echo(f"{entry.name}@{version} is in {folder}: {declared.language}, {roles}")


@command.command(
    "check",
    short_help="Check an adapter against what it declares.",
    epilog=examples("implementations check go-mysql", "implementations check command:./adapter"),
)
@click.argument("spec", metavar="IMPLEMENTATION", type=IMPLEMENTATION)
@limit_options
def check_command(spec: str, answer_time: float, memory: int, hangs: int, environment: tuple[str, ...]) -> None:
    """Check an adapter: what it declares and never fills, fills and does not declare, or answers in two ways.

    Exit status: 0 nothing was found, 1 something was, 2 it could not be started.
    """
    from conformance.engine.adapter_check import checked

    try:
        with implementation(spec, limits=limits_of(answer_time, memory, hangs, environment)) as tested:
            remarks = checked(tested)
    except (CannotStart, ValueError) as error:
        raise UserError(str(error)) from error
    for remark in remarks:
        click.echo(remark)
    if not remarks:
        click.echo("nothing found: every declared field and ability was shown, and nothing else")
    raise SystemExit(NOT_CONFORMING if remarks else CONFORMING)
