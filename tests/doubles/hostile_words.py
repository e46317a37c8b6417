"""All its words try to command a terminal: the first argument names the place that has them."""

import json
import sys

import headers
import speaker

#: Colours, a title, a cleared screen, a link, C1 controls, a bell, NUL, reordered text, markup, a line break.
EVIL = (
    "\x1b[31mRED\x1b]0;title\x07\x1b[2J\x1b]8;;http://evil.example\x1b\\link\x9b31m\x90q\x9c\x00\x08\r"
    "\u202egnp.exe\u2066\u2069\u200e\u200f\u2028[bold][/x]:skull:\nsecond line"
)

place = sys.argv[1]
sys.argv = sys.argv[:1]


def declare():
    named = {"name": EVIL, "version": EVIL, "language": EVIL, "homepage": "https://example.org/" + EVIL}
    return {**headers.declaration(), **({"implementation": named} if place == "name" else {})}


def misbehave(seq, stream):
    answer = headers.answer(seq, stream)
    match place:
        case "crash":
            sys.stderr.write(EVIL + "\n")
            sys.exit(5)
        case "line":
            # Not through json, which escapes: no JSON at all.
            answer = EVIL.replace("\n", " ").replace("\r", " ")
        case "unsupported":
            answer = {"seq": seq, "unsupported": EVIL}
        case "refusal" | "kind":
            answer["events"] = []
            answer["error"] = {"at": 4, "kind": EVIL if place == "kind" else "other", "message": EVIL}
        case "field":
            answer["events"] = [{**each, EVIL: EVIL, "timestamp": EVIL} for each in answer["events"]]
    speaker.write(answer)


if place == "start":
    sys.stderr.write(EVIL + "\n")
    sys.exit(4)
if place == "greeting":
    sys.stdout.write(EVIL + "\n")
    sys.exit(4)
if place == "declaration":
    speaker.write(json.dumps({"protocol": EVIL}))
    sys.exit(4)
speaker.converse(misbehave, declare)
