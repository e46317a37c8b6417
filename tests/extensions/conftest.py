import pytest

from tests.extensions.example import install, keep_arrays


@pytest.fixture(scope="session")
def acme(tmp_path_factory):
    """The folder in which the package of docs/extensions.md is installed."""
    site = install(tmp_path_factory.mktemp("site"))
    keep_arrays(site)
    return site
