"""Wrong variants of a value of JSON or TOML: at each place a key that lacks, another type, too much, or too deep."""

import copy
import json


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


#: What is put in the place of each part of a document. Some of it fits some places.
WRONG = (None, True, -1, 10**400, 2**63, 1.5e308, "", "a\x1b[31m\u202e", [], [[]], {}, {"x": {"y": 1}}, nested(300))


def places(value, path=()):
    """Yield the path to each part of a document; of a list, the first and the last entry."""
    keys = list(value) if isinstance(value, dict) else sorted({0, len(value) - 1}) if value else []
    for key in keys:
        yield (*path, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*path, key))


def variants(document):
    """Yield each variant with the path to its fault and what is wrong there."""
    for *path, key in places(document):
        for wrong in WRONG:
            yield (
                [*path, key],
                _shown(wrong),
                _changed(document, path, lambda at, key=key, wrong=wrong: at.update({key: wrong})),
            )
        if isinstance(_part(document, path), dict):
            yield [*path, key], "missing", _changed(document, path, lambda at, key=key: at.pop(key))
    for path in [[], *map(list, places(document))]:
        if isinstance(_part(document, path), dict):
            yield [*path, "no-such-key"], "unknown", _changed(document, path, lambda at: at.update({"no-such-key": 1}))


def _changed(document, path, change):
    variant = copy.deepcopy(document)
    part = _part(variant, path)
    if isinstance(part, list):
        as_dict = dict(enumerate(part))
        change(as_dict)
        part[:] = as_dict.values()
    else:
        change(part)
    return variant


def _part(document, path):
    for key in path:
        document = document[key]
    return document


def _shown(value):
    return json.dumps(value)[:20]
