"""The wire format of binary logs: reading and writing, each field described once.

`layouts` is the table of what each event type holds; `reader`, `writer` and the spans of an `event` follow it.
What one field contains is described by a table of its own: `status_variables`, `table_metadata`, `transaction_payload`,
and for the values of rows `table`, `column_types` and `rows`.
"""
