"""The fixtures of corpus tests: one Spark session, a reader in a process, and folders."""

import shlex
import sys
from pathlib import Path

import pytest

READER = Path(__file__).parent / "reader.py"


@pytest.fixture(scope="session")
def spark():
    from conformance.corpus.session import spark_session

    with spark_session(master="local[2,4]", settings={"spark.ui.enabled": "false"}) as session:
        yield session


@pytest.fixture
def folder(spark, tmp_path):
    """Return a function from a name to a run's folder."""
    from conformance.corpus.output import Output
    from conformance.corpus.storage import Storage

    return lambda name: Output(Storage(spark, str(tmp_path / name)))


@pytest.fixture(scope="session")
def reader():
    """Return a function from faults to the text that names a reader with them."""
    return lambda *faults: shlex.join([f"command:{sys.executable}", str(READER), *faults])


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return the folder in which the command is run; it has the implementation, which no worker's folder has."""
    from sent_reader import write_reader

    folder = tmp_path_factory.mktemp("home")
    write_reader(folder / "reader")
    return folder
