"""The variables that a printed log sets for the statement after them: which line sets one, and to which value."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.user_variable import VariableType
from conformance.oracles.checks.printed_events import Fault
from conformance.oracles.checks.printed_facts import Fact, bytes_of
from conformance.oracles.checks.printed_log import PrintedEvent

#: A text that every program prints as it is: control characters and other characters are shown in several ways.
PLAIN: Final = re.compile(r"[ -~\n]+\Z")
#: The name of a user variable that needs no quotes.
_BARE: Final = re.compile(r"[0-9A-Za-z_.$]+\Z")
#: Any name, in quotes of a kind or bare.
_ANY_NAME: Final = r"`(?:[^`]|``)*`|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[^\s=:@`]+"
#: The variables that Intvar events set.
_INTVARS: Final = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}
#: A text in quotes, and one in hexadecimal digits; either has the name of its character set before it, or none.
_QUOTED: Final = re.compile(
    r"""(?:_\w+ *)?[Nn]?(?:'(?P<single>(?:\\.|''|[^'\\])*)'|"(?P<double>(?:\\.|""|[^"\\])*)")""", re.DOTALL
)
_HEXADECIMAL: Final = re.compile(r"(?:_\w+ *)?(?:0x(?P<digits>[0-9a-f]+)|x'(?P<quoted>[0-9a-f]*)')", re.IGNORECASE)
#: What mysqlbinlog prints for a text in a character set that it does not know.
_UNKNOWN_TO_PROGRAM: Final = "???"
#: The digits of a double that a program has to print are those of mysqlbinlog, which has 14.
_TOLERANCE: Final = 1e-13


def variable_set(fact: Fact, event: PrintedEvent) -> Fault:
    """A variable is set to the value that its event has."""
    for variable, pattern in _settings(fact):
        if not re.search(pattern, event.text, re.IGNORECASE):
            return "variable not set", f"no line sets {variable}"
    if fact["type"] == EventType.USER_VAR:
        printed = re.search(rf"{_name_pattern(fact)} *:?= *(.*?)\s*/\*!\*/;", event.text, re.IGNORECASE | re.DOTALL)
        if printed and not _has_value(fact, printed[1]):
            kind = "text" if fact["variable_type"] == VariableType.STRING else "number"
            message = f"it is set to {printed[1][:60]}, which is not the {kind} {fact['variable_value']!r:.60}"
            return "variable set to another value", message
    return None


def _settings(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield each variable of an event with its value, and the pattern of what sets it."""
    if fact["type"] == EventType.INTVAR and fact["intvar_type"] in _INTVARS:
        name, number = _INTVARS[fact["intvar_type"]], fact["intvar_value"]
        yield f"{name} to {number}", rf"\b{name} *= *{_number(number)}"
    elif fact["type"] == EventType.RAND:
        for name, number in (("RAND_SEED1", fact["seed1"]), ("RAND_SEED2", fact["seed2"])):
            yield f"{name} to {number}", rf"\b{name} *= *{_number(number)}"
    elif fact["type"] == EventType.USER_VAR:
        value = fact["variable_value"]
        shown = "NULL" if value is None else rf"{value}\b" if isinstance(value, int) else ""
        to = f" to {'NULL' if value is None else value}" if shown else ""
        yield f"@`{fact['variable_name']}`{to}", rf"{_name_pattern(fact)} *:?= *{shown}"


def _name_pattern(fact: Fact) -> str:
    """Return the pattern of a variable's name; of one that programs show in several ways, that of any name."""
    if not PLAIN.match(fact["variable_name"]):
        return rf"(?<!@)@(?:{_ANY_NAME})"
    return rf"@(?:{'|'.join(map(re.escape, _notations(fact['variable_name'])))})"


def _notations(name: str) -> Iterator[str]:
    """Yield the notations of a user variable's name: in quotes of a kind, which are doubled in it, or bare."""
    yield from (f"{quote}{name.replace(quote, 2 * quote)}{quote}" for quote in "`'\"")
    if _BARE.match(name):
        yield name


def _number(value: int) -> str:
    """Return the pattern of a number of 64 bits; servers' programs show the larger half with a sign."""
    return rf"(?:{value}|{value - (1 << 64)})\b"


def _has_value(fact: Fact, expression: str) -> bool:
    """Return whether an expression has the value of a User_var event; NULL and integers are looked for before."""
    value = fact["variable_value"]
    if value is None or isinstance(value, int) or expression.startswith(_UNKNOWN_TO_PROGRAM):
        return True
    if isinstance(value, float):
        return _is_double(value, expression)
    if fact["variable_type"] == VariableType.DECIMAL:
        return _is_decimal(value, expression)
    return _bytes_of(expression) == bytes_of(value)


def _is_double(value: float, expression: str) -> bool:
    try:
        return math.isclose(float(expression), value, rel_tol=_TOLERANCE)
    except ValueError:
        return not math.isfinite(value)


def _is_decimal(value: str, expression: str) -> bool:
    try:
        return Decimal(expression) == Decimal(value)
    except InvalidOperation:
        return False


def _bytes_of(expression: str) -> bytes | None:
    """Return the bytes of a text, as far as its notation is known: hexadecimal digits, or quotes."""
    if (match := _HEXADECIMAL.match(expression)) is not None:
        digits = match["digits"] or match["quoted"] or ""
        return bytes.fromhex(digits if len(digits) % 2 == 0 else f"0{digits}")
    if (match := _QUOTED.match(expression)) is None:
        return None
    quote, text = ("'", match["single"]) if match["single"] is not None else ('"', match["double"])
    return re.sub(rf"\\(.)|{quote}{quote}", lambda each: each[1] or quote, text, flags=re.DOTALL).encode()
