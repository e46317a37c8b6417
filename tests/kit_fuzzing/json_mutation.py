"""Mutation of JSON lines: of the values in them, so that most results are JSON still."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.kit_fuzzing.log_mutation import BytesMutation

#: Texts in place of a value, some of which no JSON writer makes: numbers without end, too large or not finite, half
#: of a surrogate pair, text that markup and terminals understand, lists in lists.
_VALUES: Final = (
    "0",
    "-1",
    "1",
    "255",
    "256",
    "4294967296",
    "9223372036854775808",
    "-9223372036854775809",
    "1e999",
    "-1e999",
    "1e308",
    "1.5",
    "NaN",
    "9" * 400,
    "9" * 5000,
    "null",
    "true",
    "false",
    "[]",
    "{}",
    '""',
    '"7"',
    '"\\ud800"',
    '"\\u0000\\u001b[31m\\u202e"',
    '"<script>alert(1)</script>&amp;\\"\'>]]>"',
    '"|`` @everyone\\n# head"',
    '"' + "x" * 3000 + '"',
    "[" * 40 + "]" * 40,
    "[" * 2000 + "]" * 2000,
    '{"a":' * 200 + "1" + "}" * 200,
)
#: Keys that no form has.
_KEYS: Final = ("extra", "", "\x1b[31m\u202e", "<script>", "x" * 300)
_PLACE: Final = "\x00place\x00"
_KEY: Final = re.compile(rb'[{,](\s*"[^"\\]*"\s*:)')
#: One input in this many is changed as bytes, without regard to JSON.
_AS_BYTES: Final = 4


def mutated_json(data: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return JSON lines that differ from `data` in one of them."""
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    action = rng.randrange(12)
    if action == 0 and len(lines) > 2:
        del lines[number]
    elif action == 1 and len(lines) > 2:
        lines.insert(rng.randrange(len(lines)), lines[number])
    else:
        lines[number] = _mutated_line(lines[number], size, rng, mutate)
    return b"\n".join(lines)[:size]


def _mutated_line(line: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    try:
        value = json.loads(line)
        places = list(_places(value))
    except (ValueError, RecursionError):
        places = []
    if not places or not rng.randrange(_AS_BYTES):
        return mutate(line, size)
    if not rng.randrange(8):
        return _with_key_twice(line, rng)
    holder, key = rng.choice(places)
    action = rng.randrange(7)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder[key], str):
        text = holder[key].encode("utf-8", "backslashreplace")
        holder[key] = mutate(text, len(text) + 32).decode("utf-8", "replace")
    elif action == 2:
        other, place = rng.choice(places)
        holder[key] = other[place]
    elif action == 3 and isinstance(holder, dict):
        holder[rng.choice(_KEYS)] = _PLACE
    else:
        holder[key] = _PLACE
    try:
        text = json.dumps(value, ensure_ascii=bool(rng.randrange(2)), separators=(",", ":"))
    except (ValueError, RecursionError):
        return mutate(line, size)
    return text.replace(json.dumps(_PLACE), rng.choice(_VALUES)).encode("utf-8", "backslashreplace")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a value: a list or an object, and the index or key in it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _with_key_twice(line: bytes, rng: random.Random) -> bytes:
    keys = list(_KEY.finditer(line))
    if not keys:
        return line
    match = rng.choice(keys)
    return line[: match.start(1)] + match[1] + rng.choice(_VALUES).encode() + b"," + line[match.start(1) :]
