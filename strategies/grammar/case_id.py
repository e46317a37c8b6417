"""Case ids: what a case is made from, in a form that fits a command line."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.strategies.grammar.chooser import Choice, Chooser, ReplayingChooser, SeededChooser

#: The role of an id without one.
DEFAULT_ROLE: Final = "decode"

_CHOICES: Final = "choices-"
#: Bits of a recorded number: all that a field of a log can hold, and then some.
_BITS: Final = 256


@dataclass(frozen=True, slots=True)
class CaseId:
    """The id of a case: ``family/profile/seed/index``, or ``family/profile/choices-...`` for a shrunk one.

    Roles other than `decode` are written before it with a colon: the same bytes, another question.

    Attributes:
        family: Name of the family.
        profile: Name of the profile.
        seed: The corpus or run it belongs to; None for recorded choices.
        index: Its number in it, from 0; None for recorded choices.
        choices: The recorded choices; None for a seeded case.
        role: The role in which an implementation is asked.
    """

    family: str
    profile: str
    seed: int | None = None
    index: int | None = None
    choices: tuple[Choice, ...] | None = None
    role: str = DEFAULT_ROLE

    def __str__(self) -> str:
        role = "" if self.role == DEFAULT_ROLE else f"{self.role}:"
        if self.choices is not None:
            return f"{role}{self.family}/{self.profile}/{_CHOICES}{_pack(self.choices)}"
        return f"{role}{self.family}/{self.profile}/{self.seed}/{self.index}"

    @classmethod
    def parse(cls, text: str) -> "CaseId":
        """Return the id that a text from `str` holds.

        Raises:
            ValueError: The text is not a case id.
        """
        role, colon, rest = text.partition(":")
        if not colon:
            role, rest = DEFAULT_ROLE, text
        parts = rest.split("/")
        try:
            if len(parts) == 3 and parts[2].startswith(_CHOICES):
                return cls(parts[0], parts[1], choices=_unpack(parts[2].removeprefix(_CHOICES)), role=role)
            family, profile, *numbers = parts
            seed, index = map(_natural, numbers)
            return cls(family, profile, seed=seed, index=index, role=role)
        except (ValueError, IndexError, binascii.Error) as error:
            raise ValueError(
                f"{text!r} is not a case id: write [ROLE:]FAMILY/PROFILE/SEED/INDEX or "
                f"[ROLE:]FAMILY/PROFILE/{_CHOICES}..."
            ) from error

    @property
    def key(self) -> str:
        """The text from which the choices of a seeded case are drawn; it is the same in every role."""
        return f"{self.family}/{self.profile}/{self.seed}/{self.index}"

    def chooser(self, row: Mapping[str, str] | None = None) -> Chooser:
        """Return the chooser that makes this case.

        Args:
            row: The classes of a seeded case, as its family's covering array has them.
        """
        return SeededChooser(self.key, row) if self.choices is None else ReplayingChooser(self.choices)


def _natural(digits: str) -> int:
    """Return a number as `str` writes it: one id for one case.

    Raises:
        ValueError: It is written in another way, or negative.
    """
    number = int(digits)
    if str(number) != digits or number < 0:
        raise ValueError(f"{digits!r} is not a number of a case")
    return number


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _pack(choices: Sequence[Choice]) -> str:
    # Each choice begins with a number: twice an integer (zigzag for negative ones), or twice a length plus one.
    parts = bytearray()
    for choice in choices:
        if isinstance(choice, bytes):
            parts += _varint(len(choice) << 1 | 1) + choice
        else:
            zigzag = choice << 1 if choice >= 0 else (-choice << 1) - 1
            parts += _varint(zigzag << 1)
    return base64.urlsafe_b64encode(bytes(parts)).decode().rstrip("=")


def _unpack(text: str) -> tuple[Choice, ...]:
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    choices: list[Choice] = []
    at = 0
    while at < len(data):
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > _BITS:
                raise ValueError(f"a number of more than {_BITS} bits")
        if number & 1:
            size = number >> 1
            choices.append(data[at : at + size])
            at += size
        else:
            number >>= 1
            choices.append(number >> 1 if number & 1 == 0 else -((number + 1) >> 1))
    return tuple(choices)
