"""The families of relay logs with an event that cannot be read, each with the requirement on the fault."""

APPLIED = {
    "wrong_lengths_in_relay_logs": "FORMAT-APPLY-LENGTH-WRONG",
    "truncated_relay_logs": "FORMAT-APPLY-TRUNCATED",
    "wrong_checksums_in_relay_logs": "FORMAT-APPLY-CHECKSUM-WRONG",
    "malformed_bodies_in_relay_logs": "FORMAT-APPLY-BODY-MALFORMED",
}
