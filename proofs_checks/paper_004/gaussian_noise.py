"""Sizes of Gaussian vectors and symmetric Gaussian matrices, for the proofs of section 4.3."""

from __future__ import annotations

from proofs_checks.balls import Ball, ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    nonnegative,
    rational,
    reals,
    symbols,
)


def norm_of_vector(per: str, start: str, share: str) -> Outcome:
    """P(||N(0, I_d)|| > sqrt(per d) l) <= share e^-l for l >= ``start``, in every dimension d.

    d = 1: P(|N| > x) <= exp(-x^2/2) [step "line"]. d >= 2: P(||N||^2 > d y) <= exp(-d (y - 1 -
    log y)/2) for y >= 1 (Chernoff), which is largest at d = 2 [step "space", y = per l^2]. From
    l = 8 on log y <= y/2 is enough [step "beyond"].
    """

    def line(level: Ball) -> Ball:
        return ball(per) * level * level / 2 - level + log(ball(share))

    def space(level: Ball) -> Ball:
        y = ball(per) * level * level
        return y - 1 - log(y) - level + log(ball(share))

    level = reals("l")
    beyond = for_all(rational(per) * level * level / 2 - 1 >= level, level >= 8)
    sides = {"l": (start, 8)}
    return derived(
        from_one=nonnegative(lambda x: ball(per) * x * x - 1, sides, rest=beyond),
        line=nonnegative(line, sides, rest=beyond),
        space=nonnegative(space, sides, rest=beyond),
        beyond=beyond,
    )


def norm_of_vector_in_two_terms(deviation: str = "2", root: str = "1") -> Outcome:
    """P(||N(0, I_p)|| > sqrt(p) + sqrt(2 x)) <= e^-x for every x > 0 (Laurent and Massart, 2000).

    log E exp(t (||N||^2 - p)) = -p t - p log(1 - 2t)/2 <= p t^2/(1 - 2t): the difference is 0 at
    t = 0, with the derivative 2 p t^2/(1 - 2t)^2 [step "logarithm"]. With s = sqrt(x/p) and
    t = s/(1 + 2s), Chernoff's bound at ||N||^2 - p = 2 p s + 2 p s^2 is exp(-p s^2) = e^-x [step
    "Chernoff"], and p + 2 sqrt(p x) + 2 x is at most the square of the claim [step "square"].
    """
    p, s, t = symbols("p s t")
    gap = t**2 / (1 - 2 * t) + t + sp.log(1 - 2 * t) / 2
    at = s / (1 + 2 * s)
    exponent = -at * (2 * p * s + 2 * p * s**2) + p * at**2 / (1 - 2 * at)
    side, level, width = reals("sqrt_p sqrt_x width")
    return derived(
        logarithm=identity((sp.diff(gap, t), 2 * t**2 / (1 - 2 * t) ** 2)),
        Chernoff=identity((exponent, -p * s**2)),
        square=for_all(
            side**2 + 2 * side * level + 2 * level**2
            <= (rational(root) * side + width * level) ** 2,
            *(side > 0, level >= 0, width >= 0, width * width == rational(deviation)),
        ),
    )


def failures_of_steps(steps: int = 1) -> Outcome:
    """T events of probability p^-c each: the probability of any is at most T/p^c."""
    T, p, c = symbols("T p c")
    t = sp.Symbol("t", integer=True)
    return identity((sp.summation(p**-c, (t, 1, T)), T**steps / p**c))


def norm_of_matrix(
    factor: str = "2", rate: str = "4", spread: str = "2", sides: int = 2
) -> Outcome:
    """P(||H||_2 > C sqrt(p)) <= p^-c with C = 2 + 2 sqrt(c + log 2): H symmetric, entries N(0, 1).

    Let H' have variance 2 on the diagonal. <u, H'u> and <v, H'v> have covariance 2 <u, v>^2
    [step "covariance", d = 3], so that their difference has variance 4 - 4 <u, v>^2, at most that
    of 2 <g, u - v> [step "increments"]: E lambda_max(H') <= 2 E||g|| <= 2 sqrt(p) (Sudakov and
    Fernique), and E lambda_max(H) <= E lambda_max(H'), which is H plus independent noise (Jensen).
    lambda_max is sqrt(2)-Lipschitz in the upper triangle: it exceeds its mean by t with
    probability at most exp(-t^2/4) [step "tail"], and so does -lambda_min [step "sides"]. With
    t = 2 sqrt(log 2 + c log p) and log p <= p it is [step "constant", squared].
    """
    u, v, x = sp.symbols("u:3"), sp.symbols("v:3"), sp.Symbol("x", positive=True)
    pairs = [(i, j) for i in range(3) for j in range(i + 1, 3)]
    covariance = sum(2 * a**2 * b**2 for a, b in zip(u, v, strict=True))
    covariance += sum(4 * u[i] * u[j] * v[i] * v[j] for i, j in pairs)
    inner = sum(a * b for a, b in zip(u, v, strict=True))
    cosine, k, c, p, logarithm = reals("cosine log_2 c p log_p")
    size, decay = symbols("p c")
    width = rational(factor)
    return derived(
        covariance=identity((covariance, 2 * inner**2)),
        increments=for_all(
            4 - 4 * cosine * cosine <= width * width * (2 - 2 * cosine), cosine >= -1, cosine <= 1
        ),
        tail=identity(((sp.Rational(spread) * sp.sqrt(x)) ** 2 / sp.Rational(rate), x)),
        sides=identity((2 * sp.exp(-sp.log(sides) - decay * sp.log(size)), size**-decay)),
        constant=for_all(k + c * logarithm <= p * (k + c), *(k > 0, c > 0, p >= 1, logarithm <= p)),
    )
