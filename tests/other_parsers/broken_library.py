"""Whether a defect of a library shows through its adapter: the same cases, asked with the defect and without it."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conformance.engine.selection import Selection
from conformance.implementations.library import ADAPTERS, Library, libraries
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, RoleDeclaration
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

SEED = 14
#: The sources that a copy of a library is given, or that stand before its own.
SOURCES = Path(__file__).with_name("defects")
#: Streams in which parsers read rows without end: see the tests of them.
ENDLESS = "post_header_lengths"
#: Where a client would resume, of which an answer has both or none.
PLACES = ("resume_log", "resume_pos")
#: What shows in the error alone with which a source ends: no defect is in how a library reads that.
OF_SOURCE = frozenset({"error_code"})
#: Field of the role `client` -> a part of the failure that shows a defect, where that is not a difference in the field.
CLIENT_SHOWN_AS = {
    "type": "dropped",
    "resume_log": "it would resume in a wrong log",
    "resume_pos": "it would resume too late",
    "executed_gtids": "GTID",
}


def named(defect: str) -> str:
    """Return the field or ability that a defect is named after, such as `rows` of `rows: times`."""
    return re.split("[: ]", defect)[0]


def run_tool(folder: Path, *command: str) -> str:
    """Run a language's own tool in a folder, and return what it prints; it may take a quarter of an hour."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def replace_texts(file: Path, replacements: Mapping[str, str]) -> None:
    """Replace texts of a library's file, each of which it must have exactly once."""
    text = file.read_text()
    for old, new in replacements.items():
        assert text.count(old) == 1, f"{file.name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    file.write_text(text)


def buildable(name: str) -> Library:
    """Return a library; skip the test where a tool that builds it is missing."""
    library = libraries()[name]
    missing = library.missing()
    if missing is not None:
        pytest.skip(missing)
    return library


def _copied_adapter(library: Library, folder: Path) -> Path:
    built = shutil.ignore_patterns("target", "node_modules")
    return Path(shutil.copytree(ADAPTERS / library.adapter, folder / "adapter", ignore=built))


def _give_defects(library: Path, source: Path, name: str, places: Mapping[str, Mapping[str, str]]) -> None:
    for file, replacements in places.items():
        replace_texts(library / file, replacements)
    shutil.copyfile(source, library / name)


def build_with_go(name: str, folder: Path, *, part: str, source: Path, places: Mapping[str, Mapping[str, str]]) -> Path:
    """Build an adapter with a copy of its library that has defects, and return its program.

    Args:
        name: The library.
        folder: Where the adapter and the copy are put.
        part: The package of the library that is changed, as a folder of it.
        source: What the package gets as defects.go.
        places: File of the package -> what is replaced in it, by what.
    """
    module = buildable(name).package
    adapter = _copied_adapter(libraries()[name], folder)
    run_tool(adapter, "go", "mod", "download", module)
    published = run_tool(adapter, "go", "list", "-m", "-f", "{{.Dir}}", module).strip()
    library = Path(shutil.copytree(published, folder / "library", copy_function=shutil.copyfile))
    for path in (library, *library.rglob("*")):
        path.chmod(0o755)
    _give_defects(library / part, source, "defects.go", places)
    run_tool(adapter, "go", "mod", "edit", "-replace", f"{module}=../library")
    run_tool(adapter, "go", "build", "-o", "adapter", ".")
    return adapter / "adapter"


def build_with_cargo(name: str, folder: Path, *, source: Path, places: Mapping[str, Mapping[str, str]]) -> Path:
    """Build an adapter with a copy of its library that has defects, and return its program.

    Args:
        name: The library.
        folder: Where the adapter and the copy are put.
        source: What the library gets as src/defects.rs.
        places: File in its folder src -> what is replaced in it, by what.
    """
    library = buildable(name)
    adapter = _copied_adapter(library, folder)
    values = library.values_for(library.version)
    run_tool(adapter, *library.words(library.steps[0], version=library.version, **values))
    run_tool(adapter, "cargo", "vendor", "--quiet", "--versioned-dirs", "../vendor")
    published = folder / "vendor" / f"{library.package}-{library.version}"
    _give_defects(Path(shutil.copytree(published, folder / "library")) / "src", source, "defects.rs", places)
    with (adapter / "Cargo.toml").open("a") as manifest:
        manifest.write(f'\n[patch.crates-io]\n{library.package} = {{ path = "../library" }}\n')
    run_tool(adapter, "cargo", "build", "--quiet")
    return adapter / "target" / "debug" / "adapter"


def build_with_maven(name: str, folder: Path) -> Path:
    """Build an adapter with its library as published, and return the folder of its jar; lib has those that it needs."""
    adapter = _copied_adapter(buildable(name), folder)
    run_tool(adapter, "mvn", "-q", "-B", "package")
    return adapter / "target"


def published_sources(name: str, target: Path) -> Path:
    """Return the folder of a library's own sources in Java, of the version of its file."""
    library = libraries()[name]
    artifact = f"{library.package}:{library.version}:jar:sources"
    copied = target / "published"
    goal = ("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={copied}")
    run_tool(target.parent, "mvn", "-q", "-B", *goal)
    (jar,) = copied.iterdir()
    shutil.unpack_archive(jar, copied, "zip")
    return copied


def class_path_before(target: Path, *sources: Path) -> str:
    """Compile sources in Java, and return the class path of an adapter with them before the library's own classes."""
    library = os.pathsep.join(str(jar) for jar in (target / "lib").iterdir())
    classes = target / "defects"
    run_tool(target, "javac", "-encoding", "UTF-8", "-d", str(classes), "-cp", library, *map(str, sources))
    return os.pathsep.join((str(classes), str(target / "adapter.jar"), library))


@dataclass(frozen=True)
class WholeLibrary:
    """What an adapter declares and answers with its library as published.

    Attributes:
        role: What it declares in the role in which it is asked.
        answers: Cases of every family and profile that it claims, and the answers.
    """

    role: RoleDeclaration
    answers: Sequence[tuple[Case, Observation]]

    @classmethod
    def of(
        cls,
        parser: ProcessImplementation,
        *,
        examples: int,
        role: str = "decode",
        more: Mapping[str, int] | None = None,
    ) -> "WholeLibrary":
        """Ask about some cases of each family and profile; those at which the library fails are left out.

        Args:
            parser: The adapter with its library.
            examples: How many cases of a family.
            role: The role.
            more: Family -> how many of its cases instead, where the library fails at most.
        """
        declaration = parser.declaration
        cases = [
            case_of(CaseId(family, profile, seed=SEED, index=index, role=role))
            for family, profile in Selection(role=role).pairs(declaration)
            if family != ENDLESS
            for index in range((more or {}).get(family, examples))
        ]
        answers = zip(cases, parser.ask_many(request_of(case) for case in cases), strict=True)
        answered = [(case, each) for case, each in answers if isinstance(each, Observation)]
        return cls(declaration.roles[role], answered)

    def names(self) -> set[str]:
        """Return the fields and abilities that the adapter declares."""
        return {*self.role.fields, *self.role.abilities}

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
        # What a reader has to refuse depends on the fields that it reports.
        fields = {named(defect), *HEADER_FIELDS, *PLACES} if named(defect) in self.role.fields else self.role.fields
        judge = Judge(replace(self.role, fields=self.role.fields & fields))
        answers = broken.ask_many(request_of(case) for case, _ in self.answers)
        for (case, whole), answer in zip(self.answers, answers, strict=True):
            if answer != whole:
                failures = {*judge.judge(case, answer)} - {*judge.judge(case, whole)}
                if any(each.is_failure and words in each.signature for each in failures):
                    return True
        return False
