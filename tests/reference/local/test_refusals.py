"""Arguments that are each legal, or have a limit of their own, and do not go together."""

import math
import re

import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.local import bernstein_mechanism, label_noise, selected_noise_bernstein_mechanism
from reference.local.links import Link

ROUGH = Link("rough", np.exp, np.exp, np.exp, math.inf, False)
WIDE = {"data": np.zeros((1, 60)), "queries": np.eye(60), "k": 9}
FEW = {"public_noise": None, "partition": None}
EVERY_INTEGER = "partition must hold every integer from 0 to 1"
OTHER_CONSTANTS = label_noise.Constants(1.0, 1.0)
DEGREE = bernstein_mechanism.Constants(20_000, 1.0)
SELECTION = selected_noise_bernstein_mechanism.Constants

REFUSED = {
    "diss-5.1-LDPAVGvec": [
        ({"data": np.zeros((2, 3)), "partition": None}, "data must have a record for each of 3"),
        ({"partition": [0, 0]}, EVERY_INTEGER),
        ({"partition": [0, 2]}, EVERY_INTEGER),
        ({"partition": [0, 0.5]}, EVERY_INTEGER),
        ({"partition": [0, 1, 0]}, "partition must have shape"),
        ({"upper": -1.0}, "upper must be a finite number > 0"),
    ],
    "diss-5.1.30": [
        ({"upper": 0.0}, "upper must be a finite number > 0"),
        ({"upper": math.inf}, "upper must be a finite number > 0"),
    ],
    "diss-5.1.31": [({"constants": DEGREE}, "must make constants.degree at most 2000")],
    "diss-5.1.32": [
        ({"data": [[0.5]], **FEW}, "data must have a record for each of 2 parts"),
        ({"public_noise": [1.0]}, "public_noise must have shape"),
        ({"public_noise": [1.0, math.inf]}, "public_noise must be finite"),
        ({"partition": [1, 1]}, EVERY_INTEGER),
    ],
    "diss-5.1.33": [
        ({"constraint": L2Ball(1.5)}, "constraint must be within the unit ball"),
        ({"smoothing": 1.5}, "smoothing must be <= 1"),
        ({"degree": 101}, "degree must be an integer >= 1 and <= 100"),
        ({"degree": 90, "epsilon": 0.1}, "degree must be smaller"),
    ],
    "diss-5.1.34": [({"constraint": L2Ball(1.5)}, "constraint must be within the unit ball")],
    "diss-5.1.35": [
        ({"data": [[0, 2, 0]]}, "data must contain only 0 and 1"),
        ({"queries": [[1, 1, 1]]}, "queries must have 3 columns and at most k=2"),
        ({"queries": [[1]]}, "queries must have 3 columns"),
        ({"k": 4}, "k must be an integer >= 1 and <= 3"),
        ({"accuracy": 1.0}, r"accuracy must be in \(0, 1\)"),
        (WIDE, "accuracy and k must ask for at most"),
    ],
    "diss-5.1.36": [
        ({"n_degrees": 257}, "n_degrees must be an integer >= 1 and <= 256"),
        ({"n_degrees": 200, "data": np.zeros((2, 3))}, r"n_degrees \*\* 3 must be at most 1000000"),
    ],
    "diss-5.1.37": [
        ({"public_noise": np.zeros((2, 3))}, "public_noise must have shape"),
        ({"partition": [0] * 21}, EVERY_INTEGER),
        ({"constants": SELECTION(1, 2.5, 0.25)}, "constants.n_candidates must be"),
        ({"constants": SELECTION(1, 10, 0.7)}, "constants.base_epsilon must be < ln 2"),
    ],
    **{
        identifier: [
            ({"public_features": np.zeros((2, 3))}, "public_features must have 2 columns, got sha"),
            ({"public_features": np.zeros((0, 2))}, "public_features must not be empty"),
            ({"link": ROUGH}, "finite growth"),
            ({"data": (np.zeros((2, 2)), np.zeros(1))}, "labels must be one per row, got 1 for 2"),
        ]
        for identifier in ("diss-5.2.39", "diss-5.2.40")
    },
    **{
        identifier: [({"sparsity": 4}, "sparsity must be"), ({"n_iterations": 5}, "n_iterations")]
        for identifier in ("diss-5.3.41", "diss-5.3.44")
    },
    "diss-5.3.42": [({"sparsity": 4}, "sparsity must be")],
    **{
        identifier: [
            ({"sparsity": 4}, "sparsity must be"),
            ({"constants": OTHER_CONSTANTS}, f"constants must be a reference.local.{module}"),
        ]
        for identifier, module in (
            ("diss-5.3.45", "nonlinear_label_hard_thresholding"),
            ("diss-5.3.lasso", "label_lasso"),
        )
    },
}


@pytest.mark.parametrize(
    ("identifier", "change", "message"),
    [(identifier, *row) for identifier, rows in REFUSED.items() for row in rows],
)
def test_what_does_not_go_together_is_refused(identifier, change, message, refusal):
    assert re.search(message, refusal(identifier, change))
