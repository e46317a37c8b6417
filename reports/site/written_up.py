"""Findings written up for the projects that they are about: Markdown with a table of facts and the bytes of a log."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.specs.conversion import Malformed
from conformance.specs.files import read_text

_FACT: Final = re.compile(r"^\| ([A-Z][\w ]+) \| (.*) \|$", re.MULTILINE)
_BYTES: Final = re.compile(r"^```hex\n([0-9a-f\n]+)^```$", re.MULTILINE)
#: Bytes of a file that are read.
_MOST: Final = 1 << 20
#: The facts that a file must have.
_FACTS: Final = ("Implementation", "Finding", "Requirement")


@dataclass(frozen=True, slots=True)
class WrittenUp:
    """A finding that was written up.

    Attributes:
        name: The name of its file.
        implementation: Name and version.
        signature: The cause, as run records have it.
        requirement: The requirement that it breaks.
        stream: The smallest log that shows it.
        text: The whole file.
        thread: The address of a public thread about the same fault; empty where none is known.
    """

    name: str
    implementation: str
    signature: str
    requirement: str
    stream: bytes
    text: str
    thread: str = ""


def read_written_up(path: Path) -> WrittenUp:
    """Read one file.

    Raises:
        OSError: It cannot be read.
        Malformed: It lacks a fact, or the bytes of a log; the message names the file.
    """
    try:
        text = read_text(path, limit=_MOST)
    except Malformed as error:
        raise Malformed(f"{path}: {error}") from error
    facts = dict(_FACT.findall(text))
    digits = _BYTES.search(text)
    missing = [name for name in _FACTS if name not in facts] + ([] if digits else ["a block of hex"])
    if missing or digits is None:
        raise Malformed(f"{path}: has no {', '.join(missing)}: see reports/findings for the form")
    stream = bytes.fromhex(digits[1])
    implementation, finding, requirement = (facts[name] for name in _FACTS)
    return WrittenUp(path.name, implementation, finding, requirement, stream, text, facts.get("Thread", ""))


def written_up(folder: Path) -> Mapping[tuple[str, str], WrittenUp]:
    """Return the findings of a folder, by the name of the implementation and the signature.

    Raises:
        OSError: The folder or a file cannot be read.
        Malformed: A file is not one of a finding.
    """
    files = [read_written_up(each) for each in sorted(folder.glob("*.md")) if each.name != "README.md"]
    return {(each.implementation.rpartition(" ")[0], each.signature): each for each in files}
