"""Fixtures that the tests with real servers share."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from server import VARIABLE, Product, initialise, products

_HERE = Path(__file__).parent


def pytest_configure(config):
    config.addinivalue_line("markers", f"real_servers: needs the unpacked servers that {VARIABLE} names")


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(reason=f"needs the unpacked servers that {VARIABLE} names, which is unset")
    available = products()
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.real_servers)
            if not available:
                item.add_marker(skip)


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

    def find(product: Product) -> Path:
        if product.name not in templates:
            templates[product.name] = server_folder / f"{product.name}-template"
            initialise(product, templates[product.name])
        return templates[product.name]

    return find
