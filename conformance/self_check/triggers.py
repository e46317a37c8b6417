"""The table of all triggers.

They are written from the layouts and the questions of the protocol, apart from the families and their dimensions, so
that one does not hide what the other forgot.
"""

from functools import cache

from conformance.self_check.content_triggers import CONTENT
from conformance.self_check.place_triggers import PLACE
from conformance.self_check.question_triggers import QUESTION
from conformance.self_check.setting_triggers import SETTINGS
from conformance.self_check.trigger import Trigger


@cache
def triggers_of(role: str) -> dict[str, Trigger]:
    """Return the triggers that can hold in a role's questions, by name.

    Raises:
        ValueError: Two of them have one name.
    """
    by_name: dict[str, Trigger] = {}
    for each in (*CONTENT, *PLACE, *QUESTION, *SETTINGS):
        if role in each.roles and by_name.setdefault(each.name, each) is not each:
            raise ValueError(f"there are two triggers {each.name} in the role {role}")
    return by_name
