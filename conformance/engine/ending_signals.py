"""The signals that a user ends a command with."""

import signal
from typing import Final

#: The signals; not every system has each of them.
ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)
