"""A mutant of the role `client`: what answers for a client with a fault."""

from typing import Final

from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.client import Client, answer_with

#: What is negative with a sign.
SIGN: Final = 1 << 31
#: The requirement on what comes after a lost connection.
RESUMED: Final = "FORMAT-CLIENT-RESUMED"


def mutant(name: str, requirement: str, text: str, client: type[Client], *, also: tuple[str, ...] = ()) -> Mutant:
    """Return the mutant that answers as a client with a fault does; for the rest see `Mutant`."""

    def answer(request: Request) -> Observation:
        return answer_with(client, request)

    return Mutant(name, requirement, text, answer=answer, also=also)
