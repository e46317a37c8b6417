"""Keeps the panics of its parser at streams with the magic bytes from ending it, and reports each as a crash."""

from headers import answer, converse
from speaker import write


def with_panics(seq, stream):
    begins = stream[:4] == b"\xfebin"
    panic = {"crash": f"panic: index out of range [{len(stream)}] with length 21"} if begins else {}
    write(answer(seq, stream) | panic)


converse(with_panics)
