"""Ends at a stream, and declares another name, other fields or another role when it is started again."""

import sys
from pathlib import Path

from speaker import FIELDS, converse, declaration

CHANGES = {
    "name": {"implementation": {"name": "other", "version": "1", "language": "Python"}},
    "fields": {"roles": {"decode": {"fields": FIELDS[:2], "abilities": [], "profiles": ["mysql-8.0"]}}},
    "roles": {"roles": {"log": {"fields": [], "abilities": [], "profiles": ["mysql-8.0"]}}},
}
_, _, folder, part = sys.argv
mark = Path(folder, "started")


def declare():
    if mark.exists():
        return declaration(**CHANGES[part])
    mark.touch()
    return declaration()


converse(lambda seq, stream: sys.exit(1), declare)
