"""A parser of mysqlbinlog's text: where each event is announced, and what follows its header line."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Final

_HEADER: Final = re.compile(
    r"#\s*(?P<date>\d{6})\s+(?P<time>\d{1,2}:\d\d:\d\d)\s+server\s+id\s+(?P<server_id>\d+)\s+"
    r"end_log_pos\s+(?P<log_pos>\d+)(?P<rest>\b.*)"
)
_AT: Final = re.compile(r"# at (\d+)")
#: A warning of the boundary parser, wherever it is printed.
BOUNDARY_WARNING: Final = re.compile(r"Unable to change boundary parser from (?:\w+ \w+) to (?:\w+ \w+)\.?")
_CHECKSUM: Final = re.compile(r"\bCRC32 0x[0-9a-f]+")
#: Where the lines of an event end: at a BINLOG statement, or at what the program adds at the end.
_BORDERS: Final = re.compile(r"BINLOG '|(?i:DELIMITER) |.*/\* ?added by mysqlbinlog")
#: What follows the lines of the last event.
_ENDING: Final = re.compile(r"(?i:DELIMITER|ROLLBACK|SET)\b|# End of log file|/\*!.*\*/")


@dataclass(frozen=True, slots=True)
class PrintedEvent:
    """An event in a printed log.

    Attributes:
        line: Number of its header line, from 0.
        clock: Date and time as shown, with single spaces.
        server_id: The server id that is shown.
        description: The rest of the header line, without the checksum and with single spaces.
        following: The lines after it, up to the next event, BINLOG statement or end.
        last: The last line before the next event or the end of the text, but for empty ones and warnings; empty if
            there is none.
    """

    line: int
    clock: str
    server_id: int
    description: str
    following: tuple[str, ...]
    last: str

    @property
    def text(self) -> str:
        """The lines after the header line, joined."""
        return "\n".join(self.following)


class PrintedLog:
    """A printed log.

    Args:
        text: What was printed.

    Attributes:
        lines: Its lines.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self._headers: dict[int, tuple[int, re.Match[str]]] = {}
        self._counts: Counter[int] = Counter()
        self._header_lines: list[int] = []
        self._at: dict[int, int] = {}
        for number, line in enumerate(self.lines):
            if line.startswith("#"):
                self._note(number, line)

    def _note(self, number: int, line: str) -> None:
        if match := _AT.fullmatch(line):
            self._at.setdefault(int(match[1]), number)
        elif match := _HEADER.fullmatch(line):
            self._headers.setdefault(int(match["log_pos"]), (number, match))
            self._counts[int(match["log_pos"])] += 1
            self._header_lines.append(number)

    def event(self, log_pos: int) -> PrintedEvent | None:
        """Return the first event whose header line shows `log_pos` as its end, None if there is none."""
        if log_pos not in self._headers:
            return None
        number, match = self._headers[log_pos]
        own = [*takewhile(lambda line: not (_AT.fullmatch(line) or _HEADER.fullmatch(line)), self.lines[number + 1 :])]
        shown = [line for line in own if line and not BOUNDARY_WARNING.search(line)]
        while shown and number == self._header_lines[-1] and _ENDING.match(shown[-1]):
            shown.pop()
        return PrintedEvent(
            line=number,
            clock=f"{match['date']} {match['time']}",
            server_id=int(match["server_id"]),
            description=" ".join(_CHECKSUM.sub("", match["rest"]).split()),
            following=tuple(takewhile(lambda line: not _BORDERS.match(line), own)),
            last=shown[-1] if shown else "",
        )

    def count(self, log_pos: int) -> int:
        """Return how many header lines show `log_pos` as the end of their event."""
        return self._counts[log_pos]

    def next_header(self, line: int, *, passing: Collection[int] = ()) -> int | None:
        """Return the number of the first header line after a line, but for those in `passing`."""
        return min((number for number in self._header_lines if number > line and number not in passing), default=None)

    def at(self, offset: int) -> int | None:
        """Return the number of the ``# at`` line of an offset, None if there is none."""
        return self._at.get(offset)


@lru_cache(maxsize=4)
def printed_log(text: str) -> PrintedLog:
    """Return a parsed printed log; it is cached, as several oracles examine the same one."""
    return PrintedLog(text)
