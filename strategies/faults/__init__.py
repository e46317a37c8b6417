"""Families of faults: each makes a valid stream invalid in one known way, at one known event."""
