"""A real server as an implementation, asked in this process: what the server does becomes an answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Self

import pymysql

from conformance.protocol.observation import Declaration, Observation, Request, RoleDeclaration, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.servers.real_server import ServerFailed
from conformance.specs.versions import Profiles

#: The number that a client gives the loss of its connection, which a silent server is too.
_LOST: Final = 2013


class CannotAnswer(Exception):
    """A question that a server cannot be asked; the text is the reason."""


class ServerImplementation(ABC):
    """What every real server has in common as an implementation.

    Attributes:
        declaration: What it declares: the roles of its answers, under the profile of its own release.
    """

    def __init__(self) -> None:
        self.declaration = Declaration("", "", "C++")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    @abstractmethod
    def start(self) -> Declaration:
        """Check that the server can be judged, and return what it declares.

        Raises:
            CannotStart: It cannot be judged; the message has every reason.
        """

    @abstractmethod
    def stop(self) -> None:
        """Remove what was made, and end what was started."""

    @abstractmethod
    def announcement(self) -> Sequence[str]:
        """Return what will be done to the server, line by line; nothing is changed there yet.

        Raises:
            CannotStart: It cannot be judged; the message has every reason.
        """

    @abstractmethod
    def answer(self, request: Request) -> Observation:
        """Return the answer to a question.

        Raises:
            CannotAnswer: The server cannot be asked this.
            ServerFailed: The server ended.
            pymysql.err.Error: The server is gone, does not answer in time, or refuses what must work.
        """

    @abstractmethod
    def recover(self) -> None:
        """Do what makes the server usable again after trouble."""

    def ask(self, request: Request) -> Observation | Trouble:
        """Return the answer to one request; a server that ends is a crash, a silent one a hang."""
        try:
            return self.answer(request)
        except CannotAnswer as reason:
            return Trouble("unsupported", "declined", str(reason))
        except ServerFailed as failure:
            trouble = Trouble("crash", "server-ended", str(failure))
        except TimeoutError as error:
            trouble = Trouble("hang", "no-answer", str(error))
        except pymysql.err.Error as error:
            trouble = _trouble(error)
        self.recover()
        return trouble

    def ask_many(self, requests: Iterable[Request], window: int = 1) -> Iterator[Observation | Trouble]:
        """Yield the answers to many requests, in their order."""
        for request in requests:
            yield self.ask(request)


def declared(name: str, fields: Iterable[str], profile: str, *abilities: str) -> RoleDeclaration:
    """Return what a server declares for a role: fields, and abilities, under its own release alone."""
    role = role_of(name)
    # Streams are read by the kit itself, which sees every field.
    reported = role.fields if role.answers_streams else fields
    return RoleDeclaration(frozenset(reported), frozenset(abilities), Profiles.claimed(profile))


def _trouble(error: pymysql.err.Error) -> Trouble:
    code = error.args[0] if error.args else 0
    if code == _LOST and "timed out" in str(error):
        return Trouble("hang", "no-answer", str(error))
    return Trouble("crash", f"server-error-{code}", str(error))
