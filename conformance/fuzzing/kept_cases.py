"""Kept cases: the ids of cases that reached something new, in a file of a fuzzing corpus."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from conformance.specs.conversion import Malformed
from conformance.specs.files import errors_of, read_text
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

_FILE: Final = "cases.txt"
#: Bytes of that file.
_BYTES: Final = 64 << 20


class KeptCases:
    """The cases of a fuzzing corpus, one id on each line of ``cases.txt``.

    Args:
        folder: The corpus' folder; it is made if it does not exist.

    Raises:
        OSError: The folder cannot be made, or the file cannot be read.
        Malformed: The file is not text, or too large.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _FILE
        try:
            text = read_text(self._path, limit=_BYTES) if self._path.exists() else ""
        except Malformed as error:
            raise Malformed(f"{self._path}: {error}") from error
        self._ids = dict.fromkeys(text.split())

    def cases(self, role: str, pairs: list[tuple[str, str]]) -> Iterator[Case]:
        """Yield the kept cases of a role and of some (family, profile) pairs.

        Cases that an earlier kit kept, and that this one's grammar can no longer make, are left out.
        """
        for text in list(self._ids):
            try:
                case_id = CaseId.parse(text)
                if case_id.role == role and (case_id.family, case_id.profile) in pairs:
                    yield case_of(case_id)
            except ValueError:
                continue

    def keep(self, case_id: str) -> None:
        """Keep a case, unless it is kept already."""
        if case_id not in self._ids:
            with errors_of(self._path), self._path.open("a", encoding="utf-8") as file:
                file.write(case_id + "\n")
            self._ids[case_id] = None

    def __len__(self) -> int:
        return len(self._ids)
