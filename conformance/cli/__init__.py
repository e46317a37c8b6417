"""The command line: one module for each command."""

from conformance.cli.main import main

__all__ = ["main"]
