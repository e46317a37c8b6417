"""The grammar: choosers, families, streams, cases, and the shrinking of cases."""
