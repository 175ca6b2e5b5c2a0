"""Section 4.2.1: Markov semigroups and functional inequalities."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_4_2_wells import spectral_gap_bound
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    reals,
    refuted,
    searched,
    symbols,
)

NORMAL = "N(0, 1), of which the constant is 1; the steps have the example N(m, 1) against it"


def shifted_normal(power: int) -> tuple[Any, Any]:
    """Return chi^2(mu || pi) and the Dirichlet form of (dmu/dpi)^(1/power).

    pi = N(0, 1), mu = N(m, 1): dmu/dpi = exp(m w - m^2/2), E(g) = int g'^2 dpi, and int e^{t w} dpi
    = e^{t^2/2}.
    """
    m = symbols("m")
    square = sp.exp((2 * m) ** 2 / 2 - m**2)
    slope = m / power
    return square - 1, slope**2 * sp.exp((2 * slope) ** 2 / 2 - m**2 / power)


@statement(
    "004 Definition 4.2.1",
    lines="3108-3114",
    kind="definition",
    printed="W_2(mu, nu) = inf over couplings of sqrt(E||V - W||^2)",
    checked="N(m, s^2) and N(k, t^2), coupled by one normal, attain sqrt((m-k)^2 + (s-t)^2)",
    refuses={"V and W independent": {"joint": "0"}},
)
def wasserstein(joint: str = "1") -> Outcome:
    """E|V-W|^2 = (m-k)^2 + s^2 + t^2 - 2 s t cor, and no correlation exceeds that of one normal.

    Here square = W_2^2, at cor = 1.
    """
    m, k, s, t = symbols("m k s t")
    square = (m - k) ** 2 + s**2 + t**2 - 2 * s * t * sp.Rational(joint)
    return definition(identity((square, (m - k) ** 2 + (s - t) ** 2)))


@statement(
    "004 l.3130 (Poincare)",
    lines="3128-3136",
    kind="definition",
    printed="Poincare inequality with constant c: chi^2(mu || pi) <= c E(sqrt(dmu/dpi)), 1/c at "
    "most the spectral gap",
    false="must be E(dmu/dpi): with the square root N(0, 1) would have no Poincare inequality",
    errata=("diss-4.2.20/E3",),
)
def poincare_with_root() -> Outcome:
    """pi = N(0, 1) (c = 1) and mu = N(m, 1): e^(m^2) - 1 against c m^2/4, for any c at large m."""
    square, form = (value.subs(symbols("m"), 1) for value in shifted_normal(2))
    at_most = {"pi": "N(0, 1)", "mu": "N(1, 1)", "c": 1}
    return refuted(at_most, mp.mpf(sp.N(square, 20)), mp.mpf(sp.N(form, 20)))


@poincare_with_root.corrected(
    "chi^2(mu || pi) <= c E(dmu/dpi)",
    refuses={"E(dmu/dpi)/2": {"share": "1/2"}},
    unchecked={
        "pi, c": NORMAL,
    },
)
def poincare(share: str = "1") -> Outcome:
    """On N(m, 1) against N(0, 1), c = 1: e^(m^2) - 1 <= m^2 e^(m^2), the slope at 0 being equal."""
    square, form = shifted_normal(1)
    m = symbols("m")
    gaps = [float((square / (sp.Rational(share) * form)).subs(m, k)) for k in (0.01, 0.1, 1, 3)]
    return definition(
        identity((square, sp.exp(m**2) - 1), (form, m**2 * sp.exp(m**2))),
        searched(max(gaps), 1, tried=len(gaps), what="chi^2 over the form"),
    )


@statement(
    "004 l.3140 (logarithmic Sobolev)",
    lines="3138-3142",
    kind="definition",
    printed="logarithmic Sobolev inequality with constant c: D(mu || pi) <= 2c E(sqrt(dmu/dpi))",
    refuses={"c E(sqrt(dmu/dpi))": {"twice": 1}},
    unchecked={
        "c, pi": NORMAL,
    },
)
def log_sobolev(twice: int = 2) -> Outcome:
    """N(m, 1) against N(0, 1), of which c = 1 and D = m^2/2, with equality."""
    m = symbols("m")
    _, form = shifted_normal(2)
    return definition(identity((m**2 / 2, twice * form)))


@statement(
    "004 l.3146 (decay)",
    lines="3144-3146",
    kind="concentration",
    printed="for a Markov process: D(mu_t || pi) <= D(mu_0 || pi) e^{-2t/c}",
    added="the process is reversible or dW = -alpha grad V dt + sqrt(2 alpha) dB, as those of "
    "section 4.2 are; with equality for dW = -W dt + sqrt 2 dB from N(m, 1), c = 1",
    refuses={"e^{-3t/c}": {"rate": 3}, "every Markov process": {"reversible": False}},
    unchecked={
        "pi": "the law that the process keeps; f in the steps is the density of mu_t in it",
    },
)
def decay(rate: int = 2, *, reversible: bool = True) -> Outcome:
    """See :func:`decay_of_entropy`, and :func:`around_a_cycle` for a process that is neither."""
    return decay_of_entropy(rate) if reversible else around_a_cycle()


def around_a_cycle() -> Outcome:
    """Jumps around a cycle of four points, x -> x + 1 at rate 1, of which c = 1.

    E(g) = sum (g(x+1) - g(x))^2/8 is the form of two bits, each flipped at rate 1/2, whose constant
    is 1 by Gross's inequality.
    """
    start, t = [mp.mpf(k) / 28 for k in (17, 8, 2, 1)], mp.mpf("0.3")
    jumps = [mp.exp(-t) * t**k / mp.factorial(k) for k in range(60)]
    later = [mp.fsum(jumps[k] * start[(x - k) % 4] for k in range(60)) for x in range(4)]
    before, after = (mp.fsum(q * mp.log(4 * q) for q in law) for law in (start, later))
    at = {"points": 4, "mu_0": "(17, 8, 2, 1)/28", "t": 0.3, "c": 1}
    return refuted(at, after, before * mp.exp(-2 * t))


def decay_of_entropy(rate: int) -> Outcome:
    """Let f = dmu_t/dpi: D = E_pi f log f falls at the rate E(f, log f), which is 4 E(sqrt f).

    In one dimension and for E(g) = alpha int g'^2 dpi the integrands are equal [step "diffusion"].
    A reversible process has E(g, h) = int int (g(x) - g(y))(h(x) - h(y)) J(x, y)/2, or is a limit
    of such, and (a - b)(log a - log b) >= 4 (sqrt a - sqrt b)^2: with a = b e^{4u}, u >= 0, that is
    16 b e^{2u} sinh u (u cosh u - sinh u) >= 0 [step "jumps"], whose last factor has the derivative
    u sinh u >= 0 [step "grows"]. With the inequality of l.3140, D' <= -2 D/c [step "rate"]; so
    e^{2t/c} D falls.
    """
    x, u, b, m, t = symbols("x u b m t")
    f = sp.Function("f")(x)
    falls, form, entropy, c = reals("falls form D c")
    ratio = sp.exp(4 * u)
    gap = b * (ratio - 1) * 4 * u - 4 * b * (sp.exp(2 * u) - 1) ** 2
    factor = u * sp.cosh(u) - sp.sinh(u)
    mean = m * sp.exp(-t)
    return derived(
        diffusion=identity(
            (sp.diff(f, x) * sp.diff(sp.log(f), x), 4 * sp.diff(sp.sqrt(f), x) ** 2)
        ),
        jumps=identity(
            (gap.rewrite(sp.exp), (16 * b * sp.exp(2 * u) * sp.sinh(u) * factor).rewrite(sp.exp))
        ),
        grows=identity((sp.diff(factor, u), u * sp.sinh(u))),
        rate=for_all(
            falls * c >= rate * entropy,
            *(c > 0, form >= 0, entropy <= 2 * c * form, falls >= 4 * form),
        ),
        example=identity((sp.diff(mean, t), -mean), (mean**2 / 2, m**2 / 2 * sp.exp(-rate * t))),
    )


@statement(
    "004 l.3148 (transport)",
    lines="3147-3148",
    kind="concentration",
    printed="W_2(mu, pi) <= sqrt(2 c alpha D(mu || pi)) if E(g) = alpha int ||grad g||^2 dpi",
    refuses={"sqrt(c alpha D)": {"twice": 1}, "sqrt(2 c D)": {"power": 0}},
    unchecked={
        "mu": "the law that moves; the steps have its D and I",
        "g": "any function; the steps have the constant alpha of its form",
    },
)
def transport(twice: int = 2, power: int = 1) -> Outcome:
    """Let mu run as dW = -alpha grad V dt + sqrt(2 alpha) dB, pi = e^{-V}, I = E||grad log f||^2.

    D falls at the rate alpha I (l.3146, step "diffusion" there), and D <= 2 c E(sqrt f) = c alpha
    I/2. mu_t moves with the velocity -alpha grad log f, so that W_2(mu_0, mu_t) grows at the rate
    alpha sqrt(I) at most (Benamou and Brenier). sqrt(2 c alpha D) falls at least as fast, at the
    rate sqrt(2 c alpha) alpha I/(2 sqrt D) [step "speed"], and mu_t tends to pi (Otto and Villani).
    Equality for N(m, s) against N(0, s), c = s/alpha, W_2 = m, D = m^2/(2s) [step "equality"].
    """
    m, s, alpha = symbols("m s alpha")
    constant = s / alpha
    root, k, information, entropy = reals("root c_alpha sqrt_I sqrt_D")
    return derived(
        speed=for_all(
            root * information**2 >= 2 * information * entropy,
            *(k > 0, root >= 0, information >= 0, entropy >= 0, root * root == twice * k),
            2 * entropy**2 <= k * information**2,
        ),
        equality=identity((m**2, twice * constant * alpha**power * (m**2 / (2 * s)))),
    )


@statement(
    "004 (4.14)",
    lines="3150-3156",
    kind="definition",
    printed="dW = -grad F dt + sqrt 2 dB has the Gibbs measure e^{-beta F} as invariant measure",
    false="that of (4.14) is e^{-F}; noise sqrt(2/beta), as in (4.16), makes it e^{-beta F}",
    errata=("diss-4.2.20/E4",),
)
def unscaled_noise() -> Outcome:
    """F = w^2/2, beta = 4: the variance of the stationary law is 1, that of e^{-beta F} is 1/4."""
    return refuted({"F": "w^2/2", "beta": 4}, mp.mpf(1), mp.mpf(1) / 4, "stationary variance")


def stationary(noise: int) -> Outcome:
    """The current F' pi + (s^2/2) pi' of the Fokker-Planck equation vanishes for pi = e^{-beta F}.

    s^2 = 2/beta^noise.
    """
    w = sp.Symbol("w", real=True)
    beta, F = symbols("beta"), sp.Function("F")(w)
    gibbs = sp.exp(-beta * F)
    current = sp.diff(F, w) * gibbs + sp.diff(gibbs, w) / beta**noise
    return derived(current=identity((sp.simplify(current / gibbs), 0)))


@unscaled_noise.corrected("noise sqrt(2/beta)", refuses={"noise sqrt 2": {"noise": 0}})
def scaled_noise(noise: int = 1) -> Outcome:
    """See :func:`stationary`."""
    return stationary(noise)


@statement(
    "004 Lemma 4.2.1",
    lines="3162-3175",
    kind="approximation",
    printed="c_LS <= O((d+beta)/lambda_*), 1/lambda_* <= O((d+beta)/beta e^{O(beta+d)}); the "
    "exponential in beta is unavoidable with several minima",
    checked="the last part, for the loss of Theorem 4.2.3: 1/lambda_* >= e^{.65 beta} for beta 20 "
    "to 120; the upper bounds are cited from Raginsky et al. (2017)",
    refuses={"1/lambda_* >= e^{.9 beta}": {"rate": 0.9}, "e^{.7 beta}": {"rate": 0.7}},
    unchecked={
        "c_LS, d": "not checked: the upper bounds are cited from Raginsky et al. (2017)",
        "lambda": "lambda_*, the spectral gap, of which the search has a bound",
    },
)
def exponential_gap(rate: float = 0.65) -> Outcome:
    """A test function bounds the spectral gap: 0 on the left, 1 on the right of the barrier."""
    worst = max(rate * beta + spectral_gap_bound(beta) for beta in (20.0, 40.0, 80.0, 120.0))
    return searched(worst, 0, tried=4, what=f"{rate:g} beta + ln(bound of the gap)")


not_checkable(
    "004 (4.16)",
    lines="3200-3204",
    kind="definition",
    printed="dW = -grad L^r(W) dt + sqrt(2/beta) dB",
    reason="a definition; (4.14) checks its invariant measure",
)

not_checkable(
    "004 Assumption 4.2.1",
    lines="3184-3192",
    kind="assumption",
    printed="C = R^d, r = lambda/2 ||w||^2; l(., z) L-Lipschitz and M-smooth, l(0, z) <= A",
    reason="an assumption on the user's loss",
)
