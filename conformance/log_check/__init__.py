"""Judging real logs: every requirement that the bytes of a log show by themselves, in one pass over its events.

Only the log itself is needed: no scenario and no expected observation. `log_checker` feeds the events of one file to
the rules, `log_chain` compares each file with the one before it, `judged_in_a_log` lists what is judged.
"""
