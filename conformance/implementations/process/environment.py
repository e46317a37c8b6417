"""The environment of an implementation: a short list of variables, and what the user adds; not the user's secrets."""

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

#: The variables that every implementation gets, as far as they are set: where programs and libraries are, where a
#: user's and temporary files are, language and time zone, and what Windows' programs need.
USUAL: Final = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "JAVA_HOME",
    "VIRTUAL_ENV",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TERM",
    *("SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)


def environment_of(added: Iterable[str], variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of an implementation.

    Args:
        added: Names of further variables, or globs such as ``GO*``.
        variables: The variables that there are; those of this process by default.
    """
    patterns = (*USUAL, *added)
    given = os.environ if variables is None else variables
    return {name: value for name, value in given.items() if any(fnmatchcase(name, each) for each in patterns)}


def added_names(added: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the variables of this process that names and globs of the user add, sorted."""
    return tuple(sorted(name for name in os.environ if any(fnmatchcase(name, each) for each in added)))
