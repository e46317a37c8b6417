"""What a run found, for people and for tools.

A run record (`conformance.reports.record`) is the one source: JSON lines, described by
``specs/schemas/run-record.schema.json``. From it alone follow the HTML page, JUnit, Markdown, the badge and the
terminal's summary, today or in a year, on this machine or another one. All text of an implementation is taken for
hostile (`conformance.reports.foreign_text`).
"""
