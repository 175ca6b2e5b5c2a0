"""The experiments of Wang (2020), section 6.2: sparse covariance matrices, central and local.

The paper's records are N(0, U) with norms far above 1. Cut to norm 1, as privacy needs, they leave
no entry above the threshold; beside them is what is found without the cut, which is not private,
and records of norm 1 whose covariance is one small block. The server of the local model reads
nothing but the mean of the messages, which is drawn at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.described.data.sparse_covariances import block, block_signs, sparse_gaussian
from auditor.described.matrices.local_covariance_thresholding import of_the_mean
from auditor.experiments.experiment import (
    Condition,
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    ends_below,
    falls,
)
from auditor.experiments.matrices_pca import near
from reference._validation import FloatArray
from reference.matrices.covariance_thresholding import constants_for
from reference.matrices.second_moments import second_moment
from reference.matrices.sparse_covariance import Constants, sparse_covariance
from reference.privacy.ledger import Ledger

FAMILY = "matrices"
NOT_CUT = "not cut, not private"
ZERO = "zero matrix"

Norm = Callable[[FloatArray], float]


def spectral(matrix: FloatArray) -> float:
    """Return the largest singular value."""
    return float(np.linalg.norm(matrix, 2))


def largest_column(matrix: FloatArray) -> float:
    """Return the operator norm from l1 to l1, the largest sum of moduli of a column."""
    return float(np.linalg.norm(matrix, 1))


def central(n: int, p: int, epsilon: float) -> Constants:
    """Return the noise and the threshold of Algorithm 6.2.48, delta = 1/n."""
    return constants_for(n=n, dimension=p, epsilon=epsilon, delta=1 / n)


def local(n: int, p: int, epsilon: float) -> Constants:
    """Return those of Algorithm 6.2.49, for the mean of the messages, delta = 1/n."""
    return of_the_mean(n, p, epsilon, delta=1 / n)


Calibrate = Callable[[int, int, float], Constants]


@dataclass(frozen=True)
class CovarianceCurve:
    """Parameters of one curve; ``sparsity`` is the share of U that is not 0, or s of a block."""

    p: int = 100
    sparsity: float = 0.2
    epsilon: float = 1.0


def relative_error(
    moment: FloatArray,
    covariance: FloatArray,
    *,
    constants: Constants,
    norm: Norm,
    ledger: Ledger,
) -> float:
    """Return ||Sigma^+ - U||/||U|| of a noisy second moment, thresholded and projected."""
    noisy = ledger.symmetric_gaussian(
        moment,
        sensitivity=constants.sensitivity,
        scale=constants.noise_scale,
        diagonal_variance=constants.diagonal_variance,
    )
    found = sparse_covariance(noisy, constants.threshold).positive
    return norm(found - covariance) / norm(covariance)


def gaussian(covariance: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw n records of N(0, covariance)."""
    root = np.linalg.cholesky(covariance)
    records: FloatArray = rng.standard_normal((n, len(covariance))) @ root.T
    return records


PopulationMoments = tuple[FloatArray, FloatArray]


def moments(records: FloatArray) -> PopulationMoments:
    """Return the second moment of the records cut to norm 1, and of the records themselves."""
    whole = records.T @ records / len(records)
    return second_moment(records), (whole + whole.T) / 2


def printed_errors(
    calibrate: Calibrate,
    norm: Norm,
    curves: dict[str, CovarianceCurve],
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> Errors:
    """Return the errors over n on the paper's data, rows cut to norm 1, and those without a cut.

    Without a cut the noise is that for records of norm 1: it does not make them private. Curves of
    one p and sr have the same records.
    """
    drawn: dict[tuple[int, float], tuple[FloatArray, list[PopulationMoments]]] = {}
    found: dict[str, FloatArray] = {}
    for label, setting in curves.items():
        law = setting.p, setting.sparsity
        if law not in drawn:
            covariance = sparse_gaussian(rng, *law)
            records = gaussian(covariance, max(sizes), rng)
            drawn[law] = covariance, [moments(records[:n]) for n in sizes]
        covariance, of_sizes = drawn[law]
        errors: dict[str, list[float]] = {label: [], f"{label}, {NOT_CUT}": []}
        for n, both in zip(sizes, of_sizes, strict=True):
            constants = calibrate(n, setting.p, setting.epsilon)
            for own, moment in zip(errors.values(), both, strict=True):
                error = relative_error(
                    moment, covariance, constants=constants, norm=norm, ledger=Ledger(rng)
                )
                own.append(error)
        found |= {name: np.array(values) for name, values in errors.items()}
    return {**found, ZERO: np.ones(len(sizes))}


def block_errors(
    calibrate: Calibrate,
    norm: Norm,
    curves: dict[str, CovarianceCurve],
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> Errors:
    """Return the errors over n where the covariance is one block of s + 1 equal entries.

    A record is a random sign times one vector: two of them have the second moment of n.
    """
    found = {}
    for label, setting in curves.items():
        s = int(setting.sparsity)
        covariance = block(setting.p, s, 1 / (s + 1))
        moment = second_moment(block_signs(rng, 2, covariance))
        errors = [
            relative_error(
                moment,
                covariance,
                constants=calibrate(n, setting.p, setting.epsilon),
                norm=norm,
                ledger=Ledger(rng),
            )
            for n in sizes
        ]
        found[label] = np.array(errors)
    return {**found, ZERO: np.ones(len(sizes))}


MeasureCovariances = Callable[
    [Calibrate, Norm, dict[str, CovarianceCurve], Sequence[int], np.random.Generator], Errors
]
CovarianceViews = dict[str, tuple[str, str, CovarianceCurve, tuple[float, ...]]]
"""Panels of a figure: name of what varies -> (field, title, the other parameters, values)."""

PRINTED_VIEWS: CovarianceViews = {
    "sr": ("sparsity", "p = 100, epsilon = 1", CovarianceCurve(), (0.1, 0.2, 0.5)),
    "p": ("p", "sr = 0.2, epsilon = 1", CovarianceCurve(), (50, 100, 200)),
    "epsilon": ("epsilon", "p = 200, sr = 0.2", CovarianceCurve(p=200), (0.1, 1.0, 2.0)),
}
BLOCK = CovarianceCurve(p=100, sparsity=4)
BLOCK_VIEWS: CovarianceViews = {
    "s": ("sparsity", "p = 100, epsilon = 1", BLOCK, (2, 4, 8)),
    "p": ("p", "s = 4, epsilon = 1", BLOCK, (50, 100, 200)),
    "epsilon": ("epsilon", "p = 100, s = 4", BLOCK, (0.5, 1.0, 2.0)),
}


def panels(
    measure: MeasureCovariances,
    views: CovarianceViews,
    sizes: Sequence[int],
    calibrate: Calibrate,
    norm: Norm,
    tier: Tier,
) -> list[Panel]:
    """Return a panel for every parameter, a curve for each of its values, n along them."""
    del tier
    drawn = []
    for name, (field, title, base, values) in views.items():
        curves = {label(name, value): replace(base, **_field(field, value)) for value in values}
        trial = partial(measure, calibrate, norm, curves, sizes)
        drawn.append(Panel(title, "n", sizes, trial, "relative error", True))
    return drawn


def label(name: str, value: float) -> str:
    """Return the label of a curve."""
    return f"{name} = {value:g}"


def _field(field: str, value: float) -> dict[str, Any]:
    return {field: int(value) if field == "p" else value}


def trends(views: CovarianceViews, suffix: str = "", erratum: str = "") -> tuple[Trend, ...]:
    """Return what the text reads from Figures 6.5 to 6.8 (l.8235-8239).

    It says that the error grows with epsilon, "which means more private": the reverse of what
    epsilon means, so that the error is expected to fall.
    """
    sparsity, *_ = views
    ends = {name: [label(name, v) for v in view[3]] for name, view in views.items()}
    few, many = ends[sparsity][0] + suffix, ends[sparsity][-1] + suffix
    small, large = ends["p"][0] + suffix, ends["p"][-1] + suffix
    strict, loose = ends["epsilon"][0] + suffix, ends["epsilon"][-1] + suffix
    middle = [ends[name][1] + suffix for name in views]
    return (
        Trend(f"the error is larger at {many} than at {few}", 0, below(few, many), erratum),
        Trend(
            f"at the largest n the error at {large} is at most twice that at {small}",
            1,
            ends_below(large, small, factor=2.0),
        ),
        Trend(f"the error is larger at {strict} than at {loose}", 2, below(loose, strict), erratum),
        *(
            Trend(f"at {name} the error falls with n", index, falls(name), erratum)
            for index, name in enumerate(middle)
        ),
    )


def as_zero(views: CovarianceViews) -> tuple[Trend, ...]:
    """Return "the error is that of the zero matrix", of the middle curve of every panel."""
    found = []
    for index, (name, view) in enumerate(views.items()):
        middle = label(name, view[3][1])
        words = f"at {middle} the error is within 5% of that of the zero matrix"
        found.append(Trend(words, index, near(middle, ZERO)))
    return tuple(found)


def norms(rng: np.random.Generator) -> list[Condition]:
    """Return whether the paper's records are in the unit ball (A1), for every p of the figures."""
    found = []
    for p in (50, 100, 200):
        lengths = np.linalg.norm(gaussian(sparse_gaussian(rng, p, 0.2), 1_000, rng), axis=1)
        found.append(
            Condition(
                f"p = {p}, sr = 0.2: records have norm at most 1",
                f"{int((lengths > 1).sum())} of 1,000 are longer, median {np.median(lengths):.1f}",
                "met" if lengths.max() <= 1 else "not met",
            )
        )
    return found


PRINTED_SIZES = (1_000, 10_000)
CENTRAL_SIZES, LOCAL_SIZES = (1_000, 4_000, 16_000), (10**5, 10**6, 10**7)


@dataclass(frozen=True)
class CovarianceFigure:
    """A figure of the paper: what it is of, and by which erratum its trends cannot show."""

    name: str
    algorithm: str
    caption: str
    calibrate: Calibrate
    norm: Norm
    sizes: Sequence[int]
    erratum: str


MODELS = (
    (5, "DP", "diss-6.2.48", central, CENTRAL_SIZES, ""),
    (7, "LDP", "diss-6.2.49", local, LOCAL_SIZES, "diss-6.2.49/E2"),
)
FIGURES = tuple(
    CovarianceFigure(
        f"004 Figure 6.{first + index}",
        algorithm,
        f"{model}-Thresholding, {error} relative error.",
        calibrate,
        norm,
        sizes,
        erratum,
    )
    for first, model, algorithm, calibrate, sizes, erratum in MODELS
    for index, (error, norm) in enumerate((("l2", spectral), ("l1", largest_column)))
)


def _as_printed(figure: CovarianceFigure) -> Experiment:
    return Experiment(
        name=f"{figure.name} as printed",
        algorithm=figure.algorithm,
        caption=figure.caption,
        setting="The paper's: the law of the data but for what U~ is, p (500 left out), sr, "
        "epsilon, delta = 1/n. Chosen here: U~ of signs, n, gamma = 2, the smallest noise that is "
        "certified. Rows are far longer than 1 (erratum diss-6.2.48/E2) and are cut to norm 1; "
        "those that are not cut have the same noise, and no privacy.",
        panels=partial(
            panels, printed_errors, PRINTED_VIEWS, PRINTED_SIZES, figure.calibrate, figure.norm
        ),
        trends=(
            *as_zero(PRINTED_VIEWS),
            *trends(PRINTED_VIEWS, f", {NOT_CUT}", figure.erratum),
        ),
        repetitions=5,
        full=20,
        conditions=norms,
    )


def _on_blocks(figure: CovarianceFigure) -> Experiment:
    return Experiment(
        name=figure.name,
        algorithm=figure.algorithm,
        caption=figure.caption,
        setting="The paper's: epsilon, p (500 left out), delta = 1/n. Chosen here, so that entries "
        "exceed the threshold: records of norm 1 whose covariance is one block of s + 1 rows; n, "
        "gamma = 2.",
        panels=partial(
            panels, block_errors, BLOCK_VIEWS, figure.sizes, figure.calibrate, figure.norm
        ),
        trends=(
            *trends(BLOCK_VIEWS),
            Trend("at s = 4 the error is below that of the zero matrix", 0, below("s = 4", ZERO)),
        ),
    )


EXPERIMENTS = (
    *(_as_printed(figure) for figure in FIGURES),
    *(_on_blocks(figure) for figure in FIGURES),
)
"""The experiments that the paper prints, run again and compared with what it reports."""
