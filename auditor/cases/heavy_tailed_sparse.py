"""How the sparse heavy-tailed algorithms of seed 003 (hu-3, hu-5) are audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
from statsmodels.datasets import randhie

from auditor.core.case import BlackBox, Case, Data, ExactQuery, Form, RealData, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Everything, Product, replace_record
from auditor.core.rates import rate_slope
from reference._validation import FloatArray
from reference.blocks import disjoint_blocks, take_records
from reference.clipping import clip_entries
from reference.constraint_sets import SparseVectors
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.heavy_tailed.sparse_optimisation import (
    balanced_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    step_sensitivity,
    theorem_truncation,
)
from reference.losses import RecordLoss, SquaredDistance, SquaredError
from reference.privacy.guarantees import ZCDP, ApproximateDP, zcdp_rho
from reference.privacy.ledger import Ledger, Transcript
from reference.sparse.peeling import noisy_hard_thresholding

HUGE = 1e6
"""Size of a record's entries, far beyond every truncation but that of a mutant."""

UNREACHED = 1e12
"""A truncation that no record of the pairs reaches."""

EVERYTHING = 1e300
"""Largest entry that the search tries."""

Statistic = Callable[[FloatArray], float]

# --------------------------------------------------------------------------------- hu-3


def _signs(d: int, s: int) -> FloatArray:
    """Return +1 for the first s coordinates outside the support 0..s-1, -1 for the others."""
    return np.where(np.arange(s, d) < 2 * s, 1.0, -1.0)


def _regression_pair(n: int, d: int, s: int, replaced: int = 0) -> tuple[Data, Data]:
    """Return records (1, ..., 1) HUGE with label -HUGE, and record ``replaced`` in two versions.

    With w = 1/sqrt(s) on the first s coordinates the residual of every record is the largest,
    K (sqrt(s) + 1); outside the support the record pulls the first s coordinates up and the
    others down, or the other way round.
    """
    features, labels = np.full((n, d), HUGE), np.full(n, -HUGE)
    versions = []
    for direction in (1.0, -1.0):
        row = features[replaced].copy()
        row[s:] *= direction * _signs(d, s)
        versions.append(replace_record((features, labels), replaced, (row, -HUGE)))
    return versions[0], versions[1]


def _equal_entries(d: int, s: int, norm: float) -> FloatArray:
    """Return the vector with s equal entries and the given norm."""
    vector = np.zeros(d)
    vector[:s] = norm / math.sqrt(s)
    return vector


def _exact_regression(
    initial: FloatArray, *, s: int, truncation: float, step_size: float, n_iterations: int
) -> ExactQuery:
    """Return the query of every release with mpmath numbers: s selections and s values per step."""

    def clip(value: float) -> Any:
        bound = mpmath.mpf(truncation)
        return max(-bound, min(bound, mpmath.mpf(float(value))))

    def iterate(outputs: list[Any], t: int) -> list[Any]:
        """Return w^{t+1} from the outputs of the releases before it."""
        if t == 0:
            return [mpmath.mpf(v) for v in initial.tolist()]
        picked, values = (
            outputs[2 * s * (t - 1) : 2 * s * t - s],
            outputs[2 * s * t - s : 2 * s * t],
        )
        found = [mpmath.mpf(0)] * initial.size
        for j, value in zip(picked, values, strict=True):
            found[int(j)] = mpmath.mpf(float(value))
        length = max(mpmath.mpf(1), mpmath.norm(found))
        return [v / length for v in found]

    def exact_query(data: Data, transcript: Transcript, index: int) -> Any:
        t, place = divmod(index, 2 * s)
        outputs = [release.output for release in transcript.releases]
        w = iterate(outputs, t)
        features, labels = take_records(data, disjoint_blocks(len(data[1]), n_iterations)[t])
        gradient = [mpmath.mpf(0)] * len(w)
        for row, label in zip(features, labels, strict=True):
            x = [clip(v) for v in row]
            residual = mpmath.fdot(x, w) - clip(label)
            gradient = [g + residual * v / len(labels) for g, v in zip(gradient, x, strict=True)]
        half_step = [v - mpmath.mpf(step_size) * g for v, g in zip(w, gradient, strict=True)]
        if place < s:
            return [abs(v) for v in half_step]
        return half_step[int(outputs[2 * s * t + place - s])]

    return exact_query


def _picks(s: int) -> Statistic:
    """Return the number of coordinates picked among those record 0 pulls up, less the others.

    They do not include the support of w^1. The projection hides the size of the values.
    """

    def statistic(w: FloatArray) -> float:
        return float(_signs(w.size, s) @ (w[s:] != 0))

    return statistic


def _regression(
    *,
    s: int,
    d: int,
    n: int = 10,
    n_iterations: int = 2,
    truncation: float = 1.0,
    epsilon: float = 1.0,
    delta: float = 1e-2,
    as_published: bool = False,
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
    loss_samples: int = 150,
) -> Form:
    """Return hu-3 on a pair that attains its sensitivity in the first of the blocks."""
    initial = _equal_entries(d, s, 1.0)
    # at K = 1 every coordinate of the support falls to 0: the others are picked
    step_size = 1 / (s + math.sqrt(s))

    def run_with(iterations: int) -> Callable[[Data, Ledger], FloatArray]:
        def run(records: Data, ledger: Ledger) -> FloatArray:
            return heavy_tailed_sparse_regression(
                records,
                sparsity=s,
                truncation=truncation,
                epsilon=epsilon,
                delta=delta,
                n_iterations=iterations,
                step_size=step_size,
                initial=initial,
                as_published=as_published,
                ledger=ledger,
            )

        return run

    claim = ApproximateDP(epsilon, delta)
    pair = _regression_pair(n, d, s)
    return Form(
        run=run_with(n_iterations),
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": n,
            "d": d,
            "s": s,
            "epsilon": epsilon,
            "delta": delta,
            "K": truncation,
            "eta": step_size,
            "T": n_iterations,
        },
        domain=Product((Everything((d,), EVERYTHING), Everything((), EVERYTHING))),
        design=ZCDP(zcdp_rho(epsilon, delta)),
        violates=violates or {},
        black_box=None if no_black_box else BlackBox(run_with(1), claim, pair, _picks(s)),
        no_black_box=no_black_box,
        exact_query=_exact_regression(
            initial, s=s, truncation=truncation, step_size=step_size, n_iterations=n_iterations
        ),
        loss_samples=loss_samples,
    )


def _unprojected() -> Form:
    """Return hu-3 without step 7: its second iterate is too long for the claimed sensitivity.

    The first step takes w to about (1 - 2 eta, -2 eta), eta = 4; the pair is worst in the second.
    """
    n, d, s, step_size = 200, 2, 1, 4.0
    epsilon, delta = 1.0, 1e-2
    data, other = _regression_pair(n, d, s, replaced=n // 2)

    def run(records: Data, ledger: Ledger) -> FloatArray:
        w = _equal_entries(d, s, 1.0)
        for block in disjoint_blocks(n, 2):
            features, labels = (clip_entries(part, 1.0) for part in take_records(records, block))
            w = noisy_hard_thresholding(
                w - step_size * (features @ w - labels) @ features / len(labels),
                sparsity=s,
                sensitivity=step_sensitivity(
                    len(labels), sparsity=s, truncation=1.0, step_size=step_size
                ),
                epsilon=epsilon,
                delta=delta,
                records=block,
                ledger=ledger,
            ).vector
        return w

    return Form(
        run=run,
        claim=ApproximateDP(epsilon, delta),
        pair=(data, other),
        replaced=n // 2,
        parameters={"n": n, "d": d, "s": s, "epsilon": epsilon, "delta": delta, "eta": step_size},
        no_search="a mutant",
        no_black_box="a mutant",
    )


def _mean(runs: int, error: Callable[[], float]) -> float:
    """Return the mean of some squared errors.

    The mean of log ||noise||^2 in s coordinates lags behind the log of its mean, the more the
    smaller s; the average makes that negligible.
    """
    return float(np.mean([error() for _ in range(runs)]))


def _regression_risk(
    rng: np.random.Generator,
    *,
    n: float,
    w: FloatArray,
    s: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
) -> float:
    """Return an excess risk of hu-3 on features t_5 with noise 0.3 t_5, independent.

    E x x^T = (5/3) I, so gamma = mu = 5/3 and eta = 2/(3 gamma). K is 0.35 times the theorem's.
    """
    features = rng.standard_t(5, (int(n), w.size))
    labels = features @ w + 0.3 * rng.standard_t(5, int(n))
    found = heavy_tailed_sparse_regression(
        (features, labels),
        sparsity=s,
        truncation=0.35
        * theorem_truncation(int(n), epsilon, sparsity=s, n_iterations=n_iterations),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        step_size=0.4,
        ledger=Ledger(rng),
    )
    return 5 / 3 * float(np.sum((found - w) ** 2))


def _regression_scaling() -> tuple[Scaling, ...]:
    """Return the recipes of Theorem 7, with s = s* instead of its 72 s*, and T held (of log n)."""
    rate = (
        "Theorem 7: excess risk O(M gamma^4 s*^2 log n log^2(d/zeta) log(1/delta)/(mu^7 n epsilon))"
    )
    w = np.zeros(8)
    w[:3] = 0.3, -0.25, 0.2

    def error(rng: np.random.Generator, *, n: float = 20_000, epsilon: float = 4.0) -> float:
        return _mean(
            2,
            lambda: _regression_risk(
                rng, n=n, w=w, s=3, epsilon=epsilon, delta=1e-3, n_iterations=4
            ),
        )

    def in_sparsity(s: float, rng: np.random.Generator) -> float:
        return _mean(
            3,
            lambda: _regression_risk(
                rng,
                n=30_000,
                w=_equal_entries(20, int(s), 0.5),
                s=int(s),
                epsilon=4.0,
                delta=1e-2,
                n_iterations=3,
            ),
        )

    return (
        Scaling(
            name="n",
            values=(5_000, 10_000, 20_000, 40_000),
            error=lambda n, rng: error(rng, n=n),
            claimed_slope=-1.0,
            repetitions=8,
            claim=rate,
        ),
        Scaling(
            name="epsilon",
            values=(0.5, 1.0, 2.0, 4.0),
            error=lambda epsilon, rng: error(rng, epsilon=epsilon),
            claimed_slope=-1.0,
            repetitions=8,
            claim=rate,
        ),
        Scaling(
            name="s",
            values=(2, 4, 8, 16),
            error=in_sparsity,
            claimed_slope=2.0,
            repetitions=3,
            claim=rate + ", independent features; in general the exponent is in doubt",
        ),
    )


_VISITS_CENTRES = (2.0, 0.25, 5.0, 4.0, 0.1, 11.0, 0.35, 0.1, 0.0)
_VISITS_SCALES = (2.0, 0.45, 2.7, 3.5, 0.3, 6.7, 0.5, 0.3, 0.1)
"""Of the nine covariates: public constants, about their means and standard deviations."""


@cache
def _visits() -> Data:
    """Return the RAND health insurance experiment: nine covariates, and the outpatient visits.

    Everything is centred and scaled by public constants, and put in a fixed random order. Up to
    77 visits, 16 standard deviations: a heavy tail.
    """
    table = randhie.load_pandas()
    order = np.random.default_rng(0).permutation(len(table.endog))
    features = (table.exog.to_numpy(dtype=np.float64) - _VISITS_CENTRES) / _VISITS_SCALES
    labels = (table.endog.to_numpy(dtype=np.float64) - 3.0) / 4.5
    features, labels = features[order], labels[order]
    features.flags.writeable = labels.flags.writeable = False  # cached
    return features, labels


def _visits_audit() -> RealData:
    delta, s, n_iterations, step_size = 1e-4, 2, 4, 0.3

    def run(data: Data, epsilon: float, ledger: Ledger) -> FloatArray:
        return heavy_tailed_sparse_regression(
            data,
            sparsity=s,
            truncation=3.0,
            epsilon=epsilon,
            delta=delta,
            n_iterations=n_iterations,
            step_size=step_size,
            ledger=ledger,
        )

    def neighbour(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
        # a gross error: a row of the first block recorded a thousand times too large
        index = int(rng.integers(len(data[1]) // n_iterations))
        return replace_record(data, index, tuple(1000 * part[index] for part in data)), index

    def baseline(data: Data) -> FloatArray:
        return projected_gradient_descent(
            data,
            SquaredError(),
            SparseVectors(s),
            initial=np.zeros(data[0].shape[1]),
            step_size=step_size / 2,  # of the whole gradient
            n_iterations=100,
        )

    def error(private: FloatArray, fitted: FloatArray) -> float:
        return float(np.linalg.norm(private - fitted) / np.linalg.norm(fitted))

    return RealData(
        name="randhie (statsmodels), outpatient visits",
        load=_visits,
        run=run,
        claim=lambda epsilon: ApproximateDP(epsilon, delta),
        neighbour=neighbour,
        baseline=baseline,
        error=error,
        epsilons=(0.5, 1.0, 2.0, 4.0, 8.0),
        metric="||w - w_IHT|| / ||w_IHT||",
    )


def hu_3() -> Case:
    """Shrunken data: the printed noise scale understates the sensitivity, but not the privacy."""
    small = _regression(s=1, d=2)
    return Case(
        id="hu-3",
        forms={
            "corrected": small,
            "corrected-wide": _regression(
                s=4, d=12, no_black_box="the small form has one", loss_samples=50
            ),
            "printed": _regression(s=1, d=2, as_published=True, violates={"sensitivity": 1}),
        },
        scaling=_regression_scaling(),
        real_data=(_visits_audit(),),
        mutants={
            "clipping dropped": scaled_claim(
                _regression(s=1, d=2, truncation=UNREACHED), UNREACHED**-2
            ),
            "projection dropped": _unprojected(),
            "sensitivity of the whole data": scaled_claim(small, 1 / small.parameters["T"]),
        },
    )


# --------------------------------------------------------------------------------- hu-5


def _mean_pair(n: int, d: int) -> tuple[Data, Data]:
    """Return records (-1, ..., -1) HUGE, and record 0 with alternating signs in two versions."""
    data = np.full((n, d), -HUGE)
    alternating = np.where(np.arange(d) % 2 == 0, HUGE, -HUGE)
    return replace_record(data, 0, alternating), replace_record(data, 0, -alternating)


def _optimisation(
    loss: RecordLoss,
    pair: tuple[Data, Data],
    domain: Any,
    *,
    d: int,
    s: int = 1,
    scale: float = 1.0,
    precision: float = 1.0,
    n_iterations: int = 2,
    radius: float | None = None,
    epsilon: float = 1.0,
    delta: float = 1e-2,
    as_published: bool = False,
    no_black_box: str = "",
) -> Form:
    """Return hu-5 on a pair of which record 0 moves every gradient by twice the truncation."""
    n = len(pair[0][0]) if isinstance(pair[0], tuple) else len(pair[0])

    def run_with(iterations: int) -> Callable[[Data, Ledger], FloatArray]:
        def run(records: Data, ledger: Ledger) -> FloatArray:
            return heavy_tailed_sparse_optimisation(
                records,
                loss,
                sparsity=s,
                scale=scale,
                precision=precision,
                epsilon=epsilon,
                delta=delta,
                n_iterations=iterations,
                step_size=0.5,
                radius=radius,
                initial=np.zeros(d),
                as_published=as_published,
                ledger=ledger,
            )

        return run

    def statistic(w: FloatArray) -> float:
        """Return how many of the picked coordinates are smaller under the second data set."""
        return float(np.where(np.arange(d) % 2 == 0, -1.0, 1.0) @ (w != 0))

    claim = ApproximateDP(epsilon, delta)
    return Form(
        run=run_with(n_iterations),
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": n,
            "d": d,
            "s": s,
            "epsilon": epsilon,
            "delta": delta,
            "k": scale,
            "precision": precision,
            "T": n_iterations,
            "radius": radius,
        },
        domain=domain,
        design=ZCDP(zcdp_rho(epsilon, delta)),
        black_box=None if no_black_box else BlackBox(run_with(1), claim, pair, statistic),
        no_black_box=no_black_box,
        loss_samples=150,
    )


def _sparse_mean(**more: Any) -> Form:
    """Return hu-5 for a sparse mean: gradients 2(w - x)."""
    d = 2
    return _optimisation(
        SquaredDistance(), _mean_pair(10, d), Everything((d,), EVERYTHING), d=d, **more
    )


def _sparse_regression(**more: Any) -> Form:
    """Return hu-5 for the squared error, on a bounded set; at w = 0 the gradients are -2 x y."""
    n, d = 10, 4
    first, second = ((-features, np.full(n, -HUGE)) for features in _mean_pair(n, d))
    domain = Product((Everything((d,), EVERYTHING), Everything((), EVERYTHING)))
    return _optimisation(
        SquaredError(), (first, second), domain, d=d, s=2, precision=20.0, radius=1.0, **more
    )


def _mean_risk(
    rng: np.random.Generator, *, n: float, d: int, s: int, epsilon: float, runs: int
) -> float:
    """Return the mean of some ||w - mu||^2 for x = mu + t_3/sqrt(3) and mu = (1, ..., 1, 0, ...).

    The gradients' second moment is at most tau = 8 between 0 and mu. k is half of
    :func:`balanced_scale`; gamma = 2, so eta = 1/3; T = 4 is held (of log n).
    """
    mu = _equal_entries(d, s, math.sqrt(s))
    delta, n_iterations = 1e-5, 4
    scale = balanced_scale(
        int(n),
        epsilon,
        delta,
        second_moment=8.0,
        sparsity=s,
        dimension=d,
        n_iterations=n_iterations,
    )

    def error() -> float:
        found = heavy_tailed_sparse_optimisation(
            mu + rng.standard_t(3, (int(n), d)) / math.sqrt(3),
            SquaredDistance(),
            sparsity=s,
            scale=scale / 2,
            epsilon=epsilon,
            delta=delta,
            n_iterations=n_iterations,
            step_size=1 / 3,
            initial=np.zeros(d),
            ledger=Ledger(rng),
        )
        return float(np.sum((found - mu) ** 2))

    return _mean(runs, error)


def _mean_scaling() -> tuple[Scaling, ...]:
    rate = (
        "Theorem 8: excess risk O(tau gamma^4 s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/"
        "(mu^5 n epsilon))"
    )
    d_values = (8, 16, 32, 64)
    return (
        Scaling(
            name="n",
            values=(2_000, 4_000, 8_000, 16_000),
            error=lambda n, rng: _mean_risk(rng, n=n, d=8, s=3, epsilon=4.0, runs=4),
            claimed_slope=-1.0,
            repetitions=5,
            claim=rate,
        ),
        Scaling(
            name="epsilon",
            values=(0.5, 1.0, 2.0, 4.0),
            error=lambda epsilon, rng: _mean_risk(rng, n=4_000, d=8, s=3, epsilon=epsilon, runs=4),
            claimed_slope=-1.0,
            repetitions=5,
            claim=rate,
        ),
        Scaling(
            name="s",
            values=(2, 4, 8, 16),
            # as many noisy coordinates at every s: the same lag of the mean of the logarithm
            error=lambda s, rng: _mean_risk(
                rng, n=2_000, d=20, s=int(s), epsilon=4.0, runs=48 // int(s)
            ),
            claimed_slope=1.5,
            repetitions=3,
            claim=rate + ", with s^(-1/4) in k",
        ),
        Scaling(
            name="d",
            values=d_values,
            error=lambda d, rng: _mean_risk(rng, n=2_000, d=int(d), s=3, epsilon=4.0, runs=3),
            claimed_slope=rate_slope(d_values, math.log),
            repetitions=5,
            claim=rate + ": log d",
        ),
    )


def hu_5() -> Case:
    """Robust gradients: the printed noise scale is three times too large, and safe."""
    mean = _sparse_mean()
    return Case(
        id="hu-5",
        forms={
            "corrected": mean,
            "corrected-regression": _sparse_regression(),
            "printed": _sparse_mean(
                as_published=True, no_black_box="the corrected form with three times the noise"
            ),
        },
        scaling=_mean_scaling(),
        no_real_data="its hard thresholding is that of hu-3, which is run on real data",
        mutants={
            # psi_k(x) = x for x below 1e-9 k
            "truncation dropped": scaled_claim(_sparse_mean(scale=UNREACHED**2), UNREACHED**-2),
            "sensitivity of the whole data": scaled_claim(mean, 1 / mean.parameters["T"]),
        },
    )


CASES: dict[str, Callable[[], Case]] = {"hu-3": hu_3, "hu-5": hu_5}
