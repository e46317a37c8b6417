"""Whether a defect of a library shows through its adapter: the same cases, asked with the defect and without it."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.engine.selection import Selection
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Declaration, Observation
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

SEED = 14
#: Streams in which parsers read rows without end: see the tests of them.
ENDLESS = "post_header_lengths"


def named(defect: str) -> str:
    """Return the field or ability that a defect is named after, such as `rows` of `rows: times`."""
    return re.split("[: ]", defect)[0]


def run_tool(folder: Path, *command: str) -> str:
    """Run a language's own tool in a folder, and return what it prints; it may take a quarter of an hour."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def replace_texts(file: Path, replacements: Mapping[str, str]) -> None:
    """Replace texts of a library's file, each of which it must have exactly once."""
    text = file.read_text()
    for old, new in replacements.items():
        assert text.count(old) == 1, f"{file.name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    file.write_text(text)


@dataclass(frozen=True)
class WholeLibrary:
    """What an adapter declares and answers with its library as published.

    Attributes:
        declaration: What it declares.
        answers: Cases of every family and profile that it claims, and the answers.
    """

    declaration: Declaration
    answers: Sequence[tuple[Case, Observation]]

    @classmethod
    def of(cls, parser: ProcessImplementation, *, examples: int) -> "WholeLibrary":
        """Ask about some cases of each family and profile; those at which the library fails are left out."""
        cases = [
            case_of(CaseId(family, profile, seed=SEED, index=index))
            for family, profile in Selection().pairs(parser.declaration)
            if family != ENDLESS
            for index in range(examples)
        ]
        answers = zip(cases, parser.ask_many(request_of(case) for case in cases), strict=True)
        return cls(parser.declaration, [(case, each) for case, each in answers if isinstance(each, Observation)])

    def names(self) -> set[str]:
        """Return the fields and abilities that the adapter declares."""
        role = self.declaration.roles["decode"]
        return {*role.fields, *role.abilities}

    def shows(self, broken: ProcessImplementation, defect: str, shown_as: Mapping[str, str]) -> bool:
        """Return whether a failure that there is only with a defect has the words for it.

        Only the field or the ability that it is named after is judged: a requirement that the library breaks anyway
        shows its first failure only.

        Args:
            broken: The library with the defect.
            defect: Its name.
            shown_as: Words of the failure, for the defects whose name they do not begin with.
        """
        words = shown_as.get(defect, defect if " of " in defect else f"{defect} of")
        role = self.declaration.roles["decode"]
        judge = Judge(replace(role, fields=role.fields & {*HEADER_FIELDS, named(defect)}))
        answers = broken.ask_many(request_of(case) for case, _ in self.answers)
        for (case, whole), answer in zip(self.answers, answers, strict=True):
            if answer != whole:
                failures = {*judge.judge(case, answer)} - {*judge.judge(case, whole)}
                if any(each.is_failure and words in each.signature for each in failures):
                    return True
        return False
