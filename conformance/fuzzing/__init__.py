"""Fuzzing: look for failures until the time is up, and keep the cases that reached something new."""
