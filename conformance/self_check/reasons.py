"""Why some cells of the kill matrix can never be filled, and why some differences are not noticed.

What layouts and the catalogue show is found by itself; the rest is a row of the table, with its reason.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from conformance.self_check.cells import ITEM, TriggerForm
from conformance.self_check.domains import can_hold
from conformance.specs.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class Reason:
    """Why cells are empty.

    Attributes:
        mutants: A glob over the names of mutants.
        triggers: Globs over the names of triggers, in their forms, separated by spaces.
        text: The reason.
        roles: The roles, separated by spaces; empty for all.
    """

    mutants: str
    triggers: str
    text: str
    roles: str = ""


#: What neither the layouts nor the catalogue show.
ROWS: Final = (
    Reason("*", "error", "the right answer of this role is never an error", roles="decide log"),
    Reason(
        "*",
        "timestamp-* any-timestamp-* server-id-* any-server-id-* after-other-server any-after-other-server",
        "a server takes the time from its clock and has one id: no scenario changes them",
        roles="log",
    ),
    Reason(
        "*",
        " ".join(
            f"{form}flag-{flag:#06x}"
            for flag in (0x02, 0x20, 0x40, 0x0100, 0x0200, 0x2000, 0x4000, 0x8000)
            for form in ("", "any-")
        ),
        "no server of a scenario sets this flag in its own log",
        roles="log",
    ),
    Reason(
        "*",
        "server-id-0 any-server-id-0",
        "no source has the id 0: it ends the connection of a replica with error 1236",
        roles="relay",
    ),
    Reason(
        "*",
        "flag-0x0002 any-flag-0x0002",
        "servers before 5.0 alone set this flag, in Rotate events that they only sent",
        roles="relay",
    ),
    Reason("*", "flag-0x0040 any-flag-0x0040", "no source sends events of its relay logs", roles="relay"),
    Reason("*", "code-from-128 any-code-from-128", "no server writes events of such a type", roles="log"),
)


def reason_of(role: str, mutant: str, requirement: str, form: TriggerForm, codes: Collection[int]) -> str | None:
    """Return why a trigger and a mutant's difference cannot come together, None if a family should bring them.

    Args:
        role: The role.
        mutant: The mutant's name.
        requirement: The requirement that it breaks.
        form: The trigger, in a form.
        codes: The type codes of the events at which the mutant's answers differ.
    """
    holds = catalogue()[requirement].holds
    trigger = form.trigger
    if trigger.profiles is not None and not any(profile in holds for profile in trigger.profiles):
        return "the requirement does not hold under the profile"
    if form.form == ITEM and codes and not can_hold(codes, trigger.needs):
        return "no field of the events in which it is wrong can hold it"
    for row in ROWS:
        if row.roles and role not in row.roles.split():
            continue
        if fnmatchcase(mutant, row.mutants) and any(fnmatchcase(form.name, each) for each in row.triggers.split()):
            return row.text
    return None
