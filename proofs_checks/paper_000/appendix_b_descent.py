"""Appendix B: the privacy lemmas and the proof of Theorem 5."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from proofs_checks.em import descent as shared
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import identity, refuted, symbols

_BOTH = ("wang-1", "wang-2")
statement = partial(any_statement, algorithms=("wang-2",))

not_checkable(
    "000 Definition 12",
    lines="620",
    kind="definition",
    printed="rho-zCDP: D_alpha(A(D)||A(D')) <= rho alpha for every alpha > 1",
    reason="a definition",
    algorithms=_BOTH,
)
not_checkable(
    "000 (44)",
    lines="646",
    kind="definition",
    printed="beta* maximises Q(.; beta*)",
    reason="Definition 1 once more",
    algorithms=("wang-2",),
)


@any_statement(
    "000 Lemma 17",
    lines="628 (004 Lemma 7.2.18)",
    kind="privacy",
    printed="rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP",
    special_case_of="004 Lemma 2.1.10",
    refuses={
        "rho + sqrt(rho log(1/delta))": {"twice": 1},
        "2 sqrt(rho log(1/delta)) alone": {"own": 0},
    },
    algorithms=_BOTH,
)
def conversion(twice: int = 2, own: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.descent.zcdp_conversion`."""
    return shared.zcdp_conversion(twice, own)


@any_statement(
    "000 Lemma 18",
    lines="632 (004 Lemma 7.2.19)",
    kind="privacy",
    printed="the Gaussian mechanism is Delta_2^2/(2 sigma^2)-zCDP",
    refuses={
        "Delta_2^2/(3 sigma^2)": {"halves": 3},
        "Delta_2^2/(2 sigma)": {"sigma_power": 1},
        "Delta_2/(2 sigma^2)": {"power": 1},
    },
    algorithms=_BOTH,
)
def gaussian(halves: int = 2, sigma_power: int = 2, power: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.descent.gaussian_zcdp`."""
    return shared.gaussian_zcdp(halves, sigma_power, power)


@statement(
    "000 (42)",
    lines="638",
    kind="optimisation",
    printed="|beta + eta g~ - beta*| <= |beta + eta g - beta*| + eta |g~ - g|",
    refuses={"0.9 eta": {"share": "0.9"}, "eta^2": {"eta_power": 2}},
)
def first_triangle(share: str = "1", eta_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.descent.triangle`."""
    return shared.triangle(share, eta_power)


@statement(
    "000 (43)",
    lines="642",
    kind="optimisation",
    printed="the same with grad Q(beta; beta*) for g and grad Q(beta; beta) for g~",
    special_case_of="000 (42)",
    refuses={"0.9 eta": {"share": "0.9"}, "eta^2": {"eta_power": 2}},
    unchecked={
        "Q": "its gradients take the places of g and g~ in (42), where these are any",
    },
)
def second_triangle(share: str = "1", eta_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.descent.triangle`."""
    return shared.triangle(share, eta_power)


@statement(
    "000 (45)",
    lines="650 (004 (7.74))",
    kind="optimisation",
    printed="eta = 2/(mu+v): |beta + eta nabla Q(beta; beta*) - beta*| <= ((mu-v)/(mu+v)) "
    "|beta - beta*|",
    refuses={"0.99 of its square": {"share": "0.99"}, "eta = 1/(mu+v)": {"two": 1}},
)
def contraction(share: str = "1", two: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.descent.contraction`."""
    return shared.contraction(share, two)


@statement(
    "000 (46)",
    lines="654 (004 (7.75))",
    kind="optimisation",
    printed="|beta + eta nabla Q(beta; beta) - beta*| <= (1 - 2(v-gamma)/(mu+v)) |beta - beta*| at "
    "eta = 2/(mu+v)",
    refuses={"v + gamma": {"sign": 1}, "eta = 1/(mu+v)": {"two": 1}},
)
def total_factor(sign: int = -1, two: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.descent.total_factor`."""
    return shared.total_factor(sign, two)


@statement(
    "000 (47)",
    lines="660 (004 (7.76))",
    kind="identity",
    printed="|g - grad Q|^2 = sum_j (g~_j - grad_j Q)^2, g the noisy and g~ the robust mean",
    false="misprint: g~ on the right-hand side for g",
    errata=("wang-2/E7",),
)
def noise_is_missing() -> Outcome:
    """One coordinate, robust mean equal to the gradient, noise 1."""
    return refuted({"g~ - grad Q": 0, "Z": 1}, 1, 0, "left and right side")


@noise_is_missing.corrected(
    "= sum_j (g_j - grad_j Q)^2 = sum_j (g~_j + Z_j - grad_j Q)^2", refuses={"Z_j/2": {"half": 2}}
)
def noise_is_there(half: int = 1) -> Outcome:
    """Put g = g~ + Z, where exact = grad_j Q and robust = g~."""
    robust, noise, exact = symbols("robust Z exact")
    g = robust + noise
    return identity(((g - exact) ** 2, (robust + noise / half - exact) ** 2))


@statement(
    "000 (48)",
    lines="662 (004 (7.77))",
    kind="optimisation",
    printed="sum_j (a_j + Z_j)^2 <= sum_j a_j^2 + sum_j Z_j^2",
    false="factor 2 missing; constants only",
    errata=("wang-2/E6",),
)
def square_of_sum() -> Outcome:
    """See :func:`proofs_checks.em.descent.square_of_sum`."""
    return shared.square_of_sum()


@square_of_sum.corrected("(a + b)^2 <= 2a^2 + 2b^2", refuses={"1.9 for 2": {"factor": "1.9"}})
def square_of_sum_repaired(factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.descent.square_of_sum_repaired`."""
    return shared.square_of_sum_repaired(factor)


@statement(
    "000 Theorem 5, proof (Gaussian tail)",
    lines="664 (004 l.10010-10012)",
    kind="concentration",
    printed="|Z_j|^2 <= sigma^2 log(d/zeta) with probability 1 - zeta/d",
    false="factor 2 missing; constants only",
    errata=("wang-2/E4",),
)
def tail() -> Outcome:
    """See :func:`proofs_checks.em.descent.gaussian_tail`."""
    return shared.gaussian_tail()


@tail.corrected(
    "|Z_j|^2 <= 2 sigma^2 log(d/zeta) with probability 1 - zeta/d",
    refuses={
        "sigma^2 log(d/zeta)": {"halves": 1},
        "with probability 1 - (zeta/d)^2": {"power": 2},
        "2 sigma log(d/zeta)": {"sigma_power": 1},
    },
)
def tail_repaired(halves: int = 2, power: int = 1, sigma_power: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.descent.gaussian_tail_repaired`."""
    return shared.gaussian_tail_repaired(halves, power, sigma_power)


@statement(
    "000 Theorem 5, proof (robust mean)",
    lines="668",
    kind="concentration",
    printed="squared error of the robust mean is O(tau l/n), by Lemma 1",
    false="Lemma 1 needs another s and b on n samples, not the algorithm's on n/T",
    errata=("wang-2/E5",),
)
def robust_mean() -> Outcome:
    """See :func:`proofs_checks.em.descent.robust_mean_claim`."""
    return shared.robust_mean_claim()


@robust_mean.corrected(
    "|error| <= tau/(2s) (1 + 1/b) + (s/m) log(2/zeta) w.p. 1 - zeta",
    refuses={
        "a quarter of it": {"half": "1/8", "logarithm": "1/4"},
        "tau/(4s) (1 + 1/b) + (s/m) log(2/zeta)/2": {"half": "1/4", "logarithm": "1/2"},
        "log(1/zeta)": {"sides": 1},
        "tau/(2s)": {"smoothing": 0},
    },
)
def robust_mean_repaired(
    half: str = "1/2", logarithm: str = "1", sides: int = 2, smoothing: int = 1
) -> Outcome:
    """See :func:`proofs_checks.em.descent.robust_mean_repaired`."""
    return shared.robust_mean_repaired(half, logarithm, sides, smoothing)


@statement(
    "000 (49)",
    lines="674 (004 (7.78))",
    kind="concentration",
    printed="|g~ - g| <= C_2 d sqrt(tau T l)/sqrt(b n te) w.p. 1 - 2 zeta",
    false="follows from the previous line and inherits its defect; true up to logarithms",
    errata=("wang-2/E5",),
)
def step_error() -> Outcome:
    """See :func:`proofs_checks.em.descent.step_error`."""
    return shared.step_error()


@step_error.corrected(
    "<= sqrt(d)(tau/(2s)(1+1/b) + (s/m) log(4d/zeta)) + sigma(sqrt(d) + sqrt(2 log(2/zeta))) "
    "w.p. 1 - zeta",
    refuses={
        "0.9 sqrt(d) in the noise": {"share": "0.9"},
        "sqrt(log(2/zeta)) in the noise": {"two": "1"},
        "without sqrt(d) before the robust mean's": {"root": 0},
        "log(2d/zeta)": {"sides": 2},
        "log(1/zeta) in the noise": {"noise": 1},
        "tau/(4s)": {"mean": {"half": "1/4"}},
        "s/(2m)": {"mean": {"logarithm": "1/2"}},
        "without 1/b": {"mean": {"smoothing": 0}},
    },
    unchecked={
        "sigma": "the unit of the noise: the steps have |Z|/sigma",
    },
)
def step_error_repaired(
    share: str = "1",
    two: str = "2",
    root: int = 1,
    sides: int = 4,
    noise: int = 2,
    mean: Mapping[str, Any] | None = None,
) -> Outcome:
    """See :func:`proofs_checks.em.descent.step_error_repaired`, T = 1."""
    return shared.step_error_repaired(share, two, root, sides, noise, mean)


@statement(
    "000 (50)",
    lines="678 (004 (7.79))",
    kind="optimisation",
    printed="|beta^t - beta*| <= iota |beta^(t-1) - beta*| + eta times the bound of (49)",
    added="(49) holds in the step",
    refuses={
        "0.9 eta": {"share": "0.9"},
        "iota^2": {"factor_power": 2},
        "without eta": {"eta_power": 0},
    },
)
def recursion(share: str = "1", factor_power: int = 1, eta_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.descent.recursion`."""
    return shared.recursion(share, factor_power, eta_power)


@statement(
    "000 (50), induction",
    lines="680-698 (004 (7.79))",
    kind="optimisation",
    printed="given (49) in every step, |beta^t - beta*| <= R/2 for all t and the error is at "
    "most iota^T R/2 + noise/(1 - iota)",
    refuses={
        "noise up to 1.1 (1 - iota) R/2": {"largest": "1.1"},
        "noise/(1 - iota)^2": {"power": 2},
    },
)
def induction(largest: str = "1", power: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.descent.induction`."""
    return shared.induction(largest, power)


@statement(
    "000 Theorem 5, proof (tilde-epsilon)",
    lines="700 (004 l.10048)",
    kind="optimisation",
    printed="te = sqrt(L) + epsilon - sqrt(L) = O(epsilon/sqrt(L))",
    checked="te = sqrt(L + epsilon) - sqrt(L) <= epsilon/(2 sqrt(L))",
    misprint="the root ends before epsilon",
    errata=("wang-2/E8",),
    refuses={"epsilon/(2.1 sqrt(L))": {"constant": "2.1"}},
)
def tilde_epsilon(constant: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.descent.tilde_epsilon`."""
    return shared.tilde_epsilon(constant)
