"""The server of a test with real servers, which the first word in its id names, and the servers of a pair."""

import re
from typing import Final

_FOLDER: Final = "tests/real_servers/"
_SERVER: Final = re.compile(r"\[(?P<server>(mysql|mariadb)[0-9]*)[-\]]")
_PAIR: Final = re.compile(r"\[(?P<source>[a-z0-9]+)-to-(?P<replica>[a-z0-9]+)-")


def file_and_server(node_id: str) -> tuple[str, str] | None:
    """Return the file and the server of a test; None if it is not a test with real servers, or of none of them."""
    match = _SERVER.search(node_id)
    if match is None or not node_id.startswith(_FOLDER):
        return None
    file, _, _ = node_id.removeprefix(_FOLDER).partition("::")
    return file, match["server"]


def source_and_replica(node_id: str) -> tuple[str, str] | None:
    """Return the servers of a test with a pair; None if it is none."""
    match = _PAIR.search(node_id)
    return None if match is None or not node_id.startswith(_FOLDER) else (match["source"], match["replica"])
