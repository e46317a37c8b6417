"""Settings: options that a project keeps in a file, for each command; the command line wins.

The file is ``binlog-conformance.toml`` in the current folder, or the table ``tool.binlog-conformance`` of the
``pyproject.toml`` there. Its form follows from the options of the commands, so that no option is forgotten.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import click
import msgspec
from click.core import ParameterSource

from conformance.cli.names import Implementation
from conformance.cli.settings_files import SETTINGS_FILES
from conformance.specs.conversion import Malformed, converted, parsed_toml, shown
from conformance.specs.files import read_text
from conformance.specs.json_schema import body_of, document

#: The path to the settings in each file.
_PATHS: Final = dict(zip(SETTINGS_FILES, ((), ("tool", "binlog-conformance")), strict=True))
#: Bytes of a file that is read.
_MOST: Final = 1 << 20


def form_of(command: click.Command, *, group: str = "") -> type[msgspec.Struct]:
    """Return the form of a command's settings: a key for each of its options, a table for each of its commands.

    Args:
        command: The command.
        group: The name of the group that it belongs to, empty for one of the kit itself.
    """
    name = f"{group} {command.name}".strip()
    named = {key: each for each in command.params if (key := _key(each)) is not None}
    fields = [(each.name, _type(each), msgspec.UNSET) for each in named.values()]
    renamed = {each.name: key for key, each in named.items()}
    if isinstance(command, click.Group):
        fields += [(key, form_of(each, group=name), msgspec.UNSET) for key, each in command.commands.items()]
    return msgspec.defstruct(
        f"{name.title().replace('-', '').replace(' ', '')}Settings",
        fields,
        rename=renamed,
        forbid_unknown_fields=True,
        frozen=True,
        omit_defaults=True,
        module=__name__,
        namespace={"__doc__": f"The options of `{name}`."},
    )


def _key(param: click.Parameter) -> str | None:
    """Return the key of a parameter, None for one that belongs on the command line: the files that are read."""
    if isinstance(param, click.Argument):
        return "implementation" if isinstance(param.type, Implementation) else None
    names = [each.removeprefix("--") for each in param.opts if each.startswith("--")]
    return names[0] if names and names[0] not in ("help", "version") else None


def _type(param: click.Parameter) -> Any:
    each = param.type
    form: Any = str
    if isinstance(each, click.IntRange):
        form = Annotated[int, msgspec.Meta(ge=each.min, le=each.max)]
    elif isinstance(param, click.Option) and (param.is_flag or param.count):
        form = bool if param.is_flag else Annotated[int, msgspec.Meta(ge=0)]
    elif isinstance(each, click.Choice):
        form = Literal[tuple(each.choices)]
    elif each.name == "time":
        form = str | Annotated[int, msgspec.Meta(ge=1)]
    return tuple[form, ...] if param.multiple else form


def read_settings(named: str | None) -> tuple[str, Mapping[str, Any]]:
    """Return the name of the settings file, and its tables by command, not yet checked.

    Args:
        named: The file that the user names, None for one of `SETTINGS_FILES` in the current folder.

    Raises:
        Malformed: The file is not TOML, or has something other than tables on the way to the settings.
        OSError: The named file cannot be read.
    """
    for path in map(Path, SETTINGS_FILES if named is None else [named]):
        if named is None and not path.is_file():
            continue
        tables: Any = _parsed(path)
        for part in _PATHS.get(path.name, ()):
            tables = tables.get(part, {}) if isinstance(tables, dict) else tables
        if not isinstance(tables, dict):
            raise Malformed(f"{path}: tool.binlog-conformance: expected a table, found {shown(tables)}")
        if tables or named is not None:
            return str(path), tables
    return "", {}


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return parsed_toml(read_text(path, limit=_MOST))
    except Malformed as error:
        raise Malformed(f"{path}: {error}") from error


def settings_of(name: str, command: click.Command, file: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a command, by the names of its parameters.

    Raises:
        Malformed: A key or a value is not one of the command; the message names file, key and what was expected.
    """
    if name not in tables:
        return {}
    try:
        settings = converted(tables[name], form_of(command))
    except Malformed as error:
        place, _, what = str(error).partition(": ")
        prefix = ".".join((*_PATHS.get(Path(file).name, ()), name))
        raise Malformed(f"{file}: {prefix}.{place}: {what}" if what else f"{file}: {prefix}: {error}") from error
    return dict(_given(settings))


def _given(settings: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        if isinstance(value, msgspec.Struct):
            yield name, dict(_given(value))
        elif value is not msgspec.UNSET:
            yield name, value


def is_from_settings(name: str) -> bool:
    """Return whether the value of a parameter of the running command comes from the settings."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def settings_schema(commands: Mapping[str, click.Command]) -> dict[str, Any]:
    """Return the JSON Schema of ``binlog-conformance.toml``, with the tables of these commands."""
    form = msgspec.defstruct(
        "Settings",
        [(name.replace("-", "_"), form_of(command), msgspec.UNSET) for name, command in commands.items()],
        rename={name.replace("-", "_"): name for name in commands},
        forbid_unknown_fields=True,
        module=__name__,
        namespace={"__doc__": "A table for each command."},
    )
    return document(
        "settings:1",
        title="Settings of the conformance kit",
        description="The file binlog-conformance.toml, or the table tool.binlog-conformance of pyproject.toml: a table "
        "for each command, with its options; the command line wins.",
        body=body_of(form),
    )
