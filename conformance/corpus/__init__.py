"""Very large corpora: the usual four steps (generate, ask, judge, count), divided into shards by Spark.

A corpus is the sequence of cases that a plan numbers from 0. A run judges the cases 0 to N-1 in waves; a wave is one
Spark job, and is part of the run once its results are verified and marked as committed. Workers reduce cases to
counts, which add up to the same sums in any order and however the cases were divided.
"""
