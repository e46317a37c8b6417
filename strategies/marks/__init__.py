"""Marks: which requirements the events of a stream exercise."""
