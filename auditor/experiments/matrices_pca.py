"""The experiments of Wang (2020), section 6.1: principal subspaces from private users.

The server reads nothing but the mean of the users' messages, which is the second moment plus one
symmetric Gaussian matrix, and is drawn so. At the paper's settings an estimate is as far from the
truth as a random subspace; in addition there are data of norm one with a wide gap between
eigenvalues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.described.data.second_moments import (
    block_sphere,
    mean_of_messages,
    sparse_spike,
    spike,
)
from auditor.experiments.experiment import (
    Condition,
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    ends_below,
    falls,
    rises,
)
from reference._validation import FloatArray
from reference.matrices.local_gaussian_pca import constants_for
from reference.matrices.second_moments import second_moment
from reference.matrices.sparse_local_pca import penalty_for, sparse_principal_subspace
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.ledger import Ledger

FAMILY = "matrices"
PCA, RANDOM = "PCA", "random subspace"
SPARSE, SMALLER = "sparse PCA", "sparse PCA, smaller penalty"
DISTANCE = "subspace distance"
STAND_INS = ("digits", "breast_cancer", "wine")
NEAR = 0.05
"""Share of a random subspace's error within which an estimate counts as random."""


@dataclass(frozen=True)
class PCASetting:
    """Parameters of one estimate: n users, p coordinates, k directions, s coordinates not 0."""

    n: int
    p: int
    k: int
    epsilon: float
    delta: float
    s: int = 0


def distance(basis: FloatArray, truth: FloatArray) -> float:
    """Return ||W W^T - V V^T||_F, the paper's error: the root of 2 ||sin Theta||_F^2."""
    return math.sqrt(2 * sin_theta_squared(truth, basis))


def chance(p: int, k: int) -> float:
    """Return sqrt(2 k (1 - k/p)): the root of the mean squared error of a random subspace."""
    return math.sqrt(2 * k * (1 - k / p))


def random_basis(p: int, k: int, rng: np.random.Generator) -> FloatArray:
    """Draw an orthonormal basis of a uniform subspace of dimension k."""
    basis: FloatArray = np.linalg.qr(rng.standard_normal((p, k)))[0]
    return basis


def spiked_gaussian(setting: PCASetting, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw the paper's data (l.7511): N(0, (V V^T + I)/(10 p)), lambda = 1; return them and V.

    With s, V has s rows that are not 0 (l.7531).
    """
    p, rows = setting.p, setting.s or setting.p
    truth = np.zeros((p, setting.k))
    truth[rng.permutation(p)[:rows]] = random_basis(rows, setting.k, rng)
    records = rng.standard_normal((setting.n, p))
    records += (math.sqrt(2) - 1) * (records @ truth) @ truth.T
    return records / math.sqrt(10 * p), truth


def spheres(setting: PCASetting, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw records of norm 1 with k eigenvalues .8/k and the others .2/(p - k)."""
    records = block_sphere(setting.n, setting.p, setting.k, rng)
    return records, np.eye(setting.p)[:, : setting.k]


def spiked(setting: PCASetting, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw records of norm 1 with one eigenvalue .9, on s coordinates."""
    return sparse_spike(setting.n, setting.p, setting.s, rng), spike(setting.p, setting.s)


def standardised(name: str) -> FloatArray:
    """Return a data set of scikit-learn: columns standardised, rows then divided by their norm.

    Means and deviations are taken as known: no privacy is spent on them.
    """
    from sklearn import datasets  # loads slowly

    features = getattr(datasets, f"load_{name}")().data
    deviations = features.std(axis=0)
    varying = deviations > 0
    rows = (features - features.mean(axis=0))[:, varying] / deviations[varying]
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


DrawSubspace = Callable[[PCASetting, np.random.Generator], tuple[FloatArray, FloatArray]]


def dense_errors(
    records: FloatArray, truth: FloatArray, setting: PCASetting, rng: np.random.Generator
) -> dict[str, float]:
    """Return the error of Algorithm 6.1.46 and that of a random subspace."""
    noise = constants_for(epsilon=setting.epsilon, delta=setting.delta)
    mean = mean_of_messages(records, noise, Ledger(rng))
    return {
        PCA: distance(principal_subspace(mean, setting.k), truth),
        RANDOM: distance(random_basis(setting.p, setting.k, rng), truth),
    }


def sparse_errors(
    records: FloatArray, truth: FloatArray, setting: PCASetting, rng: np.random.Generator
) -> dict[str, float]:
    """Return the errors of Algorithm 6.1.47 and, on the same messages, of PCA, and of chance.

    The penalty is the one that is certified, and 2 sigma sqrt(log p/n), which is about the largest
    entry of the noise.
    """
    n, p, k = setting.n, setting.p, setting.k
    noise = constants_for(epsilon=setting.epsilon, delta=setting.delta)
    mean = mean_of_messages(records, noise, Ledger(rng))
    certified = penalty_for(n=n, dimension=p, noise=noise)
    smaller = 2 * noise.noise_scale * math.sqrt(math.log(p) / n)
    return {
        SPARSE: distance(sparse_principal_subspace(mean, k, certified).basis, truth),
        SMALLER: distance(sparse_principal_subspace(mean, k, smaller).basis, truth),
        PCA: distance(principal_subspace(mean, k), truth),
        RANDOM: distance(random_basis(p, k, rng), truth),
    }


MeasureSubspace = Callable[
    [FloatArray, FloatArray, PCASetting, np.random.Generator], dict[str, float]
]


def along(
    measure: MeasureSubspace,
    draw: DrawSubspace,
    settings: Sequence[PCASetting],
    rng: np.random.Generator,
) -> Errors:
    """Return the errors of every method over the settings.

    Settings that differ in n or epsilon alone share their users: the first n of them.
    """
    most = max(setting.n for setting in settings)
    drawn: dict[PCASetting, tuple[FloatArray, FloatArray]] = {}
    found = []
    for setting in settings:
        law = replace(setting, n=most, epsilon=1.0)
        if law not in drawn:
            drawn[law] = draw(law, rng)
        records, truth = drawn[law]
        found.append(measure(records[: setting.n], truth, setting, rng))
    return columns(found)


def along_for(
    draw: DrawSubspace, curves: dict[str, Sequence[PCASetting]], rng: np.random.Generator
) -> Errors:
    """Return the errors of PCA for several curves, with a random subspace beside each."""
    found: dict[str, FloatArray] = {}
    for label, settings in curves.items():
        errors = along(dense_errors, draw, settings, rng)
        found |= {label: errors[PCA], f"{RANDOM}, {label}": errors[RANDOM]}
    return found


def panel(
    measure: MeasureSubspace,
    draw: DrawSubspace,
    base: PCASetting,
    vary: str,
    values: Sequence[Any],
    title: str,
) -> Panel:
    """Return a panel over one parameter, with a curve for every method."""
    settings = [replace(base, **{vary: value}) for value in values]
    trial = partial(along, measure, draw, settings)
    return Panel(title, vary, values, trial, DISTANCE, True)


@dataclass(frozen=True)
class Ranges:
    """Values of the parameters that vary in the panels of a figure."""

    n: Sequence[int]
    p: Sequence[int]
    epsilon: Sequence[float]
    k: Sequence[int] = ()
    s: Sequence[int] = ()


def dense_panels(draw: DrawSubspace, base: PCASetting, ranges: Ranges, tier: Tier) -> list[Panel]:
    """Return the panels of Figure 6.3: over n for several k, over p, over epsilon."""
    del tier
    curves: dict[str, Sequence[PCASetting]] = {
        f"k = {k}": [replace(base, n=n, k=k) for n in ranges.n] for k in ranges.k
    }
    k, n = f"k = {base.k}", f"n = {base.n:,}"
    p, epsilon = f"p = {base.p}", f"epsilon = {base.epsilon:g}"
    own = partial(panel, dense_errors, draw, base)
    return [
        Panel(f"{p}, {epsilon}", "n", ranges.n, partial(along_for, draw, curves), DISTANCE, True),
        own("p", ranges.p, f"{k}, {n}, {epsilon}"),
        own("epsilon", ranges.epsilon, f"{k}, {n}, {p}"),
    ]


def sparse_panels(draw: DrawSubspace, base: PCASetting, ranges: Ranges, tier: Tier) -> list[Panel]:
    """Return the panels of Figure 6.4, over n, p and epsilon, and one over s (Table 6.1)."""
    del tier
    s, n = f"s = {base.s}", f"n = {base.n:,}"
    p, epsilon = f"p = {base.p}", f"epsilon = {base.epsilon:g}"
    own = partial(panel, sparse_errors, draw, base)
    return [
        own("n", ranges.n, f"{p}, {s}, {epsilon}"),
        own("p", ranges.p, f"{n}, {s}, {epsilon}"),
        own("epsilon", ranges.epsilon, f"{n}, {p}, {s}"),
        own("s", ranges.s, f"{n}, {p}, {epsilon}"),
    ]


def _printed_high(tier: Tier) -> list[Panel]:
    """Return the panels at the paper's p = 400 in the full tier, at 200 in the quick one."""
    p = 400 if tier == "full" else 200
    ranges = Ranges(n=(500, 2_000), p=(100, p), epsilon=(1.0, 4.0), s=(15, 80))
    return sparse_panels(spiked_gaussian, replace(HIGH, p=p), ranges, tier)


def on_stand_in(name: str, epsilons: Sequence[float], rng: np.random.Generator) -> Errors:
    """Return the errors over epsilon on a data set, against the subspace found without noise."""
    records = standardised(name)
    n, p = records.shape
    truth = principal_subspace(second_moment(records), REAL.k)
    settings = [replace(REAL, n=n, p=p, epsilon=epsilon) for epsilon in epsilons]
    return along(dense_errors, lambda setting, rng: (records, truth), settings, rng)


def _stand_ins(tier: Tier) -> list[Panel]:
    del tier
    epsilons = (1.0, 4.0, 16.0, 64.0)
    return [
        Panel(
            name.replace("_", " "),
            "epsilon",
            epsilons,
            partial(on_stand_in, name, epsilons),
            DISTANCE,
            True,
        )
        for name in STAND_INS
    ]


def near(first: str, second: str) -> Callable[[Errors], float]:
    """Return the gain "the mean error is within 5% of that of the second curve"."""

    def gain(errors: Errors) -> float:
        one, other = errors[first].mean(), errors[second].mean()
        return float(NEAR - abs(one / other - 1))

    return gain


def dense_trends(components: Sequence[int], erratum: str = "") -> tuple[Trend, ...]:
    """Return what the text reads from Figure 6.3 (l.7527), and how far chance is."""
    small, large = f"k = {components[0]}", f"k = {components[-1]}"
    return (
        Trend(f"{small}: the error falls with n", 0, falls(small), erratum),
        Trend(f"the error is larger at {large} than at {small}", 0, below(small, large)),
        Trend("the error rises with p", 1, rises(PCA)),
        Trend("the error falls with epsilon", 2, falls(PCA), erratum),
    )


def sparse_trends(erratum: str = "") -> tuple[Trend, ...]:
    """Return what the text reads from Figure 6.4 and Table 6.1 (l.7537)."""
    return (
        Trend("the error of sparse PCA falls with n", 0, falls(SPARSE), erratum),
        Trend("the error of sparse PCA rises with p", 1, rises(SPARSE)),
        Trend("the error of sparse PCA falls with epsilon", 2, falls(SPARSE), erratum),
        Trend("the error of sparse PCA rises with s", 3, rises(SPARSE)),
    )


def noise_over_gap(setting: PCASetting, gap: float, rng: np.random.Generator) -> Condition:
    """Return whether the noise of the mean is too small to reorder the eigenvalues."""
    noise = constants_for(epsilon=setting.epsilon, delta=setting.delta)
    zero = np.zeros((setting.n, setting.p))
    size = float(np.linalg.norm(mean_of_messages(zero, noise, Ledger(rng)), 2))
    return Condition(
        f"n = {setting.n:,}, p = {setting.p}, epsilon = {setting.epsilon:g}: the noise of the mean "
        "is below the gap of eigenvalues",
        f"{size:.3g} against {gap:.3g}",
        "met" if size < gap else "not met",
    )


def _gaps(cases: Sequence[tuple[PCASetting, float]], rng: np.random.Generator) -> list[Condition]:
    return [noise_over_gap(setting, gap, rng) for setting, gap in cases]


PRINTED = PCASetting(n=10**5, p=40, k=5, epsilon=0.5, delta=1e-4)
SHOWN = PCASetting(n=40_000, p=40, k=5, epsilon=4.0, delta=1e-4)
HIGH = PCASetting(n=2_000, p=400, k=10, epsilon=1.0, delta=0.1, s=20)
SPIKE = PCASetting(n=20_000, p=40, k=1, epsilon=4.0, delta=1e-4, s=4)
REAL = PCASetting(n=1, p=1, k=2, epsilon=1.0, delta=1e-4)
AT_CHANCE = "the error is within 5% of that of a random subspace"

EXPERIMENTS = (
    Experiment(
        name="004 Figure 6.3 as printed",
        algorithm="diss-6.1.46",
        caption="LDP-PCA in the low dimensional case on synthetic datasets.",
        setting="The paper's: the law of the data, n, p, k, epsilon, delta = 1e-4, lambda = 1. "
        "Chosen here: the ranges. A random subspace beside every curve.",
        panels=partial(
            dense_panels,
            spiked_gaussian,
            PRINTED,
            Ranges(n=(10**4, 10**5), p=(20, 60), epsilon=(0.5, 1.0, 2.0), k=(5, 20)),
        ),
        trends=(
            *dense_trends((5, 20), "diss-6.1.46/E3"),
            Trend(f"k = 5: {AT_CHANCE}", 0, near("k = 5", f"{RANDOM}, k = 5")),
            Trend(f"k = 20: {AT_CHANCE}", 0, near("k = 20", f"{RANDOM}, k = 20")),
            Trend(AT_CHANCE, 2, near(PCA, RANDOM)),
        ),
        repetitions=5,
        conditions=partial(_gaps, [(PRINTED, 1 / 400)]),
    ),
    Experiment(
        name="004 Figure 6.3",
        algorithm="diss-6.1.46",
        caption="LDP-PCA in the low dimensional case on synthetic datasets.",
        setting="The paper's: p = 40, delta = 1e-4. Chosen here, so that the gap is wide: records "
        "(sqrt .8 u, sqrt .2 w), u and w uniform on spheres; n, k, epsilon.",
        panels=partial(
            dense_panels,
            spheres,
            SHOWN,
            Ranges(
                n=(2_500, 10_000, 40_000), p=(20, 40, 80), epsilon=(2.0, 4.0, 8.0), k=(2, 5, 10)
            ),
        ),
        trends=(
            *dense_trends((2, 10)),
            Trend("the error is below that of a random subspace", 1, below(PCA, RANDOM)),
        ),
        repetitions=6,
        conditions=partial(_gaps, [(SHOWN, 0.8 / 5 - 0.2 / 35)]),
    ),
    Experiment(
        name="004 Figure 6.4 as printed",
        algorithm="diss-6.1.47",
        caption="LDP-PCA in the high dimensional case on synthetic datasets.",
        setting="The paper's: the law of the data, k = 10, n = 2000, p = 400, s, epsilon = 1. "
        "Chosen here: delta = 0.1, the ranges, the penalties; in the quick tier "
        "p is capped at 200.",
        panels=_printed_high,
        trends=(
            *sparse_trends("diss-6.1.47/E6"),
            Trend(f"sparse PCA: {AT_CHANCE}", 2, near(SPARSE, RANDOM)),
            Trend(f"PCA: {AT_CHANCE}", 2, near(PCA, RANDOM)),
        ),
        repetitions=5,
        full=20,
        conditions=partial(_gaps, [(HIGH, 1 / 4000)]),
    ),
    Experiment(
        name="004 Figure 6.4",
        algorithm="diss-6.1.47",
        caption="LDP-PCA in the high dimensional case on synthetic datasets.",
        setting="Chosen here, so that the gap is wide: records of norm 1, .9 of their square along "
        "one vector of s coordinates; all parameters. p is capped at 200.",
        panels=partial(
            sparse_panels,
            spiked,
            SPIKE,
            Ranges(
                n=(2_500, 10_000, 40_000), p=(25, 100, 200), epsilon=(2.0, 4.0, 8.0), s=(2, 4, 8)
            ),
        ),
        trends=(
            *sparse_trends(),
            Trend(
                "the error of sparse PCA rises with p by a smaller factor than that of PCA",
                1,
                lambda errors: float(
                    errors[PCA][-1] / errors[PCA][0] - errors[SPARSE][-1] / errors[SPARSE][0]
                ),
            ),
            Trend(
                "at the largest p sparse PCA is better than PCA",
                1,
                ends_below(SPARSE, PCA),
            ),
            Trend(
                "at the largest p sparse PCA with the smaller penalty is better than PCA",
                1,
                ends_below(SMALLER, PCA),
            ),
            Trend("sparse PCA is better than a random subspace", 0, below(SPARSE, RANDOM)),
        ),
        repetitions=6,
        conditions=partial(_gaps, [(SPIKE, 0.9 - 0.1 / 39)]),
    ),
    Experiment(
        name="004 Figure 6.2 on stand-ins",
        algorithm="diss-6.1.46",
        caption="LDP-PCA in low dimensional case on real world datasets at different levels of "
        "privacy.",
        setting="The paper's: normalised rows, delta = 1e-4. Chosen here: digits, breast cancer "
        "and wine of scikit-learn for Covertype, Buzz and Year, which have many times as many "
        "records; columns standardised, k = 2, epsilon up to 64, as these are few records.",
        panels=_stand_ins,
        trends=tuple(
            Trend(words, index, gain)
            for index in range(len(STAND_INS))
            for words, gain in (
                ("the error falls with epsilon", falls(PCA)),
                ("the error is below that of a random subspace", below(PCA, RANDOM)),
            )
        ),
    ),
)
"""The experiments that the paper prints, run again and compared with what it reports."""
