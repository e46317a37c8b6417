"""Groups of events: transactions, and those for replicas and for boundary parsers."""
