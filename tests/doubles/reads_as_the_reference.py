"""The kit's reference in a process of its own, in the role `decode`."""

import base64
import json
import sys

import msgspec

from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation

REFERENCE = ReferenceImplementation()


def declaration():
    role = REFERENCE.declaration.roles["decode"]
    declared = {name: sorted(getattr(role, name)) for name in ("fields", "abilities", "profiles")}
    about = {"name": "reference", "version": "1", "language": "Python"}
    return {"protocol": 1, "implementation": about, "roles": {"decode": declared}}


def write(message):
    sys.stdout.write(message + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "start":
        write(json.dumps(declaration()))
    elif request["cmd"] == "stop":
        break
    else:
        seen = REFERENCE.ask(Request("decode", request["profile"], base64.b64decode(request["stream"])))
        answer = {"seq": request["seq"], "events": seen.events, "error": seen.error}
        write(msgspec.json.encode(answer).decode())
