"""Reports a wrong length."""

from speaker import converse, honest, write


def lie(seq, stream):
    answer = honest(seq, stream)
    answer["events"][0]["length"] += 1
    write(answer)


converse(lie)
