"""The server of a test with real servers, which the first word in its id names."""

import re
from typing import Final

_FOLDER: Final = "tests/real_servers/"
_SERVER: Final = re.compile(r"\[(?P<server>(mysql|mariadb)[0-9]*)[-\]]")


def file_and_server(node_id: str) -> tuple[str, str] | None:
    """Return the file and the server of a test; None if it is not a test with real servers, or of none of them."""
    match = _SERVER.search(node_id)
    if match is None or not node_id.startswith(_FOLDER):
        return None
    file, _, _ = node_id.removeprefix(_FOLDER).partition("::")
    return file, match["server"]
