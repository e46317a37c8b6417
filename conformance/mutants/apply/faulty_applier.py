"""The answers of appliers with one fault."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.servers import server_of
from conformance.models.replica.applier import Applier
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.protocol.observation import Observation, Request
from conformance.reference.apply import answer_with

#: From here on a number of 32 bits is negative if it has a sign.
NEGATIVE: Final = 1 << 31


def of(applier: Callable[[ReplicaSettings], Applier]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty applier."""
    return lambda request: answer_with(applier, request)


def reading_on(applier: Callable[[ReplicaSettings], Applier]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty applier whose reader refuses no type."""

    def answer(request: Request) -> Observation:
        return answer_with(applier, request, replace(server_of(request.profile).rules, passes_unknown=True))

    return answer
