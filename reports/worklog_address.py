"""Addresses of worklogs: the page at dev.mysql.com, with the words at which a browser scrolls to the section."""

import re
from typing import Final
from urllib.parse import quote

from conformance.reports.element import Html, element
from conformance.specs.run_record import RequirementResult

_PAGE: Final = "https://dev.mysql.com/worklog/task/?id="
_WORKLOG: Final = re.compile(r"WL#([0-9]{1,6})")


def worklog_address(requirement: RequirementResult) -> str | None:
    """Return the address of a requirement's worklog, None if its document is not a worklog.

    Browsers that know text fragments scroll to the first statement of the requirement; others show the page.
    """
    match = _WORKLOG.fullmatch(requirement.worklog)
    if match is None:
        return None
    # A hyphen has a meaning in a text fragment, and `quote` leaves it.
    words = quote(requirement.anchor, safe="").replace("-", "%2D")
    return f"{_PAGE}{match[1]}" + (f"#:~:text={words}" if words else "")


def worklog_link(requirement: RequirementResult, text: str) -> Html:
    """Return a text as a link to a requirement's worklog, or as it is if its document is not a worklog."""
    address = worklog_address(requirement)
    if address is None:
        return element("span", text)
    return element("a", text, href=address, rel="noreferrer noopener")
