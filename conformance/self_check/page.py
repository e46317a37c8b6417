"""The kill matrix as a page: the shares, what survived, who is blamed wrongly, what never occurs, and every cell."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.page import page
from conformance.self_check.record import CellLine, MutantLine, SelfCheckRecord, Totals

_TITLE: Final = "The kit's own blindness"
#: Rows of a table that are shown; the record has all.
_ROWS: Final = 400
#: Names in one cell of a table.
_NAMES: Final = 12


def kill_page(record: SelfCheckRecord, history: Sequence[SelfCheckRecord] = ()) -> str:
    """Return the kill matrix as a page.

    Args:
        record: The record.
        history: Earlier records, the oldest first.
    """
    by_role = {role: list(lines) for role, lines in groupby(record.mutants, lambda line: line.role)}
    return page(
        _TITLE,
        element(
            "main",
            element("h1", _TITLE),
            element(
                "p",
                "Each mutant is the kit's reference with one fault. Here it has that fault only where a trigger holds, "
                "and answers rightly everywhere else. A cell is killed when a requirement is blamed.",
            ),
            _shares(record.footer.totals),
            _history(history),
            _survivors(record.mutants),
            _wrong_blames(record.mutants),
            _never(record.mutants),
            (_grid(role, lines) for role, lines in by_role.items()),
        ),
    )


def _cells(lines: Iterable[MutantLine]) -> Iterable[tuple[MutantLine, str, CellLine]]:
    return ((line, name, cell) for line in lines for name, cell in line.triggers.items())


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _row(*cells: str | int | Html) -> Html:
    return element("tr", (element("td", f"{each:,}" if isinstance(each, int) else each) for each in cells))


def _names(names: Iterable[str]) -> str:
    every = sorted(names)
    more = f" and {len(every) - _NAMES} more" if len(every) > _NAMES else ""
    return f"{', '.join(every[:_NAMES])}{more}"


def _section(title: str, *content: Html | None) -> Html:
    return element("section", element("h2", title), *content)


def _shares(totals: dict[str, Totals]) -> Html:
    heads: tuple[str, ...] = (
        "role",
        "mutants",
        "triggers",
        "cases",
        "occurred",
        "killed by default",
        "right requirement first",
    )
    heads += ("later", "killed late", "survived", "explained", "never occurred")
    rows = [
        _row(
            role,
            each.mutants,
            each.triggers,
            each.cases,
            each.occurred,
            _percent(each.killed_share),
            _percent(each.right_share),
            each.right_later,
            each.late,
            each.survived,
            each.explained,
            each.never,
        )
        for role, each in totals.items()
    ]
    return _section("What is noticed", scrolling_table(heads, rows, class_="counts"))


def _history(history: Sequence[SelfCheckRecord]) -> Html | None:
    if not history:
        return None
    roles = list(dict.fromkeys(role for record in history for role in record.footer.totals))
    rows = []
    before: set[str] = set()
    for record in history:
        survivors = {name for each in record.footer.totals.values() for name in each.survivors}
        shares = (_share_text(record.footer.totals.get(role)) for role in roles)
        rows.append(_row(record.header.started[:10], record.header.kit, *shares, _names(survivors - before)))
        before = survivors
    return _section(
        "Night by night: killed, right requirement first",
        scrolling_table(("run", "kit", *roles, "began to survive"), rows[::-1], class_="counts"),
    )


def _share_text(totals: Totals | None) -> str:
    return "-" if totals is None else f"{_percent(totals.killed_share)}, {_percent(totals.right_share)}"


def _survivors(lines: Sequence[MutantLine]) -> Html:
    by_mutant = [(line, [name for name, cell in line.triggers.items() if cell.status == "survived"]) for line in lines]
    rows = [_row(line.role, line.mutant, line.text, _names(names), len(names)) for line, names in by_mutant if names]
    if not rows:
        return _section("What survived", element("p", "Nothing."))
    heads = ("role", "mutant", "what it does wrong", "triggers", "number")
    return _section("What survived", scrolling_table(heads, rows[:_ROWS], class_="counts"))


def _wrong_blames(lines: Sequence[MutantLine]) -> Html:
    blamed: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    case: dict[tuple[str, str, str, tuple[str, ...]], str] = {}
    for line, name, cell in _cells(lines):
        if cell.after is not None and cell.right_after != cell.after:
            key = (line.role, line.mutant, line.requirement, cell.blamed)
            blamed[key].append(name)
            case.setdefault(key, cell.case or "")
    order = sorted(blamed, key=lambda key: -len(blamed[key]))
    rows = [
        _row(key[0], key[1], key[2], _names(key[3]), _names(blamed[key]), len(blamed[key]), element("code", case[key]))
        for key in order[:_ROWS]
    ]
    if not rows:
        return _section("Who was blamed wrongly first", element("p", "Nobody."))
    heads = ("role", "mutant", "its requirement", "blamed first", "triggers", "number", "a case")
    return _section("Who was blamed wrongly first", scrolling_table(heads, rows, class_="counts"))


def _never(lines: Sequence[MutantLine]) -> Html:
    of_role = Counter(line.role for line in lines)
    by_trigger: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line, name, cell in _cells(lines):
        if cell.status == "never":
            by_trigger[line.role, name].append(line.mutant)
    order = sorted(by_trigger, key=lambda key: (key[0], -len(by_trigger[key])))
    rows = [
        _row(role, name, f"{len(by_trigger[role, name])} of {of_role[role]}", _names(by_trigger[role, name]))
        for role, name in order
    ]
    return _section(
        "What never occurred",
        element("p", "The trigger and the mutant's fault did not come together in any case: the families lack it."),
        scrolling_table(("role", "trigger", "mutants", "which"), rows, class_="counts"),
    )


#: Status of a cell -> its class and its sign in the grid; a killed one shows the number of digits of its cases.
_SIGNS: Final = {"survived": ("fail", "X"), "never": ("gap", "-"), "explained": ("gap", " "), "late": ("hang", "L")}


def _sign(cell: CellLine) -> tuple[str, str]:
    if cell.status in _SIGNS:
        return _SIGNS[cell.status]
    return ("pass" if cell.right_after == cell.after else "known"), str(min(len(str(cell.after)), 9))


def _grid(role: str, lines: Sequence[MutantLine]) -> Html:
    names = list(dict.fromkeys(name for line in lines for name in line.triggers))
    rows = (
        fragment(_runs([_sign(line.triggers[name]) for name in names]), "  ", element("b", line.mutant), "\n")
        for line in lines
    )
    return element(
        "details",
        element("summary", f"Every cell of the role {role}: {len(lines)} mutants, {len(names)} triggers"),
        element(
            "p",
            "A digit is the number of digits of the cases that were asked until the kill, green if the right "
            "requirement was blamed first; X survived, - never occurred, L was killed later than certify asks. The "
            f"columns are: {', '.join(names)}.",
            class_="quiet",
        ),
        element("div", element("pre", rows, class_="kills"), class_="scroll"),
    )


def _runs(signs: Iterable[tuple[str, str]]) -> Iterable[Html]:
    for class_, run in groupby(signs, lambda sign: sign[0]):
        yield element("span", "".join(sign for _, sign in run), class_=class_)
