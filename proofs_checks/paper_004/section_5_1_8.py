"""Section 5.1.8: the parameters of SIGM and its rate."""

from __future__ import annotations

from proofs_checks.balls import ball
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import definition, derived, for_all, identity, less, reals, symbols

for _number, _line, _printed in (
    ("(5.10)", "5593", "alpha_i = (1/a) ((i+p)/p)^(p-1)"),
    ("(5.11)", "5595", "beta_i = beta + (b sigma/R) (i+p+1)^((2p-1)/2)"),
    ("(5.13)", "5619", "y_0 = argmin beta_0 d(x) + alpha_0 <G(x_0), x - x_0>"),
    ("(5.14)", "5624", "z_k = argmin beta_k d(x) + sum_{i<=k} alpha_i <G(x_i), x - x_i>"),
    ("(5.15)", "5631", "x^_{k+1} = argmin beta_k V(x, z_k) + alpha_{k+1} <G(x_{k+1}), x - z_k>"),
):
    not_checkable(
        f"004 {_number}", lines=_line, kind="definition", printed=_printed, reason="notation"
    )


@statement(
    "004 (5.12)",
    lines="5597",
    kind="definition",
    printed="B_i = a alpha_i^2 = (1/a) ((i+p)/p)^(2p-2)",
    refuses={"alpha_i^2": {"factor": 0}, "(1/a) ((i+p)/p)^(p-1)": {"two": 1}},
    unchecked={
        "B_i": "what is defined; the step has both its forms",
    },
)
def weights(factor: int = 1, two: int = 2) -> Outcome:
    """By (5.10)."""
    a, i, p = symbols("a i p")
    ratio = (i + p) / p
    alpha = ratio ** (p - 1) / a
    return definition(identity((a**factor * alpha**2, ratio ** (two * (p - 1)) / a)))


def averaged_gradients(
    constant: str = "1.79", power: int = 1, radius: int = 1, share: int = 2
) -> dict[str, Outcome]:
    """SIGM at p = 1: x_{k+1} = z_k, and y_T is the mean of y_0 = z_0 and the T points x^_{k+1}.

    psi_k(x) = beta_k ||x||^2/2 + sum_{i<=k} (f_o(x_i) + <G_i, x - x_i>) is least at z_k, where
    psi_k(x) >= psi_k(z_k) + (beta_k/2) ||x - z_k||^2 [step "least"]. x^_{k+1} minimises that
    quadratic plus <G_{k+1}, x - z_k>, so that with G = g + xi and the upper side of the oracle
    min psi_{k+1} >= min psi_k + f(x^_{k+1}) - gamma - ||xi||^2/(2 (beta_k - beta)) [step "next"],
    and so for y_0, as ||x||^2 >= ||x - x_0||^2 + ||x_0||^2.

    By the lower side min psi_T <= psi_T(w*) <= beta_T R^2/2 + (T+1) f(w*) + sum <xi_i, w* - x_i>,
    whose last sum has mean 0. With E ||xi||^2 <= sigma^2, beta_k - beta = (b sigma/R) sqrt(k+2) and
    1/sqrt(2) + sum_{k<T} 1/sqrt(k+2) <= 2 sqrt(T+1) [step "sum", one more k] the error is at most
    (beta + (b sigma/R) sqrt(T+2)) R^2/(2(T+1)) + gamma + sigma R/(b sqrt(T+1)) [step "rate", in
    which sqrt(T+2) <= sqrt 2 sqrt(T+1)]; 1/b + b/sqrt 2 at b = 2^(3/4) [step "constant"].
    """
    x, z, slope, strength = symbols("x z s beta", real=True)
    quadratic = strength * (x**2 - z**2) / 2 + slope * (x - z)
    by_slope = (strength * z + slope) * (x - z) + strength * (x - z) ** 2 / 2
    inner, noise, square, xi, after, here = reals("<g,d> <xi,d> d^2 xi^2 f(x^) f_o")
    own, smooth, gamma = reals("beta_k beta gamma")
    root, before, total = reals("sqrt(k+1) sqrt(k+2) sum")
    beta, sigma, r, b, steps = symbols("beta sigma R b T")
    wide = sp.sqrt(steps + 1)
    first = (beta + b * sigma / r * sp.sqrt(2) * wide) * r**2 / (2 * (steps + 1))
    second = sigma**2 * r / (2 * b * sigma) * share * wide / (steps + 1)
    claimed = beta * r**2 / (2 * (steps + 1))
    claimed += (1 / b + b / sp.sqrt(2)) * sigma**power * r**radius / wide
    ratio = ball(2) ** ball("3/4")
    return {
        "least": identity((sp.expand(quadratic), sp.expand(by_slope))),
        "next": for_all(
            2 * (own - smooth) * (inner + noise + own * square / 2 - (after - here - gamma)) + xi
            >= 0,
            *(own > smooth, smooth > 0, square >= 0, xi >= 0, noise * noise <= xi * square),
            after <= here + inner + smooth * square / 2 + gamma,
        ),
        "sum": for_all(
            total + 1 / before <= share * before,
            *(root >= 1, before > root, before * before == root * root + 1, total <= share * root),
        ),
        "rate": identity((first + second, claimed)),
        "constant": less(1 / ratio + ratio / ball(2).sqrt(), ball(constant)),
    }


@statement(
    "004 Lemma 5.1.16",
    lines="5601-5605",
    kind="optimisation",
    printed="E f(y_k) - min f <= Theta(beta R^2/k^p + sigma R/sqrt k + k^(p-1) gamma)",
    checked="p = 1, where it is beta R^2/(2(T+1)) + 1.79 sigma R/sqrt(T+1) + gamma; for p > 1 it "
    "is cited",
    refuses={
        "1.78": {"constant": "1.78"},
        "sigma^2": {"power": 2},
        "R^2 in the second": {"radius": 2},
        "sum of 1/sqrt(k+2) at most sqrt(T+1)": {"share": 1},
    },
    unchecked={
        "p": "not checked for p > 1, which is cited; the steps have p = 1",
    },
)
def intermediate_gradients(
    constant: str = "1.79", power: int = 1, radius: int = 1, share: int = 2
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_1_8.averaged_gradients`."""
    return derived(**averaged_gradients(constant, power, radius, share))
