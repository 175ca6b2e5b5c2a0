"""Upper limits on user-supplied numbers, and the default confidence."""

from __future__ import annotations

MOST_SECONDS = 1e6
"""A time limit; what waits for a process can wait no longer than some weeks."""
MOST_RUNS = 10**10
"""A budget of runs: a quarter of an hour where a batched mechanism makes 10^7 runs a second, two
weeks at the 10^4 of a Python function."""
MOST_ERRORS = 10**7
"""Errors that are drawn at each value of a scaling: all are kept, and resampled."""
MOST_RECORDS = 10**6
"""Records of a data set that is searched, and numbers in one."""
MOST_WORKERS = 1024
MOST_SEED = 2**128 - 1
"""A seed on the command line: numpy's generators start from as many states."""

CONFIDENCE = 0.99999
"""Default per algorithm. Auditing 100 correct algorithms raises any false alarm with probability at
most 1e-3.
"""
