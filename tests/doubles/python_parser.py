"""A parser in Python that runs in the kit's own process: it is right, except for what its attributes change."""

from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation

FIELDS = ["offset", "type", "log_pos"]


class Parser:
    """Reports offset, type and log_pos of each event."""

    def __init__(self, *, raises=None, log_pos=0):
        self._raises = raises
        self._log_pos = log_pos

    def declare(self):
        about = {"name": "python-parser", "version": "1", "language": "Python"}
        role = {"fields": FIELDS, "abilities": ["framing"], "profiles": ["mysql-8.0"]}
        return {"protocol": 1, "implementation": about, "roles": {"decode": role}}

    def answer(self, request):
        if self._raises:
            raise self._raises
        seen = ReferenceImplementation().ask(Request(request["cmd"], request["profile"], request["stream"]))
        events = [{name: event[name] for name in FIELDS} for event in seen.events]
        for event in events:
            event["log_pos"] += self._log_pos if event["type"] == 16 else 0
        error = seen.error
        return {
            "events": events,
            "error": error and {"at": error.at, "kind": error.kind, "message": error.message},
        }


good = Parser()
raising = Parser(raises=KeyError("no such column"))
off_by_one = Parser(log_pos=1)


def silent():
    """Not a parser."""
