"""A replication source over the network, and the client's side of the same protocol.

`packets` has the framing, `messages` the packets by which a connection begins, `credentials` the checks of passwords,
`queries` what clients ask before they replicate, `dump_commands` how they ask for events; `source` has the logs and
answers such a command by the model of a sender, `session` is one connection, `listener` takes all of them, and `client`
is the other end.
"""
