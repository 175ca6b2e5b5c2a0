"""Records that the tests of precision matrices share."""

import numpy as np
import pytest


@pytest.fixture
def data():
    """Return records of the unit ball whose first two entries are correlated."""
    rng = np.random.default_rng(0)
    records = rng.standard_normal((200, 4))
    records[:, 0] += records[:, 1]
    return records / np.linalg.norm(records, axis=1).max()
