"""HTML elements: the only place where text becomes HTML."""

import pytest
from hostile import EVIL

from conformance.reports.element import Html, element, fragment


def test_text_is_escaped_and_elements_nest():
    assert element("p", "a < b & ", element("b", "c")) == "<p>a &lt; b &amp; <b>c</b></p>"


def test_children_can_be_nothing_numbers_and_lists():
    assert element("p", None, 7, ["a", Html("<br>")]) == "<p>7a<br></p>"
    assert fragment("<", element("i")) == "&lt;<i></i>"


def test_attributes_are_escaped_too():
    assert element("a", href='"><script>', class_="x") == '<a href="&quot;&gt;&lt;script&gt;" class="x"></a>'


def test_an_attribute_can_be_left_out_or_have_no_value():
    assert (
        element("details", open=True, id=None, hidden=False, aria_label="x")
        == '<details open aria-label="x"></details>'
    )


@pytest.mark.parametrize("made", [element("p", EVIL), element("p", title=EVIL)])
def test_hostile_text_is_escaped(made: Html):
    inside = made.removeprefix("<p").removesuffix("></p>").removesuffix("</p>").removeprefix(">")
    assert "<" not in inside
    assert "\x1b" not in inside
