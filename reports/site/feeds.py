"""Feeds of what changed, in Atom (RFC 4287): one of all implementations, and one for each.

Their addresses and links are relative, as the site does not know where it is published.
"""

import uuid
import xml.etree.ElementTree as Xml
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from conformance.reports.foreign_text import elided, one_line
from conformance.reports.kept_runs import KeptRun
from conformance.reports.outcome import number_of, outcome
from conformance.reports.site.catalogue_of_findings import Change, KeptFinding, change_between
from conformance.reports.site.links import implementation_address

_ATOM: Final = "http://www.w3.org/2005/Atom"
_TITLE: Final = "Binary log conformance"
#: What the identifiers of feeds and entries are made from, besides what they are about.
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_URL, "binlog-conformance/results")
_CHARACTERS: Final = 300
#: The latest entries of a feed; readers of feeds keep the older ones.
_ENTRIES: Final = 50


@dataclass(frozen=True, slots=True)
class _News:
    """A run, as a feed reports it.

    Attributes:
        run: The run.
        change: What changed since the version before; None for the first one that was certified.
    """

    run: KeptRun
    change: Change | None


def feed_address(name: str | None = None) -> str:
    """Return the address of a feed from the top of the site: that of an implementation, or of all."""
    return "feed.xml" if name is None else implementation_address(name).removesuffix(".html") + ".xml"


def feed(runs: Sequence[KeptRun], findings: Iterable[KeptFinding], *, name: str | None = None) -> str:
    """Return a feed: an entry for each kept run, the latest first.

    Args:
        runs: The kept runs, in the order of `kept_runs`; at least one.
        findings: All findings.
        name: The implementation that it is about; None for all.
    """
    news = list(_news(runs, list(findings), name))
    # Of several that began in the same second the newest version is the latest.
    news = sorted(news[::-1], key=lambda each: each.run.record.header.started, reverse=True)
    up = "" if name is None else "../"
    root = Xml.Element("feed", xmlns=_ATOM)
    _add(root, "id", _identifier("feed", name or ""))
    _add(root, "title", f"{name}: {_TITLE.lower()}" if name else _TITLE)
    _add(root, "updated", news[0].run.record.header.started)
    Xml.SubElement(Xml.SubElement(root, "author"), "name").text = "binlog-conformance"
    Xml.SubElement(root, "link", rel="self", href=f"{up}{feed_address(name)}")
    for each in news[:_ENTRIES]:
        root.append(_entry(each, up))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _news(runs: Iterable[KeptRun], findings: Sequence[KeptFinding], name: str | None) -> Iterator[_News]:
    by_name: dict[str, list[KeptRun]] = {}
    for run in runs:
        if name in (None, run.name):
            by_name.setdefault(run.name, []).append(run)
    for own, versions in by_name.items():
        of_name = [each for each in findings if each.name == own]
        yield _News(versions[0], None)
        for before, after in pairwise(versions):
            yield _News(after, change_between(before, after, of_name))


def _entry(news: _News, up: str) -> Xml.Element:
    run = news.run
    entry = Xml.Element("entry")
    _add(entry, "id", _identifier(run.name, run.version))
    _add(entry, "title", f"{run.title}: {outcome(run.record).headline}")
    _add(entry, "updated", run.record.header.started)
    Xml.SubElement(entry, "link", href=f"{up}{implementation_address(run.name)}")
    _add(entry, "content", "\n".join(_lines(news)))
    return entry


def _lines(news: _News) -> Iterator[str]:
    yield f"{number_of(outcome(news.run.record).findings, 'finding')} in {news.run.version}."
    if news.change is None:
        return
    yield f"Since {news.change.before}: {news.change.words}."
    for words, findings in news.change.groups.items():
        for each in findings:
            yield f"{words}: {one_line(elided(each.signature, _CHARACTERS))}"


def _add(parent: Xml.Element, name: str, text: str) -> None:
    Xml.SubElement(parent, name).text = "\n".join(one_line(each) for each in text.split("\n"))


def _identifier(*parts: str) -> str:
    return uuid.uuid5(_NAMESPACE, "\0".join(parts)).urn
