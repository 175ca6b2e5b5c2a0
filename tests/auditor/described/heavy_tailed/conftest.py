"""Parts shared by the tests of these cases."""

import pytest

from auditor.core.context import Context


@pytest.fixture
def context():
    """Return a context of fixed seed, as for one of 60 tests."""
    return Context(tests=60)
