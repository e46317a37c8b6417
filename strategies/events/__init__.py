"""Productions of planned events, one for each event type."""
