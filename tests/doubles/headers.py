"""A right reader of common headers, for the doubles that misbehave at the logs of the kit's own families."""

import struct

import speaker

HEADER = struct.Struct("<IBIIIH")
NAMES = ("timestamp", "type", "server_id", "length", "log_pos", "flags")


def declaration():
    role = {"fields": ["offset", *NAMES], "abilities": ["framing", "error_at"], "profiles": ["mysql-8.0"]}
    return speaker.declaration(roles={"decode": role})


def answer(seq, stream, read_body=lambda length: None):
    """The answer of a decoder that knows the common header; `read_body` is called with the length of each event."""
    events, error, at = [], None, 4
    if stream[:4] != b"\xfebin":
        at, error = 0, "not-a-binlog"
    while error is None and at < len(stream):
        if len(stream) - at < HEADER.size:
            error = "truncated"
            break
        event = {"offset": at, **dict(zip(NAMES, HEADER.unpack_from(stream, at), strict=True))}
        if event["length"] < HEADER.size:
            error = "invalid-length"
            break
        read_body(event["length"])
        if at + event["length"] > len(stream):
            error = "truncated"
            break
        events.append(event)
        at += event["length"]
    refusal = None if error is None else {"at": at, "kind": error, "message": "no"}
    return {"seq": seq, "events": events, "error": refusal}


def converse(misbehave):
    speaker.converse(misbehave, declaration)
