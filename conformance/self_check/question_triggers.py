"""The triggers of whole questions: the profile, checksums, the number of events, and of questions asked before."""

from typing import Final

from conformance.self_check.question_view import QuestionView
from conformance.self_check.trigger import ROLES_OF_EVENTS, Trigger
from conformance.specs.profiles import PROFILES, profile_named


def _profiles() -> list[Trigger]:
    return [
        Trigger(
            name=f"profile-{name}",
            text=f"under {name}",
            whole=lambda view, name=name: view.request.profile == name,  # type: ignore[misc]
            profiles=frozenset({name}),
        )
        for name in PROFILES
    ]


def _products() -> list[Trigger]:
    return [
        Trigger(
            name=f"product-{product}",
            text=f"under the profiles of {product}",
            whole=lambda view, product=product: _product(view) == product,  # type: ignore[misc]
            profiles=frozenset(name for name, each in PROFILES.items() if each.product == product),
        )
        for product in sorted({each.product for each in PROFILES.values()})
    ]


def _product(view: QuestionView) -> str:
    return profile_named(view.request.profile).product


def _has_checksums(view: QuestionView) -> bool:
    return any("crc32" in item.texts for item in view.items if item.code == 15)


QUESTION: Final = (
    *_profiles(),
    *_products(),
    Trigger(name="checksums", text="with checksums", roles=ROLES_OF_EVENTS, whole=_has_checksums),
    Trigger(
        name="no-checksums",
        text="without checksums",
        roles=ROLES_OF_EVENTS,
        whole=lambda view: not _has_checksums(view),
    ),
    Trigger(name="every-third", text="at every third question", whole=lambda view: view.number % 3 == 2),
    Trigger(name="error", text="where the right answer is an error", whole=lambda view: view.ends_in_error),
    Trigger(name="items-up-to-2", text="of one or two events or statements", whole=lambda view: len(view.items) <= 2),
    Trigger(
        name="items-above-3", text="of more than three events or statements", whole=lambda view: len(view.items) > 3
    ),
    Trigger(
        name="items-above-16", text="of more than 16 events or statements", whole=lambda view: len(view.items) > 16
    ),
    Trigger(
        name="items-above-64", text="of more than 64 events or statements", whole=lambda view: len(view.items) > 64
    ),
    Trigger(
        name="stream-from-2-16",
        text="of streams of 65,536 bytes and more",
        roles=tuple(role for role in ROLES_OF_EVENTS if role != "log"),
        whole=lambda view: len(view.request.stream) >= 1 << 16,
    ),
)
