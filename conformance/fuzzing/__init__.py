"""Fuzzing: looking for failures until the time is up, led by what was reached, and keeping what led somewhere."""
