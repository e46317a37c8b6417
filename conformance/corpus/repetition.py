"""Repetition: what a run does again and again in another thread while it waits for something."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


@contextmanager
def repeated(act: Callable[[], None], *, seconds: float, name: str) -> Iterator[None]:
    """Call a function every few seconds, for the first time after these seconds, until the block ends.

    Args:
        act: The function; an exception of it ends the repetition.
        seconds: Seconds between two calls.
        name: The name of the thread.
    """
    ended = Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            act()

    thread = Thread(target=repeat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
