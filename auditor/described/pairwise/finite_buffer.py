"""FBOnPairStrC (diss-3.3.12): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Scaling,
    Setting,
    along,
    averaged,
    noise_slope,
    rate_slope,
    root_mean_square,
)
from auditor.described.data.pairs import (
    NO_REAL_STREAM,
    Target,
    buffered_form,
    first_step_form,
    without_normalisation,
)
from auditor.described.data.small_pairwise import BY_HAND, FEW, labelled, metric, problem, vectors
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.errata.pairwise import finite_buffer as errata
from reference.pairwise import finite_buffer as algorithm
from reference.pairwise.finite_buffer import (
    constants_for,
    fb_on_pair_strongly_convex,
    reservoir,
)
from reference.pairwise.losses import AUC, Midpoint, PairwiseLoss, Regularized
from reference.privacy.ledger import Ledger, NoiselessLedger

HIDDEN = "the buffer is hidden in the outputs; 004 Theorem 3.3.4 bounds an event of them alone"


def push(path: FloatArray) -> float:
    """Return the sum of the outputs, all of which one record draws to its side."""
    return float(path[:, 0].sum())


_form = partial(buffered_form, fb_on_pair_strongly_convex, Target)
_small = partial(_form, n=12, epsilon=1.0, buffer_size=12)

BOUND = 0.1
DIMENSIONS = (18.0, 54.0, 162.0, 486.0)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
DELTA = 1e-2
LOSS = Midpoint(feature_bound=BOUND)


def stream(rng: np.random.Generator, n: int, dimension: int) -> FloatArray:
    """Draw records on the sphere of radius B around a fixed mean's direction."""
    records = rng.standard_normal((n, dimension)) / np.sqrt(dimension)
    records[:, 0] += 1.0
    return LOSS.validate(records, dimension)


def _outputs(
    function: Callable[..., FloatArray],
    records: FloatArray,
    loss: PairwiseLoss,
    ledger: Ledger,
    **parameters: Any,
) -> FloatArray:
    return function(
        records,
        loss,
        initial=np.zeros(records.shape[1]),
        delta=DELTA,
        ledger=ledger,
        **parameters,
    )


def logarithms(n: float) -> float:
    """Return those of the claim, log^1.5(n/zeta)."""
    return float(math.log(n / 0.1) ** 1.5)


Options = Callable[[int], dict[str, Any]]
"""The parameters of an algorithm that depend on n."""


def along_regret(function: Callable[..., FloatArray], options: Options, *, claim: str) -> Scaling:
    """Return the recipe for the regret (3.105) at d = 2 over the logarithms of the claim."""

    def regret(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
        size = int(n)
        records = stream(rng, size, 2)
        known = {"constraint": L2Ball(1.0), "epsilon": 4.0, **options(size)}
        outputs = _outputs(function, records, LOSS, ledger, **known)
        past = np.cumsum(records, axis=0)[:-1] / np.arange(1, size)[:, None]
        centres = (records[1:] + past) / 2
        best = centres.mean(axis=0)
        excess = ((outputs[:-1] - best) * ((outputs[:-1] + best) / 2 - centres)).sum(axis=1)
        return float(excess.sum()) / logarithms(n)

    lengths = (200.0, 400.0, 800.0, 1600.0)
    known: Any = {"repetitions": 6, "claim": claim}
    return along("n", lengths, 0.5, error=regret, name="n of all", expensive=True, **known)


UNCUT = L2Ball(1e3)
"""A ball so large that it cuts no noise off; the noise is for the G where the records are."""


def _noise(
    function: Callable[..., FloatArray], loss: PairwiseLoss, options: Options
) -> Callable[..., float]:
    """Return the root of sum ||n_t||^2 as an error; Lemma 3.3.2 adds G sum ||n_t|| to the regret.

    The mean of its square grows like d; medians and means of lengths rise faster at small d.
    """

    def noise(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        n: float = 50.0,
        dimension: float = 18.0,
        epsilon: float = 4.0,
    ) -> float:
        size, parameters = int(n), options(int(n))
        records = stream(rng, size, int(dimension))
        strength = parameters.get("strength")
        stepped_on = Regularized(loss, strength, np.zeros(int(dimension))) if strength else loss
        constants = constants_for(stepped_on, radius=BOUND, n=size, epsilon=epsilon, delta=DELTA)
        known = {"constraint": UNCUT, "epsilon": epsilon, "constants": constants, **parameters}
        noisy, path = (
            _outputs(function, records, loss, through, **known)
            for through in (ledger, NoiselessLedger(rng))
        )
        return float(np.linalg.norm(noisy - path))

    return noise


def along_noise(
    function: Callable[..., FloatArray],
    loss: PairwiseLoss,
    options: Options,
    *,
    in_n: float,
    claim: str,
) -> tuple[Scaling, Scaling, Scaling]:
    """Return the recipes for sqrt(d) n^in_n/epsilon, of the noise that the regret contains.

    The regret itself says less of it: in a ball that cuts the noise off it would not grow with d,
    however large the noise is, and without one it has the noise's square, which falls so fast in
    epsilon that noise of half the rate would pass.
    """
    one = _noise(function, loss, options)
    of_four = averaged(one, 4, root_mean_square)
    recipe = partial(along, repetitions=6, claim=claim + ", its noise")
    slope, sizes = noise_slope(EPSILONS, DELTA, 1.0), (25.0, 50.0, 100.0, 200.0)
    return (
        recipe("n", sizes, rate_slope(sizes, lambda n: n**in_n * logarithms(n)), error=one),
        recipe("dimension", DIMENSIONS, 0.5, error=of_four, expensive=True),
        recipe("epsilon", EPSILONS, slope, error=one),
    )


def stored(n: int) -> dict[str, Any]:
    """Return s = n."""
    return {"buffer_size": n}


def _buffer_term(rng: np.random.Generator, _: Ledger, s: float, factor: float = 1.0) -> float:
    """Mean over t of |L^buf_t(w) - L^_t(w)| at a fixed w on the sphere: no privacy noise."""
    n, size = 600, int(s / factor)
    records = stream(rng, n, 2)
    slots, buffer = reservoir(rng, n, size), np.empty(size, dtype=np.int64)
    past, total = np.zeros(2), 0.0
    for t in range(n):
        if t >= size:
            gap = records[buffer].mean(axis=0) - past / t
            total += abs(float(gap[1])) / 2
        past += records[t]
        if slots[t] >= 0:
            buffer[slots[t]] = t
    return total / (n - size)


def finite_buffer() -> Case:
    """Gradient steps against a buffer: without replacement right, with replacement not."""
    theorem = "Theorem 3.3.4 for s = n: regret = O(sqrt(d n) log^1.5(n/zeta)/(alpha epsilon))"
    return Case(
        id="diss-3.3.12",
        forms={
            "corrected": _form(n=12, epsilon=1.0, buffer_size=3, statistic=push),
            "corrected-stored": first_step_form(
                fb_on_pair_strongly_convex, 76, buffer_size=76, statistic=push
            ),
            # record 0 is in a slot at t > 16 with probability about 3/t
            "printed": buffered_form(
                errata.printed,
                Target,
                n=120,
                epsilon=20.0,
                buffer_size=3,
                no_black_box=HIDDEN,
                violates={"accounting": "diss-3.3.12/E1", "privacy_loss": "diss-3.3.12/E1"},
            ),
        },
        scaling=(
            along_regret(fb_on_pair_strongly_convex, stored, claim=theorem),
            *along_noise(fb_on_pair_strongly_convex, LOSS, stored, in_n=0.5, claim=theorem),
            along(
                "s", (8.0, 24.0, 72.0, 216.0), -0.5, error=_buffer_term, repetitions=24,
                claim="(3.115): the buffer adds C_d sqrt(log(n/zeta)/s) to the regret over n",
                inflates="the slots of the buffer for each one that is filled",
            ),
        ),
        no_real_data=NO_REAL_STREAM,
        mutants=without_normalisation(_small),
    )  # fmt: skip


def settings() -> tuple[Setting, ...]:
    """Online learning with a buffer, strongly convex."""
    chosen = algorithm.Constants(
        first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    midpoint = Regularized(Midpoint(feature_bound=0.9), 0.5, np.array([0.25, 0.0, 0.0]))
    auc = Regularized(AUC(feature_bound=0.9), 1.0, np.array([0.0, 0.5]))
    return (
        Setting(
            "by-hand",
            "Three steps on four records with a buffer of one; the fourth record's sensitivity is "
            "larger because the buffer has forgotten.",
            {"data": FEW, **BY_HAND, "buffer_size": 1, "constants": chosen},
        ),
        Setting(
            "middle",
            "A buffer of four of twenty records, some of which replace others.",
            problem(vectors(20, 3, 5), midpoint, L2Ball(0.35), [0.0, 0.25, -0.125])
            | {"buffer_size": 4},
            seed=4,
        ),
        Setting(
            "large-buffer",
            "A buffer larger than the stream keeps everything, and records of the first phase too.",
            problem(labelled(12, 2, 6), auc, L2Ball(1.25), [0.5, -0.5]) | {"buffer_size": 50},
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices, with a buffer of two.",
            metric(12, 7) | {"buffer_size": 2},
        ),
    )


CASES = {"diss-3.3.12": finite_buffer}
SETTINGS = {"diss-3.3.12": settings}
