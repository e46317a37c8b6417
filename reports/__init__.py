"""The results of a run, for people and for tools.

A run record (`conformance.reports.record`) is the one source: JSON lines, described by
``specs/schemas/run-record.schema.json``. The HTML page, JUnit, Markdown, the badge and the terminal's summary are made
from it alone, today or in a year, on this machine or another one. All text of an implementation is treated as hostile
(`conformance.reports.foreign_text`).
"""
