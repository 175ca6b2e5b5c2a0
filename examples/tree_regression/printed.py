"""A version of tree-aggregated regression that one could write, and that does not hold."""

from __future__ import annotations

import math
from typing import Any

from auditor import Erratum, PrintedForm
from reference.privacy.calibration import smallest_gaussian_scale
from tree_regression.algorithm import Constants, Learned, tree_regression


def printed(
    data: Any, *, clipping_threshold: float, epsilon: float, delta: float, **options: Any
) -> Learned:
    """Noise for ceil(log2 n) nodes on a path: of a tree with n leaves, its height."""
    nodes = math.ceil(math.log2(len(data[1])))
    sensitivity = 2 * clipping_threshold
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity * math.sqrt(nodes))
    return tree_regression(
        data,
        clipping_threshold=clipping_threshold,
        epsilon=epsilon,
        delta=delta,
        constants=Constants(sensitivity, scale),
        **options,
    )


ERRATA = (
    Erratum(
        name="tree-regression/E1",
        severity="S2",
        kind="accounting",
        origin="mathematical",
        statement="a record is in ceil(log2 n) nodes of the tree (its height, as one could count "
        "them; not a statement of the paper)",
        truth="a path of height h has h + 1 nodes: floor(log2 n) + 1 in all. Both are the same but "
        "where n is a power of two, when noise is too small by sqrt(1 + 1/log2 n)",
        witness="n = 2: two nodes hold the first record, noise is for one: with (1, 1e-2) claimed, "
        "delta(1) is 0.0507",
        reproduced_by="audit:printed/accounting",
    ),
)

FORMS = (PrintedForm("printed", errata=("tree-regression/E1",), function=printed),)
