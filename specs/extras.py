"""The extras of the installed kit: the command that installs what one needs, wherever the kit came from."""

import re
from importlib.metadata import PackageNotFoundError, requires

#: The name under which the kit is installed.
_PROJECT = "binlog-conformance"
_OF_EXTRA = re.compile(r"""\s*;.*\bextra == ["']([\w-]+)["'].*""")


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    It names the packages themselves: the kit may come from a folder, a wheel or a repository, and no index may have it.
    """
    packages = []
    try:
        for line in requires(_PROJECT) or ():
            match = _OF_EXTRA.search(line)
            if match is not None and match[1] == extra:
                packages.append(line[: match.start()].strip())
    except PackageNotFoundError:  # Run from a folder of sources.
        packages = []
    if not packages:
        return f"install the kit with its extra {extra}"
    return "pip install " + " ".join(f"'{each}'" for each in packages)
