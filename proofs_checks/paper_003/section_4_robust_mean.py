"""Section 4: the robust mean of heavy-tailed numbers, (1)-(5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.robust_mean import chernoff, sensitivity_of_mean, supremum_of_smoothing
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    searched,
    symbols,
)
from reference.heavy_tailed.truncation import mean_sensitivity, smoothed_truncation, truncated_mean

statement = partial(any_statement, algorithms=("wang-mean",))
of_the_algorithms = partial(any_statement, algorithms=("wang-mean", "hu-1", "hu-5"))

Case = tuple[dict[str, Any], Any, Any]

PHI = "written out in the step, by cases and in units of sqrt 2"


def soft_truncation(t: Any) -> Any:
    """phi(sqrt 2 t)/sqrt 2 as a z3 term."""
    return z3.If(t > 1, rational("2/3"), z3.If(t < -1, -rational("2/3"), t - t**3 / 3))


@statement(
    "003 (1)",
    lines="173-175",
    kind="approximation",
    printed="(s/n) sum phi(x_i/s) is about E x",
    checked="|s E phi(x/s) - E x| <= (3/(8 sqrt 2)) E x^2/s",
    refuses={
        "0.37/sqrt 2": {"constant": "0.37"},
        "3/8": {"root": 0},
        "E x^2/s^2": {"power": 2},
    },
    unchecked={
        "n": "the mean over the samples; the steps have one term and its expectation",
        "phi": PHI,
    },
)
def truncation_bias(constant: str = "3/8", root: int = 1, power: int = 1) -> Outcome:
    """Pointwise |u - phi(u)| <= k u^2; in units of sqrt 2, k sqrt 2 = 3/8 [step "pointwise"].

    It is attained at u = 4 sqrt 2/3. Take u = x/s and the mean [step "units", t = u/sqrt 2].
    """
    t = reals("t")
    gap = t - soft_truncation(t)
    x, s, k = symbols("x s k")
    size = x / (s * sp.sqrt(2))
    return derived(
        pointwise=for_all(z3.Abs(gap) <= rational(constant) * t * t),
        units=identity((s * sp.sqrt(2) * k * size**2, k / sp.sqrt(2) ** root * x**2 / s**power)),
    )


@statement(
    "003 (2)",
    lines="177-181",
    kind="approximation",
    printed="phi(x) = x - x^3/6 on |x| <= sqrt2, +-2 sqrt2/3 beyond; |phi| <= 2 sqrt2/3",
    refuses={
        "0.66 sqrt2": {"bound": "0.66"},
        "x - x^3/5": {"part": "1/5"},
        "up to |x| = 1": {"square": 1},
    },
    unchecked={"phi": PHI},
)
def truncation_is_bounded(bound: str = "2/3", part: str = "1/6", square: int = 2) -> Outcome:
    """In units of sqrt 2; the pieces meet where the cubic is flat."""
    t = reals("t")
    x = symbols("x")
    cubic, end = x - sp.Rational(part) * x**3, sp.sqrt(square)
    return every(
        for_all(z3.Abs(soft_truncation(t)) <= rational(bound)),
        identity((cubic.subs(x, end), 2 * sp.sqrt(2) / 3), (sp.diff(cubic, x).subs(x, end), 0)),
    )


@statement(
    "003 (3)",
    lines="183-185",
    kind="definition",
    printed="x~(eta) = (s/n) sum phi((x_i + eta_i x_i)/s), E eta = 0",
    refuses={"eta ~ N(0, beta)": {"power": -1}},
    unchecked={
        "x~, s, n, phi, x_i": "what the display defines; the step has the moments of the noise",
    },
)
def multiplied_noise(power: int = 1) -> Outcome:
    """Moments of eta ~ N(0, 1/beta) used: E(1+eta)^k = 1, 1 + 1/beta, 1 + 3/beta, k = 1, 2, 3."""
    beta, eta = sp.Symbol("beta", positive=True), sp.Symbol("eta", real=True)
    density = sp.exp(-(eta**2) * beta**power / 2) * sp.sqrt(beta**power / (2 * sp.pi))
    moments = [
        sp.integrate(sp.expand((1 + eta) ** k * density), (eta, -sp.oo, sp.oo)) for k in (1, 2, 3)
    ]
    return definition(
        identity(*zip(moments, (1, 1 + 1 / beta, 1 + 3 / beta), strict=True)),
    )


def expected_truncation(a: Any, b: Any) -> Any:
    """E phi(a + b Z), Z ~ N(0, 1), by quadrature (mpmath)."""
    root = mp.sqrt(2)
    ends = sorted((side - a) / b for side in (-root, root))
    inside = sorted(x for x in (-8, 0, 8, *ends) if -40 < x < 40)

    def integrand(z: Any) -> Any:
        u = a + b * z
        return mp.npdf(z) * (u - u**3 / 6 if abs(u) <= root else mp.sign(u) * 2 * root / 3)

    return mp.quad(integrand, [-40, *inside, 40])


@statement(
    "003 (4)",
    lines="187-191",
    kind="identity",
    printed="x^(s, beta) = (s/n) sum int phi((x_i + eta x_i)/s) d chi(eta), chi = N(0, 1/beta)",
    refuses={"chi = N(0, 1.01/beta)": {"variance": 1.01}},
    unchecked={
        "phi": "its cubic and its constants, by cases, in the quadrature",
        "eta, d, chi": "the variable, the differential and the normal law of the quadrature",
    },
)
def smoothed_mean(rng: np.random.Generator, variance: float = 1.0) -> Outcome:
    """The implementation against quadrature."""

    def cases() -> Iterator[Case]:
        for n, s, b in ((2, 0.4, 1.0), (3, 2.5, 8.0)):
            x = rng.standard_t(2, n)
            roots = [abs(v / s) * mp.sqrt(variance / b) for v in x]
            values = zip(x, roots, strict=True)
            exact = sum(expected_truncation(mp.mpf(v / s), root) for v, root in values) * s / n
            yield {"s": s, "beta": b}, float(truncated_mean(x, scale=s, precision=b)), exact

    return precisely(cases, "=", digits=20, tolerance="1e-12", note="implementation, t(2)")


twin(
    "003 (5)",
    of="000 (17)",
    lines="193-197",
    printed="E phi(a + b sqrt(beta) eta) = a(1 - b^2/2) - a^3/6 + C-hat(a, b), b > 0",
    checked="with C-hat = T1 + ... + T5 of Wang et al. (2020), (17); it is not in the text",
    algorithms=("wang-mean",),
)


@of_the_algorithms(
    "003 (4), sensitivity",
    lines="199",
    kind="sensitivity",
    printed="replacing one sample moves x^(s, beta), and every entry of g~, by at most 4 sqrt2 "
    "s/(3n)",
    refuses={
        "0.99 of it": {"factor": 0.99},
        "4 sqrt2 s^2/(3n)": {"s_power": 2},
        "4 sqrt2 s/(3n^2)": {"n_power": 2},
    },
    unchecked={"g~": "each entry is such a mean of one coordinate of the gradients"},
)
def robust_sensitivity(factor: float = 1.0, s_power: int = 1, n_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.robust_mean.sensitivity_of_mean` [step "record"].

    With b = beta, the supremum is erf(sqrt(beta/2)) of it [step "supremum"]; infinite records
    attain that in the implementation [step "implementation", beta to 9.21].
    """
    n, s, largest, tried = 5, 2.0, 0.0, 0
    values = np.concatenate([[0.0], np.geomspace(1e-3, 1e300, 100), [math.inf]])
    for b in (0.1, 1.0, 9.21):
        data = np.linspace(-3, 3, n)
        per_record = smoothed_truncation(np.concatenate([values, -values]), scale=s, precision=b)
        moved = [
            float(truncated_mean(np.append(data[1:], x), scale=s, precision=b))
            for x in (math.inf, -math.inf)
        ]
        spread = max(moved[0] - moved[1], (per_record.max() - per_record.min()) / n)
        largest, tried = max(largest, spread / mean_sensitivity(n, scale=s)), tried + 1
    what = "change of the implementation's mean over the claim"
    return derived(
        record=sensitivity_of_mean(str(factor), s_power=s_power, n_power=n_power),
        supremum=supremum_of_smoothing(),
        implementation=searched(largest, factor, tried=tried * values.size * 2, what=what),
    )


@of_the_algorithms(
    "003 (4), concentration",
    lines="171-191",
    kind="concentration",
    printed="|x^ - E x| <= s(beta/2 + log(2/zeta))/n + v(1 + 1/beta)/(2s) with probability 1 - "
    "zeta (implicit, from [16])",
    checked="the same without s beta/(2n)",
    refuses={
        "phi(u) <= log(1 + u + 0.499 u^2)": {"curvature": "0.499"},
        "v/(2s) for v(1 + 1/beta)/(2s)": {"smoothing": 0},
        "v(1 + 1/beta)/(4s)": {"half": "1/4"},
        "log(1/zeta)": {"events": 1},
        "0.99 of it": {"factor": "0.99"},
    },
)
def concentration(
    half: str = "1/2",
    curvature: str = "1/2",
    smoothing: int = 1,
    factor: str = "1",
    events: int = 2,
) -> Outcome:
    """See :func:`proofs_checks.robust_mean.chernoff`, zeta/2 for each side; b = beta."""
    return chernoff(
        half, curvature=curvature, smoothing=smoothing, factor=factor, sides=2, events=events
    )
