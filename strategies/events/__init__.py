"""One production for each event type."""
