"""A measure: one quantity of a run of the benchmarks, with its samples, and what is wanted of it."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

_SIGNS: Final[dict[str, Callable[[float, float], bool]]] = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One quantity, measured several times in the same run of the benchmarks.

    Attributes:
        part: The part of the benchmarks.
        name: What it is.
        unit: Its unit; `x` is a ratio of two measured one after the other.
        against: What it is compared with.
        samples: The values, in the order in which they were measured.
        wanted: The sign and the limit of what is wanted, None where nothing is.
    """

    part: str
    name: str
    unit: str
    against: str
    samples: Sequence[float]
    wanted: tuple[str, float] | None = None

    @property
    def value(self) -> float:
        """The median."""
        return median(self.samples)

    @property
    def reached(self) -> bool | None:
        """Whether the median is what is wanted, None where nothing is."""
        if self.wanted is None:
            return None
        sign, limit = self.wanted
        return _SIGNS[sign](self.value, limit)

    def as_json(self) -> dict[str, Any]:
        """Return it in values that JSON has."""
        names = ("part", "name", "unit", "against", "wanted", "value", "reached")
        return {**{name: getattr(self, name) for name in names}, "samples": list(self.samples)}

    def __str__(self) -> str:
        wanted = "" if self.wanted is None else f", wanted {self.wanted[0]} {self.wanted[1]:g}"
        how = {None: "", True: ": reached", False: ": MISSED"}[self.reached]
        spread = f"{min(self.samples):.3g} to {max(self.samples):.3g} in {len(self.samples)}"
        return f"{self.part}: {self.name}: {self.value:.3g} {self.unit} ({spread}), against {self.against}{wanted}{how}"
