"""The kit's own reader behind the protocol; its arguments say what it does wrong, and where.

    reader.py [crash=N] [hang=N] [starts=FILE] [killed=FILE]

``crash=N`` ends at each stream whose length N divides, ``hang=N`` never answers it. ``starts=FILE`` starts as often
as the file has bytes, each time one byte less, and then no more. ``killed=FILE`` deletes the file, where it is there,
and is then killed, whatever the question.
"""

import base64
import json
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from conformance.protocol.observation import Observation, Request
from conformance.reference.implementation import ReferenceImplementation

faults = dict(argument.split("=", 1) for argument in sys.argv[1:])


def hits(fault, stream):
    return fault in faults and len(stream) % int(faults[fault]) == 0


def start():
    if "starts" in faults:
        left = Path(faults["starts"])
        if not left.read_bytes():
            sys.exit("it does not start here any more")
        left.write_bytes(left.read_bytes()[1:])
    role = reader.declaration.roles["decode"]
    said = {"fields": sorted(role.fields), "abilities": sorted(role.abilities), "profiles": list(role.profiles)}
    about = {"name": "reader", "version": "1", "language": "Python"}
    return {"protocol": 1, "implementation": about, "roles": {"decode": said}}


def decode(request):
    stream = base64.b64decode(request["stream"])
    if "killed" in faults and Path(faults["killed"]).exists():
        Path(faults["killed"]).unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if hits("crash", stream):
        sys.exit("this stream is too much")
    if hits("hang", stream):
        time.sleep(3600)
    answer = reader.ask(Request("decode", request["profile"], stream))
    assert isinstance(answer, Observation)
    error = None if answer.error is None else asdict(answer.error)
    return {"seq": request["seq"], "events": list(answer.events), "error": error}


reader = ReferenceImplementation()
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "stop":
        break
    print(json.dumps(start() if asked["cmd"] == "start" else decode(asked)), flush=True)
