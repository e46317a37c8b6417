"""The kit as a test suite: ``pytest --pyargs conformance.suite --binlog-implementation=...``.

One test for each requirement of the role; the engine runs once, for the first of them.
"""
