"""The engine: cases in, verdicts out, as typed events that reports listen to.

`certify`, `replay` and the pytest suite are ways to feed it; none judges by rules of its own.
"""
