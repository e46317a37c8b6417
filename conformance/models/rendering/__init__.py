"""Printing logs: the text of mysqlbinlog, version by version, and the rows of ``SHOW BINLOG EVENTS``."""
