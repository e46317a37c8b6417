"""The examples at the end of each command's help."""


def examples(*lines: str) -> str:
    """Return the end of a command's help: examples, each the arguments of a command line that works as printed."""
    # \b keeps Click from filling the lines.
    return "\n".join(["\b", "Examples:", *(f"  binlog-conformance {line}" for line in lines)])
