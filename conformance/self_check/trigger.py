"""A trigger: a condition on what an implementation sees, under which alone it is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.self_check.question_view import ItemView, QuestionView
from conformance.specs.catalogue import ROLES

#: Returns whether a trigger holds at an item.
AtItem = Callable[[ItemView], bool]
#: Returns whether a trigger holds for a question.
InQuestion = Callable[[QuestionView], bool]
#: The roles whose questions have streams, or whose answers are streams.
ROLES_OF_EVENTS: Final = tuple(role for role in ROLES if role != "decide")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What the fields of an event must be able to hold for a trigger to hold at it.

    Attributes:
        bits: A number of so many bits.
        text: A text of so many bytes.
        is_free: Whether the text can have any characters.
        list_: Whether a list.
        size: So many bytes in all.
        code: A type code of so much.
    """

    bits: int = 0
    text: int = 0
    is_free: bool = False
    list_: bool = False
    size: int = 0
    code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A condition on what an implementation sees.

    Attributes:
        name: Its name.
        text: When it holds, after the words *is wrong only*.
        roles: The roles in whose questions it can hold.
        at: Returns whether it holds at an item; None if it is about the whole question.
        whole: Returns whether it holds for a question; None if it holds where it does at any item.
        needs: What an event must be able to hold for it.
        profiles: The profiles under which it can hold; None means all.
    """

    name: str
    text: str
    roles: tuple[str, ...] = ROLES
    at: AtItem | None = None
    whole: InQuestion | None = None
    needs: Needs = Needs()
    profiles: frozenset[str] | None = None

    def items(self, view: QuestionView) -> int:
        """Return the items at which it holds, as a bit for each."""
        if self.at is None:
            return 0
        return sum(1 << item.index for item in view.items if self.at(item))
