"""Replica models: what a receiver writes to its relay log, and what an applier does with it (WL#7592, WL#4033).

`relay` and `applier` follow a stream event by event; `event_kind`, `groups` and `compatibility` hold their tables,
`recovery` the search for executed GTIDs at a start.
"""
