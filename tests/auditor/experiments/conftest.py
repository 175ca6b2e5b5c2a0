"""One thread for linear algebra, as experiments run: on small matrices more only cost time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Limit the libraries of linear algebra to one thread each."""
    with threadpool_limits(limits=1):
        yield
