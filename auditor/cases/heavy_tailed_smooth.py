"""How the methods with smooth sensitivity of dissertation section 3.2.3-3.2.4 are audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from statsmodels.datasets import randhie

from auditor.core.case import BlackBox, Case, Data, Form, RealData, Run, Scaling
from auditor.core.neighbours import Choice, Domain, Everything, replace_record
from reference._validation import FloatArray
from reference.blocks import disjoint_blocks
from reference.constraint_sets import L2Ball
from reference.heavy_tailed.known_mean_gradient_descent import (
    known_mean_gradient_descent,
    recommended_trim,
    trimming_budget,
)
from reference.heavy_tailed.sample_and_aggregate import (
    Calibration,
    centre_of_attention,
    radii,
    sample_and_aggregate,
    smooth_bound,
)
from reference.heavy_tailed.trimmed_mean import smooth_sensitivity
from reference.losses import SquaredDistance
from reference.privacy.guarantees import ZCDP, ApproximateDP, Guarantee, zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity, smooth_gaussian_delta

HUGE_RECORD = 1e6

# --------------------------------------------------------------------------- diss-3.2.5


def _mean(block: FloatArray) -> FloatArray:
    return np.atleast_1d(block.mean(axis=0))


def _printed_calibration(epsilon: float, delta: float, dimension: int) -> Guarantee:
    """Return what the printed gamma and beta (step 1) cost when log S moves by 2 beta."""
    log_term = math.log(2 / delta)
    exact = smooth_gaussian_delta(
        epsilon / (5 * math.sqrt(2 * log_term)),
        epsilon / (2 * (dimension + log_term)),
        dimension=dimension,
        epsilon=epsilon,
    )
    return ApproximateDP(epsilon, exact)


def _aggregate(
    pair: tuple[FloatArray, FloatArray],
    *,
    n_blocks: int,
    epsilon: float,
    delta: float = 0.1,
    domain: Domain,
    statistic: Callable[[FloatArray], float] = lambda output: float(output.sum()),
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
    loss_samples: int = 100,
    **options: bool,
) -> Form:
    """Estimate a mean in the l2 ball of radius 1; the pair differs in record 0."""

    def run(records: Data, ledger: Ledger) -> FloatArray:
        return sample_and_aggregate(
            records,
            _mean,
            diameter=2.0,
            n_blocks=n_blocks,
            epsilon=epsilon,
            delta=delta,
            ledger=ledger,
            **options,
        )

    claim = ApproximateDP(epsilon, delta)
    dimension = 1 if pair[0].ndim == 1 else pair[0].shape[1]
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": len(pair[0]), "m": n_blocks, "epsilon": epsilon, "delta": delta, "Lambda": 2.0,
            **options,
        },
        domain=domain,
        design=_printed_calibration(epsilon, delta, dimension),
        violates=violates or {},
        black_box=None if no_black_box else BlackBox(run, claim, pair, statistic),
        no_black_box=no_black_box,
        loss_samples=loss_samples,
    )  # fmt: skip


def _in_blocks_of_two(means: FloatArray) -> FloatArray:
    """Return records whose consecutive pairs have these means; the second of each is 0."""
    return np.stack([2 * means, np.zeros_like(means)], axis=1).reshape(-1, *means.shape[1:])


def _moving_centre() -> Form:
    """Move one of 10 estimates at 0 to 1, where there are 8; 7 are at 1/2 and 5 at -1.

    The centre of attention moves from 0 to 1, by exactly S.
    """
    means = np.repeat([0.0, 0.5, 1.0, -1.0], [10, 7, 8, 5])
    data = _in_blocks_of_two(means)
    return _aggregate(
        (replace_record(data, 0, 2.0), data), n_blocks=30, epsilon=2.0, domain=Everything((), 1e300)
    )


def _growing_bound() -> Form:
    """Move one of 10 estimates at 0 to (1/2, 0), where there are 6: the bound falls.

    There are 10 more at (1, 0) and 4 at (0, 1).
    """
    means = np.zeros((30, 2))
    means[10:16, 0] = 0.5
    means[16:26, 0] = 1.0
    means[26:, 1] = 1.0
    data = _in_blocks_of_two(means)
    return _aggregate(
        (data, replace_record(data, 0, np.array([1.0, 0.0]))),
        n_blocks=30,
        epsilon=2.0,
        domain=Everything((2,), 1e300),
        no_black_box="that of the form 'corrected' is the same algorithm in one dimension",
    )


def _random_subsets() -> Form:
    """Move one of 128 records in two clusters across; it is in up to 8 of 64 random pairs.

    At a large epsilon: the smooth bound must average ceil(8/beta) of the 64 radii.
    """
    side = np.linspace(0.5, 1.0, 64)
    data = np.concatenate([-side, side])
    return _aggregate(
        (data, replace_record(data, 0, HUGE_RECORD)),
        n_blocks=64,
        epsilon=4.0,
        domain=Everything((), 1e300),
        no_black_box="the estimates are random and the outputs all but the same",
        loss_samples=50,
        disjoint=False,
    )


def _narrow(width: float, **options: Any) -> Form:
    """Put one huge record among 40 within ``width``; where it counts, the bound jumps."""
    data = np.linspace(-width, width, 40)
    return _aggregate(
        (data, replace_record(data, 0, HUGE_RECORD)),
        n_blocks=40,
        epsilon=4.0,
        domain=Everything((), 1e300),
        statistic=lambda output: -abs(float(output[0])),
        **options,
    )


def _broken_aggregate(
    form: Form, pair: tuple[FloatArray, FloatArray], estimates: Callable[[FloatArray], FloatArray],
    *, smoothed: bool = True,
) -> Form:  # fmt: skip
    """Return the form with other estimates and, unless ``smoothed``, the k = 0 term of S alone."""
    calibration = Calibration(form.parameters["epsilon"], form.parameters["delta"], 1)
    diameter, n_blocks = form.parameters["Lambda"], form.parameters["m"]

    def run(records: Data, ledger: Ledger) -> FloatArray:
        points = estimates(records)
        distances = radii(points)
        # a decay of 1/2 leaves nothing of the farther neighbours but a floor
        bound = smooth_bound(
            distances, 1, decay=calibration.decay if smoothed else 0.5, diameter=diameter
        )
        return ledger.smooth(
            points[centre_of_attention(distances, 1)],
            smooth_bound=bound,
            smoothness=calibration.smoothness,
            divisor=calibration.divisor,
            epsilon=calibration.epsilon,
            noise="gaussian",
            records=slice(0, 2 * n_blocks),
        )

    return replace(form, run=run, pair=pair, black_box=None, no_black_box="a mutant")


def _aggregate_mutants(form: Form) -> dict[str, Form]:
    """Return broken twins of the form with 30 blocks of two records."""

    def means(records: FloatArray) -> FloatArray:
        return np.array([_mean(records[block]) for block in disjoint_blocks(60, 30)])

    def clipped_means(records: FloatArray) -> FloatArray:
        return np.clip(means(records), -1.0, 1.0)

    def running_means(records: FloatArray) -> FloatArray:
        prefixes = (_mean(records[: block.stop]) for block in disjoint_blocks(60, 30))
        return np.clip(list(prefixes), -1.0, 1.0)

    zeros = np.zeros(60)
    lone = (zeros, replace_record(zeros, 0, HUGE_RECORD))
    # the smallest balls of 17 points have radius 0, and no longer once one of those moves
    agreed = _in_blocks_of_two(np.repeat([0.0, 1.0], [17, 13]))
    return {
        "clipping dropped": _broken_aggregate(form, lone, means),
        "bound not smoothed": _broken_aggregate(
            form, (agreed, replace_record(agreed, 0, 2.0)), clipped_means, smoothed=False
        ),
        "blocks overlap": _broken_aggregate(form, lone, running_means),
    }


def _aggregate_error(n: float, rng: np.random.Generator) -> float:
    """Root mean square over the noise of A(D) on 800 blocks of Student's t (5 d.f.), mean 0.

    Of Student's t with 3 degrees of freedom the means of 200 are still so far from normal that
    the exponent is -0.489.
    """
    ledger = RecordingLedger(rng)
    sample_and_aggregate(
        rng.standard_t(5, int(n)),
        _mean,
        diameter=20.0,
        n_blocks=800,
        epsilon=1.0,
        delta=1e-3,
        ledger=ledger,
    )
    (release,) = ledger.transcript.releases
    assert isinstance(release.mechanism, SmoothSensitivity)
    assert release.value is not None
    return math.hypot(float(release.value[0]), release.mechanism.scale)


_GUESS = 3.0
"""A public guess of the mean number of visits: the estimates lie in [-2, 8]."""


def _visits() -> FloatArray:
    """Outpatient visits per person and year in the RAND experiment, in a random order."""
    column: FloatArray = randhie.load_pandas().data["mdvis"].to_numpy(dtype=np.float64)
    return np.random.default_rng(325).permutation(column)


def _visits_aggregate(data: Data, epsilon: float, ledger: Ledger) -> float:
    output = sample_and_aggregate(
        data,
        lambda block: np.array([block.mean() - _GUESS]),
        diameter=10.0,
        n_blocks=200,
        epsilon=epsilon,
        delta=1e-3,
        ledger=ledger,
    )
    return float(output[0]) + _GUESS


def _replace_visits(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random person by one with none, or absurdly many, visits."""
    index = int(rng.integers(len(data)))
    return replace_record(data, index, rng.choice([0.0, HUGE_RECORD])), index


def sample_aggregate() -> Case:
    """Sample and aggregate: Gaussian noise whose scale depends on the data."""
    corrected = _moving_centre()
    return Case(
        id="diss-3.2.5",
        forms={
            "corrected": corrected,
            "corrected-bound": _growing_bound(),
            "corrected-subsets": _random_subsets(),
            "printed": _narrow(
                0.0,
                largest=True,
                violates={"sensitivity": 1, "privacy_loss": 1, "black_box": 1},
            ),
            "printed-2": _narrow(
                1e-6,
                without_diameter=True,
                violates={"sensitivity": 2, "privacy_loss": 2},
                no_black_box="the losses of its one release are those of the output",
            ),
        },
        scaling=(
            Scaling(
                name="n",
                values=(1.6e5, 3.2e5, 6.4e5, 1.28e6),
                error=_aggregate_error,
                claimed_slope=-0.5,
                repetitions=6,
                claim="Theorem 3.2.2: excess risk O(d^3 L(w*)/(n epsilon^4)), the square of the "
                "error of a mean; with 800 disjoint blocks",
            ),
        ),
        real_data=(
            RealData(
                name="randhie (statsmodels), outpatient visits",
                load=_visits,
                run=_visits_aggregate,
                claim=lambda epsilon: ApproximateDP(epsilon, 1e-3),
                neighbour=_replace_visits,
                baseline=lambda data: float(np.mean(data)),
                error=lambda private, baseline: abs(private - baseline) / baseline,
                epsilons=(1.0, 2.0, 4.0),
                metric="relative error of the mean",
            ),
        ),
        mutants=_aggregate_mutants(corrected),
    )


# --------------------------------------------------------------------------- diss-3.2.7

EVERYWHERE = L2Ball(1e9)


def _descent(
    pair: tuple[FloatArray, FloatArray],
    *,
    trim: int,
    n_iterations: int,
    domain: Domain,
    epsilon: float = 1.0,
    delta: float = 1e-5,
    statistic: Callable[[FloatArray], float] = lambda output: -float(np.abs(output).max()),
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
    loss_samples: int = 200,
    **options: bool,
) -> Form:
    """Descend from 0 to the mean of the rows; every gradient's mean lies in [-1, 1]."""

    def run(records: Data, ledger: Ledger) -> FloatArray:
        return known_mean_gradient_descent(
            records,
            SquaredDistance(),
            EVERYWHERE,
            lower=-1.0,
            upper=1.0,
            trim=trim,
            initial=np.zeros(pair[0].shape[1]),
            step_size=0.5,
            n_iterations=n_iterations,
            epsilon=epsilon,
            delta=delta,
            ledger=ledger,
            **options,
        )

    claim = ApproximateDP(epsilon, delta)
    n, dimension = pair[0].shape
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": n, "d": dimension, "T": n_iterations, "m": trim, "epsilon": epsilon,
            "delta": delta, "a": -1.0, "b": 1.0, **options,
        },
        domain=domain,
        design=ZCDP(zcdp_rho(epsilon, delta)),
        violates=violates or {},
        black_box=None if no_black_box else BlackBox(run, claim, pair, statistic),
        no_black_box=no_black_box,
        loss_samples=loss_samples,
    )  # fmt: skip


def _spike(
    *, n: int = 100, dimension: int = 1, trim: int = 20, n_iterations: int = 1, **options: Any
) -> Form:
    """Zeros against the same with one huge record: it moves the scale, not the trimmed mean."""
    data = np.zeros((n, dimension))
    return _descent(
        (data, replace_record(data, 0, np.full(dimension, HUGE_RECORD))),
        trim=trim,
        n_iterations=n_iterations,
        domain=Everything((dimension,), 1e300),
        **options,
    )


def _median() -> Form:
    """Four of seven derivatives at -1 against three: the median moves by the whole scale.

    With few values in the domain the search meets every term of the smooth sensitivity; at a
    large epsilon it is not b - a that decides.
    """
    data = np.repeat([0.5, 0.0], [4, 3])[:, None]
    return _descent(
        (data, replace_record(data, 0, [0.0])),
        trim=3,
        n_iterations=1,
        domain=Choice(tuple(np.array([x]) for x in (0.0, 0.005, 0.05, 0.5, 1e12))),
        epsilon=30.0,
        delta=0.01,
        no_black_box="that of the form 'corrected' is the same algorithm",
    )


def _one_step(release: Callable[[FloatArray, Ledger], FloatArray]) -> Run:
    """Return the descent for d = T = 1 with another release in place of the trimmed mean."""

    def run(records: Data, ledger: Ledger) -> FloatArray:
        derivatives = SquaredDistance().gradients(records, np.zeros(1))[:, 0]
        return np.asarray(-0.5 * release(np.sort(derivatives), ledger))

    return run


def _smooth_release(value: float, bound: float, epsilon: float, ledger: Ledger) -> FloatArray:
    return ledger.smooth(
        value,
        smooth_bound=bound,
        smoothness=epsilon**2 / 16,
        divisor=epsilon / 4,
        rho=epsilon**2 / 2,
    )


def _unclipped(form: Form) -> Form:
    """Return the form for d = T = 1 without the truncation of the trimmed mean to [a, b].

    Half the derivatives are -1e6 and half 1e6: a record moves their mean by 2e6/(n - 2m).
    """
    n, m = form.parameters["n"], form.parameters["m"]
    epsilon = trimming_budget(form.parameters["epsilon"], form.parameters["delta"])

    def release(x: FloatArray, ledger: Ledger) -> FloatArray:
        bound = smooth_sensitivity(x, trim=m, smoothness=epsilon**2 / 16, lower=-1.0, upper=1.0)
        return _smooth_release(float(x[m : n - m].mean()), bound, epsilon, ledger)

    data = np.repeat([-HUGE_RECORD, HUGE_RECORD], n // 2)[:, None] / 2
    return replace(
        form,
        run=_one_step(release),
        pair=(data, replace_record(data, 0, [HUGE_RECORD / 2])),
        black_box=None,
        no_black_box="a mutant",
    )


def _unsmoothed(form: Form) -> Form:
    """Return the form for seven records and d = T = 1 with the local sensitivity as scale.

    It is 1 for four derivatives 0 and three -1 and 0 once a -1 is replaced by 0; a floor keeps it
    positive.
    """
    epsilon = trimming_budget(form.parameters["epsilon"], form.parameters["delta"])

    def release(x: FloatArray, ledger: Ledger) -> FloatArray:
        floor = 2 * math.exp(-3 * epsilon**2 / 16)
        bound = max(floor, x[4] - x[3], x[3] - x[2])
        return _smooth_release(float(x[3]), bound, epsilon, ledger)

    data = np.repeat([0.5, 0.0], [3, 4])[:, None]
    return replace(
        form,
        run=_one_step(release),
        pair=(data, replace_record(data, 0, [0.0])),
        black_box=None,
        no_black_box="a mutant",
    )


def _descent_error(n: float, rng: np.random.Generator) -> float:
    """Root mean square of w^1 - mu over the noise and 2 samples from Laplace's law, d = T = 1.

    The derivatives' means are known to lie in [-2, 2]; their standard deviation is 2 sqrt 2.
    """
    size, step = int(n), 0.5
    trim = recommended_trim(
        size,
        dimension=1,
        n_iterations=1,
        epsilon=1.0,
        delta=1e-5,
        lower=-2.0,
        upper=2.0,
        deviation=2.0,
    )
    ledger = RecordingLedger(rng)
    for _ in range(2):
        known_mean_gradient_descent(
            rng.laplace(size=(size, 1)),
            SquaredDistance(),
            EVERYWHERE,
            lower=-2.0,
            upper=2.0,
            trim=trim,
            initial=[0.0],
            step_size=step,
            n_iterations=1,
            epsilon=1.0,
            delta=1e-5,
            ledger=ledger,
        )
    squares = []
    for release in ledger.transcript.releases:
        assert isinstance(release.mechanism, SmoothSensitivity)
        assert release.value is not None
        # w^1 = -step (value + scale sinh Z), and E sinh(Z)^2 = (e^2 - 1)/2
        noise = release.mechanism.scale**2 * math.expm1(2) / 2
        squares.append(step**2 * (float(np.square(release.value)) + noise))
    return math.sqrt(sum(squares) / len(squares))


def _visits_rows() -> FloatArray:
    return _visits()[:, None]


def _visits_descent(data: Data, epsilon: float, ledger: Ledger) -> float:
    """Return the trimmed mean number of visits by one step, 2500 of 20190 off at either end."""
    output = known_mean_gradient_descent(
        data,
        SquaredDistance(),
        L2Ball(20.0),
        lower=-40.0,
        upper=0.0,
        trim=2500,
        initial=[0.0],
        step_size=0.5,
        n_iterations=1,
        epsilon=epsilon,
        delta=1e-5,
        ledger=ledger,
    )
    return float(output[0])


def known_mean() -> Case:
    """Gradient descent with a known range of the mean: trimmed means of every coordinate."""
    corrected, median = _spike(), _median()
    return Case(
        id="diss-3.2.7",
        forms={
            "corrected": corrected,
            "corrected-median": median,
            "corrected-steps": _spike(
                n=40,
                dimension=2,
                trim=10,
                n_iterations=3,
                loss_samples=100,
                no_black_box="that of the form 'corrected' is the same algorithm",
            ),
            "printed": _spike(
                as_published=True,
                violates={"sensitivity": 1, "privacy_loss": 1, "black_box": 1},
            ),
            "printed-2": _spike(
                published_budget=True,
                violates={"accounting": 3},
                no_black_box="the slack of Mechanism M's constants hides it from sampling",
            ),
        },
        scaling=(
            Scaling(
                name="n",
                values=(2e4, 4e4, 8e4, 1.6e5),
                error=_descent_error,
                claimed_slope=-0.5,
                repetitions=8,
                claim="Theorem 3.2.5: excess risk O(log^2(n) log(1/delta)/(n epsilon^2)), the "
                "square of the error of a mean, with m = (16 d T/tilde-epsilon^2) log n",
            ),
        ),
        real_data=(
            RealData(
                name="randhie (statsmodels), outpatient visits",
                load=_visits_rows,
                run=_visits_descent,
                claim=lambda epsilon: ApproximateDP(epsilon, 1e-5),
                neighbour=_replace_visits,
                baseline=lambda data: _visits_descent(data, 1.0, NoiselessLedger()),
                error=lambda private, baseline: abs(private - baseline) / baseline,
                epsilons=(1.0, 2.0, 4.0),
                metric="relative error against the same descent without noise",
            ),
        ),
        mutants={
            "clipping dropped": _unclipped(corrected),
            "scale not smoothed": _unsmoothed(median),
        },
    )


CASES: dict[str, Callable[[], Case]] = {
    "diss-3.2.5": sample_aggregate,
    "diss-3.2.7": known_mean,
}
