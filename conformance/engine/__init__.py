"""The engine: takes cases and emits verdicts, as typed events that reports listen to.

`certify`, `replay` and the pytest suite feed it; none of them has its own rules of judgement.
"""
