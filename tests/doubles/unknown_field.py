"""Declares a field that the protocol does not have."""

from speaker import FIELDS, converse, declaration


def declare():
    message = declaration()
    message["roles"]["decode"]["fields"] = [*FIELDS, "lenght"]
    return message


converse(declare=declare)
