"""Writing the page and what it loads: its program, the runtime, the kit."""

import shutil
import zipfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from conformance.log_page.runtime import runtime_files
from conformance.reports.element import element
from conformance.reports.site.links import LOG_PAGE, site_page, top
from conformance.specs.files import write_text

#: The folder, beside the page, of what it loads.
_BESIDE: Final = "log"
#: The packages of the kit that it needs.
_PACKAGES: Final = ("binlog", "log_check", "log_page", "models", "reports", "specs")
#: The kinds of files in them that are read.
_KINDS: Final = (".py", ".toml", ".tsv", ".css", ".js")


def write_log_page(folder: Path) -> int:
    """Write the page into the folder of a site, and return how many files that are.

    Raises:
        CannotInstall: The runtime cannot be fetched.
        OSError: A file cannot be written.
    """
    beside = folder / _BESIDE
    loaded = runtime_files()
    for address, source in loaded:
        (beside / address).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, beside / address)
    write_text(beside / "page.js", (files("conformance.log_page") / "page.js").read_text(encoding="utf-8"))
    write_kit(beside / "kit.zip")
    write_text(folder / LOG_PAGE, log_page([name for name, _ in loaded if name.endswith(".whl")]))
    return len(loaded) + 3


def log_page(wheels: Sequence[str]) -> str:
    """Return the page.

    Args:
        wheels: The wheels that its program loads.
    """
    return site_page(
        "Your log",
        top(
            "What is in your binary log, and is it right?",
            element(
                "p",
                "Choose logs, or drop them here. They are decoded and checked in this browser, by the kit itself: "
                "nothing is sent, and the policy of this page lets it send nothing.",
            ),
            element("p", element("input", type="file", id="files", multiple=True, disabled=True, aria_label="Logs")),
            element("p", "Loading Python, about 15 MB ...", id="state", class_="quiet", role="status"),
        ),
        element("main", element("div", id="results"), data_wheels=" ".join(wheels)),
        program=f"{_BESIDE}/page.js",
    )


def write_kit(path: Path) -> None:
    """Write the packages of the kit that the page needs as a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        root = files("conformance")
        archive.writestr("conformance/__init__.py", (root / "__init__.py").read_bytes())
        for name in _PACKAGES:
            for address, source in _files(root / name, f"conformance/{name}"):
                # Times of files would make each archive another one.
                archive.writestr(zipfile.ZipInfo(address), source.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(folder: Traversable, address: str) -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        place = f"{address}/{each.name}"
        if each.is_dir() and each.name not in ("results", "findings", "__pycache__"):
            yield from _files(each, place)
        elif each.name.endswith(_KINDS):
            yield place, each
