"""The workers of a small cluster: executors of one core, and a Python without the kit."""

import subprocess
import venv
from importlib.metadata import distributions
from pathlib import Path

import pyspark

#: The packages that workers need by docs/clusters.md, and the dependencies of pandas.
PACKAGES = {"pyarrow", "zstandard", "msgspec", "pandas", "numpy", "python-dateutil", "pytz", "six", "tzdata"}
SPARK_HOME = Path(pyspark.__file__).parent
#: Quick to start, and small: the tests are about results, not about speed.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def executor_settings(python):
    """Return Spark's settings for small executors of one core with this Python, and a driver on this machine."""
    return {
        "spark.pyspark.python": str(python),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    }


def python_with(names, folder):
    """Make a Python that has only the named distributions, so not the kit."""
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for each in distributions():
        if each.name in names:
            for top in {file.parts[0] for file in each.files} - {"..", "__pycache__"}:
                (packages / top).symlink_to(each.locate_file(top))
    return folder / "bin" / "python3"


def has_kit(python, folder):
    """Return whether a Python that is started in a folder has the kit."""
    kit = [python, "-c", "import conformance"]
    done = subprocess.run(kit, cwd=folder, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "No module named 'conformance'" in done.stderr, done.stderr
    return done.returncode == 0
