"""The models of the worklogs: what must happen to a stream, a statement or a scenario, as tables."""
