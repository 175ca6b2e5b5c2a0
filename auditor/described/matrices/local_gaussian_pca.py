"""Local Gaussian PCA (diss-6.1.46): audit and settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.second_moments import (
    GUESSING,
    axes,
    block_sphere,
    mean_of_messages,
    with_message_box,
)
from auditor.described.data.small_matrices import SPREAD, TWO
from reference._validation import FloatArray
from reference.errata.matrices import local_gaussian_pca as errata
from reference.matrices import local_gaussian_pca as algorithm
from reference.matrices.local_gaussian_pca import (
    Constants,
    constants_for,
    constants_for_diagonal,
    constants_for_scaled,
    local_gaussian_pca,
    randomize_second_moments,
)
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}


def _form(function: Any = local_gaussian_pca, *, length: float = 1.0, **options: Any) -> Form:
    return form(
        function,
        axes(length=length),
        n_components=1,
        model=Model.LOCAL,
        domain=Everything((2,)),
        **options,
    )


def _right(constants: Constants | None = None) -> Form:
    def messages(data: Data, ledger: Ledger) -> FloatArray:
        return randomize_second_moments(data, constants=constants, ledger=ledger, **RIGHT)

    return with_message_box(_form(constants=constants, **RIGHT), messages)


def unclipped(
    data: Data, *, epsilon: float, delta: float, n_components: int, ledger: Ledger
) -> FloatArray:
    """Run the algorithm on records of any norm."""
    noise, moments = constants_for(epsilon=epsilon, delta=delta), data[:, :, None] * data[:, None]
    messages = ledger.symmetric_gaussian(
        moments, sensitivity=noise.sensitivity, scale=noise.noise_scale, unit="record"
    )
    return principal_subspace(messages.mean(axis=0), n_components)


def _error(data: FloatArray, k: int, noise: Constants, ledger: Ledger) -> float:
    """||sin Theta||_F^2 of one run."""
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
            "corrected-scaled": _right(constants_for_scaled(**RIGHT)),
            "corrected-diagonal": _right(constants_for_diagonal(**RIGHT)),
            # the accountant, told sensitivity 1, finds delta(4) = .0021 < .01; it is .0475
            "printed": _form(
                errata.printed,
                epsilon=4.0,
                delta=1e-2,
                no_black_box=GUESSING,
                violates={"sensitivity": "diss-6.1.46/E1", "privacy_loss": "diss-6.1.46/E1"},
            ),
            # "any epsilon": the classical constant fails even with sensitivity 1
            "printed-epsilon-10": _form(
                errata.printed,
                epsilon=10.0,
                delta=1e-2,
                no_black_box=GUESSING,
                violates={
                    "accounting": "diss-6.1.46/E1",
                    "sensitivity": "diss-6.1.46/E1",
                    "privacy_loss": "diss-6.1.46/E1",
                },
            ),
        },
        scaling=(
            along("n", sizes, -1.0, error=_against_n, repetitions=12, claim=theorem, dear=True),
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
"""A scale that doubles show beside numbers of the size of 1, so that equal eigenvalues stay so."""


def settings() -> tuple[Setting, ...]:
    """Local Gaussian PCA."""
    return (
        Setting(
            "by-hand",
            "Two users, one of whose records is scaled to norm 1, and the first eigenvector of the "
            "mean of their noisy matrices, with its largest entry positive.",
            {
                "data": TWO,
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_components": 1,
                "constants": algorithm.Constants(1.5, 0.5),
            },
        ),
        Setting(
            "middle",
            "Two of four directions; some records are longer than 1.",
            {"data": SPREAD, "epsilon": 4.0, "delta": 1e-3, "n_components": 2},
            seed=2,
        ),
        Setting(
            "diagonal-variance",
            "Twice the variance on the diagonal, and all directions but one.",
            {
                "data": SPREAD[:10, :3],
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_components": 2,
                "constants": algorithm.constants_for_diagonal(epsilon=1.0, delta=1e-2),
            },
            seed=3,
        ),
        Setting(
            "equal-eigenvalues",
            "Next to no noise, and eigenvalues that are equal two by two: of an eigenspace the "
            "basis begins with the projection of the first unit vector that is nearest to it.",
            {
                "data": AXES,
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_components": 3,
                "constants": algorithm.Constants(1.5, NO_NOISE),
            },
        ),
    )


CASES = {"diss-6.1.46": local_pca}
SETTINGS = {"diss-6.1.46": settings}
