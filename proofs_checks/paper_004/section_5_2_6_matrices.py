"""Section 5.2.6: Weyl, norms of Gaussian matrices, and the noise of the least squares estimator."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from proofs_checks.balls import ball, log, ndtr, sqrt
from proofs_checks.em.norms import gaussian_norm
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.random_matrices import symmetric
from proofs_checks.paper_004.section_6_1_sparse import largest_entry_with_two
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.2.39", "diss-5.2.40"))


@statement(
    "004 Definition 5.2.2",
    lines="5885",
    kind="definition",
    printed="||x||_psi2 = sup_{m >= 1} m^(-1/2) (E|x|^m)^(1/m); of a vector, over all <x, v>",
    refuses={"||N(0, 1)||_psi2 <= .79": {"constant": "0.79"}},
)
def sub_gaussian(constant: str = "1") -> Outcome:
    """A standard normal variable has a norm of at most 1; p for m in the step."""
    return definition(gaussian_norm(constant))


@statement(
    "004 Lemma 5.2.3",
    lines="5887-5889",
    kind="approximation",
    printed="|sigma_i(X) - sigma_i(Y)| <= ||X - Y||_2 for symmetric X, Y",
    refuses={"0.9 ||X - Y||_2": {"factor": "0.9"}},
)
def weyl(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """By Courant and Fischer sigma_i(X) is a max over subspaces of a min over unit v of ||X v||.

    | ||X v|| - ||Y v|| | <= ||E v|| <= ||E|| [step "vector", along (X v, Y v) on a line]; a min or
    a max of values that move by at most e moves by at most e [step "extremes", one value more].
    """
    a, b, c, d, e = reals("a b c d e")
    bound = rational(factor) * e

    def smaller(x: z3.ExprRef, y: z3.ExprRef) -> z3.ExprRef:
        return z3.If(x <= y, x, y)

    worst = 0.0
    for _ in range(40):
        size = int(rng.integers(1, 7))
        x, y = symmetric(size, rng), symmetric(size, rng)
        singular = (np.linalg.svd(matrix, compute_uv=False) for matrix in (x, y, x - y))
        first, second, moved = singular
        worst = max(worst, float(np.abs(first - second).max() / moved[0]))
    return derived(
        vector=for_all(z3.Abs(z3.Abs(a) - z3.Abs(b)) <= bound, z3.Abs(a - b) <= e),
        extremes=for_all(
            z3.Abs(smaller(a, b) - smaller(c, d)) <= e, z3.Abs(a - c) <= e, z3.Abs(b - d) <= e
        ),
        matrices=searched(worst, float(factor) + 1e-9, tried=40, what="move over ||X - Y||, p < 7"),
    )


def variance_of_form(bound: str = "2") -> Outcome:
    """Bound the variance V of u^T E w, E symmetric with unit variances on and above the diagonal.

    V = ||u||^2 ||w||^2 + <u, w>^2 - sum u_i^2 w_i^2, by adding a coordinate (a, b) at a time: it
    adds a^2 b^2 and the (u_i b + a w_i)^2 [step "one more"]. So V <= 2 ||u||^2 ||w||^2 [step
    "bound"].
    """
    a, b = sp.symbols("a b", real=True)
    u2, w2, inner, squares = sp.symbols("U W D S", real=True)
    before = u2 * w2 + inner**2 - squares
    after = (u2 + a**2) * (w2 + b**2) + (inner + a * b) ** 2 - (squares + a**2 * b**2)
    added = a**2 * b**2 + u2 * b**2 + w2 * a**2 + 2 * a * b * inner
    U, W, D, S = reals("U W D S")
    return derived(
        one_more=identity((after - before, added)),
        bound=for_all(
            rational(bound) * U * W >= U * W + D * D - S, U >= 0, W >= 0, D * D <= U * W, S >= 0
        ),
    )


@statement(
    "004 Lemma 5.2.4",
    lines="5891-5907",
    kind="concentration",
    printed="||E w||_M^2 <= sigma^2 Tr(M) ||w||^2 log(2 p^2/xi) with probability 1 - xi",
    false="the tail of a normal variable needs 2 log, and E is symmetric: a variance is up to "
    "2 sigma^2 ||w||^2",
    errata=("diss-5.2.39/E6",),
)
def weighted_norm_of_noise() -> Outcome:
    """For p = 1, M = sigma = w = 1 and xi = .01: P(E^2 > log(2/xi)) = 2 Phi(-sqrt(log(2/xi)))."""
    failure = 2 * ndtr(-sqrt(log(ball(200))))
    return refuted({"p": 1, "xi": 0.01}, failure, ball("0.01"), "failure probability")


@weighted_norm_of_noise.corrected(
    "||E w||_M^2 <= 4 sigma^2 Tr(M) ||w||^2 log(2 p/xi)",
    refuses={
        "2 sigma^2": {"factor": 2},
        "log(2/xi)": {"directions": 0},
        "variance sigma^2 ||w||^2": {"variance": "1"},
        "sigma": {"scale": 1},
        "||w||": {"length": 1},
        "lambda_max(M) for Tr(M)": {"summed": False},
    },
)
def weighted_norm_of_symmetric_noise(
    factor: int = 4,
    directions: int = 1,
    variance: str = "2",
    scale: int = 2,
    length: int = 2,
    *,
    summed: bool = True,
) -> Outcome:
    """In the eigenbasis u_i of M it is the sum of lambda_i <u_i, E w>^2.

    <u_i, E w> is normal with variance at most 2 sigma^2 ||w||^2 [step "variance"] and exceeds its
    deviation t times with probability at most 2 exp(-t^2/2) [step "tail", without the 2], which is
    xi/p where it reaches sqrt(factor log(2p/xi)) sigma ||w|| [step "level"]; the p directions fail
    with probability xi [step "union"] and otherwise add up to trace = Tr(M) [step "sum", one more].
    """
    p, xi, sigma, w = symbols("p xi sigma w")
    square = factor * sigma**scale * w**length * sp.log(2 * p**directions / xi)
    each = 2 * sp.exp(-square / (2 * sp.Rational(variance) * sigma**2 * w**2))
    total, trace, eigenvalue, entry, level, largest = reals("total trace l entry level largest")
    bound = (trace + eigenvalue) if summed else z3.If(largest > eigenvalue, largest, eigenvalue)
    return derived(
        variance=variance_of_form(variance),
        tail=largest_entry_with_two(),
        level=identity((sp.simplify(each), xi / p)),
        union=identity((p * each, xi)),
        sum=for_all(
            total + eigenvalue * entry <= bound * level,
            *(trace >= 0, eigenvalue >= 0, entry >= 0, entry <= level, largest >= 0),
            total <= (trace if summed else largest) * level,
        ),
    )


@statement(
    "004 Lemma 5.2.5",
    lines="5909-5911",
    kind="concentration",
    printed="||X^T X/n - Sigma||_2 <= C kappa_x^2 sqrt(p/n) ||Sigma||_2 with probability 1 - e^-p",
    false="not for n < p: max(sqrt(p/n), p/n) is needed, as in the theorem that is cited",
    errata=("004 Lemma 5.2.5/E1",),
)
def covariance_error() -> Outcome:
    """x ~ N(0, I), n = 1, p = 10^6, kappa_x = 1 and C = 100.

    ||x x^T - I|| >= ||x||^2 - 1, and ||x||^2 < p/2 has probability at most 8/p (Chebyshev).
    """
    p, constant = 10**6, 100
    point = {"n": 1, "p": p, "C": constant, "with probability at least": 1 - 8 / p}
    return refuted(point, p / 2 - 1, constant * math.sqrt(p), "error against its bound")


@covariance_error.corrected(
    "C kappa_x^2 max(sqrt(p/n), p/n) ||Sigma||_2 (as cited) is that for n >= p",
    refuses={"for n >= p/2": {"fewest": "1/2"}, "p/n for sqrt(p/n)": {"root": False}},
    unchecked={
        "C, kappa_x": "not checked: the bound with the maximum is cited",
    },
)
def covariance_error_of_many_records(fewest: str = "1", *, root: bool = True) -> Outcome:
    """The root q = sqrt(p/n) is at least p/n = q^2 for n >= p."""
    q = reals("q")
    most = z3.If(q > q * q, q, q * q)
    return derived(
        larger=for_all(most <= (q if root else q * q), q > 0, q * q * rational(fewest) <= 1)
    )


@statement(
    "004 Lemma 5.2.6",
    lines="5913",
    kind="concentration",
    printed="M symmetric with independent entries of mean 0, at most 1 in magnitude: "
    "||M||_2 <= C sqrt p with probability 1 - e^{-c p}",
    checked="C = 4 sqrt(1 + ln 162), c = 1",
    added="the entries of the diagonal are independent, too",
    refuses={
        "C = 3 sqrt(1 + ln 162)": {"factor": 3},
        "ln 81": {"inside": 81},
        "c = 2": {"rate": 2},
        "a net of 3^p points": {"net": 3},
        "without sqrt p": {"power": 0},
    },
    unchecked={
        "C": "C^2 p is square in the last step",
        "c": "1, before p in the step of the union",
    },
)
def bounded_entries(
    factor: int = 4, inside: int = 162, rate: int = 1, net: int = 9, power: int = 1
) -> Outcome:
    """Hoeffding on a net: <u, M v> is sub-Gaussian with variance at most 2 [step "variance"].

    So it exceeds t with probability at most 2 exp(-t^2/4). A net of at most 9^p points is 1/4-dense
    in the sphere (Vershynin, 2018, 4.2.13): |<u, M v>| <= t for all its pairs makes norm = ||M|| <=
    t + ||M||/2, that is at most 2 t [step "net"]; 81^p pairs fail with at most e^-p at t^2 = 4 p (1
    + 2 ln 9 + ln 2) [step "union", p >= 1], where 2 t is C sqrt p [step "level"].
    """
    norm, t, p, nine, two, exponent = reals("norm t p ln_9 ln_2 exponent")
    size = symbols("p")
    twice = 4 * 4 * size * (1 + 2 * sp.log(net) + sp.log(2))
    square = factor**2 * size**power * (1 + sp.log(inside))
    return derived(
        variance=variance_of_form(),
        net=for_all(norm <= 2 * t, norm <= t + norm / 4 + norm / 4, norm >= 0),
        union=for_all(
            two + 2 * p * nine - exponent <= -rate * p,
            *(p >= 1, nine > 0, two > 0, exponent == p * (1 + 2 * nine + two)),
        ),
        level=identity((sp.expand_log(square - twice, force=True, factor=True), 0)),
    )


CITED = "cited from Erdogdu, Dicker and Bayati (2016) without a proof and "

not_checkable(
    "004 Lemma 5.2.7",
    lines="5915-5924",
    kind="concentration",
    printed="x_i isotropic: sup over ||w - w~|| <= delta of |mean g(<x_i, w>) - E g(<x, w>)| <= "
    "c (kappa_g + kappa_x/mu~) sqrt(p log m/m), mu~ = E[x]/sqrt p",
    reason=CITED + "with a constant c that is not given; mu~ must be E||x||_2/sqrt p, as in "
    "Theorem 5.2.3, since E[x] is a vector",
)
not_checkable(
    "004 Lemma 5.2.8",
    lines="5925-5927",
    kind="concentration",
    printed="|g| <= L: the same sup is at most 2 {G (||w~|| + delta) ||Sigma||_2 + L} sqrt(p/m) "
    "with probability 1 - e^-p",
    reason=CITED + "for every sub-Gaussian law, whose norm does not occur in the bound; by scaling "
    "w and Sigma, ||Sigma||_2^{1/2} is what it should depend on",
)


@statement(
    "004 Lemma 5.2.9, condition",
    lines="5931, 5940-5951",
    kind="approximation",
    printed="n >= C kappa_x^4 ||Sigma||^2 p r^4 log(1/delta)/(epsilon lambda_min)^2 makes "
    "||E_1||_2 <= lambda_min(X^T X)/2",
    checked="the step from the norms at l.5943 and l.5947, lambda_min(X^T X) >= n lambda_min/2",
    false="a product of two requirements of which the larger is needed: too weak for ||Sigma|| < 1",
    errata=("diss-5.2.39/E5",),
)
def product_of_conditions() -> Outcome:
    """Sigma = I/10^8, p = r = kappa_x = epsilon = log(1/delta) = 1 and C = 10^4.

    n = C is enough as printed; r^2 sqrt(p n log(1/delta))/epsilon = 100 against n/(4 10^8).
    """
    constant, eigenvalue = 10**4, 1e-8
    point = {"Sigma": eigenvalue, "p": 1, "r": 1, "epsilon": 1, "C": constant, "n": constant}
    return refuted(
        point, math.sqrt(constant), constant * eigenvalue / 4, "||E_1|| over lambda_min(X^T X)/2"
    )


@product_of_conditions.corrected(
    "n >= max(4 c^2 kappa_x^4 ||Sigma||^2 p, 16 c^2 p r^4 log(1/delta)/epsilon^2)/lambda_min^2, c "
    "the constants of both norms",
    refuses={
        "15 c^2": {"noise": 15},
        "3 c^2": {"sampling": 3},
        "without p": {"dims": 0},
        "r^2": {"radii": 1},
        "||Sigma||": {"sizes": 1},
        "lambda_min": {"smallest": 1},
        "||E_1|| <= lambda_min(X^T X)/3": {"share": 3},
    },
)
def larger_of_conditions(
    noise: int = 16,
    sampling: int = 4,
    dims: int = 1,
    radii: int = 2,
    sizes: int = 2,
    smallest: int = 2,
    share: int = 2,
) -> Outcome:
    """lambda_min(X^T X) >= n l - c kappa^2 ||Sigma|| sqrt(p n) >= n l/2 [step "sampling"].

    ||E_1|| <= c r^2 sqrt(p n log(1/delta))/epsilon <= n l/4 [step "noise"], half of it [step
    "half"]. root = sqrt(n), k = kappa_x^2, q = sqrt(p), s = r^2, l = lambda_min and
    h = sqrt(log(1/delta))/epsilon.
    """
    root, c, k, size, q, least, s, h, error, got = reals("root c k Sigma q l s h ||E_1|| got")
    positive = (root > 0, c > 0, k > 0, size > 0, q > 0, least > 0, s > 0, h > 0)
    return derived(
        sampling=for_all(
            c * k * size * q * root <= root * root * least / 2,
            *positive,
            root * root * least**smallest >= sampling * c * c * k * k * size**sizes * q * q,
        ),
        noise=for_all(
            c * s * q * h * root <= root * root * least / 4,
            *positive,
            root * root * least**smallest >= noise * c * c * q ** (2 * dims) * s**radii * h * h,
        ),
        half=for_all(
            error <= got / share,
            *(error <= root * root * least / 4, got >= root * root * least / 2, least > 0),
        ),
    )


@statement(
    "004 Lemma 5.2.9",
    lines="5931-5971",
    kind="approximation",
    printed="||w^ols - w~ols||_2^2 = O(p r^2 (1 + r^2 ||w~ols||^2) log(1/delta) log(p^2/xi)/"
    "(epsilon^2 n lambda_min^2)), (5.28)",
    checked="<= 32 c^2 of it without log(p^2/xi), c the constants of ||E_1|| <= c r^2 sqrt(n p "
    "log(1/delta))/epsilon and ||E_2|| <= c r sqrt(n p log(1/delta))/epsilon",
    added="|y_i| <= 1",
    repair="n as in the corrected condition (004 Lemma 5.2.9, condition)",
    errata=("diss-5.2.39/E5",),
    refuses={
        "7 c^2": {"factor": 7},
        "without r^2 ||w~ols||^2": {"fitted": 0},
        "n^2": {"records": 2},
        "epsilon": {"budgets": 1},
        "lambda_min": {"smallest": 1},
        "without p": {"dims": 0},
        "||E_1|| + ||E_2|| for ||E_1|| ||w~ols|| + ||E_2||": {"multiplied": False},
    },
    unchecked={
        "xi": "log(p^2/xi) >= 1 is left out of the bound of the steps, which is smaller",
    },
)
def noisy_least_squares(
    factor: int = 32,
    fitted: int = 1,
    records: int = 1,
    budgets: int = 2,
    smallest: int = 2,
    dims: int = 1,
    *,
    multiplied: bool = True,
) -> Outcome:
    """(X^T X + E_1)(w^ - w~) = E_2 - E_1 w~, as X^T X w~ = X^T y [step "residual", by entries].

    So ||w^ - w~|| <= (||E_1|| ||w~|| + ||E_2||)/lambda_min(X^T X + E_1) [step "norms"], and that is
    at least n lambda_min/4 on the event of the condition. The square of a sum is at most twice the
    sum of squares [step "squares"]: 16 * 2 c^2 p n r^2 (1 + r^2 ||w~||^2) log(1/delta)/(epsilon n
    lambda_min)^2 [step "order", L = log(1/delta) and l = lambda_min].
    """
    entry, noise, w, total, right, change = reals("A E w total right change")
    first, second, fit, moved, least = reals("||E_1|| ||E_2|| ||w~|| moved least")
    p, n, r, log_delta, epsilon, smallest_, c, size = symbols("p n r L epsilon l c w")
    e1 = c * r**2 * sp.sqrt(n * p * log_delta) / epsilon
    e2 = c * r * sp.sqrt(n * p * log_delta) / epsilon
    bound = 2 * (e1**2 * size**2 + e2**2) * 16 / (n * smallest_) ** 2
    claimed = factor * c**2 * p**dims * r**2 * (1 + fitted * r**2 * size**2) * log_delta
    claimed /= epsilon**budgets * n**records * smallest_**smallest
    residual = first * fit + second if multiplied else first + second
    return derived(
        residual=for_all(
            total + (entry + noise) * w == right + entry * w + change + noise * w,
            total == right + change,
        ),
        norms=for_all(
            least * moved <= residual,
            *(first >= 0, fit >= 0, second >= 0, least >= 0, least * moved <= total),
            total <= first * fit + second,
        ),
        squares=for_all((first + second) ** 2 <= 2 * (first**2 + second**2)),
        order=identity((bound, claimed)),
    )


noisy_least_squares.restated(
    "004 (5.28)",
    lines="5931-5934",
    printed="||w^ols - w~ols||_2^2 = O(p r^2 (1 + r^2 ||w~ols||^2) log(1/delta) log(p^2/xi)/"
    "(epsilon^2 n lambda_min^2))",
)


@statement(
    "004 Lemma 5.2.9, trace",
    lines="5967-5969",
    kind="approximation",
    printed="Tr(A^-2) <= (Tr A^-1)^2 <= p ||A^-2||_2^2 = p/lambda_min(A)^2, A = X^T X",
    false="neither the second inequality nor the equality; Tr(A^-2) <= p/lambda_min^2 is direct",
    errata=("004 Lemma 5.2.9/E1",),
)
def chain_of_traces() -> Outcome:
    """A = I, p = 2: (Tr A^-1)^2 = 4."""
    return refuted({"A": "I", "p": 2}, 4, 2, "(Tr A^-1)^2 against p ||A^-2||^2")


@chain_of_traces.corrected(
    "Tr(A^-2) <= p/lambda_min(A)^2",
    refuses={"lambda_min": {"power": 1}, "0.9 p": {"factor": "0.9"}},
)
def trace_of_inverse_squares(power: int = 2, factor: str = "1") -> Outcome:
    """Add one more eigenvalue a to those whose sum of inverse squares is t; l = lambda_min(A)."""
    total, p, a, least = reals("t p a l")
    share = rational(factor)
    return derived(
        one_more=for_all(
            (total + 1 / a**2) * least**power <= share * p,
            *(a >= least, least > 0, p >= 1, total >= 0),
            total * least**power <= share * (p - 1),
        ),
    )


@statement(
    "004 Lemma 5.2.10",
    lines="5977-5981",
    kind="concentration",
    printed="for n >= C kappa_x gamma p: ||w~ols - w^ols||_2 <= O(gamma kappa_x sqrt(p/"
    "(n lambda_min))) with probability 1 - 3 e^-p, gamma the norm of y_i",
    false="the condition falls with the unit of y, but X^T X is invertible for n >= p only",
    errata=("004 Lemma 5.2.10/E1",),
)
def records_by_the_unit_of_labels() -> Outcome:
    """p = 2, kappa_x = 1, gamma = 1/(2C): one record is enough as printed."""
    return refuted({"p": 2, "n": 1, "kappa_x": 1, "gamma": "1/(2C)"}, 2, 1, "p against the rank")


@records_by_the_unit_of_labels.corrected(
    "no condition below n >= p is enough", refuses={"n >= p + 1": {"more": 1}}
)
def records_for_an_inverse(more: int = 0) -> Outcome:
    """The rank of X^T X is at most n, and p where it is invertible."""
    rank, n, p = reals("rank n p")
    return derived(rank=for_all(n >= p + more, rank <= n, rank >= p))
