"""The words that docs/style.md refuses, looked for: `python -m tests.style [PATH ...]`.

Each offence is one line: file, line, what is written, and what to write instead. The rules are in style.toml.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).with_suffix(".toml")
SUFFIXES = (".py", ".md", ".toml", ".ini", ".sh", ".go", ".java", ".yaml")
FOLDERS = ("benchmarks", "conformance", "docs", "reports", "specs", "strategies", "tests")


@dataclass(frozen=True, slots=True)
class Rule:
    """What not to write: `match`, apart from what `unless` covers, in the kinds of writing in `where`."""

    where: tuple[str, ...]
    match: re.Pattern[str]
    unless: re.Pattern[str] | None
    better: str
    reason: str
    wrong: tuple[str, ...]
    right: tuple[str, ...]

    def offences(self, text: str) -> Iterator[re.Match[str]]:
        """Yield each place of `text` where the rule is broken."""
        covered = [right.span() for right in self.unless.finditer(text)] if self.unless else []
        for match in self.match.finditer(text):
            is_right = any(start < match.end() and match.start() < end for start, end in covered)
            # Words in capitals are parts of ids; one capital letter is what the rule on constants looks for.
            if not is_right and not (match[0].isupper() and len(match[0].strip("_")) > 1):
                yield match


@dataclass(frozen=True, slots=True)
class WordList:
    """The rules, and the files apart from them."""

    rules: tuple[Rule, ...]
    apart: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Writing:
    """Something that was written: `text` from `line` on, of the kind text, name or constant."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Offence:
    """A rule that is broken in a file; lines count from 1."""

    path: str
    line: int
    written: str
    rule: Rule

    def __str__(self) -> str:
        """Return the offence as one line that editors can jump from."""
        return f"{self.path}:{self.line}: {self.written!r}: write {self.rule.better}"


def word_list() -> WordList:
    """Return what style.toml holds."""
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))
    rules = tuple(
        Rule(
            tuple(entry["where"]),
            # Only constants are known by their capitals.
            re.compile(entry["match"], 0 if "constant" in entry["where"] else re.IGNORECASE),
            re.compile(entry["unless"], re.IGNORECASE) if "unless" in entry else None,
            entry["better"],
            entry["reason"],
            tuple(entry["wrong"]),
            tuple(entry["right"]),
        )
        for entry in entries["rule"]
    )
    return WordList(rules, tuple(entries["apart"]))


def words_of(name: str) -> str:
    """Return the words of a name with spaces between: `_rowsSeen` and `rows_seen` are both `rows seen`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]+", " ", name).strip()


def _without_code(string: str) -> str:
    """Return a string without what is computed in it: Python 3.11 reads an f-string as one token."""
    is_f_string = "f" in string.partition(string[-1])[0].lower()
    return re.sub(r"\{[^{}\n]*\}", "{}", string) if is_f_string else string


def _texts(source: str) -> Iterator[Writing]:
    """Yield strings and comments; comment lines below each other are one text, as a phrase may go on."""
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield Writing(first, "text", "\n".join(block))
                block, first = [], token.start[0]
            block.append(token.string.lstrip("#:! "))
            last = token.start[0]
        elif token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield Writing(token.start[0], "text", _without_code(token.string))
    yield Writing(first, "text", "\n".join(block))


def _defined(node: ast.AST) -> str | None:
    """Return the name that a node of the syntax tree defines."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name) | ast.alias(asname=str(name)):
            return name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return name
        case _:
            return None


def _constants(tree: ast.Module) -> Iterator[Writing]:
    """Yield the names that modules and classes give to values and imports; a type variable keeps its letter."""
    for owner in ast.walk(tree):
        if isinstance(owner, ast.Module | ast.ClassDef):
            for statement in owner.body:
                if not ast.unparse(statement).partition(" = ")[2].startswith("TypeVar("):
                    # A function's own names are variables.
                    body = [] if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ast.walk(statement)
                    yield from (Writing(node.lineno, "constant", name) for node in body if (name := _defined(node)))


def writings(path: Path) -> Iterator[Writing]:
    """Yield all that is written in a file, its name included."""
    text = path.read_text(encoding="utf-8")
    yield Writing(1, "name", words_of(path.stem))
    if path.suffix != ".py":
        yield Writing(1, "text", text)
        return
    tree = ast.parse(text)
    yield from _texts(text)
    for node in ast.walk(tree):
        if name := _defined(node):
            # A test's name is a sentence.
            yield Writing(node.lineno, "text" if name.startswith("test_") else "name", words_of(name))
    yield from _constants(tree)


def _shown(path: Path) -> str:
    """Return how a file is named in messages."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def offences(path: Path, rules: Iterable[Rule]) -> list[Offence]:
    """Return where a file breaks a rule, in the order of its lines."""
    broken = {
        (writing.line + writing.text.count("\n", 0, match.start()), " ".join(match[0].split()), rule)
        for writing in writings(path)
        for rule in rules
        if writing.kind in rule.where
        for match in rule.offences(writing.text)
    }
    return [Offence(_shown(path), *each) for each in sorted(broken, key=lambda each: each[:2])]


def files(paths: Iterable[Path]) -> list[Path]:
    """Return the files of the kit that are held to the rules, in `paths` or below."""
    every = [path for path in ROOT.iterdir() if path.is_file()]
    every += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    roots = [path.resolve() for path in paths]
    # Folders may be linked into each other: each file is read once, where it really is.
    real = {path.resolve() for path in every if path.suffix in SUFFIXES}
    return sorted(path for path in real if any(path.is_relative_to(root) for root in roots))


def check(paths: Iterable[Path]) -> list[str]:
    """Return a line for each offence in the files of `paths`."""
    words = word_list()
    return [
        str(each) for path in files(paths) if _shown(path) not in words.apart for each in offences(path, words.rules)
    ]


def main() -> int:
    """Print the offences; return 1 if there are any."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.style", description="Look for the words of tests/style.toml."
    )
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", type=Path, default=[ROOT], help="only these files or folders"
    )
    arguments = parser.parse_args()
    lines = check(arguments.paths)
    print("\n".join([*lines, f"{len(lines)} offences" if lines else "no offences"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
