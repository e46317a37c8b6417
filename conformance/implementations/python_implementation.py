"""An implementation in this process: Python code that is called directly.

It is fast, and a fuzzer sees which of its lines run, but its time and memory are not limited.
"""

import importlib
import json
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, Self

from conformance.implementations.process.process_implementation import CannotStart
from conformance.protocol.messages import ProtocolError, decode_answer, decode_declaration
from conformance.protocol.observation import PROTOCOL, Declaration, Observation, Request, Trouble

#: Characters of a traceback that are kept.
_TRACEBACK = 2000


class Target(Protocol):
    """A Python implementation: a module or an object with these two functions."""

    def declare(self) -> Mapping[str, Any]:
        """Return the declaration, as in the protocol."""

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request, as in the protocol, but with the stream as bytes."""


class PythonImplementation:
    """Asks Python code in this process.

    Args:
        target: ``package.module`` or ``package.module:object``; the current folder is searched first.

    Attributes:
        declaration: What it declared when it was started.
    """

    def __init__(self, target: str) -> None:
        self._path = target
        self._target: Target | None = None
        self._seq = 0
        self.declaration = Declaration("", "", "Python")

    @property
    def module(self) -> str:
        """Name of the module that holds it."""
        return self._path.partition(":")[0]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *unused: object) -> None:
        return None

    def start(self) -> Declaration:
        """Import it and return what it declares.

        Raises:
            CannotStart: There is no such module or object, or what it declares breaks the protocol.
        """
        name, _, attribute = self._path.partition(":")
        if "" not in sys.path:
            sys.path.insert(0, "")
        try:
            module: Any = importlib.import_module(name)
            self._target = getattr(module, attribute) if attribute else module
            assert self._target is not None, "a module or one of its attributes"
            self.declaration = decode_declaration(_line(self._target.declare()))
        except (Exception, SystemExit) as error:  # foreign code can raise anything
            raise CannotStart(f"python:{self._path} cannot start: {type(error).__name__}: {error}") from error
        return self.declaration

    def stop(self) -> None:
        """Do nothing: there is no process to stop."""

    def ask(self, request: Request) -> Observation | Trouble:
        """Return its answer; an exception is a crash."""
        assert self._target is not None, "ask after start"
        self._seq += 1
        message = {
            "cmd": request.role,
            "seq": self._seq,
            "profile": request.profile,
            "stream": request.stream,
            "settings": dict(request.settings),
        }
        try:
            answer = self._target.answer(message)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code can raise anything
            return Trouble("crash", type(error).__name__, traceback.format_exc()[-_TRACEBACK:])
        try:
            line = _line({"protocol": PROTOCOL, "seq": self._seq, **answer})
            return decode_answer(line, seq=self._seq, request=request, role=self.declaration.roles[request.role])
        except ProtocolError as error:
            return Trouble("protocol-error", error.signature, error.detail)
        except (TypeError, ValueError) as error:
            return Trouble("protocol-error", "no-json", str(error))

    def ask_many(self, requests: Iterable[Request], window: int = 1) -> Iterator[Observation | Trouble]:
        """Yield the answers to many requests, in their order."""
        for request in requests:
            yield self.ask(request)


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode("utf-8")
