"""Rows events: tables, columns of every type, and the images of rows."""
