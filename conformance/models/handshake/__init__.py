"""The model of the handshake: what a replica announces to its source, which of the two refuses, what is then replaced.

`announcement` has what replicas announce by version, `refusal` the errors with which a connection ends before an event
is sent, `replacement` the events that a MariaDB source sends in the place of its own. It begins after authentication.
"""
