"""Right answers of programs that print otherwise than the reference, as an interpretation allows."""

import re
from collections.abc import Mapping
from textwrap import wrap
from typing import Any, Final

from conformance.protocol.observation import Request

Entry = Mapping[str, Any]

_HOUR: Final = re.compile(r"(?m)^(#\d{6})  (?=\d:)")
_WORDS: Final = re.compile(r"(?m)^(BEGIN|COMMIT|ROLLBACK|RENAME [^\n]*)\n(?=/\*!\*/;$)")
_TIME: Final = re.compile(r"(?m)^(SET TIMESTAMP=[0-9.]+)(?=/\*!\*/;$)")
_BOUNDARY: Final = re.compile(r"(?m)^(#\d{6} .*) boundary: (\w+ \w+)(.*)$")
_AT: Final = re.compile(r"(?m)^(?=# at \d+$)")
_BASE64: Final = re.compile(r"(?m)(?<=^BINLOG '\n)(?:[A-Za-z0-9+/=]+\n)+(?=')")
_CLOSING: Final = re.compile(r"\nDELIMITER ;\n[^']*\Z")
_SET: Final = re.compile(r"(?m)^(?:# )?[0-9a-f]{8}-[-0-9a-f]{27}:[^\n]*\n?")
_GTID: Final = re.compile(r"GTID_NEXT= '([^']*)'")
#: The characters of a line of base64, a multiple of four.
_NARROW: Final = 60


def in_another_style(request: Request, entry: Entry) -> Entry:
    """Return an entry with another style of what the worklogs leave open."""
    if "text" in entry:
        return {**entry, "text": _text(entry["text"])}
    return {**entry, "info": _info(entry["info"]), "event_type": entry["event_type"].upper()}


def _text(text: str) -> str:
    """Return a text in another style.

    It has hours of two digits, sets in upper case, delimiters elsewhere, boundary types in lines of their own, narrow
    base64 and another end.
    """
    text = _HOUR.sub(r"\1 0", text)
    text = _WORDS.sub(r"\1 ", text)
    text = _TIME.sub(r"\1 ", text)
    text = _BOUNDARY.sub(r"\1\3\n# boundary: \2", text)
    text = _SET.sub(lambda match: match[0].upper().replace(",", ", "), text)
    text = _BASE64.sub(_narrowed, text)
    text = text.replace("\n'/*!*/;", "\n'\n/*!*/;")
    return _AT.sub("\n", _CLOSING.sub("\nROLLBACK /*!*/;\ndelimiter ;\n", text))


def _narrowed(match: re.Match[str]) -> str:
    """Return the lines of base64 of a BINLOG statement, each narrower."""
    return "".join(f"{narrow}\n" for line in match[0].splitlines() for narrow in wrap(line, _NARROW))


def _info(info: str) -> str:
    """Return an Info with GTIDs in upper case, a set on one line, and a word of WL#4033 before the number of an Xid."""
    info = _SET.sub(lambda match: match[0].upper().rstrip("\n"), info)
    info = re.sub(r"\ACOMMIT /\* xid=", "COMMIT /* XID ", info)
    return _GTID.sub(lambda match: f"GTID_NEXT='{match[1].upper()}'", info) if info.startswith("SET @@") else info
