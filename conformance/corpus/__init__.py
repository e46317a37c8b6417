"""Very large corpora: the same four steps as everywhere - generate, ask, judge, count - sharded by Spark.

A corpus is the sequence of cases that a plan numbers from 0. A run judges the cases 0 to N-1 in waves; a wave is one
Spark job, and counts once its results are verified and marked as committed. What the workers keep of a case are
counts, which add up to the same sums in whatever order and however the cases were divided.
"""
