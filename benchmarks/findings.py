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

from measure import Measure

from conformance.engine.discovery import cases_by_default, discovered
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
    return discovered(family, profile, role=role, seed=0, numbers=range(count))


def by_hypothesis(role: str, family: str, profile: str, count: int) -> Iterator[Case]:
    """Make cases with Hypothesis' engine, as `fuzz` does."""
    made: list[Case] = []
    discover(family, profile, role=role, examples=count, seed_value=0, visit=made.append)
    return iter(made)


def uniform(role: str, family: str, profile: str, count: int) -> Iterator[Case]:
    """Make cases that are drawn, as those after the rows of the covering array are."""
    rows = cases_by_default(family, profile, role=role)
    return discovered(family, profile, role=role, seed=0, numbers=range(rows, rows + count))


SEEDED, HYPOTHESIS = "seeded, covering arrays", "Hypothesis"
#: In what way cases are made -> what makes them.
ENGINES = {SEEDED: seeded, HYPOTHESIS: by_hypothesis, "uniform choice": uniform}


def pairs_of(role: str, profiles: Sequence[str]) -> list[tuple[str, str]]:
    """Return the families of a role, with each of the profiles under which they have cases."""
    return [
        (family.name, profile)
        for family in families().values()
        if role in family.focus and not family.few
        for profile in profiles
        if profile in family.profiles_of(role)
    ]


def mutants_of(role: str, count: int | None) -> list[Mutant]:
    """Return the mutants of a role, or so many of them, evenly chosen."""
    alive = [each for each in mutants() if catalogue()[each.requirement].role == role]
    return alive[:: max(len(alive) // count, 1)] if count else alive


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


def measures(rounds: int, count: int) -> Iterator[Measure]:
    """Yield how much sooner the covering arrays name mutants than Hypothesis' engine and a uniform choice.

    Args:
        rounds: Ten times as many rounds of cases are made in each way.
        count: How many of the mutants of decode are looked for.
    """
    pairs = pairs_of("decode", PROFILES[2:3])
    alive = mutants_of("decode", count)
    seconds: dict[str, dict[str, float]] = {}
    for name, engine in ENGINES.items():
        kills, spent, _ = rounds_until_killed(partial(engine, "decode"), pairs, alive, 10 * rounds)
        price = spent / (10 * rounds)
        seconds[name] = {each: kill.named * price for each, kill in kills.items() if kill.named is not None}
    ours = seconds.pop(SEEDED)
    for name, theirs in seconds.items():
        common = sorted(ours.keys() & theirs.keys())
        named = {
            "part": "findings",
            "unit": "x",
            "against": f"{name}, {len(common)} of {len(alive)} mutants named by both",
        }
        wanted = (">=", 30.0) if name == HYPOTHESIS else None
        for figure, of in (("median", median), ("95th percentile", lambda each: quantiles(each, n=20)[-1])):
            ratio = of([theirs[each] for each in common]) / of([ours[each] for each in common])
            yield Measure(name=f"processor time until named, {figure}", samples=[ratio], wanted=wanted, **named)


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
    pairs, alive = pairs_of(options.role, profiles), mutants_of(options.role, options.mutants)
    for name, engine in ENGINES.items():
        kills, spent, cases = rounds_until_killed(partial(engine, options.role), pairs, alive, options.rounds)
        print(summary(name, kills, spent, options.rounds, cases), flush=True)
        missed = [each for each, when in kills.items() if when.named is None]
        print("  not found:", ", ".join(missed) or "none", flush=True)


if __name__ == "__main__":
    main()
