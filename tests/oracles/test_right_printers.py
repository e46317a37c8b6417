"""Right printers: what the page of the role leaves open is held against nobody."""

import re
from dataclasses import replace

import pytest

from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import failures_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["render"])


def blamed(case, change):
    """Whom the judge blames for the reference's text of a case, changed."""
    observation = REFERENCE.ask(request_of(case))
    (entry,) = observation.events
    text = change(entry["text"])
    assert text != entry["text"]
    changed = replace(observation, events=({**entry, "text": text},))
    return {each.requirement for each in failures_of(JUDGE.judge(case, changed))}


def printed(family, profile, shows=lambda text: True):
    """The first case of a family that is printed as text, and shows something."""
    for index in range(100):
        case = case_of(CaseId(family, profile, seed=0, index=index, role="render"))
        if case.settings["form"] == "mysqlbinlog" and shows(REFERENCE.ask(request_of(case)).events[0]["text"]):
            return case
    raise AssertionError(f"no case of {family} shows it")


def boundary_in_its_own_line(text):
    return re.sub(r"(?m)^(#\d{6} .*) boundary: (\w+ \w+)(.*)$", r"\1\3\n# boundary: \2", text)


def test_the_boundary_type_may_be_the_only_line_after_a_rows_query_without_a_text():
    case = printed("rows_query_streams", "worklog", lambda text: re.search(r"\tRows_query\n# at ", text))
    assert blamed(case, boundary_in_its_own_line) == set()


def test_white_space_before_any_delimiter_is_free():
    case = printed("rendered_text", "mysql-8.0")
    assert blamed(case, lambda text: re.sub(r"(?m)(?<! )/\*!\*/;$", " /*!*/;", text)) == set()


@pytest.mark.parametrize("comment", ["-- a line", "/* of two\nlines */", "# another"])
def test_a_comment_before_a_statement_is_free(comment):
    case = printed("printed_databases", "mysql-8.0")
    assert blamed(case, lambda text: re.sub(r"(?m)^(CREATE|INSERT) ", rf"{comment}\n\1 ", text)) == set()


def test_a_statement_after_a_comment_of_two_lines_is_a_fault():
    case = printed("printed_databases", "mysql-8.0")
    added = "/* of two\nlines */\nDELETE FROM t1\n/*!*/;\n"
    assert blamed(case, lambda text: re.sub(r"(?m)^(CREATE|INSERT) ", rf"{added}\1 ", text)) == {
        "FORMAT-RENDER-STATEMENTS-RUN"
    }


def widely_spaced(text):
    """Return a text with more white space between the words of header lines."""
    spaced = re.sub(
        r"(?m)^#(\d{6}) +(\S+) server id (\d+)  end_log_pos (\d+)", r"# \1 \2  server  id  \3\tend_log_pos  \4", text
    )
    assert spaced.count("  server  id  ") > 3
    return spaced


@pytest.mark.parametrize(("family", "profile"), [("rendered_text", "mysql-8.0"), ("printed_boundaries", "worklog")])
def test_white_space_in_header_lines_is_free(family, profile):
    assert blamed(printed(family, profile), widely_spaced) == set()


def text_in_quotes(text):
    """Return a text in which user variables are set to texts in quotes, with what is special in them escaped."""

    def quoted(match):
        value = bytes.fromhex(match[1]).decode()
        escaped = value.replace("\\", "\\\\").replace("'", "''")
        return f":=_utf8mb4 '{escaped}' COLLATE"

    return re.sub(r":=_utf8mb\d (?:0x|X')([0-9A-F]+)'? COLLATE", quoted, text)


def test_a_text_that_a_variable_is_set_to_may_be_in_quotes():
    for profile in ("mysql-8.0", "mariadb-10.x"):
        case = printed("rendered_text", profile, lambda text: re.search(r"`[ -~]+`:=_utf8mb\d (?:0x|X')", text))
        assert blamed(case, text_in_quotes) == set()


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (r":=-?\d+\.\d+(?=/)", lambda text: re.sub(r"(:=-?\d+\.\d+)(?=/)", r"\g<1>000", text)),
        (r":=_\w+ 0x[0-9A-F]+ ", lambda text: re.sub(r":=_\w+ 0x([0-9A-F]+) ", r":=x'\1' ", text)),
    ],
)  # fmt: skip
def test_other_notations_of_a_value_are_right(value, change):
    case = printed("rendered_text", "mysql-8.0", lambda text: re.search(value, text))
    assert blamed(case, change) == set()


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (r":=-?\d+\.\d+(?=/)", lambda text: re.sub(r"(:=-?\d+)\.\d+(?=/)", r"\1", text)),
        (r":=_\w+ 0x[0-9A-F]{8,} ", lambda text: re.sub(r"(:=_\w+ 0x[0-9A-F]{6})[0-9A-F]+ ", r"\1 ", text)),
        (r"`[ -~]+`:=NULL", lambda text: text.replace(":=NULL", ":=0")),
    ],
)
def test_another_value_is_a_fault(value, change):
    case = printed("rendered_text", "mysql-8.0", lambda text: re.search(value, text))
    assert blamed(case, change) == {"FORMAT-RENDER-STATEMENTS-RUN"}
