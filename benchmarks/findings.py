"""How soon wrong implementations are found: the seeded chooser with covering arrays against Hypothesis' engine.

    python benchmarks/findings.py                                  the mutants of decode, four profiles
    python benchmarks/findings.py --role boundary --profile worklog --rounds 60

A round is one case of every family under every profile. For each mutant it counts the rounds until its requirement
fails, and until anything fails; the price of a round is processor time for making its cases, as Hypothesis' start for
each family is paid once for all rounds, as `certify` would. The mutants are those of the reference implementation, in
this process; asking and judging take the same time in both ways and are not counted.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median, quantiles

from conformance.engine.discovery import discovered
from conformance.fuzzing.hypothesis_engine import discover
from conformance.mutants.mutant import Mutant, MutantImplementation
from conformance.mutants.registry import mutants
from conformance.oracles.judge import Judge, request_of
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families

#: Makes some cases of a family under a profile.
Engine = Callable[[str, str, int], Iterator[Case]]
PROFILES = ("worklog", "mysql-5.6", "mysql-8.0", "mariadb-10.x")


def seeded(role: str, family: str, profile: str, count: int) -> Iterator[Case]:
    """Make cases as `certify` does."""
    return discovered(family, profile, role=role, seed=0, count=count)


def by_hypothesis(role: str, family: str, profile: str, count: int) -> Iterator[Case]:
    """Make cases with Hypothesis' engine, as `fuzz` does."""
    made: list[Case] = []
    discover(family, profile, role=role, examples=count, seed_value=0, visit=made.append)
    return iter(made)


@dataclass
class Kill:
    """When a mutant was killed: rounds until anything failed, and until its requirement did; None for never."""

    anything: int | None = None
    named: int | None = None


def rounds_until_killed(
    engine: Engine, pairs: Sequence[tuple[str, str]], alive: Sequence[Mutant], rounds: int
) -> tuple[dict[str, Kill], float, int]:
    """Return when each mutant was found, the processor time of making all cases, and their number."""
    tested = {mutant.name: MutantImplementation(mutant) for mutant in alive}
    kills = {mutant.name: Kill() for mutant in alive}
    spent, cases = 0.0, 0
    for family, profile in pairs:
        began = time.process_time()
        made = list(engine(family, profile, rounds))
        spent += time.process_time() - began
        cases += len(made)
        for number, case in enumerate(made, 1):
            judge = Judge(tested[alive[0].name].declaration.roles[case.role])
            for mutant in alive:
                seen = kills[mutant.name]
                if seen.named is not None and seen.named <= number:
                    continue
                verdicts = judge.judge(case, tested[mutant.name].ask(request_of(case)))
                failed = {each.requirement for each in verdicts if each.status == "fail"}
                if failed:
                    seen.anything = min(number, seen.anything or number)
                if mutant.requirement in failed:
                    seen.named = min(number, seen.named or number)
    return kills, spent, cases


def summary(name: str, kills: dict[str, Kill], spent: float, rounds: int, cases: int) -> str:
    """Return the figures of one engine in a line."""
    named = sorted(each.named for each in kills.values() if each.named is not None)
    spread = f"median {median(named):g}, 95th percentile {quantiles(named, n=20)[-1]:g}, worst {named[-1]}"
    return (
        f"{name}: {len(named)} of {len(kills)} found by their requirement in {rounds} rounds; rounds: {spread}; "
        f"{sum(each.anything is not None for each in kills.values())} found at all; "
        f"a round takes {spent / rounds:.3f} s of processor time ({cases / rounds:.0f} cases)"
    )


def main() -> None:
    """Print the figures of both engines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--role", default="decode", help="role whose mutants are looked for")
    parser.add_argument("--profile", dest="profiles", action="append", help="profile; may be repeated")
    parser.add_argument("--rounds", type=int, default=40, help="cases of each family and profile")
    parser.add_argument("--mutants", type=int, help="only this many mutants, evenly chosen")
    options = parser.parse_args()
    profiles = options.profiles or PROFILES
    pairs = [
        (family.name, profile)
        for family in families().values()
        if options.role in family.focus
        for profile in profiles
        if profile in family.profiles_of(options.role)
    ]
    alive = [each for each in mutants() if catalogue()[each.requirement].role == options.role]
    if options.mutants:
        alive = alive[:: max(len(alive) // options.mutants, 1)]
    for name, engine in (("seeded, covering arrays", seeded), ("Hypothesis", by_hypothesis)):
        kills, spent, cases = rounds_until_killed(partial(engine, options.role), pairs, alive, options.rounds)
        print(summary(name, kills, spent, options.rounds, cases), flush=True)
        missed = [each for each, when in kills.items() if when.named is None]
        print("  not found:", ", ".join(missed) or "none", flush=True)


if __name__ == "__main__":
    main()
