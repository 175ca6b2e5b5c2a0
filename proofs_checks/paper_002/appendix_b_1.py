"""Appendix B.1: proof of Theorem 3.8.

a = s*/s-hat, e = beta-bar - beta*; a single step has alpha, xi, the selection noise W = sum of
||w_i||_inf^2 and the released noise W_Lap of scale b.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import squared_scale, squares_add_up, triangle
from proofs_checks.paper_002.section_3_2 import FRAMEWORK
from proofs_checks.paper_002.selection_runs import lemma_b1_ratio, missed_supports
from proofs_checks.statement import Wrong
from proofs_checks.statement import not_checkable as any_not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rare,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)

statement = partial(any_statement, algorithms=FRAMEWORK)

any_not_checkable(
    "002 (9)",
    lines="718-722",
    kind="definition",
    printed="beta^{t+.5} = beta^t + eta f_T(grad Q_n0), beta^{t+1} = trunc(beta^{t+.5}, S) + W_Lap",
    reason="notation: a step of Algorithm 2",
    algorithms=FRAMEWORK,
)

any_not_checkable(
    "002 (10)",
    lines="724",
    kind="definition",
    printed="bbar^{t+.5} = beta^t + eta grad Q(beta^t; beta^t), bbar^{t+1} = trunc(bbar^{t+.5}, S)",
    reason="notation: the population step, truncated to the set that the noisy one selects",
    algorithms=FRAMEWORK,
)

any_not_checkable(
    "002 (11)",
    lines="732",
    kind="assumption",
    printed="||bbar^{t+.5} - beta*|| <= L ||beta*|| for some L in (0, 1)",
    reason="a hypothesis of Lemma B.1; (21) and Lemma B.2 provide it",
    algorithms=FRAMEWORK,
)


# ------------------------------------------------------------------- Lemma B.1, (16) and (20)


def _moved(step: int = 1) -> Outcome:
    """Two steps from the same beta differ by eta times the difference of their gradients."""
    beta, cut, sample, population = symbols("beta f_T Q_n Q", real=True)
    eta = symbols("eta")
    moved = (beta + eta * cut) - (beta + eta * population)
    return identity((moved, eta**step * ((cut - sample) + (sample - population))))


def _supports_are_missed(rng: np.random.Generator, d: int, b: float) -> Outcome:
    """bbar = beta* = (r, r, r, b, 0, ...), alpha = xi = 0, s* = 4, s-hat = 45, Laplace scale b.

    The right-hand side is 0, and the left one is b > 0 if the support is missed. "With high
    probability" would allow few such runs.
    """
    runs = 100
    misses = missed_supports(d, b, runs, rng)
    point = {"d": d, "b": b, "s*": 4, "s-hat": 45}
    return rare(misses, runs, 0.2, what="runs that miss the support, against .2", witness=point)


def _with_noise(
    rng: np.random.Generator,
    form: str = "4",
    with_noise: bool = True,
    least: int = 4,
    twice: int = 2,
    *,
    own: int = 1,
    both: int = 1,
    count: int = 1,
    step: int = 1,
) -> Outcome:
    """Lemma 3.2 with c = 1 and the largest eigenvalue of a form of two variables.

    Let r^2 = 2 s1/s3 <= 2a. Lemma 3.2 gives ||beta*_I1|| <= r ||e_I3|| + ||e_I1|| + N with
    N = (1 + sqrt 2) sqrt(s*) eta alpha + (1 + r) eta xi + 2 sqrt(2W): the entries of beta^{t+.5}
    miss those of bbar [step "moved"] by eta alpha each, at most s* of them [step "entries"], and
    eta xi together [steps "chosen", "missed"], r <= 1/sqrt 2 for s-hat >= 4 s*. The squared error
    is ||e_I2||^2 + ||e_I3||^2 + ||beta*_I1||^2, and x^2 + (r x + y)^2 <= (1 + 4 sqrt a)(x^2 + y^2)
    [step "form", for r^2 = 2a, q = sqrt(s*/s-hat) <= 1/2]. The rest is the triangle inequality
    [step "triangle"]. Neither (11) nor a bound on alpha is needed. Runs of NoisyHT [step "runs"].
    """
    q, r, x, y = reals("q r x y")
    chosen, missed = _missed_truth(with_noise, least, twice, own, both)
    worst = max(lemma_b1_ratio(rng, with_noise=with_noise) for _ in range(100))
    return derived(
        form=for_all(
            x**2 + (r * x + y) ** 2 <= (1 + rational(form) * q) * (x**2 + y**2),
            *(q >= 0, 2 * q <= 1, r >= 0, r**2 == 2 * q**2),
        ),
        moved=_moved(step),
        entries=squares_add_up(power=count),
        chosen=chosen,
        missed=missed,
        triangle=triangle(),
        runs=searched(worst, 1, tried=100, what="left over right"),
    )


def _missed_truth(
    with_noise: bool, least: int, twice: int, own: int, both: int
) -> tuple[Outcome, Outcome]:
    """Lemma 3.2 with c = 1 for beta^{t+.5}, ||.||_R^2 <= (s1/s3) ||.||_I3^2, then the truth.

    a_1 = sqrt(s1) eta alpha, a_3 = sqrt(s3) eta alpha, so that r a_3 = sqrt 2 a_1; z = eta xi.
    """
    r, root, v1, v3, w = reals("r root v1 v3 w")
    b1, e1, e3, a1, a3, z, truth = reals("b1 e1 e3 a1 a3 z truth")
    extra = (own + root / 2) * z + twice * root * w if with_noise else 0
    sizes = (r >= 0, v1 >= 0, v3 >= 0, w >= 0, e1 >= 0, e3 >= 0, a1 >= 0, a3 >= 0, z >= 0)
    two = (root > 0, root * root == 2)
    # v1^2 <= 2 ||v_R||^2 + 8 W and 2 ||v_R||^2 <= (r v3)^2, w^2 = W
    chosen = for_all(v1 <= r * v3 + 2 * root * w, *sizes, *two, v1**2 <= (r * v3) ** 2 + 8 * w**2)
    missed = for_all(
        truth <= r * e3 + e1 + (1 + both * root) * a1 + extra,
        *(*sizes, *two, r * a3 == root * a1, least * r**2 <= 2, v1 <= r * v3 + 2 * root * w),
        *(v3 <= e3 + a3 + z, b1 <= v1 + a1 + z, truth <= b1 + e1),
    )
    return chosen, missed


_REPAIR: Wrong = {
    "1.9 sqrt(s*/s-hat) for 4 sqrt(s*/s-hat)": {"form": "1.9"},
    "without W and xi": {"with_noise": False},
    "alpha and xi without eta": {"step": 0},
}
_LEMMA: Wrong = {
    **_REPAIR,
    "s-hat >= 3 s*": {"least": 3},
    "sqrt(2W)": {"selection": 1},
    "eta xi/sqrt 2": {"own": 0},
    "sqrt(s*) eta alpha": {"both": 0},
    "(1+sqrt 2) eta alpha": {"count": 0},
}
_STEP: Wrong = {**_REPAIR, "kappa^2": {"power": 2}}
_DROPPED = "the selection noise W and xi are dropped between (57) and (58)"


@statement(
    "002 Lemma B.1",
    lines="728-738, 1098-1276",
    kind="optimisation",
    printed="||bbar^{t+1} - beta*|| <= (1+4 sqrt(s*/s-hat))^{1/2} ||bbar^{t+.5} - beta*|| + "
    "K1 sqrt(s*/(1-L)) eta alpha, with high probability ((12), (75))",
    false=_DROPPED,
    errata=("zhang-2/E3",),
)
def dropped_noise(rng: np.random.Generator) -> Outcome:
    """However small b is; see :func:`_supports_are_missed`."""
    return _supports_are_missed(rng, 400, 0.005)


@dropped_noise.corrected(
    "with (1+sqrt 2) sqrt(s*) eta alpha + (1+1/sqrt 2) eta xi + 2 sqrt(2W) added, for "
    "s-hat >= 4 s*, surely",
    refuses=_LEMMA,
)
def lemma_with_noise(
    rng: np.random.Generator,
    form: str = "4",
    with_noise: bool = True,
    least: int = 4,
    selection: int = 2,
    own: int = 1,
    both: int = 1,
    count: int = 1,
    step: int = 1,
) -> Outcome:
    """See :func:`_with_noise`."""
    return _with_noise(
        rng, form, with_noise, least, selection, own=own, both=both, count=count, step=step
    )


dropped_noise.restated(
    "002 (12)",
    lines="734-738",
    printed="||bbar^{t+1} - beta*|| <= (1+4 sqrt(s*/s-hat))^{1/2} ||bbar^{t+.5} - beta*|| + "
    "K1 sqrt(s*/(1-L)) eta alpha",
)
dropped_noise.restated(
    "002 (75)",
    lines="1272-1276",
    printed="||bbar^{t+1} - beta*|| <= (1+4 sqrt(s*/s-hat))^{1/2} ||bbar^{t+.5} - beta*|| + "
    "K1 sqrt(s*/(1-L)) eta alpha, as (12)",
)


@statement(
    "002 (16)",
    lines="761-764",
    kind="optimisation",
    printed="||bbar^{t+1} - beta*|| <= (1+4 sqrt(s*/s-hat))^{1/2} kappa ||beta^t - beta*|| + "
    "K1 sqrt(s*/(1-L)) eta alpha",
    false=f"rests on Lemma B.1: {_DROPPED}",
    special_case_of="002 Lemma B.1",
    errata=("zhang-2/E3",),
)
def dropped_noise_in_step(rng: np.random.Generator) -> Outcome:
    """At beta^t = beta*, where grad Q = 0 and bbar = beta*: the witness of Lemma B.1."""
    return _supports_are_missed(rng, 400, 0.05)


@dropped_noise_in_step.corrected("with the terms of the corrected Lemma B.1", refuses=_STEP)
def step_with_noise(
    rng: np.random.Generator,
    form: str = "4",
    with_noise: bool = True,
    power: int = 1,
    step: int = 1,
) -> Outcome:
    """Lemma B.2 bounds ||bbar^{t+.5} - beta*|| [step "ideal"], in the corrected Lemma B.1.

    q = (1 + 4 sqrt(s*/s-hat))^{1/2}, e = ||beta^t - beta*||, N the terms that are added [step
    "product"].
    """
    return _step(rng, form, with_noise, power, step)


def _step(rng: np.random.Generator, form: str, with_noise: bool, power: int, step: int) -> Outcome:
    q, k, e, before, after, noise = reals("q kappa e before after N")
    return derived(
        selection=_with_noise(rng, form, with_noise, step=step),
        ideal=contraction(),
        product=for_all(
            after <= q * k**power * e + noise,
            *(q >= 1, k > 0, k < 1, e >= 0, before <= k * e, after <= q * before + noise),
        ),
    )


@statement(
    "002 (20)",
    lines="780-781",
    kind="optimisation",
    printed="||beta^{t+1} - beta*|| <= eta sqrt(s-hat) alpha + (1+4 sqrt(s*/s-hat))^{1/2} kappa "
    "||beta^t - beta*|| + K1 sqrt(s*/(1-L)) eta alpha + eta xi_t + ||W_Lap||",
    false=f"rests on Lemma B.1: {_DROPPED}",
    special_case_of="002 (16)",
    errata=("zhang-2/E3",),
)
def dropped_noise_in_sum(rng: np.random.Generator) -> Outcome:
    """At beta^t = beta* the right-hand side is ||W_Lap|| and the left sqrt(b^2 + ||W_Lap||^2)."""
    return _supports_are_missed(rng, 400, 0.05)


@dropped_noise_in_sum.corrected(
    "with the terms of the corrected Lemma B.1",
    refuses={**_STEP, "sqrt(s-hat/2) alpha": {"share": "1/2"}},
)
def sum_with_noise(
    rng: np.random.Generator,
    form: str = "4",
    with_noise: bool = True,
    power: int = 1,
    share: str = "1",
    step: int = 1,
) -> Outcome:
    """(14) [step "three terms"] and (15) [step "sample"] with the corrected (16) [step "step"]."""
    return derived(
        three_terms=triangle(),
        sample=truncation_and_sample_bound(share, step=step),
        step=_step(rng, form, with_noise, power, step),
    )


# -------------------------------------------------------------------------- Lemmas B.2 and B.3


def contraction(step: str = "2", gamma_share: int = 2) -> Outcome:
    """One step of gradient EM, eta = 2/(mu + nu).

    For a mu-smooth, nu-strongly concave Q(.; beta*) with grad Q(beta*; beta*) = 0, e = beta - beta*
    and g = -grad Q(beta; beta*): <g, e> >= (mu nu ||e||^2 + ||g||^2)/(mu + nu) (Nesterov 2004,
    Theorem 2.1.12, cited), so that ||e - eta g|| <= (mu - nu)/(mu + nu) ||e|| [step "ideal", times
    (mu + nu)^2]. Condition 3.4 adds eta gamma ||e|| [step "added"].
    """
    mu, nu, e, g, inner = reals("mu nu E G inner")
    m, n, gamma = symbols("mu nu gamma")
    eta = rational(step)
    return derived(
        ideal=for_all(
            (mu + nu) ** 2 * e - 2 * eta * (mu + nu) * inner + eta**2 * g <= (mu - nu) ** 2 * e,
            *(nu > 0, mu >= nu, e >= 0, g >= 0, (mu + nu) * inner >= mu * nu * e + g),
        ),
        added=identity(((m - n) / (m + n) + 2 * gamma / (m + n),
                        1 - (2 * n - gamma_share * gamma) / (m + n))),
    )  # fmt: skip


_CONTRACTION: Wrong = {
    "step size 1/(mu+nu)": {"step": "1"},
    "nu - gamma/2 for nu - gamma": {"gamma_share": 1},
}
_SELF = "grad Q(beta*; beta*) = 0, which the printed weights break"


@statement(
    "002 Lemma B.2",
    lines="740-744",
    kind="optimisation",
    printed="||bbar^{t+.5} - beta*|| <= (1 - 2(nu-gamma)/(nu+mu)) ||beta^t - beta*|| ((13))",
    added=_SELF,
    special_case_of="002 Lemma B.3",
    refuses=_CONTRACTION,
)
def ideal_step(step: str = "2", gamma_share: int = 2) -> Outcome:
    """See :func:`contraction`."""
    return contraction(step, gamma_share)


ideal_step.restated(
    "002 (13)",
    lines="744",
    printed="||bbar^{t+.5} - beta*|| <= (1 - 2(nu-gamma)/(nu+mu)) ||beta^t - beta*||",
)


@any_statement(
    "002 Lemma B.3",
    lines="893-897",
    kind="optimisation",
    printed="0 <= gamma < nu <= mu, eta = 2/(mu+nu): one gradient EM step contracts by 1 - "
    "(2nu-2gamma)/(mu+nu)",
    added=_SELF,
    refuses=_CONTRACTION,
    algorithms=("zhang-4", "zhang-7", "zhang-8"),
)
def low_dimensional_step(step: str = "2", gamma_share: int = 2) -> Outcome:
    """See :func:`contraction`."""
    return contraction(step, gamma_share)


# ------------------------------------------------------------------------------- (14) to (22)


@statement(
    "002 (14)",
    lines="748-751",
    kind="optimisation",
    printed="||beta^{t+1} - beta*|| <= ||trunc(beta^{t+.5}, S) - trunc(bbar^{t+.5}, S)|| + "
    "||bbar^{t+1} - beta*|| + ||W_Lap||",
    refuses={"0.9 of the second term": {"factor": "0.9"}},
)
def splits(factor: str = "1") -> Outcome:
    """The difference is the sum of the three [step "sum"]; the triangle inequality twice."""
    step, ideal, noise, truth = symbols("step ideal noise truth", real=True)
    return derived(
        sum=identity((step + noise - truth, (step - ideal) + (ideal - truth) + noise)),
        triangle=triangle(factor),
    )


@statement(
    "002 (15)",
    lines="755-759",
    kind="optimisation",
    printed="||trunc(beta^{t+.5}, S) - trunc(bbar^{t+.5}, S)|| <= eta ||f_T - grad Q_n0|| + "
    "eta sqrt(s-hat) alpha",
    refuses={
        "sqrt(s-hat/2) alpha": {"share": "1/2"},
        "0.9 of a term": {"factor": "0.9"},
        "alpha for sqrt(s-hat) alpha": {"count": 0},
        "without eta": {"step": 0},
    },
)
def truncation_and_sample(
    share: str = "1", factor: str = "1", count: int = 1, step: int = 1
) -> Outcome:
    """See :func:`truncation_and_sample_bound`."""
    return truncation_and_sample_bound(share, factor, count, step)


def truncation_and_sample_bound(
    share: str = "1", factor: str = "1", count: int = 1, step: int = 1
) -> Outcome:
    """The difference is eta times that to the sample's gradient and on to the population's.

    [Step "split".] (x_j)^2 <= alpha^2 for each of the s-hat coordinates of S [step "norm", by
    induction; n = s-hat, C = alpha]. The first term may be restricted to S, too, which is all that
    the lemmas bound.
    """
    return derived(
        split=_moved(step),
        triangle=triangle(factor),
        norm=squares_add_up(share, power=count),
    )


def _laplace_norm(
    rate: int = 1, share: str = "1", count: int = 1, square: int = 2, coordinates: int = 1
) -> Outcome:
    """If every |w_j| <= C b, ||w||^2 <= s C^2 b^2 [step "norm", by induction].

    P(|w_j| > C b) = e^-C [step "tail"]; P(A or B) <= P(A) + P(B) [step "two"] over the s
    coordinates [step "union"].
    """
    x, c = symbols("x C")
    s, j = sp.symbols("s j", positive=True, integer=True)
    p, q, both = reals("p q both")
    return derived(
        norm=squares_add_up(share, coordinates, square),
        tail=identity((sp.integrate(sp.exp(-x), (x, c, sp.oo)), sp.exp(-rate * c))),
        two=for_all(p + q - both <= p + q, both >= 0, p >= both, q >= both),
        union=identity((sp.Sum(sp.exp(-c), (j, 1, s)), s**count * sp.exp(-c))),
    )


@any_statement(
    "002 (17)",
    lines="768",
    kind="concentration",
    printed="P(||W_Lap||_2^2 > s C^2 b^2) <= s exp(-C)",
    refuses={
        "s exp(-2C)": {"rate": 2},
        "exp(-C)": {"count": 0},
        "s C^2 b^2/2": {"share": "1/2"},
        "s C b^2": {"square": 1},
        "C^2 b^2": {"coordinates": 0},
    },
    algorithms=("zhang-1",),
    unchecked={
        "b": "the unit of the noise: the steps have |w_j|/b",
    },
)
def laplace_norm(
    rate: int = 1, share: str = "1", count: int = 1, square: int = 2, coordinates: int = 1
) -> Outcome:
    """See :func:`_laplace_norm`."""
    return _laplace_norm(rate, share, count, square, coordinates)


def released_noise(budget: int = 1, power: int = 1, counted: int = 1) -> Outcome:
    """(17) at C = c log d: s C^2 b^2 with b = (2T/n0) 2 sqrt(3 s L)/epsilon, T = sqrt(log n).

    Here s = s*, L = log(1/delta), l = log n.
    It is 48 c^2 times the printed bound [step "size"], with probability at least 1 - s d^-c
    [step "norm"]; N0 steps fail with probability N0 s d^-c [step "steps"].
    """
    s, size, ell, n0, epsilon, log_d, c = symbols("s L l n0 epsilon log_d c")
    steps, j = sp.symbols("N0 j", positive=True, integer=True)
    failure = s * sp.exp(-c * log_d)
    square = squared_scale(2, s, size, sp.sqrt(ell), n0, epsilon)
    bound = (s * log_d) ** 2 * size**budget * ell**power / (n0 * epsilon) ** 2
    return derived(
        norm=_laplace_norm(),
        size=identity((s * (c * log_d) ** 2 * square, 48 * c**2 * bound)),
        steps=identity((sp.Sum(failure, (j, 1, steps)), steps**counted * failure)),
    )


_ORDER: Wrong = {
    "without log(1/delta)": {"budget": 0},
    "without log n": {"power": 0},
}


@statement(
    "002 (18)",
    lines="770-772",
    kind="concentration",
    printed="||W_Lap^t||_2^2 <= C1 (s* log d)^2 log(1/delta) log n/(n0 epsilon)^2 w.h.p.",
    checked="with C1 = 48 c^2 and probability 1 - s d^-c, for every c > 0",
    special_case_of="002 (19)",
    refuses=_ORDER,
    unchecked={
        "C1": '48 c^2 in step "size"',
    },
)
def noise_order(budget: int = 1, power: int = 1) -> Outcome:
    """See :func:`released_noise`."""
    return released_noise(budget, power)


@statement(
    "002 (19)",
    lines="774-776",
    kind="concentration",
    printed="max_t ||W_Lap^t||_2^2 <= C1 (s* log d)^2 log(1/delta) log n/(n0 epsilon)^2 w.h.p.",
    checked="with C1 = 48 c^2 and probability 1 - N0 s d^-c, for every c > 0",
    refuses={**_ORDER, "1 - s d^-c": {"counted": 0}},
    unchecked={
        "C1": '48 c^2 in step "size"',
        "t": 'any of the N0 steps, whose failures step "steps" adds up',
    },
)
def noise_order_of_all_steps(budget: int = 1, power: int = 1, counted: int = 1) -> Outcome:
    """See :func:`released_noise`; N0 is of the order of log n."""
    return released_noise(budget, power, counted)


@statement(
    "002 Choice of s-hat before (21)",
    lines="783",
    kind="optimisation",
    printed="s-hat >= 16 (1/kappa-1)^-2 s* => (1+4 sqrt(s*/s-hat))^{1/2} kappa <= sqrt(kappa)",
    refuses={"s-hat >= 15 (1/kappa-1)^-2 s*": {"constant": 15}},
)
def choice_of_sparsity(constant: int = 16) -> Outcome:
    """With r = sqrt(s*/s-hat): constant kappa^2 r^2 <= (1 - kappa)^2 gives (1 + 4r) kappa <= 1."""
    kappa, r = reals("kappa r")
    return for_all(
        (1 + 4 * r) * kappa <= 1,
        *(kappa > 0, kappa < 1, r >= 0, constant * kappa**2 * r**2 <= (1 - kappa) ** 2),
    )


@statement(
    "002 (21)",
    lines="785-789",
    kind="optimisation",
    printed="||beta^{t+1} - beta*|| <= (1-sqrt kappa)^2 R + sqrt(kappa) R <= R",
    checked="the second inequality; the first one is assumed",
    refuses={"(1 - sqrt(kappa))^2 R + sqrt(kappa) R <= 0.95 R": {"factor": "0.95"}},
    unchecked={
        "R": "a factor of each side; the step is over R",
    },
)
def ball_is_kept(factor: str = "1") -> Outcome:
    """1 - (1-k)^2 - k = k - k^2 for k = sqrt(kappa); it is at least 3/4 of R.

    What the proof puts into (1-sqrt kappa)^2 R holds by the condition on alpha, and for xi and the
    noise if they are small, which is assumed.
    """
    k = reals("k")
    return for_all((1 - k) ** 2 + k <= rational(factor), k >= 0, k <= 1)


@statement(
    "002 (22)",
    lines="791-792",
    kind="optimisation",
    printed="||beta^t - beta*|| <= c alpha + kappa^{t/2} ||beta^t - beta*|| + c xi + K2 (privacy "
    "term)",
    false="beta^t stands on the right for beta^0 (misprint; (3) has beta^0)",
    errata=("zhang-2/E4",),
)
def iterated_printed() -> Outcome:
    """alpha = xi = W = 0, kappa = 1/4, error 1 at first: after 2 steps 1/4, on the right 1/16."""
    k, t = Fraction(1, 2), 2
    error = k**t
    point = {"kappa": 0.25, "t": t, "error at first": 1}
    return refuted(point, error, k**t * error, "error against the printed right-hand side")


@iterated_printed.corrected(
    "with kappa^{t/2} ||beta^0 - beta*|| on the right",
    refuses={
        "0.9/(1 - sqrt(kappa))": {"factor": "0.9"},
        "kappa^t": {"half": 2},
        "1/(1 - kappa)": {"root": 2},
    },
    unchecked={
        "t": "the number of steps; the step has one of them, by the factor k",
    },
)
def iterated(factor: str = "1", half: int = 1, root: int = 1) -> Outcome:
    """e' <= k e + c keeps e <= P + c/(1 - k) with P' = k P, k = sqrt(kappa) [step "induction"].

    P starts at ||beta^0 - beta*||.
    """
    k, e, after, p, c = reals("k e after P c")
    f, gap = rational(factor), 1 - k**root
    return derived(
        induction=for_all(
            after * gap <= k**half * p * gap + f * c,
            *(k > 0, k < 1, c >= 0, p >= 0, e >= 0),
            *(after <= k * e + c, e * gap <= p * gap + f * c),
        )
    )
