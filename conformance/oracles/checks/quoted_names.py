"""Names in backticks, as statements and tables info have them: a backtick within a name is doubled."""

from typing import Final

#: A pattern of one name; its group is the name as it is quoted.
QUOTED_NAME: Final = "`((?:[^`]|``)*)`"


def unquoted(name: str) -> str:
    """Return the name that stands between two backticks."""
    return name.replace("``", "`")
