"""Groups of events: transactions, what a replica is fed, what a boundary parser meets."""
