"""`python -m conformance` is `binlog-conformance`."""

from conformance.cli.main import main

main()
