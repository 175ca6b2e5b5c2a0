"""How Frank-Wolfe on heavy-tailed data (seed 003, Algorithms 1 and 2) is audited."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from statsmodels.datasets import randhie

from auditor.cases.data.means import in_doubles
from auditor.core.case import BlackBox, Case, Data, Form, RealData, Scaling
from auditor.core.neighbours import Everything, Product, replace_record
from auditor.questions.mutants import scaled_claim
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball
from reference.heavy_tailed.frank_wolfe import (
    heavy_tailed_frank_wolfe,
    l1_diameter,
    recommended_iterations,
    recommended_scale,
)
from reference.heavy_tailed.lasso import heavy_tailed_lasso, recommended_truncation
from reference.heavy_tailed.truncation import mean_sensitivity
from reference.losses import Biweight, Records, SquaredError
from reference.privacy.guarantees import ZCDP, ApproximateDP, PureDP, zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger

# -------------------------------------------------------------------------- hu-1, privacy

_HUGE = 1e6
_BALL = L1Ball(1.0)


def _opposite_gradients(n: int) -> tuple[Data, Data]:
    """Return n records whose gradients at 0 are -2e12 e_1, and the same but for one of +2e12 e_1.

    Scores that favour one vertex strongly show a sampler whose noise is too small.
    """
    features, labels = np.zeros((n, 2)), np.full(n, _HUGE)
    features[:, 0] = _HUGE
    return (features, labels), (features, np.where(np.arange(n) == 0, -labels, labels))


def _frank_wolfe(
    pair: tuple[Data, Data],
    *,
    n_iterations: int,
    scale: float = 1.0,
    loss_samples: int = 250,
) -> Form:
    """Return a form on squared errors; at precision 20 the claimed sensitivity is tight to 1e-5."""
    epsilon = 2.0
    claim = PureDP(epsilon)
    dimension, precision = pair[0][0].shape[1], 20.0

    def run(data: Data, ledger: Ledger) -> FloatArray:
        return heavy_tailed_frank_wolfe(
            data,
            SquaredError(),
            _BALL,
            initial=np.zeros(dimension),
            epsilon=epsilon,
            scale=scale,
            precision=precision,
            n_iterations=n_iterations,
            ledger=ledger,
        )

    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": len(pair[0][1]),
            "d": dimension,
            "epsilon": epsilon,
            "s": scale,
            "precision": precision,
            "T": n_iterations,
            "R": _BALL.radius,
        },
        domain=Product((Everything((dimension,), 1e300), Everything((), 1e300))),
        # -gradient favours +e_1, more so under the first data set
        black_box=BlackBox(run, claim, pair, lambda w: float(w[0])),
        loss_samples=loss_samples,
    )


def _eight_records(*, scale: float = 1.0) -> Form:
    return _frank_wolfe(_opposite_gradients(8), n_iterations=2, scale=scale)


def _sorted_records() -> Form:
    """Return a twin whose blocks depend on the data: one record moves all eight of them.

    Sorted by the feature, blocks of one record each, gradients of alternating sign; replacing
    the first record by a last one shifts the others by a block each.
    """
    features = np.arange(1.0, 9.0)[:, None]
    labels = _HUGE * np.tile([1.0, -1.0], 4)
    data = features, labels
    other = replace_record(data, 0, (np.array([9.0]), _HUGE))
    form = _frank_wolfe((data, other), n_iterations=8, loss_samples=100)

    def run(data: Data, ledger: Ledger) -> FloatArray:
        order = np.argsort(data[0][:, 0])
        output: FloatArray = form.run((data[0][order], data[1][order]), ledger)
        return output

    return _mutant(form, run)


def _mutant(form: Form, run: Callable[[Data, Ledger], FloatArray]) -> Form:
    return Form(
        run=run,
        claim=form.claim,
        pair=form.pair,
        replaced=form.replaced,
        parameters=form.parameters,
        domain=form.domain,
        no_black_box="a mutant",
        loss_samples=form.loss_samples,
    )


def _closed_form(form: Form) -> Form:
    """Return the first step with the printed form of the truncation in doubles."""
    s, precision = form.parameters["s"], form.parameters["precision"]
    size = form.parameters["n"] // form.parameters["T"]

    def run(data: Data, ledger: Ledger) -> FloatArray:
        block = slice(0, size)
        gradients = SquaredError().gradients((data[0][block], data[1][block]), np.zeros(2))
        scores = -_BALL.inner_products(in_doubles(gradients, s, precision).mean(axis=0))
        chosen = ledger.exponential(
            scores - scores[0],
            sensitivity=l1_diameter(_BALL, 2) * mean_sensitivity(size, scale=s),
            epsilon=form.claim.epsilon_at(0.0),
            records=block,
        )
        return _BALL.vertex(chosen, 2)

    return _mutant(form, run)


# -------------------------------------------------------------------------- hu-1, utility


def _student(freedom: int, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draw from Student's t, scaled to variance 1."""
    return rng.standard_t(freedom, size) / math.sqrt(freedom / (freedom - 2))


def _linear_model(features: FloatArray, noise: FloatArray) -> tuple[Records, FloatArray]:
    """Return records of y = <w*, x> + noise/2, and w* = (0.5, -0.3, 0.2, 0, ...).

    Entries of x and the noise are independent, of mean 0 and variance 1: as ||w*||_1 = 1, the
    excess risk of w over the unit l1 ball is ||w - w*||^2.
    """
    best = np.zeros(features.shape[1])
    best[:3] = 0.5, -0.3, 0.2
    return (features, features @ best + noise / 2), best


def _signs_and_heavy_noise(
    n: int, dimension: int, rng: np.random.Generator
) -> tuple[Records, FloatArray]:
    """Return n records with random signs as features and noise t_3: gradients without E |g|^3.

    Their second moments over the unit l1 ball are at most 4 (||w - w*||^2 + 1/4) = 10.52.
    """
    signs = rng.choice([-1.0, 1.0], (n, dimension))
    return _linear_model(signs, _student(3, (n,), rng))


def _excess_risk(rng: np.random.Generator, *, n: float, epsilon: float = 1.0) -> float:
    """Excess risk by the constants of Theorem 2: tau = 10.52, alpha = 2, ||W||_1 = 2, zeta = 0.1.

    The risk has Hessian 2.
    """
    dimension = 5
    data, best = _signs_and_heavy_noise(int(n), dimension, rng)

    def constant(of: Callable[..., float], **more: float) -> float:
        return of(
            second_moment=10.52,
            n=int(n),
            dimension=dimension,
            n_vertices=2 * dimension,
            epsilon=epsilon,
            failure_probability=0.1,
            **more,
        )

    diameter = l1_diameter(_BALL, dimension)
    steps = int(constant(recommended_iterations, smoothness=2.0, diameter=diameter))
    w = heavy_tailed_frank_wolfe(
        data,
        SquaredError(),
        _BALL,
        initial=np.zeros(dimension),
        epsilon=epsilon,
        scale=constant(recommended_scale, n_iterations=steps),
        n_iterations=steps,
        ledger=Ledger(rng),
    )
    return float(((w - best) ** 2).sum())


def _robust_regression_error(n: float, rng: np.random.Generator) -> float:
    """||w - w*||^2 by Tukey's biweight and the constants of Theorem 3.

    With E x x' = 1 the excess risk is of that order (its proof bounds it by lambda_max times it).
    """
    dimension, epsilon, zeta = 5, 1.0, 0.1
    data, best = _signs_and_heavy_noise(int(n), dimension, rng)
    loss = Biweight()
    steps = max(1, round(math.sqrt(n * epsilon / math.log(dimension * n / zeta))))
    w = heavy_tailed_frank_wolfe(
        data,
        loss,
        _BALL,
        initial=np.zeros(dimension),
        epsilon=epsilon,
        scale=recommended_scale(
            second_moment=loss.slope_bound**2,  # E x_j^2 = 1
            n=int(n),
            n_iterations=steps,
            dimension=dimension,
            n_vertices=2 * dimension,
            epsilon=epsilon,
            failure_probability=zeta,
        ),
        n_iterations=steps,
        step_size=1 / math.sqrt(steps),
        ledger=Ledger(rng),
    )
    return float(((w - best) ** 2).sum())


# -------------------------------------------------------------------------- hu-2, privacy


def _sign_flip(truncation: float, *, background: int) -> tuple[Data, Data]:
    """Return neighbours that move entry 2 of the gradient at R e_1 by 4 K^2 (1 + R)/n.

    ``background`` records (0, K) with label -K draw the selection to -R e_2.
    """
    k = truncation
    features = np.tile([0.0, k], (1 + background, 1))
    features[0, 0] = k
    data = features, np.full(1 + background, -k)
    return data, replace_record(data, 0, (np.array([k, -k]), -k))


def _lasso(
    pair: tuple[Data, Data],
    *,
    epsilon: float,
    delta: float,
    initial: list[float],
    radius: float = 1.0,
    truncation: float = 2.0,
    n_iterations: int = 1,
    as_published: bool = False,
    published_sensitivity: bool = False,
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
) -> Form:
    dimension = len(initial)
    claim = ApproximateDP(epsilon, delta)

    def run(data: Data, ledger: Ledger) -> FloatArray:
        return heavy_tailed_lasso(
            data,
            radius=radius,
            truncation=truncation,
            epsilon=epsilon,
            delta=delta,
            n_iterations=n_iterations,
            initial=initial,
            as_published=as_published,
            published_sensitivity=published_sensitivity,
            ledger=ledger,
        )

    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": len(pair[0][1]),
            "d": dimension,
            "epsilon": epsilon,
            "delta": delta,
            "R": radius,
            "K": truncation,
            "T": n_iterations,
            "initial": initial,
            "budget as printed": as_published,
            "sensitivity as printed": published_sensitivity,
        },
        domain=Product((Everything((dimension,), 1e300), Everything((), 1e300))),
        design=None if as_published else ZCDP(zcdp_rho(epsilon, delta)),
        violates=violates or {},
        black_box=None
        if no_black_box
        # -R e_2 is more likely under the first data set
        else BlackBox(run, claim, pair, lambda w: -float(w[-1])),
        no_black_box=no_black_box,
        loss_samples=300,
    )


def _unit_ball(*, truncation: float = 2.0) -> Form:
    return _lasso(
        _sign_flip(truncation, background=6),
        epsilon=2.0,
        delta=1e-2,
        initial=[1.0, 0.0],
        truncation=truncation,
        n_iterations=3,
    )


def _wide_ball(*, published: bool = False) -> Form:
    """Return a form with R = 200; the printed sensitivity is 50 times too small.

    The background records are about as many as make delta(0.99) largest: 0.41.
    """
    radius, truncation = 200.0, 2.0
    return _lasso(
        _sign_flip(truncation, background=80),
        epsilon=0.99,
        delta=1e-5,
        initial=[radius, 0.0],
        radius=radius,
        truncation=truncation,
        as_published=published,
        published_sensitivity=published,
        violates={"sensitivity": 1, "privacy_loss": 1, "black_box": 1} if published else {},
    )


def _delta_near_one() -> Form:
    """Return a form on [-1, 1] with delta = 1 - 1e-5, where the printed budget is 110."""
    data = np.ones((1, 1)), np.ones(1)
    return _lasso(
        (data, (data[0], -data[1])),
        epsilon=0.99,
        delta=1 - 1e-5,
        initial=[0.0],
        truncation=1.0,
        as_published=True,
        published_sensitivity=True,
        violates={"accounting": 2},
        no_black_box="a violation of delta = 1 - 1e-5 shows in no affordable number of runs",
    )


# -------------------------------------------------------------------------- hu-2, utility


def _lasso_excess_risk(rng: np.random.Generator, *, n: float, epsilon: float = 0.9) -> float:
    """Excess risk by the orders of Theorem 5, constants 1/2 for K and 10 for T.

    Features and noise are t_5: their fourth moments are finite, their fifth are not.
    """
    dimension, delta, zeta = 5, 1e-3, 0.1
    features, noise = _student(5, (int(n), dimension), rng), _student(5, (int(n),), rng)
    data, best = _linear_model(features, noise)
    logs = math.sqrt(math.log(1 / delta)) * math.log(dimension * n / zeta)
    steps = max(1, round(10 * (math.sqrt(n * epsilon) / logs) ** 0.8))
    w = heavy_tailed_lasso(
        data,
        truncation=recommended_truncation(int(n), epsilon=epsilon, n_iterations=steps) / 2,
        epsilon=epsilon,
        delta=delta,
        n_iterations=steps,
        ledger=Ledger(rng),
    )
    return float(((w - best) ** 2).sum())


# ------------------------------------------------------------------------------- real data

_LARGEST_CODES = {  # of the experiment's covariates, all from 0; public
    "lncoins": 4.65,
    "idp": 1.0,
    "lpi": 7.5,
    "fmde": 8.5,
    "physlm": 1.0,
    "disea": 20.0,  # a count of chronic diseases: a long tail goes beyond
    "hlthg": 1.0,
    "hlthf": 1.0,
    "hlthp": 1.0,
}
_VISITS_UNIT = 4.0
_VISITS_DELTA = 1e-5


def load_visits() -> Records:
    """Return the RAND health insurance experiment: visits on an intercept and nine covariates."""
    table = randhie.load_pandas().data
    columns = [np.ones(len(table))]
    for name, largest in _LARGEST_CODES.items():
        columns.append(table[name].to_numpy(dtype=np.float64) / largest)
    return np.column_stack(columns), table["mdvis"].to_numpy(dtype=np.float64) / _VISITS_UNIT


def _visits_run(data: Data, epsilon: float, ledger: Ledger) -> FloatArray:
    return heavy_tailed_lasso(
        data,
        truncation=2.0,
        epsilon=epsilon,
        delta=_VISITS_DELTA,
        n_iterations=10,
        ledger=ledger,
    )


def _visits_fit(data: Data) -> FloatArray:
    """Return the least squares fit on the unit l1 ball, without shrinkage or noise."""
    return heavy_tailed_lasso(
        data,
        truncation=1e6,
        epsilon=1.0,  # for a noiseless ledger it does not matter
        delta=_VISITS_DELTA,
        n_iterations=400,
        ledger=NoiselessLedger(0),
    )


def _replace_person(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random person by one with absurd covariates and as absurdly many visits."""
    index = int(rng.integers(len(data[1])))
    features = 1e6 * rng.choice([-1.0, 1.0], data[0].shape[1])
    return replace_record(data, index, (features, 1e6 * rng.choice([-1.0, 1.0]))), index


def _visits() -> RealData:
    data = load_visits()

    def risk(w: FloatArray) -> float:
        return float(SquaredError().values(data, w).mean())

    return RealData(
        name="randhie (statsmodels), outpatient visits",
        load=lambda: data,
        run=_visits_run,
        claim=lambda epsilon: ApproximateDP(epsilon, _VISITS_DELTA),
        neighbour=_replace_person,
        baseline=_visits_fit,
        error=lambda private, fit: risk(private) / risk(fit) - 1,
        epsilons=(0.05, 0.2, 1.0, 4.0),
        metric="excess of the mean squared error over the non-private fit's, relative",
    )


# ----------------------------------------------------------------------------------- cases


def hu_1() -> Case:
    """Frank-Wolfe with robust gradients: a selection per disjoint block, pure DP."""
    corrected = _eight_records()
    theorem = "Theorem 2: excess risk O((alpha tau log(n |V| d/zeta)/(n epsilon))^(1/3))"
    sizes = tuple(1000.0 * 2**k for k in range(6))
    return Case(
        id="hu-1",
        forms={"corrected": corrected},
        scaling=(
            Scaling(
                name="n",
                values=sizes,
                error=lambda n, rng: _excess_risk(rng, n=n),
                claimed_slope=-1 / 3,
                repetitions=6,
                claim=theorem,
            ),
            Scaling(
                name="epsilon",
                values=(0.0625, 0.125, 0.25, 0.5, 1.0),
                error=lambda epsilon, rng: _excess_risk(rng, n=16_000, epsilon=epsilon),
                claimed_slope=-1 / 3,
                repetitions=6,
                claim=theorem,
            ),
            Scaling(
                name="n",
                values=sizes,
                error=_robust_regression_error,
                claimed_slope=-0.25,
                repetitions=6,
                claim="Theorem 3 (robust regression): excess risk "
                "O(lambda_max log^(1/4)(d n/zeta)/(n epsilon)^(1/4))",
            ),
        ),
        no_real_data="hu-2 stands for its family on real data",
        mutants={
            # the truncation far out of reach of what is claimed
            "clipping dropped": scaled_claim(_eight_records(scale=1e9), 1e-9),
            "sensitivity of the whole data set": scaled_claim(
                corrected, 1 / corrected.parameters["T"]
            ),
            "sorted records": _sorted_records(),
            "closed form in doubles": _closed_form(corrected),
        },
    )


def hu_2() -> Case:
    """Frank-Wolfe on shrunk records: T selections on all of them."""
    theorem = "Theorem 5: excess risk O((sqrt(log(1/delta)) log(d T/zeta))^(4/5)/(n epsilon)^(2/5))"
    return Case(
        id="hu-2",
        forms={
            "corrected": _unit_ball(),
            "corrected-wide": _wide_ball(),
            "printed": _wide_ball(published=True),
            "printed-2": _delta_near_one(),
        },
        scaling=(
            Scaling(
                name="n",
                values=tuple(1000.0 * 2**k for k in range(8)),
                error=lambda n, rng: _lasso_excess_risk(rng, n=n),
                claimed_slope=-0.4,
                repetitions=3,
                claim=theorem,
            ),
            Scaling(
                name="epsilon",
                values=(0.05, 0.1, 0.2, 0.4, 0.8),
                error=lambda epsilon, rng: _lasso_excess_risk(rng, n=16_000, epsilon=epsilon),
                claimed_slope=-0.4,
                repetitions=12,
                claim=theorem,
            ),
        ),
        real_data=(_visits(),),
        mutants={
            # records and their shrinkage a thousand times as large as what is claimed
            "clipping dropped": scaled_claim(_unit_ball(truncation=2e3), 1e-6),
        },
    )


CASES: dict[str, Callable[[], Case]] = {"hu-1": hu_1, "hu-2": hu_2}
