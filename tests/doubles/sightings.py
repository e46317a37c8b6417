"""Files by which doubles show a test how far they are."""

import os
from pathlib import Path


def note(name):
    """Make an empty file with a name in the folder for temporary files that a test has chosen.

    An implementation has a folder of its own in it.
    """
    if "TMPDIR" in os.environ:
        folder = Path(os.environ["TMPDIR"])
        chosen = folder.parent if folder.name.startswith("binlog-conformance-") else folder
        (chosen / name).touch()
