"""The kit's own reader as a program of the protocol; its arguments name its faults.

    reader.py [crash=N] [hang=N] [starts=FILE] [log=FILE] [killed=FILE] [crashes-once=FILE] [mutant=NAME]

``crash=N`` ends at each stream whose length N divides, ``hang=N`` never answers it. ``starts=FILE`` starts as often as
the file has bytes, and removes one byte each time; ``log=FILE`` gets a line at each start. ``killed=FILE`` deletes the
file, if it exists, and then kills the process, whatever the question; ``crashes-once=FILE`` ends it in the same way, as
a program does that fails by itself. ``mutant=NAME`` gives the answers of that mutant.
"""

import base64
import json
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.protocol.observation import Observation, Request
from conformance.reference.implementation import ReferenceImplementation

faults = dict(argument.split("=", 1) for argument in sys.argv[1:])


def hits(fault, stream):
    return fault in faults and len(stream) % int(faults[fault]) == 0


def start():
    if "log" in faults:
        with Path(faults["log"]).open("a", encoding="utf-8") as log:
            log.write("start\n")
    if "starts" in faults:
        left = Path(faults["starts"])
        if not left.read_bytes():
            sys.exit("it does not start here any more")
        left.write_bytes(left.read_bytes()[1:])
    role = reader.declaration.roles["decode"]
    declared = {"fields": sorted(role.fields), "abilities": sorted(role.abilities), "profiles": list(role.profiles)}
    name = {"name": "reader", "version": "1", "language": "Python"}
    return {"protocol": 1, "implementation": name, "roles": {"decode": declared}}


def decode(request):
    stream = base64.b64decode(request["stream"])
    if "killed" in faults and Path(faults["killed"]).exists():
        Path(faults["killed"]).unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if "crashes-once" in faults and Path(faults["crashes-once"]).exists():
        Path(faults["crashes-once"]).unlink()
        sys.exit("only this time")
    if hits("crash", stream):
        sys.exit("this stream is too much")
    if hits("hang", stream):
        time.sleep(3600)
    answer = reader.ask(Request("decode", request["profile"], stream))
    assert isinstance(answer, Observation)
    error = None if answer.error is None else asdict(answer.error)
    return {"seq": request["seq"], "events": list(answer.events), "error": error}


reader = MutantImplementation(mutant_of(faults["mutant"])) if "mutant" in faults else ReferenceImplementation()
for line in sys.stdin:
    question = json.loads(line)
    if question["cmd"] == "stop":
        break
    print(json.dumps(start() if question["cmd"] == "start" else decode(question)), flush=True)
