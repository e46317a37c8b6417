"""What holds for which versions: ranges of a product's versions, sets of them, and tables by version.

One notation serves the catalogue, the tables in code, and what implementations claim::

    worklog                  the server of the worklogs
    mysql                    every version of MySQL
    mysql >= 5.6             from 5.6.0 on
    mysql < 8.0              before 8.0.0
    mysql >= 5.6.22, < 8.0   both, and from a patch release on
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, Self, TypeVar, cast

from conformance.specs.profiles import PRODUCTS, PROFILES, Product, Profile, Version, profile_named, version_of

_NOTATION: Final = re.compile(r"(?P<product>[a-z]+)(?: >= (?P<since>[0-9.]+))?(?P<comma>,)?(?: < (?P<before>[0-9.]+))?")
_PATTERN: Final = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
#: The same notation for JSON Schemas.
RANGE_PATTERN: Final = rf"^(worklog|(mysql|mariadb)(( >= {_PATTERN})?|( >= {_PATTERN},)? < {_PATTERN}))$"
_OLDEST: Final[Version] = (0, 0, 0)

Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Versions of a product.

    Attributes:
        product: The product.
        since: The first version.
        before: The version after the last one; None where it goes on.
    """

    product: Product
    since: Version = _OLDEST
    before: Version | None = None

    def __contains__(self, version: Version) -> bool:
        return self.since <= version and (self.before is None or version < self.before)

    def __str__(self) -> str:
        since = "" if self.since == _OLDEST else f" >= {_text(self.since)}"
        before = "" if self.before is None else f" < {_text(self.before)}"
        return f"{self.product}{since}{',' if since and before else ''}{before}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the range that a text such as ``mysql >= 5.6, < 8.0`` is.

        Raises:
            ValueError: The text is not a range, or no profile has a version in it.
        """
        match = _NOTATION.fullmatch(text)
        if match is None or bool(match["comma"]) != bool(match["since"] and match["before"]):
            raise ValueError(f"{text!r} is not a valid range of versions: write mysql, or mysql >= 5.6, < 8.0")
        if match["product"] not in PRODUCTS:
            raise ValueError(f"{text!r} has no product of the kit: write one of {', '.join(PRODUCTS)}")
        since, before = (None if match[each] is None else version_of(match[each]) for each in ("since", "before"))
        made = cls(cast(Product, match["product"]), since or _OLDEST, before)
        series = [each for each in PROFILES.values() if each.product == made.product]
        if not any(made.overlaps(each) for each in series):
            known = ", ".join(f"{each.name} ({each.versions})" for each in series)
            raise ValueError(f"{text!r} has no version of a profile: there are {known}; specs/profiles.py lists them")
        return made

    @classmethod
    def of(cls, profile: Profile) -> Self:
        """Return the versions of a profile."""
        major, minor, patch = profile.last
        return cls(profile.product, profile.first, (major, minor, patch + 1))

    def overlaps(self, profile: Profile) -> bool:
        """Return whether it has a version of a profile."""
        return self & type(self).of(profile) is not None

    def __and__(self, other: "VersionRange") -> "VersionRange | None":
        """Return the versions that both have, None if there are none."""
        since = max(self.since, other.since)
        ends = [each.before for each in (self, other) if each.before is not None]
        if self.product != other.product or any(since >= end for end in ends):
            return None
        return VersionRange(self.product, since, min(ends, default=None))


def _text(version: Version) -> str:
    return ".".join(map(str, version if version[2] else version[:2]))


class Profiles(Collection[str]):
    """A set of servers: ``Profiles("worklog", "mysql >= 5.6, < 8.0")``.

    The name of a profile is in it if the release that it stands for is; so is that of a single release. The iterator
    yields names of `PROFILES`, and the single releases that were claimed, in their order.

    Args:
        ranges: The ranges, in the notation above.

    Attributes:
        ranges: The same as values.

    Raises:
        ValueError: A text is not a range of versions, or no profile has a version in it.
    """

    __slots__ = ("_releases", "ranges")

    def __init__(self, *ranges: str) -> None:
        self.ranges: tuple[VersionRange, ...] = tuple(map(VersionRange.parse, ranges))
        self._releases: tuple[Profile, ...] = ()

    @classmethod
    def of_ranges(cls, ranges: Iterable[VersionRange], releases: Iterable[Profile] = ()) -> Self:
        """Return the set of these ranges, `releases` being what names it has besides those of `PROFILES`."""
        made = cls()
        made.ranges, made._releases = tuple(ranges), tuple(releases)
        return made

    @classmethod
    def claimed(cls, *texts: str) -> Self:
        """Return what an implementation claims: ranges, profiles with all their versions, and single releases.

        Raises:
            ValueError: A text is none of these.
        """
        ranges, releases = [], []
        for text in texts:
            name, space, _ = text.partition(" ")
            if space or name in PRODUCTS:
                ranges.append(VersionRange.parse(text))
                continue
            profile = profile_named(text)
            ranges.append(VersionRange.of(profile))
            if text not in PROFILES:
                releases.append(profile)
        ranges.sort(key=lambda each: (PRODUCTS.index(each.product), each.since))
        return cls.of_ranges(ranges, sorted(releases, key=lambda each: each.order))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.has(profile_named(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profiles) and (self.ranges, self._releases) == (other.ranges, other._releases)

    def __hash__(self) -> int:
        return hash(self.ranges)

    def __str__(self) -> str:
        return ", ".join(map(str, self.ranges))

    def __repr__(self) -> str:
        return f"Profiles({', '.join(repr(str(each)) for each in self.ranges)})"

    def __and__(self, other: "Profiles") -> "Profiles":
        """Return the servers that are in both."""
        return Profiles.of_ranges(both for one in self.ranges for two in other.ranges if (both := one & two))

    def __or__(self, other: "Profiles") -> "Profiles":
        """Return the servers that are in one of them."""
        return Profiles.of_ranges((*self.ranges, *other.ranges))

    def has(self, profile: Profile) -> bool:
        """Return whether the release that a profile stands for is in it."""
        return any(each.product == profile.product and profile.last in each for each in self.ranges)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of `PROFILES` in it, and of the single releases that were claimed, in their order."""
        profiles = dict.fromkeys((*filter(self.has, PROFILES.values()), *self._releases))
        return tuple(each.name for each in sorted(profiles, key=lambda each: each.order))


#: All servers.
EVERY_PROFILE: Final = Profiles(*PRODUCTS)


class ByVersion(Generic[Fact]):
    """A fact about servers, by version: a row for each version that changes it, which holds until the next row.

    The key of a row is a range without an end: ``mysql`` for the oldest versions, ``mysql >= 8.0.21`` for what changed
    with 8.0.21. Every product has a row for its oldest versions, even if that is None, for no such thing.

    Args:
        subject: What the fact is about, for errors: ``printing programs``.
        rows: The rows, those of each product from the oldest to the newest.

    Raises:
        ValueError: A product has no row, a row is not in order or has an end, or no profile has its versions.
    """

    #: Not a sequence, although it has items.
    __iter__: ClassVar[None] = None

    def __init__(self, subject: str, rows: Mapping[str, Fact]) -> None:
        self._subject = subject
        self._rows: dict[Product, list[tuple[Version, Fact]]] = {each: [] for each in PRODUCTS}
        for key, fact in rows.items():
            self._add(key, fact)
        for product, facts in self._rows.items():
            if not facts or facts[0][0] != _OLDEST:
                raise ValueError(
                    f"the table of {subject} has no row {product!r}: write what the oldest versions do, even if nothing"
                )
        self._facts: dict[str, Fact] = {}

    def _add(self, key: str, fact: Fact) -> None:
        row = VersionRange.parse(key)
        before = self._rows[row.product]
        if row.before is not None:
            raise ValueError(f"the row {key!r} of the table of {self._subject} has an end: begin another row there")
        if before and before[-1][0] >= row.since:
            raise ValueError(f"the row {key!r} of the table of {self._subject} is not newer than the one before it")
        before.append((row.since, fact))

    def __getitem__(self, name: str) -> Fact:
        """Return the fact under a profile.

        Raises:
            ValueError: There is no such profile.
        """
        if name not in self._facts:
            profile = profile_named(name)
            self._facts[name] = self.at(profile.product, profile.last)
        return self._facts[name]

    def at(self, product: Product, version: Version) -> Fact:
        """Return the fact of a version, one that no profile has included."""
        return next(fact for since, fact in reversed(self._rows[product]) if since <= version)

    def where(self, wanted: Callable[[Fact], bool]) -> Profiles:
        """Return the servers whose fact is wanted."""
        ranges = []
        for product, facts in self._rows.items():
            ends = [*(since for since, _ in facts[1:]), None]
            ranges += [
                VersionRange(product, since, end)
                for (since, fact), end in zip(facts, ends, strict=True)
                if wanted(fact)
            ]
        return Profiles.of_ranges(ranges)
