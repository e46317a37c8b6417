"""A target: one entrance of the kit, and how its inputs are made and checked."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.kit_fuzzing.json_mutation import mutated_json
from tests.kit_fuzzing.log_mutation import BytesMutation, mutated_log, spliced

#: A folder in memory, where there is one, for the files of one input; None is the system's folder for such files.
SCRATCH: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None

#: From an input, the most bytes of the result, a source of choices, and the engine's own mutation: another input.
Mutation = Callable[[bytes, int, random.Random, BytesMutation], bytes]
#: From two inputs: one that has something of each.
Crossover = Callable[[bytes, bytes, int, random.Random], bytes]


@dataclass(frozen=True, slots=True)
class Target:
    """One entrance of the kit.

    Attributes:
        name: Its name.
        check: Reads an input, with a folder for files, and raises `Broken` where the invariant does not hold.
        seeds: Makes the inputs that fuzzing begins with.
        words: Texts that inputs are made of.
        longest: Bytes of the longest input.
        mutate: Makes one input from another.
        cross: Makes one input from two; None leaves it to the engine.
    """

    name: str
    check: Callable[[bytes, Path], None]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[bytes, ...]
    longest: int
    mutate: Mutation
    cross: Crossover | None = None


#: One input in this many has other options.
_OTHER_OPTIONS: Final = 8


def mutate_log(data: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return another log, or the same one with other options, which the first byte chooses."""
    choice, log = data[:1] or b"\0", data[1:]
    if not rng.randrange(_OTHER_OPTIONS):
        return bytes([rng.randrange(256)]) + log
    return choice + mutated_log(log, size - 1, rng, mutate)


def cross_logs(one: bytes, other: bytes, size: int, rng: random.Random) -> bytes:
    """Return a log with events of two."""
    return (one[:1] or b"\0") + spliced(one[1:], other[1:], size - 1, rng)


def mutate_text(data: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return what the engine makes of an input."""
    return mutate(data, size)


def mutate_answer(data: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return another answer, or the same one to another case, which the first byte chooses."""
    choice, line = data[:1] or b"\0", data[1:]
    if not rng.randrange(_OTHER_OPTIONS):
        return bytes([rng.randrange(256)]) + line
    return choice + mutated_json(line, size - 1, rng, mutate)
