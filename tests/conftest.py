"""Parts shared by all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import cloudpickle
import pytest
import scipy.linalg  # noqa: F401  its libraries are there to be limited
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

# property tests draw the same examples every time, on any machine
settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # seconds say how busy the machine is
)
settings.load_profile("fixed")

# as an audit runs: on small matrices more than one thread costs time and saves none
threadpool_limits(limits=1)

# pytest rewrites the asserts of every package that is installed with a plugin, as these are: of a
# thousand modules, in 7 CPU seconds of every worker, and no test shows one of them
for hook in sys.meta_path:
    if hasattr(hook, "_must_rewrite"):
        hook._must_rewrite -= {"auditor", "reference", "proofs_checks"}
        hook._marked_for_rewrite_cache.clear()

SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text("utf-8").splitlines())
"""The functions and cases that take longest, as ``benchmarks/slow_tests.py`` measured them."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a slow test."""
    if not SLOW.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):
        item.add_marker(pytest.mark.slow)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Send worker processes the functions of a test, not its module, which loads slowly."""
    for module in {item.module for item in items if isinstance(item, pytest.Function)}:
        cloudpickle.register_pickle_by_value(module)
