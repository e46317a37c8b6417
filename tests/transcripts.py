"""Transcripts in pages: their files are written, their commands run in one shell, and what they print is compared.

A block of the kind ``console`` has commands after ``$ ``, each with its output. ``...`` stands for any text within a
line, and alone on a line for any lines. A block whose first line is ``# NAME`` is the file NAME. `python -m
tests.transcripts PAGE` writes what the commands of a page print now where it differs.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"# (?P<name>[\w./-]+\.\w+)\n")
_MARK = "<end of the command>"


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what the page has as its output."""

    command: str
    expected: str


def steps(text):
    """Yield the steps of a block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        count = next(index for index, line in enumerate(lines) if not line.endswith("\\")) + 1
        yield Step("\n".join(lines[:count]), "\n".join(lines[count:]))


def play(page, folder):
    """Write the files of a page, run its commands, and return (step, output) of each."""
    script, every = [f"cd {folder}"], []
    for number, block in enumerate(_BLOCK.finditer(page)):
        if block["kind"] == "console":
            for step in steps(block["text"]):
                every.append(step)
                script += [step.command, f"status=$?; printf '\\n{_MARK}\\n'; (exit $status)"]
        elif name := _NAME.match(block["text"]):
            content = folder / f".block-{number}"
            content.write_text(block["text"][name.end() :], encoding="utf-8")
            script.append(f"mkdir -p $(dirname {name['name']}); cp {content} {name['name']}")
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {
        "KIT": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PS1": "",
    }
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    outputs = done.stdout.split(f"\n{_MARK}\n")
    return list(zip(every, outputs, strict=False))


def agrees(expected, output):
    """Return whether an output is the expected one; the blanks at the ends of lines do not count."""
    lines = [line.rstrip() for line in expected.strip("\n").splitlines()]
    patterns = [
        r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n" for line in lines
    ]
    seen = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
    return re.fullmatch("".join(patterns), seen) is not None


def written(page, folder):
    """Return a page in which every output that does not agree is the one of now."""
    for step, output in play(page, folder):
        if not agrees(step.expected, output):
            shown = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
            old, new = f"$ {step.command}\n{step.expected}", f"$ {step.command}\n{shown}"
            page = page.replace(old if step.expected else f"$ {step.command}", new, 1)
    return page


def main():
    """Write the outputs of now into the pages that are named, to be read before they are committed."""
    for name in sys.argv[1:]:
        path = Path(name)
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(written(path.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
