"""A small run record like those of real runs: entries that a test uses unchanged, or changes."""

import json
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.specs import run_record
from conformance.specs.conversion import converted

Line = dict[str, Any]

PROFILES = ["mysql-5.7", "mysql-8.0"]
NAMES = {15: "FORMAT_DESCRIPTION", 16: "XID", 29: "ROWS_QUERY", 33: "GTID", 100: "TYPE_100"}
HEADER_FIELDS = (("timestamp", 4), ("type", 1), ("server_id", 4), ("length", 4), ("log_pos", 4), ("flags", 2))
STATEMENT = "insert into t1(a,b) values(1,2)"


class Stream:
    """A stream that grows event by event, and its entries in a failure line."""

    def __init__(self) -> None:
        self.data = b"\xfebin"
        magic = {"offset": 0, "size": 4, "name": "magic", "value": "fe 62 69 6e"}
        self.events: list[Line] = [
            {"offset": 0, "size": 4, "type": 0, "name": "MAGIC", "summary": "", "spans": [magic]}
        ]

    def add(self, type_code: int, *fields: tuple[str, bytes, object], flags: int = 0, summary: str = "") -> int:
        """Append an event of these fields (name, bytes, value); return its offset."""
        offset = len(self.data)
        size = 19 + sum(len(data) for _, data, _ in fields)
        header = (1767225600, type_code, 1, size, offset + size, flags)
        spans = []
        at = offset
        for (name, width), value in zip(HEADER_FIELDS, header, strict=True):
            spans.append({"offset": at, "size": width, "name": name, "value": str(value)})
            at += width
        for name, data, content in fields:
            spans.append({"offset": at, "size": len(data), "name": name, "value": str(content)})
            at += len(data)
        self.data += struct.pack("<IBIIIH", *header) + b"".join(data for _, data, _ in fields)
        name = NAMES[type_code]
        self.events.append(
            {"offset": offset, "size": size, "type": type_code, "name": name, "summary": summary, "spans": spans}
        )
        return offset

    def format_description(self) -> int:
        lengths = bytes(39) + b"\0"
        return self.add(
            15,
            ("binlog_version", b"\4\0", 4),
            ("server_version", b"8.0.36".ljust(50, b"\0"), "8.0.36"),
            ("created", bytes(4), 0),
            ("header_length", b"\x13", 19),
            ("post_header_lengths", lengths, lengths.hex()),
            ("checksum_algorithm", b"\0", 0),
            ("checksum", bytes.fromhex("2b9f01c4"), 0xC4019F2B),
            summary="MySQL 8.0.36, no checksums",
        )

    def rows_query(self, text: str) -> int:
        data = text.encode()
        return self.add(
            29,
            ("length_byte", bytes([len(data) & 0xFF]), len(data) & 0xFF),
            ("rows_query", data, text),
            flags=0x80,
            summary=text,
        )

    def xid(self, number: int) -> int:
        return self.add(16, ("xid", number.to_bytes(8, "little"), number), summary=f"xid {number}")

    def answer(self, **fields: dict[int, Line]) -> list[Line]:
        """Return the right events; `fields` adds to them by offset."""
        return [
            {
                "offset": each["offset"],
                "type": each["type"],
                "length": each["size"],
                **fields.get("more", {}).get(each["offset"], {}),
            }
            for each in self.events[1:]
        ]


def header(**changes: object) -> Line:
    role = {
        "fields": ["type", "length", "log_pos", "flags", "rows_query", "xid", "gtid", "handled"],
        "abilities": ["error_at"],
        "profiles": PROFILES,
    }
    implementation = {
        "spec": "mysql-replication==1.0.17",
        "name": "mysql-replication",
        "version": "1.0.17",
        "language": "Python",
        "homepage": "https://github.com/julien-duponchelle/python-mysql-replication",
        "roles": {"decode": role},
    }
    return {
        "kind": "header",
        "schema": 2,
        "kit": "0.1.0",
        "implementation": implementation,
        "roles": ["decode"],
        "profiles": PROFILES,
        "families": ["ignorable_events", "rows_query", "gtid_events"],
        "requirements": "*",
        "seed": 0,
        "examples": 100,
        "seconds": None,
        "started": "2026-01-01T00:00:00Z",
        **changes,
    }


def failure(**changes: object) -> Line:
    """Return a failure: a Rows_query event without a checksum loses its last four bytes."""
    stream = Stream()
    stream.format_description()
    at = stream.rows_query(STATEMENT)
    stream.xid(7)
    right = stream.answer(more={at: {"handled": "known", "rows_query": STATEMENT, "flags": 128}})
    wrong = stream.answer(more={at: {"handled": "known", "rows_query": STATEMENT[:-4], "flags": 128}})
    case = "rows_query/mysql-8.0/choices-AgQGCA"
    requirement = changes.get("requirement", "WL4033-ROWS-QUERY-TEXT")
    profile, count = changes.get("profile", "mysql-8.0"), changes.get("count", 41)
    return {
        "kind": "failure",
        "requirement": requirement,
        "status": "fail",
        "signature": "rows_query of ROWS_QUERY cut short",
        "group": "mysql 5.6 to 8.4",
        "requirements": {requirement: count},
        "profiles": {profile: count},
        "profile": profile,
        "family": "rows_query",
        "case": case,
        "role": "decode",
        "settings": {},
        "found": "rows_query/mysql-8.0/0/3",
        "count": count,
        "message": f"the Rows_query event at {at} has the text '{STATEMENT}', it reports '{STATEMENT[:-4]}'",
        "at": at,
        "stream": stream.data.hex(),
        "events": stream.events,
        "expected": {"events": right, "error": None},
        "observed": {"events": wrong, "error": None},
        "type_names": {str(each["type"]): each["name"] for each in stream.events[1:]},
        "detail": '{"seq":3,"events":[...]}',
        "replay": f"binlog-conformance replay {case} mysql-replication==1.0.17",
        "known": None,
        **changes,
    }


def crash(**changes: object) -> Line:
    stream = Stream()
    stream.format_description()
    at = stream.add(33, ("body", bytes(range(30)) * 7, "the fields cannot be read"), summary="cut short")
    case = "gtid_events/mysql-8.0/choices-BAAB"
    shown = dict(
        requirement="WL7592-GTID-SIZES",
        status="crash",
        signature="crash: exit-status-134: range end index N out of range",
        family="gtid_events",
        case=case,
        found="gtid_events/mysql-8.0/0/11",
        count=2,
        message=f"the Gtid event at {at} has 229 bytes, the implementation died on it",
        at=at,
        stream=stream.data.hex(),
        events=stream.events,
        expected={"events": stream.answer(), "error": None},
        observed=None,
        detail="thread 'main' panicked at src/gtid.rs:88:\nrange end index 42 out of range",
        replay=f"binlog-conformance replay {case} mysql-replication==1.0.17",
    )
    return failure(**{**shown, **changes})


def refusal(**changes: object) -> Line:
    stream = Stream()
    stream.format_description()
    at = stream.add(100, ("body", b"later", "6c61746572"), flags=0x80, summary="ignorable")
    stream.xid(8)
    right = stream.answer(more={at: {"handled": "ignored"}})
    case = "ignorable_events/mysql-5.7/choices-CAAB"
    shown = dict(
        requirement="WL4033-READ-UNKNOWN-SKIPPED",
        signature="event of an unassigned type refused: KeyError: N",
        profile="mysql-5.7",
        family="ignorable_events",
        case=case,
        found="ignorable_events/mysql-5.7/0/0",
        count=100,
        message=f"the event at {at} has an unknown type and the ignorable flag, it is refused",
        at=at,
        stream=stream.data.hex(),
        events=stream.events,
        expected={"events": right, "error": None},
        observed={"events": right[:1], "error": {"at": at, "kind": "unknown_type", "message": "KeyError: 100"}},
        replay=f"binlog-conformance replay {case} mysql-replication==1.0.17",
        known="reported upstream, waits for a release",
    )
    return failure(**{**shown, **changes})


def requirement(id: str = "WL4033-ROWS-QUERY-TEXT", verdict: str = "fail", **changes: object) -> Line:
    some = {verdict: 100} if verdict in ("pass", "unsupported") else {"pass": 59, verdict: 41}
    reached = verdict in ("pass", "fail", "crash", "hang", "protocol-error", "unsupported")
    return {
        "kind": "requirement",
        "id": id,
        "worklog": f"WL#{id[2:6]}",
        "level": "must",
        "role": "decode",
        "text": "A Rows_query event gives back the text of the statement byte by byte, whatever its length.",
        "section": "DESIGN 2",
        "interpretation": None,
        "untestable": None,
        "profiles": PROFILES,
        "families": ["rows_query"],
        "oracle": verdict not in ("no-oracle", "untestable"),
        "results": {profile: {"pass": 0, **some} for profile in PROFILES} if reached else {},
        "verdict": verdict,
        "obstacles": {},
        **changes,
    }


def coverage(**changes: object) -> Line:
    return {
        "kind": "coverage",
        "event_types": {
            "FORMAT_DESCRIPTION": {"mysql-5.7": 300, "mysql-8.0": 300},
            "ROWS_QUERY": {"mysql-5.7": 812, "mysql-8.0": 790},
            "GTID": {"mysql-5.7": 1210},
        },
        "families": {"rows_query": {"mysql-5.7": 100, "mysql-8.0": 100}, "gtid_events": {"mysql-8.0": 100}},
        "faults": {"bad_checksum": {"mysql-8.0": 12}},
        "tables": {"boundary cells": {"Start -> Inside": {"mysql-8.0": 7}, "Start -> Start": {}}},
        **changes,
    }


def footer(lines: Iterable[Line], **changes: object) -> Line:
    """Return the footer that fits the lines before it."""
    lines = list(lines)
    failures = [line for line in lines if line["kind"] == "failure"]
    known = [line for line in failures if line["known"] is not None]
    return {
        "kind": "footer",
        "cases": 600,
        "events": 4302,
        "verdicts": dict(Counter(line["verdict"] for line in lines if line["kind"] == "requirement")),
        "findings": len({line["signature"] for line in failures}),
        "failures": len(failures),
        "known_failures": len(known),
        "unexpected_passes": [],
        "stale_baseline": [],
        "conforming": len(failures) == len(known),
        "elapsed": 3.21,
        **changes,
    }


def finished(*lines: Line) -> list[Line]:
    """Return the lines of a finished record with the given lines."""
    whole = [header(), *lines]
    whole += [] if any(line["kind"] == "coverage" for line in lines) else [coverage()]
    return [*whole, footer(whole)]


def example_lines() -> list[Line]:
    """Return a run with every verdict in it: one failure, one crash, one known failure, and every kind of gap."""
    return finished(
        failure(),
        crash(),
        refusal(),
        requirement("WL4033-ROWS-QUERY-TEXT", "fail"),
        requirement(
            "WL4033-READ-UNKNOWN-SKIPPED",
            "fail",
            text="A reader that meets an ignorable event of a type it does not know continues after it.",
            interpretation="The summary names only the unknown type, the design also the flag: the flag is required.",
        ),
        requirement("WL4033-FLAG-VALUE", "pass", text="The ignorable flag is 0x80.", level="should"),
        requirement("WL4033-CHECKSUM-VERIFIED", "unsupported", text="A wrong checksum is refused."),
        requirement("WL7592-GTID-SIZES", "crash", text="A Gtid event of any size is read."),
        requirement("WL7592-TYPE-COUNT", "not-reached", text="The number of types is that of the format description."),
        requirement("WL7592-SIDNO", "no-oracle", text="Anonymous events have no source.", profiles=["mysql-8.0"]),
        requirement("WL7592-LOCKS", "untestable", text="A lock is held.", untestable="no reader sees a lock"),
    )


def as_line(entry: Line) -> run_record.Line:
    """Return the line that an entry of JSON holds."""
    return converted(entry, run_record.LINES[entry["kind"]])


def write_lines(path: Path, lines: Iterable[Line]) -> Path:
    """Write a record without any check, as another program might."""
    path.write_bytes(b"".join(json.dumps(line, sort_keys=True).encode() + b"\n" for line in lines))
    return path
