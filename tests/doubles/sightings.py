"""Files by which doubles show a test how far they are."""

import os
from pathlib import Path


def note(name):
    """Make an empty file with a name in the folder for temporary files, which a test has chosen."""
    if "TMPDIR" in os.environ:
        (Path(os.environ["TMPDIR"]) / name).touch()
