"""The start of Spark's Java, which an interruption may not leave half done."""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

from pyspark import SparkConf, SparkContext

from conformance.engine.ending_signals import ENDING


def start_java(settings: Mapping[str, str]) -> None:
    """Start Spark's Java, unless this process has it already; an interruption waits until it has started.

    PySpark removes the folder for Java's address if it is interrupted before. Java then neither ends
    nor reads its input, whose end would end it.

    Args:
        settings: Spark settings, of which some are options of Java.

    Raises:
        pyspark.errors.PySparkException: Java does not start.
    """
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    with _interruptions_kept():
        SparkContext._ensure_initialized(conf=conf)


@contextmanager
def _interruptions_kept() -> Iterator[None]:
    """Keep a signal that ends the command, and give it to its handler at the end; a second one ends it at once."""
    signals = ENDING if threading.current_thread() is threading.main_thread() else ()
    handlers = {each: signal.getsignal(each) for each in signals if callable(signal.getsignal(each))}
    kept: list[int] = []

    def keep(number: int, frame: FrameType | None) -> None:
        kept.append(number)
        for each in handlers:
            # A closing terminal sends it twice.
            signal.signal(each, signal.SIG_IGN if each.name == "SIGHUP" else signal.SIG_DFL)

    try:
        for each in handlers:
            signal.signal(each, keep)
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        if kept:
            signal.raise_signal(kept[0])
