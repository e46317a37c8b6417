"""The profiles: whose rules hold in a case.

A profile is a server product with a range of its versions. Its name means the newest release in the range;
``mysql-8.0.15`` means that very release. What a server does is a function of its version: see `specs.versions`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal, Self, get_args

from conformance.specs.suggestion import unknown

#: The products; `worklog` is the server that the five worklogs describe, which was never released.
Product = Literal["worklog", "mysql", "mariadb"]
PRODUCTS: Final[tuple[Product, ...]] = get_args(Product)
#: Major, minor, patch.
Version = tuple[int, int, int]

_NUMBER: Final = "(?:0|[1-9][0-9]*)"
#: A single release, for JSON Schemas.
RELEASE_PATTERN: Final = r"^(mysql|mariadb)-[0-9]+\.[0-9]+\.[0-9]+$"
_RELEASE: Final = re.compile(rf"(?P<product>mysql|mariadb)-(?P<version>{_NUMBER}\.{_NUMBER}\.{_NUMBER})")
_VERSION: Final = re.compile(rf"{_NUMBER}\.{_NUMBER}(\.{_NUMBER})?")


@dataclass(frozen=True, slots=True)
class Profile:
    """A server product with a range of versions.

    Attributes:
        name: What users call it.
        product: The product.
        first: The oldest release whose rules are the profile's.
        last: The newest release that the kit knows, which the name stands for.
    """

    name: str
    product: Product
    first: Version
    last: Version

    @classmethod
    def of(cls, name: str, first: str, last: str) -> Self:
        """Return the profile of a product by what its name begins with, and of releases, each as ``8.0.15``."""
        product = next(each for each in PRODUCTS if name.partition("-")[0] == each)
        return cls(name, product, version_of(first), version_of(last))

    @property
    def versions(self) -> str:
        """Its releases, such as ``8.0.0 to 8.0.43``."""
        first, last = (".".join(map(str, each)) for each in (self.first, self.last))
        return first if first == last else f"{first} to {last}"

    @property
    def order(self) -> tuple[int, Version]:
        """Where it comes among the profiles: by product, then by the release that it stands for."""
        return PRODUCTS.index(self.product), self.last


def version_of(text: str) -> Version:
    """Return the numbers of a version; a patch that is not named is 0: ``8.0`` is 8.0.0.

    Raises:
        ValueError: The text is not a version.
    """
    if not _VERSION.fullmatch(text):
        raise ValueError(f"{text!r} is not a valid version: write 8.0 or 8.0.15")
    numbers = [int(each) for each in text.split(".")]
    return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 0


def in_order(profiles: Iterable[Profile]) -> dict[str, Profile]:
    """Return profiles by name.

    Raises:
        ValueError: Two profiles of a product overlap, or the newer one comes first.
    """
    rows = {each.name: each for each in profiles}
    for product in PRODUCTS:
        of_product = [each for each in rows.values() if each.product == product]
        for older, newer in pairwise(of_product):
            if older.first > newer.first:
                raise ValueError(
                    f"{newer.name} ({newer.versions}) comes after {older.name} ({older.versions}): "
                    f"write the profiles of {product} from the oldest to the newest"
                )
            if older.last >= newer.first:
                raise ValueError(
                    f"{older.name} ({older.versions}) does not end before {newer.name} ({newer.versions}): "
                    f"give {older.name} an older last release, or {newer.name} a newer first one"
                )
    return rows


#: Every profile by name: the worklog's, then each product's from the oldest to the newest. A series begins with the
#: first release whose rules are its own: checksums came with 5.6.1, WL#7592 with 5.7.6, and what 8.4 does with 8.3.
PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    in_order(
        (
            Profile("worklog", "worklog", (0, 0, 0), (0, 0, 0)),
            Profile.of("mysql-5.1", "5.1.30", "5.1.73"),
            Profile.of("mysql-5.5", "5.5.0", "5.5.62"),
            Profile.of("mysql-5.6", "5.6.1", "5.6.51"),
            Profile.of("mysql-5.7", "5.7.6", "5.7.44"),
            Profile.of("mysql-8.0", "8.0.0", "8.0.43"),
            Profile.of("mysql-8.4", "8.3.0", "8.4.6"),
            Profile.of("mysql-9.x", "9.0.0", "9.7.4"),
            Profile.of("mariadb-10.x", "10.0.0", "10.11.18"),
            Profile.of("mariadb-11.x", "11.0.0", "11.8.9"),
        )
    )
)


def newest(product: Product) -> Profile:
    """Return the newest profile of a product."""
    return [each for each in PROFILES.values() if each.product == product][-1]


@cache
def profile_named(name: str) -> Profile:
    """Return the profile of a name: one of `PROFILES`, or a single release, such as ``mysql-8.0.15``.

    Raises:
        ValueError: There is no such profile, or no profile has this release.
    """
    if name in PROFILES:
        return PROFILES[name]
    release = _RELEASE.fullmatch(name)
    if release is None:
        names = (*PROFILES, "and single releases such as mysql-8.0.15")
        raise ValueError(unknown("profile", name, names, plural="profiles"))
    version = version_of(release["version"])
    series = [each for each in PROFILES.values() if each.product == release["product"]]
    for each in series:
        if each.first <= version <= each.last:
            return Profile(name, each.product, version, version)
    known = ", ".join(each.versions for each in series)
    raise ValueError(f"no profile {name!r}; the releases of {release['product']} are {known}")


#: Where the servers of a product change so much that the same failure may have another reason: product, first release,
#: name of the group.
_GROUPS: Final[tuple[tuple[Product, Version, str], ...]] = (
    ("worklog", (0, 0, 0), "worklog"),
    ("mysql", (0, 0, 0), "mysql before 5.6"),
    ("mysql", (5, 6, 0), "mysql 5.6 to 8.4"),
    ("mysql", (9, 0, 0), "mysql 9"),
    ("mariadb", (0, 0, 0), "mariadb"),
)
#: The names of the groups of profiles.
PROFILE_GROUPS: Final = tuple(name for _, _, name in _GROUPS)


def group_of(name: str) -> str:
    """Return the group of a profile: one of `PROFILE_GROUPS`.

    Raises:
        ValueError: There is no such profile.
    """
    profile = profile_named(name)
    return [group for product, first, group in _GROUPS if product == profile.product and first <= profile.last][-1]
