"""Fixtures that the tests with real servers share.

`server` needs the extra mysql-replication, so it is imported once there are tests, which need it too.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from server import Product

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if _HERE in item.path.parents:
            from server import VARIABLE, products

            item.add_marker(pytest.mark.real_servers)
            if not products():
                item.add_marker(pytest.mark.skip(f"needs the unpacked servers that {VARIABLE} names, which is unset"))


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """Return a folder with a short path, as it holds sockets."""
    folder = Path(tempfile.mkdtemp(prefix="rs"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def templates(server_folder: Path) -> dict[str, Path]:
    """Return the initialised data folders so far, by the product's name."""
    return {}


@pytest.fixture(scope="session")
def template_of(server_folder: Path, templates: dict[str, Path]):
    """Return a function that returns the initialised data folder of a product, which servers copy."""

    from server import initialise

    def find(product: "Product") -> Path:
        if product.name not in templates:
            templates[product.name] = server_folder / f"{product.name}-template"
            initialise(product, templates[product.name])
        return templates[product.name]

    return find
