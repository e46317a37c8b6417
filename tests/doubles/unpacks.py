"""Reads headers rightly, and looks into MariaDB's compressed statements and user variables, in the way of its argument.

``whole`` makes room for whatever is claimed, and unpacks whatever is held; ``declining`` does the same, and then
declines; ``limited`` refuses more than 64 MiB; ``pieces`` unpacks 64 KiB at a time, and keeps none; ``slowly`` computes
for half a second, and waits as long.
"""

import sys
import time
import zlib

import headers
from speaker import converse, write

USER_VAR, QUERY_COMPRESSED = 14, 165
LIMIT = 64 << 20
PIECE = 64 << 10


class TooLarge(Exception):
    """The event claims or holds more than the limit."""


class Declined(Exception):
    """The answer would be too long."""


def whole(claimed, packed):
    kept = bytearray(claimed)
    kept += zlib.decompress(packed) if packed else b""


def declining(claimed, packed):
    whole(claimed, packed)
    raise Declined


def limited(claimed, packed):
    if claimed > LIMIT or len(zlib.decompressobj().decompress(packed, claimed + 1)) > claimed:
        raise TooLarge


def pieces(claimed, packed):
    unpacker = zlib.decompressobj()
    while packed:
        unpacker.decompress(packed, PIECE)
        packed = unpacker.unconsumed_tail


def slowly(claimed, packed):
    began = time.process_time()
    while time.process_time() < began + 0.5:
        pass
    time.sleep(0.5)


def parts(event):
    """Return the size that an event claims, and the compressed data that it holds."""
    body, kind = event[headers.HEADER.size :], event[4]
    if kind == USER_VAR:
        return int.from_bytes(body[:4], "little"), b""
    if kind != QUERY_COMPRESSED:
        return None
    part = body[13 + body[8] + int.from_bytes(body[11:13], "little") + 1 :]
    width = part[0] & 7
    return int.from_bytes(part[1 : 1 + width], "big"), part[1 + width :]


def declaration():
    declared = headers.declaration()
    role = declared["roles"]["decode"]
    role |= {"fields": [*role["fields"], "query"], "profiles": ["mariadb-11.x"]}
    return declared


def look(seq, stream):
    answer = headers.answer(seq, stream)
    for place, event in enumerate(answer["events"]):
        at = event["offset"]
        if (part := parts(stream[at : at + event["length"]])) is None:
            continue
        try:
            UNPACK(*part)
        except TooLarge:
            answer |= {
                "events": answer["events"][:place],
                "error": {"at": at, "kind": "other", "message": "more than the limit"},
            }
            break
        except Declined:
            write({"seq": seq, "unsupported": "longer than an answer may be"})
            return
    write(answer)


UNPACK = {each.__name__: each for each in (whole, limited, pieces, declining, slowly)}[sys.argv.pop(1)]
converse(look, declaration)
