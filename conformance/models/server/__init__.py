"""The model of a server that logs: a scenario in, its binary logs out.

A scenario is settings and statements; the model plans the events that a server of the profile logs for them, and
frames them. Nothing is parsed: each statement is a value that says what it is.
"""
