"""Local Gaussian PCA (diss-6.1.46): audit and settings."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from auditor import Case, Data, Setting, along
from auditor.described.data.calls import arguments_of
from auditor.described.data.second_moments import (
    RIGHT,
    block_sphere,
    form_of_messages,
    local_form,
    mean_of_messages,
    off_by_root_2,
    uncut_messages,
)
from auditor.described.data.small_matrices import SPREAD, TWO
from reference._validation import FloatArray
from reference.errata.matrices import local_gaussian_pca as errata
from reference.matrices.local_gaussian_pca import (
    Constants,
    constants_for,
    constants_for_diagonal,
    constants_for_scaled,
    local_gaussian_pca,
)
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.ledger import Ledger

_form = partial(local_form, n_components=1)
_right = partial(form_of_messages, local_gaussian_pca, n_components=1)


def unclipped(
    data: Data, *, epsilon: float, delta: float, n_components: int, ledger: Ledger
) -> FloatArray:
    """Run the algorithm on records of any norm."""
    noise = constants_for(epsilon=epsilon, delta=delta)
    return principal_subspace(uncut_messages(data, noise, ledger), n_components)


def _error(data: FloatArray, k: int, noise: Constants, ledger: Ledger) -> float:
    """Return ||sin Theta||_F^2 of one run."""
    noisy = mean_of_messages(data, noise, ledger)
    truth = np.eye(data.shape[1])[:, :k]
    return sin_theta_squared(truth, principal_subspace(noisy, k))


def _against_n(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    data = block_sphere(int(n), 10, 2, rng)
    return _error(data, 2, constants_for(epsilon=4.0, delta=1e-5), ledger)


def _against_shrinkage(rng: np.random.Generator, ledger: Ledger, factor: float) -> float:
    data = block_sphere(20_000, 6, 1, rng) / math.sqrt(factor)
    noise = errata.printed_constants(data, epsilon=1.0, delta=1e-5, n_components=1)
    return _error(data, 1, noise, ledger)


def local_pca() -> Case:
    """Local Gaussian PCA: a matrix per record, a sensitivity off by sqrt 2."""
    theorem = "Theorem 6.1.2 (corrected): ||sin Theta||_F^2 = O(1/n)"
    sizes = (2e4, 4e4, 8e4, 1.6e5)
    return Case(
        id="diss-6.1.46",
        forms={
            "corrected": _right(),
            "corrected-scaled": _right(constants=constants_for_scaled(**RIGHT)),
            "corrected-diagonal": _right(constants=constants_for_diagonal(**RIGHT)),
            **off_by_root_2(_form, errata.printed, "diss-6.1.46/E1"),
        },
        scaling=(
            along(
                "n", sizes, -1.0, error=_against_n, repetitions=12, claim=theorem, expensive=True
            ),
            along(
                "factor",
                tuple(4.0 ** (k / 3) for k in range(4)),
                0.0,
                name="1/c, records multiplied by sqrt c",
                error=_against_shrinkage,
                repetitions=10,
                claim="(6.2): lambda_1^2 k p log(1/delta)/((lambda_k - lambda_{k+1})^2 n "
                "epsilon^2), the same for every c",
                erratum="diss-6.1.46/E2",
                form="printed",
            ),
        ),
        mutants={
            "clipping dropped": _form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


AXES = np.repeat(np.eye(4), [3, 3, 1, 1], axis=0)
"""Unit vectors, so that eigenvalues of their second moment are equal, two by two."""


NO_NOISE = 1e-12
"""A scale that doubles of size 1 resolve, so that equal eigenvalues stay equal."""


def settings() -> tuple[Setting, ...]:
    """Local Gaussian PCA."""
    run = partial(arguments_of, local_gaussian_pca)
    by_hand, exact = Constants(1.5, 0.5), Constants(1.5, NO_NOISE)
    small = {"epsilon": 1.0, "delta": 1e-5}
    diagonal = {**RIGHT, "n_components": 2, "constants": constants_for_diagonal(**RIGHT)}
    return (
        Setting(
            "by-hand",
            "Two users, one of whose records is scaled to norm 1, and the first eigenvector of the "
            "mean of their noisy matrices, with its largest entry positive.",
            run(TWO, n_components=1, constants=by_hand, **small),
        ),
        Setting(
            "middle",
            "Two of four directions; some records are longer than 1.",
            run(SPREAD, epsilon=4.0, delta=1e-3, n_components=2),
            seed=2,
        ),
        Setting(
            "diagonal-variance",
            "Twice the variance on the diagonal, and all directions but one.",
            run(SPREAD[:10, :3], **diagonal),
            seed=3,
        ),
        Setting(
            "equal-eigenvalues",
            "Next to no noise, and eigenvalues that are equal two by two: of an eigenspace the "
            "basis begins with the projection of the first unit vector that is nearest to it.",
            run(AXES, n_components=3, constants=exact, **small),
        ),
    )


CASES = {"diss-6.1.46": local_pca}
SETTINGS = {"diss-6.1.46": settings}
LEFT_OUT = {"diss-6.1.46": {"loop": "over users, who are axis 0"}}
