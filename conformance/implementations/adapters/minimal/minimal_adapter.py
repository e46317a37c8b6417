#!/usr/bin/env python3
"""A complete adapter: a decoder that knows the common header only. Start from here; see docs/protocol.md."""

import base64
import json
import struct
import sys

HEADER = struct.Struct("<IBIIIH")
NAMES = ("timestamp", "type", "server_id", "length", "log_pos", "flags")
DECLARATION = {
    "protocol": 1,
    "implementation": {"name": "minimal", "version": "1", "language": "Python"},
    "roles": {
        "decode": {
            "fields": ["offset", *NAMES],
            "abilities": ["framing", "error_at"],
            "profiles": ["mysql >= 5.6"],
        }
    },
}


def decode(stream):
    """Return the events of a stream, and the error that ends it or None."""
    events, at = [], 4
    if stream[:4] != b"\xfebin":
        return events, {"at": 0, "kind": "not-a-binlog", "message": "bad magic number"}
    while at < len(stream):
        if len(stream) - at < HEADER.size:
            return events, {"at": at, "kind": "truncated", "message": "no room for a header"}
        event = {"offset": at, **dict(zip(NAMES, HEADER.unpack_from(stream, at), strict=True))}
        if event["length"] < HEADER.size:
            return events, {"at": at, "kind": "invalid-length", "message": "shorter than a header"}
        if at + event["length"] > len(stream):
            return events, {"at": at, "kind": "truncated", "message": "the event ends after the end of the stream"}
        events.append(event)
        at += event["length"]
    return events, None


def stream_of(request):
    """Return the stream of a request as bytes."""
    if "stream" in request:
        return base64.b64decode(request["stream"])
    with open(request["path"], "rb") as file:
        file.seek(request["offset"])
        return file.read(request["length"])


for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "stop":
        break
    answer = DECLARATION
    if request["cmd"] == "decode":
        events, error = decode(stream_of(request))
        answer = {"seq": request["seq"], "events": events, "error": error}
    print(json.dumps(answer), flush=True)
