"""Reports a wrong length."""

from speaker import converse, honest, say


def lie(seq, stream):
    answer = honest(seq, stream)
    answer["events"][0]["length"] += 1
    say(answer)


converse(lie)
