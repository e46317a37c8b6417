"""Scenarios for a server that logs: settings and statements."""
