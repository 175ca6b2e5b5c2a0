"""Arguments that are each legal and do not go together."""

import numpy as np
import pytest

from reference.constraint_sets import SparseVectors
from reference.pairwise.losses import AUC

STRONGLY_CONVEX = ["diss-3.3.9", "diss-3.3.12", "diss-3.3.14"]
CONVEX = ["diss-3.3.10", "diss-3.3.13", "diss-3.3.15"]


@pytest.mark.parametrize("identifier", STRONGLY_CONVEX + CONVEX)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"constraint": SparseVectors(2)}, "constraint must be convex"),
        ({"initial": 2 * np.ones(2)}, "initial must lie in the constraint set"),
        ({"data": np.zeros((1, 2))}, "data must have more than T_1"),
    ],
)
def test_what_does_not_go_together_is_refused(identifier, change, message, refusal):
    assert message in refusal(identifier, change)


@pytest.mark.parametrize("identifier", STRONGLY_CONVEX)
def test_a_loss_that_is_only_convex_needs_the_other_form(identifier, refusal):
    data = np.eye(2), np.ones(2)
    assert "loss must be strongly convex" in refusal(identifier, {"loss": AUC(), "data": data})
