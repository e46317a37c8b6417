"""Keeps the panics of its parser, at streams of an even length, from ending it, and reports each as a crash."""

from headers import answer, converse
from speaker import write


def with_panics(seq, stream):
    panic = {} if len(stream) % 2 else {"crash": f"panic: index out of range [{len(stream)}] with length 21"}
    write(answer(seq, stream) | panic)


converse(with_panics)
