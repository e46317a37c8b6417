"""The names of the files in which settings are looked for: a command without one does not import what reads them."""

from typing import Final

#: Where settings are looked for, in this order.
SETTINGS_FILES: Final = ("binlog-conformance.toml", "pyproject.toml")
