"""Section 6.2.2: sparse covariance matrices, and how far a sample is from them."""

from __future__ import annotations

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

for number, lines, said in (
    ("(6.10)", "7870", "G_0(s): columns with at most s non-zero entries beside the diagonal"),
    ("(6.11)", "7876", "E x = 0 and P(|v^T x| > t) <= exp(-t^2/(2 sigma^2)) for unit v"),
):
    not_checkable(
        f"004 {number}", lines=lines, kind="assumption", printed=said, reason="fixes a class"
    )


@statement(
    "004 Lemma 6.2.1",
    lines="7880-7888",
    kind="concentration",
    printed="E max |x_i| <= sigma sqrt(2 log 2n), P(max |x_i| >= t) <= 2n exp(-t^2/(2 sigma^2)) "
    "for n variables N(0, sigma^2)",
    refuses={
        "sqrt(log 2n)": {"root": 1},
        "exp(-t^2/sigma^2)": {"rate": 1},
        "n for 2n": {"signs": 1},
    },
)
def largest_of_normals(root: int = 2, rate: int = 2, signs: int = 2) -> Outcome:
    """E exp(l max) <= sum E (exp(l x_i) + exp(-l x_i)) = 2n exp(l^2 sigma^2/2) for every l > 0.

    [Step "sum".] So E max <= log(2n)/l + l sigma^2/2 (Jensen), at l = sqrt(2 log 2n)/sigma [step
    "mean"], and P(max >= t) <= 2n exp(l^2 sigma^2/2 - l t) at l = t/sigma^2 [step "tail"].
    """
    scale, n, t, rise = symbols("sigma n t l")
    size = sp.log(signs * n)
    best = sp.sqrt(2 * size) / scale
    chernoff = t / scale**2
    moments = [sp.exp((sign * rise * scale) ** 2 / 2) for sign in (1, -1)]
    return derived(
        sum=identity((n * sum(moments), signs * n * sp.exp(rise**2 * scale**2 / 2))),
        mean=identity((size / best + best * scale**2 / 2, scale * sp.sqrt(root * size))),
        tail=identity((chernoff**2 * scale**2 / 2 - chernoff * t, -(t**2) / (rate * scale**2))),
    )


largest_of_normals.restated("004 (6.12)", lines="7884", printed="E max <= sigma sqrt(2 log 2n)")
largest_of_normals.restated(
    "004 (6.13)", lines="7886", printed="P(max >= t) <= 2n exp(-t^2/(2 sigma^2))"
)


@statement(
    "004 Lemma 6.2.2",
    lines="7890-7898",
    kind="concentration",
    printed="P(|S_ij - sigma_ij| > t) <= C_1 exp(-8 n t^2/gamma^2) for |t| <= delta, and C_1 p^-8 "
    "at t = gamma sqrt(log(p)/n)",
    checked="C_1 = 2, gamma = 2, for every t",
    added="||x|| <= 1, which the section assumes",
    refuses={
        "gamma = 1.9": {"gamma": "1.9"},
        "p^-9": {"power": 9},
        "||x|| <= 1.1": {"ball": "1.21"},
    },
    unchecked={
        "C_1": "a constant of no claimed value: 2 in Hoeffding's inequality, which is cited",
        "gamma": "a constant of no claimed value, 2 in the steps",
        "delta": "the steps are for every t",
    },
)
def entries_of_a_sample(gamma: str = "2", power: int = 8, ball: str = "1") -> Outcome:
    """x_i x_j is in [-1/2, 1/2] for i != j, in [0, 1] for i = j [steps "products", "squares"].

    Hoeffding's inequality (cited) for a range of 1: 2 exp(-2 n t^2) [step "exponent"].
    """
    x, y = reals("x y")
    n, t, p = symbols("n t p")
    constant = sp.Rational(gamma)
    inside = x * x + y * y <= rational(ball)
    at = constant * sp.sqrt(sp.log(p) / n)
    return derived(
        products=for_all(2 * x * y <= 1, inside),
        squares=for_all(x * x <= 1, inside),
        exponent=identity((2 * n * t**2, 8 * n * t**2 / constant**2)),
        level=identity((sp.exp(-8 * n * at**2 / constant**2), p**-power)),
    )


entries_of_a_sample.restated("004 (6.14)", lines="7894", printed="C_1 exp(-8 n t^2/gamma^2)")
entries_of_a_sample.restated("004 (6.15)", lines="7898", printed="C_1 p^-8")
