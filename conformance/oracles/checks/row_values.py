"""The oracles of rows: their number, the columns of their images, and the values."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import MISREAD_WHOLE, Cause, column_group
from conformance.oracles.checks.json_differences import json_difference
from conformance.oracles.checks.same_value import same_cell
from conformance.oracles.checks.second_fractions import cause_of_fraction
from conformance.oracles.checks.signed_numbers import SIGNED, UNSIGNED, is_extended
from conformance.oracles.checks.text_encodings import OTHER_ORDER, is_in_other_order
from conformance.oracles.oracle import GOOD, Check, Oracle, shown
from conformance.strategies.events.columns import LARGEST_SIGNED
from conformance.strategies.events.json_values import is_changes

_SIDES: Final = ("before", "after")
_ROWS: Final = frozenset({"rows"})
#: Values that are wrong from one to the end of an event, and too many to be so by themselves.
_MANY: Final = 3
_ROWS_MISREAD: Final = Cause(MISREAD_WHOLE, "rows event", "rows")

#: Which values are NULL is in the bitmap before them, whatever their types.
NULL_READ: Final = Cause("is read as a value", "NULL")
_READ_AGAIN: Final = Cause("read again in the place of a later one", "row")

#: Columns of numbers that never have a sign: the number of an ENUM's label, the bits of a SET and of a BIT.
_WITHOUT_SIGN: Final = frozenset({ColumnType.ENUM, ColumnType.SET, ColumnType.BIT})

#: Columns of times with a fraction of a second.
_OF_TIME: Final = frozenset({ColumnType.TIME2, ColumnType.DATETIME2, ColumnType.TIMESTAMP2})

#: One expected value: column type code, place, the value, and the one seen.
_Cell = tuple[int, str, Any, Any]
#: Returns whether a requirement governs a value, given its column type code and the expected value.
#: Column type -> the words of refusals that are about its values, whatever other columns a table has.
_WORDS: Final = {ColumnType.JSON: re.compile(r"\bjsonb?\b", re.IGNORECASE)}
_Governs = Callable[[int, Any], bool]


def row_values(requirement: str, *codes: int) -> Oracle:
    """Return the oracle that compares the values of some column types, except NULL and integers with the top bit."""
    return _values(
        requirement, lambda code, value: code in codes and not _needs_sign(code, value) and not is_changes(value)
    )


def unsigned_values(requirement: str) -> Oracle:
    """Return the oracle that compares integers that are negative if read as signed."""
    return _values(requirement, _needs_sign)


def _needs_sign(code: int, value: Any) -> bool:
    return code in LARGEST_SIGNED and isinstance(value, int) and value > LARGEST_SIGNED[code]


def _refused_types(codes: Sequence[int], words: str) -> list[int]:
    """Return the column types for which rows are refused: the only one, or the one that the words are about."""
    if len(set(codes)) == 1:
        return [codes[0]]
    return [code for code, pattern in _WORDS.items() if code in codes and pattern.search(words)]


def _values(requirement: str, governs: _Governs) -> Oracle:
    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            event = alignment.case.expected.events[index]
            codes = alignment.case.expected.columns[index]
            tolerated = index in alignment.case.expected.tolerated
            if alignment.fate(index) is Fate.REFUSED and not tolerated:
                words = alignment.refusal(index)
                for code in _refused_types(codes, words):
                    if len(set(codes)) == 1 or governs(code, None):
                        message = f"{alignment.describe(index)} is refused: {words}"
                        yield Check(f"{ColumnType(code).name} refused", message, event["offset"])
            for code, place, expected, seen in _cells(alignment, index):
                if expected is None or not governs(code, expected):
                    continue
                if same_cell(code, expected, seen):
                    yield GOOD
                else:
                    yield _differs(alignment, index, code, place, expected, seen)

    # JSON's true and 1 are equal in Python, so an answer that equals the expected one must be examined too.
    return Oracle(requirement, examine, any_of=_ROWS, asks_more=True)


def null_values(requirement: str) -> Oracle:
    """Return the oracle that checks that NULL values are reported as NULL."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            for code, place, expected, seen in _cells(alignment, index):
                if expected is None and seen is not None:
                    yield _differs(alignment, index, code, place, expected, seen)
                elif expected is None:
                    yield GOOD

    return Oracle(requirement, examine, any_of=_ROWS)


def whole_rows(requirement: str) -> Oracle:
    """Return the oracle that compares rows, and fails if all their values are wrong: one alone breaks its own rule."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            if alignment.observed(index) is None:
                continue
            yield from _shapes(alignment, index)
            cells = [cell for cell in _cells(alignment, index) if cell[2] is not None]
            misread = [cell for cell in cells if _is_misread(*cell)]
            if misread and len(misread) == len(cells):
                yield _differs(alignment, index, *misread[0])
            else:
                yield GOOD

    return Oracle(requirement, examine, any_of=_ROWS)


def _is_misread(code: int, place: str, expected: Any, seen: Any) -> bool:
    """Return whether a value is wrong, and not only in the sign that its bytes are given: these were at their place."""
    return not same_cell(code, expected, seen) and not _sign(code, expected, seen)


def partial_values(requirement: str) -> Oracle:
    """Return the oracle that compares rows, and the changes that partial updates have in the place of a document."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            yield from _shapes(alignment, index)
            for code, place, expected, seen in _cells(alignment, index):
                if not is_changes(expected):
                    continue
                if same_cell(code, expected, seen):
                    yield GOOD
                else:
                    check = _differs(alignment, index, code, place, expected, seen)
                    of_value = json_difference(expected, seen) is not None
                    yield check if of_value else replace(check, cause=Cause("differ", "JSON", "changes"))

    return Oracle(requirement, examine, any_of=_ROWS)


def row_images(requirement: str) -> Oracle:
    """Return the oracle that compares the number of rows, the images of each, and the columns of these."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            yield from _shapes(alignment, index)

    return Oracle(requirement, examine, any_of=_ROWS)


def _seen_rows(alignment: Alignment, index: int) -> list[Any] | None:
    """Return the reported rows of an event, None if it was not delivered or they are not asked for."""
    seen = alignment.observed(index)
    if seen is None or "rows" not in alignment.role.fields or not alignment.asks(index, "rows"):
        return None
    rows = seen.get("rows")
    return rows if isinstance(rows, list) else []


def _shapes(alignment: Alignment, index: int) -> Iterator[Check]:
    rows = _seen_rows(alignment, index)
    if rows is None:
        return
    event = alignment.case.expected.events[index]
    expected = event["rows"]
    where = alignment.describe(index)
    if len(rows) != len(expected):
        message = f"{where} has {len(rows)} rows, expected {len(expected)}"
        yield Check("wrong number of rows", message, event["offset"])
        return
    for number, (wanted, seen) in enumerate(zip(expected, rows, strict=True)):
        for side in _SIDES:
            columns, reported = _columns(wanted[side]), _columns(seen.get(side))
            if columns == reported:
                yield GOOD
                continue
            message = f"{where}: row {number} has the columns {reported} {side} the change, expected {columns}"
            signature = f"image {side} the change missing" if reported is None else f"wrong columns {side} the change"
            yield Check(signature, message, event["offset"])


def has_other_rows(alignment: Alignment, index: int) -> bool:
    """Return whether an event has another number of rows than expected, or several values that are all wrong."""
    rows = _seen_rows(alignment, index)
    if rows is None:
        return False
    if len(rows) != len(alignment.case.expected.events[index]["rows"]):
        return True
    cells = [cell for cell in _cells(alignment, index) if cell[2] is not None]
    return len(cells) > 1 and not any(same_cell(cell[0], *cell[2:]) for cell in cells)


def cause_of_shift(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of the first wrong value of an event, if what is wrong after it may follow; None otherwise.

    A reader that takes a wrong number of bytes for one value gets those after it wrong, in ways that depend on the
    bytes: another number of rows, or nothing right from there to the end. Where the first value of all is wrong, the
    fault may be before it, in the bitmaps.
    """
    rows, expected = _seen_rows(alignment, index), alignment.case.expected
    if rows is None or "rows" not in expected.events[index] or index not in expected.columns:
        return None
    cells = list(_cells(alignment, index))
    wrong = [place for place, cell in enumerate(cells) if not same_cell(cell[0], *cell[2:])]
    if not wrong:
        return None
    if _are_read_again(alignment, index, [cells[place] for place in wrong]):
        return _READ_AGAIN
    is_all = len(wrong) == len(cells) - wrong[0] and len(wrong) >= _MANY
    kinds = {column_group(cells[place][0], "") for place in wrong}
    if len(rows) != len(expected.events[index]["rows"]) or (is_all and len(kinds) > 1):
        is_first = wrong[0] == 0
        return _ROWS_MISREAD if is_first else _differs(alignment, index, *cells[wrong[0]]).cause
    if len(kinds) > 1 and _misses_bitmaps(alignment, index, [cells[place] for place in wrong]):
        return _ROWS_MISREAD
    return None


def _misses_bitmaps(alignment: Alignment, index: int, wrong: Sequence[_Cell]) -> bool:
    """Return whether a reader takes bits of another image's size for those of values that are NULL.

    It may do so where images lack columns of their table. Some values are NULL then, also integers, which a reader does
    not take for NULL for another reason, and others have other bytes.
    """
    expected = alignment.case.expected
    images = (row[side] for row in expected.events[index]["rows"] for side in _SIDES if row[side] is not None)
    if all(len(image) == len(expected.columns[index]) for image in images):
        return False
    is_null = any(seen is None for code, _, value, seen in wrong if value is not None and code in INTEGER_BYTES)
    return is_null and any(None not in (value, seen) and not _sign(code, value, seen) for code, _, value, seen in wrong)


def _are_read_again(alignment: Alignment, index: int, wrong: Sequence[_Cell]) -> bool:
    """Return whether each wrong row of an event is an earlier one, in more values than a few that may be equal."""
    rows, expected = _seen_rows(alignment, index) or [], alignment.case.expected.events[index]["rows"]
    if len(wrong) < _MANY or all(value is None or seen is None for _, _, value, seen in wrong):
        return False
    others = [number for number, (row, wanted) in enumerate(zip(rows, expected, strict=False)) if row != wanted]
    return all(rows[number] in expected[:number] for number in others)


def differs_in_signs(alignment: Alignment, index: int) -> bool:
    """Return whether all that is wrong in the rows of an event is the sign of numbers, whose bytes were found."""
    if index not in alignment.case.expected.columns or _seen_rows(alignment, index) is None:
        return False
    return not any(each.signature for each in _shapes(alignment, index)) and not any(
        _is_misread(*cell) for cell in _cells(alignment, index)
    )


def cause_of_rows(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of rows that differ where no check compares them, as the checks name it; None if none shows."""
    if index not in alignment.case.expected.columns:
        return None
    wrong = [cell for cell in _cells(alignment, index) if not same_cell(cell[0], *cell[2:])]
    of_shape = next((each for each in _shapes(alignment, index) if each.signature), None)
    if of_shape is not None:
        return Cause(of_shape.signature)
    return _differs(alignment, index, *wrong[0]).cause if wrong else None


def _columns(image: Mapping[str, Any] | None) -> list[str] | None:
    return None if image is None else sorted(image)


def _cells(alignment: Alignment, index: int) -> Iterator[_Cell]:
    """Yield the expected values of an event that have a counterpart in the reported rows."""
    rows = _seen_rows(alignment, index)
    codes = alignment.case.expected.columns[index]
    for number, (wanted, seen) in enumerate(
        zip(alignment.case.expected.events[index]["rows"], rows or (), strict=False)
    ):
        for side in _SIDES:
            image = seen.get(side)
            if image is None:
                continue
            for name, value in (wanted[side] or {}).items():
                if name in image:
                    yield codes[int(name)], f"row {number}, column {name}, {side}", value, image[name]


def _differs(alignment: Alignment, index: int, code: int, place: str, expected: Any, seen: Any) -> Check:
    how = "is null" if seen is None else "is not null" if expected is None else "differs"
    # An integer may be written as its digits.
    is_digits = isinstance(expected, int) and isinstance(seen, str) and seen.removeprefix("-").isdecimal()
    if how == "differs" and not is_digits and _kind(expected) != _kind(seen):
        how = "is of the wrong kind"
    elif how == "differs":
        how = _sign(code, expected, seen) or how
    kind = ColumnType(code).name
    message = f"{alignment.describe(index)}: {kind} in {place} is {shown(seen)}, expected {shown(expected)}"
    at = alignment.case.expected.events[index]["offset"]
    cause = NULL_READ if expected is None else Cause(how, column_group(code, how), "value")
    if is_in_other_order(expected, seen):
        cause = OTHER_ORDER
    if code in _OF_TIME and (of_fraction := cause_of_fraction(expected, seen)) is not None:
        cause = of_fraction
    if code == ColumnType.JSON and isinstance(seen, dict) and seen.keys() == {"base64"}:
        cause = Cause("is not decoded", kind, "value")
    if code == ColumnType.JSON and (of_document := json_difference(expected, seen)) is not None:
        cause = Cause(of_document.how, kind, of_document.what)
    return Check(f"{kind} {how}", message, at, cause)


def _sign(code: int, expected: Any, seen: Any) -> str:
    """Return how a number of a column is read where its bytes are right and its sign is not; empty otherwise."""
    if code in _WITHOUT_SIGN and is_extended(expected, seen):
        return SIGNED
    if code not in INTEGER_BYTES or not isinstance(expected, int) or not isinstance(seen, int | str):
        return ""
    numbers = 1 << 8 * INTEGER_BYTES[code]
    ways = {expected - numbers: SIGNED, expected + numbers: UNSIGNED}
    return next((how for value, how in ways.items() if same_cell(code, value, seen)), "")


def _kind(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return "bytes" if isinstance(value, str | dict) else type(value).__name__
