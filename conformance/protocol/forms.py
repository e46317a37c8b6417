"""The forms of the protocol's messages: checking, reading, writing and the published schemas follow from them.

What differs from role to role is made from the role's table of fields.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from conformance.protocol.observation import ABILITIES, Refusal
from conformance.protocol.role import AnswerField, Role
from conformance.protocol.roles.registry import role_names, role_of
from conformance.specs.json_schema import meanings
from conformance.specs.profiles import PRODUCTS, PROFILES, RELEASE_PATTERN
from conformance.specs.run_record import DECLINED
from conformance.specs.versions import RANGE_PATTERN

# Types that follow from tables are made at run time. To mypy, a subscript of these names would be a static type.
_annotated: Final[Any] = Annotated
_literal: Final[Any] = Literal
_tuple: Final[Any] = tuple
_list: Final[Any] = list
_not_required: Final[Any] = NotRequired
_typed_dict: Final[Any] = TypedDict

if TYPE_CHECKING:
    RoleName = str
    StreamlessRole = str
else:
    RoleName = Literal[role_names()]
    StreamlessRole = Literal[
        tuple(name for name in role_names() if not role_of(name).has_stream or role_of(name).is_served)
    ]

# The kit's own words for what is wrong with these are better than that a text does not match a pattern.
_NAMED_PROFILES: Final = ({"enum": list(PROFILES)}, {"pattern": RELEASE_PATTERN})
Profile = Annotated[
    str,
    Meta(
        description="The profile or the release whose rules hold.", extra_json_schema={"anyOf": list(_NAMED_PROFILES)}
    ),
]
Claim = Annotated[
    str,
    Meta(
        description="A profile, a release such as mysql-8.0.15, or a range of versions.",
        extra_json_schema={"anyOf": [*_NAMED_PROFILES, {"pattern": RANGE_PATTERN}]},
    ),
]
Count = Annotated[int, Meta(ge=0)]
NotEmpty = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Base64 = Annotated[
    bytes, Meta(extra_json_schema={"pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"})
]
Version = Annotated[Literal[1], Meta(description="Version of the protocol.")]


class Start(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="start"):
    """The request to declare itself, the first one."""

    protocol: Version


class Stop(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="stop"):
    """The request to end, the last one."""


class Question(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A question without a stream."""

    cmd: Annotated[StreamlessRole, Meta(description="The role of the question.")]
    seq: Annotated[int, Meta(ge=1, description="The question's number, which the answer repeats.")]
    profile: Profile
    settings: Annotated[Mapping[str, Any], Meta(description="What the question holds besides the stream.")] = {}


class StreamQuestion(Question, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A question with the stream in it."""

    cmd: Annotated[RoleName, Meta(description="The role of the question.")]
    stream: Annotated[Base64, Meta(description="The stream in base64, its magic number included.")]


class FileQuestion(Question, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A question with a file that holds the stream."""

    cmd: Annotated[RoleName, Meta(description="The role of the question.")]
    path: Annotated[str, Meta(min_length=1, description="Absolute path of the file.")]
    offset: Annotated[Count, Meta(description="Where the stream starts in the file, in bytes.")]
    length: Annotated[Count, Meta(description="Bytes of the stream.")]


class Implementation(Struct, frozen=True):
    """What is under test, not the adapter in front of it."""

    name: Name
    version: Name
    language: Name
    homepage: Annotated[str, Meta(max_length=2000)] = ""


def _declared_role(role: Role) -> Any:
    """Return the form of what is declared for a role."""
    ability = _annotated[_literal[tuple(ABILITIES)], Meta(description=meanings(ABILITIES))]
    abilities = _annotated[_tuple[ability, ...], Meta(description="What else it can do; only that is judged.")]
    profiles = Annotated[tuple[Claim, ...], Meta(description="The servers that it claims.")]
    always = [{"contains": {"const": name}} for name in role.always]
    limits = {"allOf": always} if always else None
    names = _tuple[_literal[tuple(role.fields)], ...]
    fields: tuple[Any, ...] = (
        "fields",
        _annotated[names, Meta(description="The fields that it reports.", extra_json_schema=limits)],
    )
    if role.answers_streams:
        # The kit reads the streams itself, and sees every field.
        fields = ("fields", _annotated[tuple[str, ...], Meta(description="Not used.")], ())
    by_product = defstruct(
        f"{role.name.title()}FieldsOf",
        [(product, _annotated[names, Meta(extra_json_schema=limits)] | UnsetType, UNSET) for product in PRODUCTS],
        forbid_unknown_fields=True,
        namespace={"__doc__": "The fields that it reports of the logs of a product, in the place of `fields`."},
    )
    return defstruct(
        f"{role.name.title()}Role",
        [("abilities", abilities), ("profiles", profiles), fields, ("fields_of", by_product | UnsetType, UNSET)],
        namespace={"__doc__": role.question},
    )


if TYPE_CHECKING:
    Roles = Any
else:
    Roles = defstruct(
        "Roles",
        [(name, _declared_role(role_of(name)) | UnsetType, UNSET) for name in role_names()],
        forbid_unknown_fields=True,
        namespace={"__doc__": "What it can be asked."},
    )


class Declaration(Struct, frozen=True):
    """What an implementation declares, its answer to the request `start`."""

    protocol: Version
    implementation: Implementation
    roles: Annotated[Roles, Meta(extra_json_schema={"minProperties": 1})]


class Row(TypedDict):
    """One row of a rows event: values by the number of their column, from 0, without those that the event lacks."""

    before: Annotated[dict[str, Any] | None, Meta(description="The row before the change, null where it is new.")]
    after: Annotated[dict[str, Any] | None, Meta(description="The row after the change, null where it is gone.")]


_KINDS: Final[Mapping[str, Any]] = {"integer": int, "text": str, "value": Any, "rows": list[Row]}
#: Integer of an entry -> its limits; others have 64 bits, and are not limited here.
_LIMITED: Final[Mapping[str, Any]] = {"offset": Count, "type": Annotated[int, Meta(ge=0, le=255)]}
#: Of an entry: what a decoder may know of other events, and not of this one.
_NULLABLE: Final = frozenset({("decode", "type"), ("client", "type")})


def _entry_field(role: Role, name: str, field: AnswerField) -> Any:
    form = _literal[field.words] if field.kind == "word" else _KINDS[field.kind]
    if field.kind == "integer":
        form = _LIMITED.get(name, form)
    if (role.name, name) in _NULLABLE:
        form |= None
    return _annotated[form, Meta(description=field.meaning)]


def _entry(role: Role) -> Any:
    """Return the form of an entry of an answer: a mapping, as oracles look at fields by name."""
    forms = {name: _entry_field(role, name, field) for name, field in {**role.fields, **role.undeclared}.items()}
    always = () if role.may_decline else role.always
    fields = {name: each if name in always else _not_required[each] for name, each in forms.items()}
    if role.may_decline:
        why = f"Why it does not answer about this {role.noun}, in the place of every field."
        fields[DECLINED] = _not_required[_annotated[NotEmpty, Meta(description=why)]]
    form = _typed_dict(f"{role.name.title()}Entry", fields)
    form.__doc__ = f"What is reported of one {role.noun}."
    if not role.may_decline:
        return form
    answers = {"required": list(role.always), "not": {"required": [DECLINED]}}
    declines = {"required": [DECLINED], "not": {"anyOf": [{"required": [name]} for name in forms]}}
    return _annotated[form, Meta(extra_json_schema={"oneOf": [answers, declines]})]


def answered(role: Role) -> tuple[str, str]:
    """Return what an answer in a role has; one that declines the question has `unsupported` instead."""
    return ("streams" if role.answers_streams else "events"), "error"


@cache
def answer_form(name: str) -> Any:
    """Return the form of an answer in a role, its integers as numbers."""
    role = role_of(name)
    if role.answers_streams:
        items, meaning = Base64, "The streams that it made, in base64, magic numbers included."
    else:
        items, meaning = _entry(role), f"One entry for each {role.noun}, in their order, up to the error."
    content, _ = answered(role)
    optional = {
        content: (_list[items], Meta(description=meaning)),
        "error": (Refusal | None, Meta(description="The error that it stopped with, null where it read to the end.")),
        "crash": (NotEmpty, Meta(description="The last words of a parser that the adapter kept from ending it.")),
        "unsupported": (NotEmpty, Meta(description="Why it does not answer.")),
    }
    return defstruct(
        f"{name.title()}Answer",
        [
            ("seq", Annotated[int, Meta(description="The question's number.")]),
            *((key, _annotated[form | UnsetType, meta], UNSET) for key, (form, meta) in optional.items()),
        ],
        namespace={"__doc__": role.question},
    )
