"""Section 5.2.4: non-linear regression with public features."""

from __future__ import annotations

from functools import partial

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_2_3 import (
    BIAS_REFUSES,
    CORRECTED_NOISE,
    NO_SIGNAL,
    NOISE_REFUSES,
    WHITENED,
    bias_of_least_squares,
    noise_of_labels,
)
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.2.40",))


def label_bound(constant: str = "1", slope: str = "1", start: str = "1") -> Outcome:
    """|f(<x, w*>) - f(0)| <= L |<x, w*>| <= L r, as ||w*||_2 <= 1, and |sigma| <= C."""
    y, value, at_zero, noise, L, r, C, inner = reals("y f f(0) sigma L r C inner")
    bound = rational(slope) * L * r + rational(start) * z3.Abs(at_zero) + rational(constant) * C
    return for_all(
        z3.Abs(y) <= bound,
        *(y == value + noise, z3.Abs(value - at_zero) <= L * z3.Abs(inner)),
        *(z3.Abs(inner) <= r, z3.Abs(noise) <= C, L >= 0, r >= 0, C >= 0),
    )


@statement(
    "004 (5.24)",
    lines="5772",
    kind="definition",
    printed="y = f(<x, w*>) + sigma, ||w*||_2 <= 1, |sigma| <= C",
    refuses={"|y| <= L r + |f(0)|": {"constant": "0"}},
)
def regression(constant: str = "1") -> Outcome:
    """It bounds the labels by L r + |f(0)| + C for |f'| <= L and ||x||_2 <= r."""
    return definition(label_bound(constant))


@statement(
    "004 l.5987 (labels)",
    lines="5987",
    kind="sensitivity",
    printed="||x y||_2 <= ||x||_2 (L ||x||_2 + |f(0)| + C), by which Algorithm 5.2.40 is "
    "(epsilon, delta)-LDP",
    checked="the bound of the labels of the model (5.24), and 2 r (L r + |f(0)| + C) between two",
    misprint="labels in {0, 1} in the algorithm's box: those of the model are meant, or labels "
    "clipped to its bound",
    errata=("diss-5.2.40/E1",),
    refuses={
        "without C": {"constant": "0"},
        "L r/2": {"slope": "1/2"},
        "without |f(0)|": {"start": "0"},
        "1.9 r B between two": {"apart": "1.9"},
    },
    unchecked={
        "epsilon, delta": "of the noise of Theorem 5.2.1, at the bound that the steps have",
    },
)
def messages_of_the_model(
    constant: str = "1", slope: str = "1", start: str = "1", apart: str = "2"
) -> Outcome:
    """The norm of x y is ||x|| |y| [step "label"]; two are at most 2 r B apart [step "two"].

    The noise 32 (r B)^2 log(2.5/delta)/epsilon^2 is that of Theorem 5.2.1 at this bound.
    """
    first, second, r, B = reals("xy x'y' r B")
    return derived(
        label=label_bound(constant, slope, start),
        two=for_all(
            z3.Abs(first - second) <= rational(apart) * r * B,
            *(z3.Abs(first) <= r * B, z3.Abs(second) <= r * B, r >= 0, B >= 0),
        ),
    )


@statement(
    "004 Definition 5.2.1",
    lines="5778",
    kind="definition",
    printed="z* with E[z f(z)] = sigma^2 E[f'(z*)] for all differentiable f; of a normal z it is z",
    refuses={"sigma for sigma^2": {"power": 1}, "z* = z": {"uniform": False}},
    unchecked={
        "z*": "uniform on [-s, s] in the step",
        "f, f'": "e^{tz} and its derivative in the step",
    },
)
def zero_bias(power: int = 2, *, uniform: bool = True) -> Outcome:
    """For z = +-s, sigma = s, it is uniform on [-s, s]; f(z) = e^{tz}, which determines the law.

    E z e^{tz} = s sinh(s t) and E t e^{t z*} = sinh(s t)/s. For a normal z see Lemma 5.2.1.
    """
    s, t = symbols("s t")
    z = sp.Symbol("z", real=True)
    left = (s * sp.exp(t * s) - s * sp.exp(-t * s)) / 2
    mean = sp.integrate(sp.exp(t * z), (z, -s, s)) / (2 * s)
    if not uniform:
        mean = (sp.exp(t * s) + sp.exp(-t * s)) / 2
    return definition(identity((left, s**power * t * mean)))


statement(
    "004 Theorem 5.2.4",
    lines="5782-5790, 6263-6305",
    kind="approximation",
    printed="||w*/c_f - w^ols||_inf <= O(G r kappa_x^3 sqrt(rho_2) rho_inf ||w*||_inf^2/sqrt p), "
    "c_f = 1/E f'(<x, w*>)",
    checked="the constant is at most 16",
    added=WHITENED,
    refuses=BIAS_REFUSES,
    unchecked={
        "c_f": "the steps call it c_Phi",
        "f'": "G-Lipschitz; D_jj and 1/c_Phi in the step are its means",
    },
)(bias_of_least_squares)


@statement(
    "004 Theorem 5.2.4, trace",
    lines="6301-6305",
    kind="approximation",
    printed="r^2 >= Tr(Sigma) >= p ||Sigma||_2 >= p ||Sigma||_2/rho_2",
    false="Tr(Sigma) >= p lambda_min(Sigma); the last bound is right",
    errata=("004 Theorem 5.2.4/E1",),
)
def trace_by_the_largest() -> Outcome:
    """Sigma = diag(1, 1/10)."""
    return refuted({"Sigma": [1.0, 0.1]}, 2, 1.1, "p ||Sigma|| against the trace")


@trace_by_the_largest.corrected(
    "Tr(Sigma) >= p lambda_min(Sigma) = p ||Sigma||_2/rho_2",
    refuses={"1.1 p lambda_min": {"factor": "1.1"}},
    unchecked={
        "rho_2": "||Sigma||_2/lambda_min by definition, which is the equality",
    },
)
def trace_by_the_smallest(factor: str = "1") -> Outcome:
    """One eigenvalue more; l = lambda_min."""
    total, p, least, eigenvalue = reals("total p l eigenvalue")
    share = rational(factor)
    return derived(
        one_more=for_all(
            total + eigenvalue >= share * (p + 1) * least,
            *(p >= 0, least > 0, eigenvalue >= least, total >= share * p * least),
        )
    )


@statement(
    "004 Theorem 5.2.5",
    lines="5815-5834",
    kind="utility",
    printed="||w^nlr - w*||_inf is at most (5.27) with the probability of Theorem 5.2.2",
    false=NO_SIGNAL,
    errata=("004 Theorem 5.2.5/E1",),
)
def no_regression() -> Outcome:
    """w* = 0 and f(z) = z: c_f = 1, f' = 1 has G = 0, and g(c) = c; y is sigma, not always 0.

    The root is 1 and the output is the noisy OLS vector, which has a density: it is not 0 almost
    surely, but the bound is, whatever its constant.
    """
    return refuted({"w*": 0, "f(z)": "z", "c_f": 1}, 1, 0, "P(error > 0) against P(error > bound)")


no_regression.corrected(CORRECTED_NOISE, refuses=NOISE_REFUSES)(noise_of_labels)
no_regression.restated(
    "004 (5.27)",
    lines="5824-5830",
    printed="(5.20) with c_f for c_Phi",
)


@statement(
    "004 (5.65)",
    lines="6307-6311",
    kind="approximation",
    printed="||w^ols - w~ols||^2 = O(p C^2 r^2 (L^2 r^2 + C^2 + r^2 ||w~ols||^2) log(1/delta) "
    "log(p^2/xi)/(epsilon^2 n lambda_min^2))",
    false="C multiplies what it should be added to: without noise in the labels the bound is 0, "
    "but the messages have noise of L r + |f(0)| + C",
    errata=("diss-5.2.40/E3",),
)
def bound_without_label_noise() -> Outcome:
    """C = 0: the right side is 0, and w^ols - w~ols has a density."""
    point = {"C": 0, "L": 1, "r": 1, "f(0)": 0, "w*": 0}
    return refuted(point, 1, 0, "P(error > 0) against P(error > bound)")


@bound_without_label_noise.corrected(
    "(5.28) with r^2 (B^2 + r^2 ||w~ols||^2), B = L r + |f(0)| + C",
    refuses={
        "C for B": {"product": True},
        "n^2": {"records": 2},
        "lambda_min": {"smallest": 1},
        "epsilon": {"budgets": 1},
    },
)
def bound_with_label_noise(
    records: int = 1, smallest: int = 2, budgets: int = 2, *, product: bool = False
) -> Outcome:
    """As (5.28), with ||E_2|| <= c r B sqrt(n p log(1/delta))/epsilon, B = L r + |f(0)| + C."""
    p, n, r, log_delta, epsilon, least, c, size, B, C = symbols("p n r a epsilon l c w B C")
    unit = c * r * sp.sqrt(n * p * log_delta) / epsilon
    bound = 2 * ((unit * r * size) ** 2 + (unit * B) ** 2) * 16 / (n * least) ** 2
    labels = C if product else B
    claimed = 32 * c**2 * p * r**2 * (labels**2 + r**2 * size**2) * log_delta
    return derived(
        order=identity((bound, claimed / (epsilon**budgets * n**records * least**smallest)))
    )


bound_without_label_noise.restated(
    "004 (5.66)",
    lines="6313-6315",
    printed="||w^ols - w^ols||_2 <= O(C L kappa_x sqrt(p r^2) ||w^ols|| sqrt(log(1/delta) "
    "log(p^2/xi))/(epsilon sqrt(n lambda_min) min{sqrt(lambda_min), 1}))",
)
