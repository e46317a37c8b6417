"""What all doubles share: they speak the protocol well, but for the one thing each does.

A double misbehaves on every stream, or only on the one that its first argument names.
"""

import base64
import json
import sys

FIELDS = ["offset", "type", "length"]


def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def declaration(**changes):
    about = {"name": "double", "version": "1", "language": "Python"}
    roles = {"decode": {"fields": FIELDS, "abilities": [], "profiles": ["mysql-8.0"]}}
    return {"protocol": 1, "implementation": about, "roles": roles, **changes}


def honest(seq, stream):
    """The answer of a decoder that takes any stream for one event as long as the stream."""
    return {"seq": seq, "events": [{"offset": 0, "type": 15, "length": len(stream)}], "error": None}


def converse(misbehave=lambda seq, stream: say(honest(seq, stream)), declare=declaration):
    trigger = sys.argv[1].encode() if len(sys.argv) > 1 else None
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "start":
            say(declare())
        elif request["cmd"] == "stop":
            return
        else:
            stream = base64.b64decode(request["stream"])
            if trigger in (None, stream):
                misbehave(request["seq"], stream)
            else:
                say(honest(request["seq"], stream))
