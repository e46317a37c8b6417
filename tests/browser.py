"""Pages in a real browser: what is on the screen at a width, what a click does, which script may run."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Seconds that a browser may take to start and to show a page.
_SECONDS = 120
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_ANSWER = re.compile(r'<script type="application/json" id="answer">(.*?)</script>', re.S)

#: How many pixels a page is wider than its window, and the elements whose content is wider than they are.
OFF_SCREEN = """
  for (const each of document.querySelectorAll("details:not(.keys)")) each.open = true;
  const open = e => getComputedStyle(e).overflowX === "visible" && getComputedStyle(e).display !== "inline";
  const wide = [...document.querySelectorAll("body *")].filter(e => open(e) && e.clientWidth && !e.closest(".spoken")
    && e.scrollWidth > e.clientWidth + 1 && e.getBoundingClientRect().left + e.scrollWidth > innerWidth + 1);
  return [document.documentElement.scrollWidth - innerWidth,
    wide.map(e => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 40)}`).slice(-5)];
"""

#: The links of the navigation: how many there are, on how many lines, and those that are not whole on the screen.
NAVIGATION = """
  const links = [...document.querySelectorAll("nav a")];
  const tops = new Set(links.map(each => Math.round(each.getBoundingClientRect().top)));
  const cut = links.filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth);
  return [links.length, tops.size, cut.map(each => each.textContent)];
"""


def require_browser() -> str:
    """Return the path of a browser, or skip the test that needs one."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium: apt install chromium")
    return path


def _run(*options: str, place: Path, profile: Path) -> str:
    command = [require_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={profile}", "--virtual-time-budget=3000", *options, place.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    return done.stdout


def dom(page: str, folder: Path) -> str:
    """Return a page as a browser has it after its scripts ran, as far as the page's own policy lets them."""
    place = folder / "page.html"
    place.write_text(page, encoding="utf-8")
    return _run("--dump-dom", place=place, profile=folder / "profile")


def ask(page: str, folder: Path, *, width: int, question: str) -> Any:
    """Return what a JavaScript function body returns in a page of a width, as JSON.

    The page's policy is taken out first, as it would stop the question too.
    """
    asking = f"""<script>
      addEventListener("load", () => setTimeout(() => {{
        const answer = parent.document.createElement("script");
        answer.type = "application/json";
        answer.id = "answer";
        answer.textContent = JSON.stringify((() => {{ {question} }})()).replaceAll("<", "\\\\u003c");
        parent.document.head.append(answer);
      }}, 100));
    </script></body>"""
    content = html.escape(_POLICY.sub("", page).replace("</body>", asking))
    # A window has a least width; a frame has any.
    frame = f'<iframe srcdoc="{content}" style="border: 0; width: {width}px; height: 900px"></iframe>'
    place = folder / "asked.html"
    place.write_text(f"<!DOCTYPE html><html><head></head><body>{frame}</body></html>", encoding="utf-8")
    shown = _run("--dump-dom", "--window-size=1600,1000", place=place, profile=folder / "profile")
    match = _ANSWER.search(shown)
    assert match, "the question has no answer: it raised an error"
    return json.loads(match[1])


def printed(page: str, folder: Path) -> bytes:
    """Return a page as PDF."""
    place, pdf = folder / "page.html", folder / "page.pdf"
    place.write_text(page, encoding="utf-8")
    _run(f"--print-to-pdf={pdf}", "--no-pdf-header-footer", place=place, profile=folder / "profile")
    return pdf.read_bytes()
