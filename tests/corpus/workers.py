"""What the workers of a small cluster have: executors of one core, and a Python without the kit."""

import subprocess
import venv
from importlib.metadata import distributions
from pathlib import Path

import pyspark

#: What docs/clusters.md asks workers for, and what pandas needs in turn.
PACKAGES = {"pyarrow", "zstandard", "msgspec", "pandas", "numpy", "python-dateutil", "pytz", "six", "tzdata"}
SPARK_HOME = Path(pyspark.__file__).parent
#: Quick to start, and small: it is about what happens and not about speed.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def executor_settings(python):
    """Returns Spark's settings for small executors of one core, whose Python that is, and a driver on this machine."""
    return {
        "spark.pyspark.python": str(python),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    }


def python_with(names, folder):
    """Makes a Python that has some distributions and nothing else, so not the kit."""
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for each in distributions():
        if each.name in names:
            for top in {file.parts[0] for file in each.files} - {"..", "__pycache__"}:
                (packages / top).symlink_to(each.locate_file(top))
    return folder / "bin" / "python3"


def has_kit(python, folder):
    """Tells whether a Python that is started in a folder has the kit."""
    kit = [python, "-c", "import conformance"]
    told = subprocess.run(kit, cwd=folder, env={}, capture_output=True, text=True, check=False)
    assert told.returncode == 0 or "No module named 'conformance'" in told.stderr, told.stderr
    return told.returncode == 0
