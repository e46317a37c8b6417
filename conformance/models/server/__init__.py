"""The model of a server that logs: it turns a scenario into binary logs.

A scenario is settings and statements; the model plans the events that a server of the profile logs for them, and
frames them. Nothing is parsed: each statement is a typed value.
"""
