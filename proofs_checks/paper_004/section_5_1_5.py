"""Section 5.1.5: smooth queries; x and z are two records, t = 3, p = 1 in the privacy of them.

N = t^p features, l = log(1/beta), M the bound of the coefficients of Lemma 5.1.11.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.balls import ball, cos
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1_3 import same_powers
from proofs_checks.paper_004.section_5_1_5_marginals import (
    logarithm_of_the_union,
    sum_of_errors,
)
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    nonnegative,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.1.36",))

for _number, _lines, _printed in (
    ("Definition 5.1.11", "5153", "P(some |A(D,q) - q(D)| >= alpha) <= beta"),
    ("Definition 5.1.12", "5161-5163", "Q-function family: f_x(y) = q_y(x)"),
    ("Definition 5.1.13", "5167", "monotone k-way disjunctions: q_y(x) = OR_j y_j x_j, |y| <= k"),
):
    not_checkable(
        f"004 {_number}", lines=_lines, kind="definition", printed=_printed, reason="notation"
    )


@statement(
    "004 Theorem 5.1.11 (privacy)",
    lines="5224, 5241",
    kind="privacy",
    printed="Algorithm 5.1.36, LDP-AVG with b = 1 on features in [-1, 1], is epsilon-LDP",
    false="the features have the width 2",
    errata=("diss-5.1.36/E1",),
)
def features_of_width_two() -> Outcome:
    """t = 3: x = 1 and z = -1/4 change 1, x, 2x^2 - 1 by 25/8 in all; the noise is for 3."""
    x, z = Fraction(1), Fraction(-1, 4)
    change = abs(x - z) + abs(2 * x**2 - 2 * z**2)
    return refuted({"t": 3, "x": 1.0, "z": -0.25}, change / 3, 1, "loss over epsilon")


@features_of_width_two.corrected(
    "with b = 2: each of N features costs at most epsilon/N",
    refuses={"b = 1.9": {"width": "1.9"}, "epsilon per feature": {"split": 0}},
    unchecked={
        "b": "2 in the steps",
    },
)
def features_with_two(width: str = "2", split: int = 1) -> Outcome:
    """|cos - cos| <= 2 [step "feature"], with noise of scale 2N/epsilon each [step "total"]."""
    x, z = reals("x z")
    count, epsilon = symbols("N epsilon")
    inside = (x >= -1, x <= 1, z >= -1, z <= 1)
    scale = 2 * count**split / epsilon
    return derived(
        feature=for_all(x - z <= rational(width), *inside),
        total=identity((count * 2 / scale, epsilon)),
    )


@statement(
    "004 Lemma 5.1.11",
    lines="5233-5237",
    kind="approximation",
    printed="f in C^h_T on [-1, 1]^p: f(cos theta_1, .., cos theta_p) has an even trigonometric "
    "polynomial of degree t(gamma) = (1/gamma)^(1/h) in each variable within gamma of it, with "
    "coefficients at most M(h, T, p); computed in time (1/gamma)^((p+2)/h + 2p/h^2)",
    checked="h = 1: degrees below 5.48 p T/gamma + 1 and |c_r| <= 2^p T; for h >= 2, and the time, "
    "it is cited",
    added="a constant factor of h, T and p in t(gamma), as l.5231 says of all results here",
    refuses={
        "2.7 p T/m": {"constant": "2.7"},
        "without p": {"dimension": 0},
        "|c_r| <= T": {"two": 1},
        "1/m^2": {"power": 2},
    },
    unchecked={
        "C, h_T, h": "not checked for h >= 2, which is cited; the steps have h = 1, "
        "slopes of at most T",
        "theta_1, theta_p": "the steps have one variable theta, and a sum over p",
        "M": "2^p T, of which a step has one factor 2",
    },
)
def trigonometric(
    constant: str = "2.74", dimension: int = 1, two: int = 2, power: int = 1
) -> Outcome:
    """Jackson's kernel in every variable: the square of Fejer's, of degree 2m - 2.

    Its coefficients r_0 and r_1 are r_0 = m(2m^2+1)/3 and r_0 - r_1 = m [step "kernel", a_j = m -
    |j|], so that E(1 - cos theta) = 3/(2m^2+1) under it; theta^2 <= 5(1 - cos theta) on [-pi, pi]
    [step "quadratic", below 2.6 by cos t <= 1 - t^2/2 + t^4/24]; E|theta| <= 2.74/m by Jensen's
    inequality [step "mean"]. f(cos .) moves by T at most per unit of each theta_j, so the
    convolution is within 2.74 p T/m [step "variables", p - 1 of them and one more], at most gamma
    for t = 2m - 1 of the degrees named [step "degree"]. It is even as f(cos .) and the kernel are,
    and at most T, so that a coefficient is at most 2^p T [step "coefficient", one variable].
    """
    m, j = sp.symbols("m j", integer=True, positive=True)
    square = m**2 + 2 * sp.summation((m - j) ** 2, (j, 1, m - 1))
    shifted = 2 * sp.summation((m - j) * (m - j + 1), (j, 1, m))
    theta = sp.Symbol("theta")
    t, e, size, p, total, scale, most, gamma = reals("t e m p total T bound gamma")
    below = for_all(5 * (12 * t**2 - t**4) >= 24 * t**2, t >= 0, 10 * t <= 26)
    slope = rational(constant)
    return derived(
        kernel=identity((square, m * (2 * m**2 + 1) / 3), (square - shifted, m)),
        quadratic=nonnegative(
            lambda x: 5 * (1 - cos(x)) - x * x, {"t": ("2.6", "3.1416")}, rest=below
        ),
        mean=for_all(e * size**power <= slope, e >= 0, size >= 1, e * e * (2 * size**2 + 1) <= 15),
        variables=for_all(
            total + most <= p**dimension * scale * e,
            *(p >= 2, scale > 0, e > 0, total <= (p - 1) * scale * e, most <= scale * e),
        ),
        degree=for_all(
            2 * size - 1 <= rational("5.48") * p * scale / gamma + 1,
            *(p >= 1, scale > 0, gamma > 0, (size - 1) * gamma <= slope * p * scale),
        ),
        coefficient=identity((sp.integrate(1 / sp.pi, (theta, -sp.pi, sp.pi)), two)),
    )


trigonometric.restated(
    "004 (5.6)",
    lines="5235",
    printed="p(theta) = sum over 0 <= r_1, .., r_p < t(gamma) of c_r prod_i cos(r_i theta_i)",
    unchecked={
        "r_1, r_p, c_r, r_i": "the polynomial itself, of which the steps bound degree and "
        "coefficients",
    },
)


@statement(
    "004 Theorem 5.1.11",
    lines="5241-5247, 5549-5551",
    kind="utility",
    printed="n = O(max{l^((5p+2h)/(2h)) epsilon^-2 alpha^-((5p+2h)/h), l/epsilon^2}) and t = "
    "O((sqrt n epsilon)^(2/(5p+2h))): (alpha, beta)-accurate; a query takes O~((sqrt n epsilon)^("
    "(4p+4)/(5p+2h) + 4p/(5ph+2h^2)))",
    checked="at that t the error is at most gamma + 8 M sqrt l t^(5p/2)/(sqrt n epsilon), both of "
    "order t^-h; the time is what Lemma 5.1.11 gives, or more",
    added="b = 2, as for its privacy; Lemma 5.1.11; epsilon, alpha <= 1, beta <= 1/2, h, p, T, M "
    "constants",
    refuses={
        "t^(3p/2) for t^(5p/2)": {"features": 1},
        "t of the power 1/(5p+2h)": {"degree": 1},
        "alpha^-((5p+h)/h)": {"alpha": 1},
        "l^((5p+2h)/h)": {"ell": 2},
        "epsilon^-1": {"epsilon_power": 1},
        "2p+3 for 4p+4": {"time": 0},
        "7 M": {"constant": 7},
    },
    unchecked={
        "alpha": "sqrt(l) t^-h, for which the step of n is solved",
    },
)
def smooth_accuracy(
    features: int = 2,
    degree: int = 2,
    alpha: int = 2,
    ell: int = 1,
    epsilon_power: int = 2,
    time: int = 1,
    constant: int = 8,
) -> Outcome:
    """The N = t^p features have an error of 2 (2.302) N^2 sqrt(log(2N/beta))/(sqrt n epsilon).

    That is in all of them together [steps "lemma", "level", "sum"], and log(2N/beta) <= 3 N l
    [step "logarithm"], so that it is at most 8 t^(5p/2) sqrt l/(sqrt n epsilon) [steps "constant",
    "powers"]; times M [step "query", one more coefficient]. At the t of the theorem t^(5p/2)/(sqrt
    n epsilon) is t^-h, the order of gamma [step "balance"]; sqrt l t^-h = alpha is solved by the n
    of the theorem [step "samples"]. Lemma 5.1.1 wants n >= 1.3248 log(2N/beta), N <= n^(1/5) [step
    "enough"]. The time of Lemma 5.1.11 at gamma = t^-h [steps "time", "at most"].
    """
    n, epsilon, size, p, h = symbols("n epsilon l p h")
    root = sp.sqrt(n) * epsilon
    t = root ** (degree / (5 * p + 2 * h))
    error = sp.sqrt(size) * root ** (-2 * h / (5 * p + 2 * h))
    needed = size ** (ell * (5 * p + 2 * h) / (2 * h)) * epsilon**-epsilon_power
    needed *= error ** -((5 * p + alpha * h) / h)
    logarithm, level, records, dimension = reals("log_n l n p")
    before, coefficient, gap, most, sum_of_gaps = reals("before c gap M sum")
    exponent = (2 * p + 4) / (5 * p + 2 * h) + 4 * p / (5 * p * h + 2 * h**2)
    degrees = symbols("t")

    def order(power: Any) -> Any:
        return degrees ** (p * (power + sp.Rational(1, 2)))

    return derived(
        **sum_of_errors(features),
        **logarithm_of_the_union(),
        constant=less(2 * ball("2.302") * ball(3).sqrt(), ball(constant)),
        powers=same_powers((degrees**p) ** features * sp.sqrt(degrees**p), order(2)),
        query=for_all(
            z3.Abs(before + coefficient * gap) <= most * (sum_of_gaps + z3.Abs(gap)),
            *(z3.Abs(before) <= most * sum_of_gaps, z3.Abs(coefficient) <= most),
            *(most > 0, sum_of_gaps >= 0),
        ),
        balance=same_powers(t ** (5 * p / 2) / root, t**-h),
        samples=same_powers(n, needed),
        enough=for_all(
            rational("1.3248") * (rational("0.7") + logarithm / 5 + level) <= records,
            *(records >= 5, logarithm <= records - 1, 8 * level <= records),
        ),
        time=same_powers((t**-h) ** -((p + 2) / h + 2 * p / h**2), root**exponent),
        **{
            "at most": for_all(
                2 * dimension + 4 <= (4 * dimension + 4 if time else 2 * dimension + 3),
                dimension >= 1,
            ),
        },
    )
