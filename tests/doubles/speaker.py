"""The code that all doubles share: each speaks the protocol correctly, except for one thing.

A double misbehaves on every stream, or only on the one that its first argument names.
"""

import base64
import json
import sys

FIELDS = ["offset", "type", "length"]


def write(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def declaration(**changes):
    about = {"name": "double", "version": "1", "language": "Python"}
    roles = {"decode": {"fields": FIELDS, "abilities": [], "profiles": ["mysql-8.0"]}}
    return {"protocol": 1, "implementation": about, "roles": roles, **changes}


def honest(seq, stream):
    """The answer of a decoder that reads any stream as one event of the same length."""
    return {"seq": seq, "events": [{"offset": 0, "type": 15, "length": len(stream)}], "error": None}


def converse(misbehave=lambda seq, stream: write(honest(seq, stream)), declare=declaration):
    trigger = sys.argv[1].encode() if len(sys.argv) > 1 else None
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "start":
            write(declare())
        elif request["cmd"] == "stop":
            return
        else:
            stream = base64.b64decode(request["stream"])
            if trigger in (None, stream):
                misbehave(request["seq"], stream)
            else:
                write(honest(request["seq"], stream))
