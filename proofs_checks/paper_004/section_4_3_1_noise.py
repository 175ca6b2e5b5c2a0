"""Section 4.3.1, unconstrained: what is looked for, and how large the noise is (Lemma 4.3.2)."""

from __future__ import annotations

from functools import partial

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import norm_of_vector
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    symbols,
)

DESCENT = ("diss-4.3.25",)
of_descent = partial(statement, algorithms=DESCENT)
of_section = partial(
    statement, algorithms=tuple(f"diss-4.3.{number}" for number in (25, 26, 27, 28, 29))
)


# ------------------------------------------------------------------------------- what is looked for


@of_section(
    "004 Assumption 4.3.1",
    lines="3832",
    kind="assumption",
    printed="the loss is L-Lipschitz, M-smooth and rho-Hessian Lipschitz, |L(w, D)| <= B",
    checked="cos(<a, w> + y)/2 on ||a|| <= 1 satisfies it with L = M = rho = B = 1/2",
    refuses={"0.49 for 1/2": {"largest": "0.49"}},
    unchecked={
        "L, M, rho, B": "all 1/2 for cos(<a, w> + y)/2, of which the steps bound the derivatives",
    },
)
def smooth_bounded_loss(largest: str = "1/2") -> Outcome:
    """Its derivatives along the score t are cos(t)/2, -sin(t)/2, -cos(t)/2, sin(t)/2."""
    t = sp.Symbol("t", real=True)
    value = sp.cos(t) / 2
    turns = (sp.cos(t), -sp.sin(t), -sp.cos(t), sp.sin(t))
    cosine, sine = reals("cosine sine")
    bound = rational(largest)
    circle = cosine * cosine + sine * sine == 1
    return definition(
        identity(*((sp.diff(value, t, order), turn / 2) for order, turn in enumerate(turns))),
        *(for_all(side <= bound, circle) for side in (cosine / 2, -cosine / 2, sine / 2)),
        for_all(-sine / 2 <= bound, circle),
    )


@of_descent(
    "004 Definition 4.3.1",
    lines="3838-3842",
    kind="definition",
    printed="w is a second-order stationary point of F: ||grad F(w)||_2 = 0, lambda_min(Hess F(w)) "
    ">= 0",
    special_case_of="004 (4.55)",
    refuses={"the saddle 0": {"at": "0"}, "(pi/2, 0)": {"at": "pi/2"}},
    unchecked={
        "lambda_min": "1/4 at (pi, 0), computed from the Hessian of risk",
    },
)
def exactly_stationary(at: str = "pi") -> Outcome:
    """F = (cos w_1 - cos w_2)/4 at (pi, 0): the case alpha = 0 of (4.55).

    Here risk = F.
    """
    v, w = sp.symbols("v w", real=True)
    risk = (sp.cos(v) - sp.cos(w)) / 4
    point = {v: sp.sympify(at), w: 0}
    hessian = sp.hessian(risk, (v, w)).subs(point)
    lowest = min(hessian.eigenvals(multiple=True))
    return definition(
        identity(*((sp.diff(risk, x).subs(point), 0) for x in (v, w))),
        less(ball(0), ball(str(lowest))),
    )


not_checkable(
    "004 Definition 4.3.3",
    lines="3854",
    kind="definition",
    printed="DP-SOSP: the smallest n(alpha, p, epsilon, delta) at which an (epsilon, delta)-DP "
    "algorithm finds an alpha-SOSP with high probability",
    reason="a definition of the problem, nothing to check",
    algorithms=DESCENT,
)


# ------------------------------------------------------------------------------ size of the noise


def noise_of_all_steps(per: str, start: str, share: str, inside: int) -> Outcome:
    """Put sigma^2 = c_2 log(1/delta) L^2 T/(n eps)^2 into the bound sqrt(2 d) sigma l.

    l = log(4T/xi) leaves xi/2 to the T steps together, and is at least log 4.
    """
    a, T, d, L, level, n, eps, c, xi = symbols("a T d L l n epsilon c_2 xi")
    sigma = sp.sqrt(c * a * L**2 * T) / (n * eps)
    bound = sp.sqrt(2 * c * a * T * d) * L * level / (n * eps)
    return derived(
        tail=norm_of_vector(per, start, share),
        union=identity((T * sp.Rational(share) * sp.exp(-sp.log(inside * T / xi)), xi / 2)),
        least=less(ball(start), log(ball(inside))),
        scale=identity((sp.sqrt(2 * d) * sigma * level, bound)),
    )


def small_enough(power: int = 5) -> Outcome:
    """The n at which the bound is r, for T = K M B chi^4/alpha^2 (l.4288)."""
    a, d, L, level, eps, c2, K, M, B, chi, c, alpha = symbols(
        "a d L l epsilon c_2 K M B chi c alpha"
    )
    T = K * M * B * chi**4 / alpha**2
    hidden = sp.sqrt(2 * c2 * K) * c**6 * chi**power * level
    n = hidden * sp.sqrt(M * B * a * d) * L / (eps * alpha**2)
    return identity((sp.sqrt(2 * c2 * a * T * d) * L * level / (n * eps), alpha / chi**3 / c**6))


@of_descent(
    "004 Lemma 4.3.2",
    lines="4145-4147",
    kind="concentration",
    printed="with probability 1 - xi/2 ||eps_i|| <= sqrt(2 c_2 log(1/delta) T d) L log(4T/xi)/"
    "(n eps) <= r for all i",
    added="n as in (4.56) for the second inequality",
    refuses={
        "sqrt(1/2) for sqrt(2)": {"per": "1/2"},
        "log(T/xi)": {"start": "0", "share": "1/2", "inside": 1},
        "log(3T/xi)": {"inside": 3},
        "chi^4 for chi^5 in n": {"power": 4},
    },
)
def size_of_the_noise(
    per: str = "2", start: str = "1.386", share: str = "2", power: int = 5, inside: int = 4
) -> Outcome:
    """Each may fail with probability xi/(2T) = 2 e^-l, l = log(4T/xi) >= log 4.

    Here r = alpha/(chi^3 c^6).
    """
    return every(noise_of_all_steps(per, start, share, inside), small_enough(power))


@of_descent(
    "004 (4.56)",
    lines="3881, 4290-4292",
    kind="utility",
    printed="n >= Omega~(sqrt(MB) sqrt(log(1/delta) d) log(1/xi) L/(eps alpha^2))",
    checked="the least n at which the bound of Lemma 4.3.2 is r; Omega~ is sqrt(2 c_2 K) chi^5 "
    "c^6, with log(4T/xi) for log(1/xi) and T = K M B chi^4/alpha^2",
    added="only an upper bound on the noise: for much larger n Theorem 4.3.1 is false",
    refuses={"chi^4": {"power": 4}},
)
def sample_size(power: int = 5) -> Outcome:
    """Solve the bound of Lemma 4.3.2 for n (l.4292 prints xi^5 for chi^5).

    Here a = log(1/delta).
    """
    return small_enough(power)
