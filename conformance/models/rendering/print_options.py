"""The options of the printing programs, and the error if they forbid an event."""

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Literal

#: How events that can only be printed in base64 are handled.
Base64Output = Literal["auto", "decode-rows", "never"]


class CannotPrint(Exception):
    """An event that the options forbid to print.

    Attributes:
        at: Offset of the event, in bytes from the start of the log.
    """

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """The program's options.

    Attributes:
        verbose: How often ``--verbose`` is given.
        base64_output: The value of ``--base64-output``.
        zone: The time zone in which times are shown.
        local_load: The folder that is printed for the files of LOAD DATA; empty for none.
    """

    verbose: int = 0
    base64_output: Base64Output = "auto"
    zone: tzinfo = UTC
    local_load: str = ""

    @property
    def very_verbose(self) -> bool:
        """Whether the statements of row changes, and column types, are also shown."""
        return self.verbose > 1
