"""The listener of this process, which serves the question that an implementation in the role `client` is asked."""

import os
from dataclasses import replace
from functools import cache
from typing import Final

from conformance.protocol.observation import Request
from conformance.wire.listener import Listener
from conformance.wire.question_source import source_of_question
from conformance.wire.session import Access

USER: Final = "kit"
PASSWORD: Final = "secret"
#: The setting of a question that is about the source, and so not for the client.
_OF_SOURCE: Final = "source"


@cache
def _listener(process: int) -> Listener:
    # A process that was forked off has none of the threads of the one before it.
    return Listener(access=Access(password=PASSWORD)).__enter__()


def begin(request: Request) -> tuple[Request, int]:
    """Serve the stream of a question; return the question as the client gets it, and the port.

    Args:
        request: The question.

    Raises:
        BinlogError: The stream is not a log.
        OSError: No port is left.
    """
    listener = _listener(os.getpid())
    source = replace(source_of_question(request.profile, request.stream, request.settings), ends=True)
    port = listener.serve(source)
    place = {"host": listener.host, "port": port, "user": USER, "password": PASSWORD}
    asks = {name: value for name, value in request.settings.items() if name != _OF_SOURCE}
    return replace(request, stream=b"", settings={**place, **asks}), port


def end(port: int) -> int:
    """Serve a question no longer; return how many dumps have had an event of a log to send."""
    return _listener(os.getpid()).end(port)
