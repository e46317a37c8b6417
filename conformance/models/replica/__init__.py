"""Models of a replica: the receiver, which writes relay logs, and the applier, which executes them (WL#7592, WL#4033).

`relay` and `applier` process a stream event by event; `event_kind`, `groups` and `compatibility` hold their tables,
`recovery` the search for executed GTIDs at a server's start.
"""
