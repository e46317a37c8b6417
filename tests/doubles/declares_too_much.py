"""Reads headers rightly, and declares a field and an ability that it never reports."""

import speaker
from headers import answer, declaration
from speaker import write


def too_much():
    message = declaration()
    message["roles"]["decode"]["fields"] += ["tables_info", "position"]
    return message


def without_places(seq, stream):
    message = answer(seq, stream)
    if message["error"]:
        message["error"]["at"] = None
    write(message)


speaker.converse(without_places, too_much)
