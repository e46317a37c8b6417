"""The wire format of binary logs: reading and writing, a field described once.

`layouts` is the table of what each event type holds; `reader` and `writer` follow it.
"""
