"""Section 5.1.3: smooth losses, on a grid of (k+1)^p points.

l = log(1/beta) and D = D_h of Lemma 5.1.3; X = k^(h+p) = D sqrt(pn) epsilon/(2^((h+1)p) sqrt l);
alpha is the error, mu the strength of the ridge.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.balls import ball, sqrt
from proofs_checks.basics import laplace_loss
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1 import local_mean_error_with_larger_factor
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    nonnegative,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.1.31", "diss-5.1.32"))

SOLVED = "the error, for which the step has its bound in terms of n"
ORDER_ONE = "O(1) in Theorem 5.1.2, and left out"


def grid_error(h: Any, p: Any, **powers: Any) -> Any:
    """Return (5.3) as printed, with other powers of its factors if given."""
    ell, d, n, epsilon = symbols("l D n epsilon")
    power = {
        "l": h / (2 * (h + p)),
        "D": p / (p + h),
        "p": p / (2 * (h + p)),
        "two": (h + 1) * p * h / (h + p),
        "n": -h / (2 * (h + p)),
        "epsilon": -h / (h + p),
    }
    power |= {name: sp.Rational(value) * power[name] for name, value in powers.items()}
    return (
        ell ** power["l"] * d ** power["D"] * p ** power["p"] * sp.Integer(2) ** power["two"]
        * n ** power["n"] * epsilon ** power["epsilon"]
    )  # fmt: skip


def same_powers(left: Any, right: Any) -> Outcome:
    """Decide left = right for products of powers, by logarithms."""
    return identity(
        (sp.expand_log(sp.log(left), force=True), sp.expand_log(sp.log(right), force=True))
    )


# ---------------------------------------------------------------------------- Theorem 5.1.2


not_checkable(
    "004 Section 5.1.3, Assumption 1",
    lines="4812",
    kind="assumption",
    printed="C in [0,1]^p, l(w; x) in [0,1] on [0,1]^p for every x",
    reason="notation",
)


@statement(
    "004 Theorem 5.1.2 (privacy)",
    lines="4842, 5263",
    kind="privacy",
    printed="Algorithm 5.1.31 is epsilon-LDP for every epsilon > 0",
    special_case_of=("004 Lemma 5.1.1, privacy", "004 Lemma 2.1.4"),
    added="the loss is in [0, 1], as in Assumption 1: clip it",
    refuses={
        "noise of scale (k+1)/epsilon": {"power": 0},
        "0.9 epsilon for one message": {"factor": "0.9"},
    },
)
def grid_privacy(power: int = 1, factor: str = "1") -> Outcome:
    """A player's messages have noise of scale (k+1)^p/epsilon: each costs epsilon/(k+1)^p.

    [Step "message", Delta = 1.] There are (k+1)^p of them [step "total", N for (k+1)^p, at p = 2].
    """
    epsilon, k = symbols("epsilon k")
    count = (k + 1) ** 2
    scale = (k + 1) ** (1 + power) / epsilon
    return derived(message=laplace_loss(factor), total=identity((count * (1 / scale), epsilon)))


@statement(
    "004 Theorem 5.1.2",
    lines="4842-4850, 5265-5299",
    kind="utility",
    printed="Err_D <= O~(l^(h/(2(h+p))) D^(p/(p+h)) p^(p/(2(h+p))) 2^((h+1)p h/(h+p))/"
    "(n^(h/(2(h+p))) epsilon^(h/(h+p))))",
    checked="at the printed k: (5.8) is at most 2 sqrt(log X) times that, Err_D twice (5.8)",
    added="log k >= 1, which the condition on n does not give",
    refuses={
        "D^(p/(2(p+h)))": {"powers": {"D": "1/2"}},
        "epsilon^(h/(2(h+p)))": {"powers": {"epsilon": "1/2"}},
        "n^(h/(h+p))": {"powers": {"n": "2"}},
        "without the power of 2": {"powers": {"two": "0"}},
        "sqrt p more": {"root": "1"},
        "log X for sqrt(log X), from log k = 0 on": {"least": 0},
        "Err_D at most (5.8)": {"twice": 1},
    },
    unchecked={
        "Err_D": "Lpriv - Lstar in the last step",
    },
)
def grid_utility(
    powers: dict[str, str] | None = None, root: str = "1/2", least: int = 1, twice: int = 2
) -> Outcome:
    """At k^(h+p) = X the second term of (5.8) is sqrt(log k) times the first [step "noise"].

    The first, D p k^-h, is sqrt p times (5.3) [step "approximation"]. With (h + p) log k = log X
    and log k >= 1, sqrt p (1 + sqrt(log k)) <= 2 sqrt(log X) [step "hidden"]. w_priv is best for
    the polynomial [step "minimiser"].
    """
    ell, d, n, epsilon, h, p, lk = symbols("l D n epsilon h p log_k")
    x = d * sp.sqrt(p * n) * epsilon / (2 ** ((h + 1) * p) * sp.sqrt(ell))
    k = x ** (1 / (h + p))
    first = d * p * k**-h
    noise = 2 ** ((h + 1) * p) * sp.sqrt(ell) * sp.sqrt(p * lk) * k**p / (sp.sqrt(n) * epsilon)
    log_k, s, big, hp, q, grown = reals("log_k s log_X hp q r")
    low, high, best, other, sup = reals("Lpriv Lpriv_tilde Lstar_tilde Lstar sup")
    return derived(
        noise=same_powers(noise, first * sp.sqrt(lk)),
        approximation=same_powers(first, p ** sp.Rational(root) * grid_error(h, p, **powers or {})),
        hidden=for_all(
            q * (1 + s) <= 2 * grown,
            *(q > 0, s >= 0, log_k == s * s, log_k >= least, hp >= q * q, big == hp * log_k),
            *(grown >= 0, grown * grown == big),
        ),
        minimiser=for_all(
            low - other <= twice * sup,
            *(z3.Abs(low - high) <= sup, z3.Abs(best - other) <= sup, high <= best),
        ),
    )


grid_utility.restated(
    "004 (5.3)", lines="4844", printed="Err_D <= O~(...), the bound of Theorem 5.1.2"
)


@statement(
    "004 (5.4)",
    lines="4852-4854",
    kind="utility",
    printed="n = O~(l D^(2p/h) p^(p/h) 4^((h+1)p) epsilon^-2 alpha^-(2+2p/h))",
    refuses={
        "alpha^-(2+p/h)": {"alpha": "1"},
        "2^((h+1)p)": {"base": 2},
        "p^(2p/h)": {"p_power": 2},
        "epsilon^-1": {"epsilon_power": 1},
        "D^(p/h)": {"d_power": 1},
    },
    unchecked={
        "alpha": SOLVED,
    },
)
def grid_samples(
    alpha: str = "2", base: int = 4, p_power: int = 1, epsilon_power: int = 2, d_power: int = 2
) -> Outcome:
    """Solve (5.3) = alpha for n."""
    return _solved(alpha, base, p_power, epsilon_power, d_power)


def _solved(alpha: str, base: int, p_power: int, epsilon_power: int, d_power: int) -> Outcome:
    ell, d, n, epsilon, h, p = symbols("l D n epsilon h p")
    error = grid_error(h, p)
    right = ell * d ** (d_power * p / h) * p ** (p_power * p / h) * base ** ((h + 1) * p)
    right = right * epsilon**-epsilon_power * error ** -(2 + sp.Rational(alpha) * p / h)
    return same_powers(n, right)


@statement(
    "004 Corollary 5.1.1",
    lines="4858-4860",
    kind="utility",
    printed="(8, T)-smooth: n = O~(alpha^-(2+p/2) epsilon^-2 (4^5 sqrt(D_4) p^(1/4))^p)",
    special_case_of="004 (5.4)",
    refuses={"4^4": {"base": 4}, "D_4": {"root": "1"}, "p^(1/2)": {"quarter": "1/2"}},
    unchecked={
        "T": ORDER_ONE,
        "alpha": SOLVED,
        "5": "4^5 = 1024 in the step",
    },
)
def eight_times(base: int = 5, root: str = "1/2", quarter: str = "1/4") -> Outcome:
    """(5.4) at h = 4, D for D_4."""
    p, d, n, epsilon = symbols("p D n epsilon")
    error = grid_error(sp.Integer(4), p)
    each = 4**base * d ** sp.Rational(root) * p ** sp.Rational(quarter)
    ell = symbols("l")
    return same_powers(n, ell * error ** -(2 + p / 2) * epsilon**-2 * each**p)


@statement(
    "004 l.4862",
    lines="4862",
    kind="remark",
    printed="2^p alpha^-(p+1) epsilon^-2 is considerably worse than Corollary 5.1.1 when alpha <= "
    "O(1/p), that is in low dimension or at high accuracy",
    false="for p = 1 it is better by alpha^(1/2), for p = 2 the powers of alpha are the same",
    errata=("004 l.4862/E1",),
)
def sooner_in_low_dimension() -> Outcome:
    """p = 1, D_4 = 1e-12 and hidden factors of 1e6: at alpha = 1e-20 ours is larger.

    A smaller D_4 or a larger factor takes a smaller alpha.
    """
    alpha = sp.Rational(1, 10**20)
    ours = 4**5 * sp.Rational(1, 10**6) * alpha ** -sp.Rational(5, 2)
    point = {"p": 1, "D_4": 1e-12, "alpha": 1e-20, "hidden": 1e6}
    return refuted(point, int(ours), int(10**6 * 2 * alpha**-2), "n epsilon^2")


@sooner_in_low_dimension.corrected(
    "for p >= 3, where alpha <= (512^2 D_4 sqrt p)^(-p/(p-2)), which is at least c/p for some c of "
    "D_4 alone",
    refuses={
        "p >= 2": {"fewest": 2},
        "(512 D_4 sqrt p)^(-p/(p-2))": {"base": 512},
        "c/p^(1/4)": {"power": "1/4"},
    },
    unchecked={
        "c": "of no claimed value; the steps bound p times the limit from below",
    },
)
def sooner_from_three_on(fewest: int = 3, base: int = 512**2, power: str = "1") -> Outcome:
    """The quotient of the two is a power of alpha over the limit [step "quotient"].

    With K = 512^2 D_4 the logarithm of the limit is -log K - log p/2 - (2/(p-2))(log K + log p/2)
    [step "shape"], and 2/(p-2) is in (0, 2] [step "exponent"]: p times the limit has the logarithm
    log p/2 - 3 |log K| - log p/(p-2) at least, with log p/2 >= 0 [step "power"] and log p/(p-2) <=
    log 3 [step "bounded", log p <= log 3 + (p-3)/3 by concavity].
    """
    p, d, alpha, k = symbols("p D_4 alpha K")
    each = 4**5 * sp.sqrt(d) * p ** sp.Rational(1, 4)
    ours, convex = alpha ** -(2 + p / 2) * each**p, 2**p * alpha ** -(p + 1)
    limit = (base * d * sp.sqrt(p)) ** (-p / (p - 2))
    own = -sp.log(k) - sp.log(p) / 2 - 2 / (p - 2) * (sp.log(k) + sp.log(p) / 2)
    stated = -p / (p - 2) * (sp.log(k) + sp.log(p) / 2)
    size, logarithm, three, part = reals("p log_p log3 2/(p-2)")
    return derived(
        quotient=same_powers(ours / convex, (alpha / limit) ** ((p - 2) / 2)),
        shape=identity((own, stated)),
        exponent=for_all(z3.And(part > 0, part <= 2), size >= fewest, part * (size - 2) == 2),
        bounded=for_all(
            logarithm <= three * (size - 2),
            *(size >= 3, three >= 1, logarithm <= three + (size - 3) / 3, logarithm >= 0),
        ),
        power=for_all(rational(power) * logarithm - logarithm / 2 >= 0, logarithm >= 0),
    )


@statement(
    "004 Corollary 5.1.2",
    lines="4864-4870, 5301-5303",
    kind="utility",
    printed="(inf, T)-smooth: Err_D <= O~(l D_p^(1/2) p^(1/4) sqrt2^((p+1)p)/(n^(1/4) "
    "epsilon^(1/2))); n = O~(max{4^(p(p+1)) l D_p^2 p epsilon^-2 alpha^-4, ...})",
    checked="with l^(1/4), which is what the sample size has; l is larger for beta <= 1/e",
    special_case_of="004 Theorem 5.1.2",
    refuses={
        "2^((p+1)p)": {"two": "1"},
        "p^(1/2)": {"quarter": "1/2"},
        "alpha^-2": {"alpha": 2},
        "without p in n": {"dimension": 0},
        "l in place of l^(1/4), in n": {"ell": "1"},
    },
    unchecked={
        "T": ORDER_ONE,
        "Err_D": SOLVED,
    },
)
def infinitely_often(
    two: str = "1/2", quarter: str = "1/4", alpha: int = 4, dimension: int = 1, ell: str = "1/4"
) -> Outcome:
    """(5.3) at h = p [step "error"], solved for n [step "samples"]; D for D_p."""
    return _at_h_p(two, quarter, alpha, dimension, ell)


def _at_h_p(two: str, quarter: str, alpha: int, dimension: int, ell: str) -> Outcome:
    size, d, n, epsilon, p = symbols("l D n epsilon p")
    error = size ** sp.Rational(ell) * sp.sqrt(d) * p ** sp.Rational(quarter)
    error *= 2 ** (sp.Rational(two) * (p + 1) * p) / (n ** sp.Rational(1, 4) * sp.sqrt(epsilon))
    needed = 4 ** (p * (p + 1)) * size * d**2 * p**dimension / epsilon**2 * error**-alpha
    return derived(error=same_powers(grid_error(p, p), error), samples=same_powers(n, needed))


@statement(
    "004 (5.5)",
    lines="4870",
    kind="utility",
    printed="n = O~(max{4^(p(p+1)) l D_p^2 p epsilon^-2 alpha^-4, l 4^(p(p+1))/(epsilon^2 D_p^2)})",
    special_case_of="004 Corollary 5.1.2",
    refuses={"alpha^-2": {"alpha": 2}, "without p": {"dimension": 0}},
)
def samples_of_smooth(alpha: int = 4, dimension: int = 1) -> Outcome:
    """The first of the two solves the error of Corollary 5.1.2; the second is its condition."""
    return _at_h_p("1/2", "1/4", alpha, dimension, "1/4")


@statement(
    "004 l.4874",
    lines="4872-4874",
    kind="remark",
    printed="h = 2p: n = O(max{c_2^(p^2) l D_2p sqrt p epsilon^-2 alpha^-3, l c^(p^2)/(epsilon^2 "
    "D_2p^2)}); h -> infinity: alpha^-2",
    checked="c_2 = c = 64; the optimality of alpha^-2 is cited, and D_h 4^((h+1)p) grows with h",
    special_case_of="004 (5.4)",
    refuses={
        "alpha^-2": {"alpha": 2},
        "D_2p^2": {"d_power": 2},
        "p for sqrt p": {"root": "1"},
        "c_2 = 32": {"most": "5/2"},
        "alpha^-1 for h -> infinity": {"end": 1},
    },
    unchecked={
        "l, D_2p, epsilon, alpha": "their powers cancel in the step as it is shown",
        "c_2": "64 = 4^3: the steps have 2p^2 + p <= 3p^2 in the exponent of 4",
        "c": "not checked: the second part, Theorem 5.1.2's condition with c = 64, is in words",
    },
)
def twice_the_dimension(
    alpha: int = 3, d_power: int = 1, root: str = "1/2", most: str = "3", end: int = 2
) -> Outcome:
    """(5.4) at h = 2p [step "samples"], where (h+1)p = 2p^2 + p <= 3p^2 [step "constant"].

    The exponent of alpha falls to 2 [step "limit"]; the second is the condition of Theorem 5.1.2.
    """
    ell, d, n, epsilon, p, h = symbols("l D n epsilon p h")
    error = grid_error(2 * p, p)
    right = ell * d**d_power * p ** sp.Rational(root) * 4 ** ((2 * p + 1) * p)
    size = reals("p")
    return derived(
        samples=same_powers(n, right * epsilon**-2 * error**-alpha),
        constant=for_all(2 * size**2 + size <= rational(most) * size**2, size >= 1),
        limit=identity((sp.limit(2 + 2 * p / h, h, sp.oo), end)),
    )


@statement(
    "004 l.4878",
    lines="4878",
    kind="remark",
    printed="(5.5) is lower than 2^p alpha^-(p+1) epsilon^-2 when alpha <= O(16^-p)",
    false="for p <= 3 it is larger at every alpha <= 1, and D_p is left out",
    errata=("004 l.4878/E1",),
)
def sooner_than_convex() -> Outcome:
    """At p = 2, D_p = 1 and alpha = 16^-2."""
    p, alpha = 2, sp.Rational(1, 16) ** 2
    ours, convex = 4 ** (p * (p + 1)) * p * alpha**-4, 2**p * alpha ** -(p + 1)
    return refuted({"p": p, "alpha": float(alpha)}, int(ours), int(convex), "n over l/epsilon^2")


@sooner_than_convex.corrected(
    "where alpha^(p-3) <= 2^p/(4^(p(p+1)) p D_p^2), which for p <= 3 and D_p >= 1 is nowhere",
    refuses={"p <= 4": {"largest": 4}, "alpha^(p-2)": {"three": 2}},
)
def when_sooner(largest: int = 3, three: int = 3) -> Outcome:
    """The quotient of the two [step "quotient"]; at p <= 3 it exceeds 1 [step "never"].

    Here D is D_p.
    """
    p, d, alpha = symbols("p D alpha")
    ours, convex = 4 ** (p * (p + 1)) * d**2 * p * alpha**-4, 2**p * alpha ** -(p + 1)
    limit = 2**p / (4 ** (p * (p + 1)) * p * d**2)
    a, size = reals("alpha D")
    nowhere = []
    for q in range(1, largest + 1):
        scaled = 4 ** (q * (q + 1)) * q * size * size  # over 2^q
        claim = scaled > 2**q * a ** (3 - q) if q <= 3 else scaled * a ** (q - 3) > 2**q
        nowhere.append(for_all(claim, a > 0, a <= 1, size >= 1))
    return derived(
        quotient=same_powers(ours / convex, alpha ** (p - three) / limit), never=every(*nowhere)
    )


@statement(
    "004 Theorem 5.1.3",
    lines="4882-4890, 5305-5323",
    kind="utility",
    printed="convex and 1-Lipschitz: Err_P <= O~((sqrt l)^(1/4) D_p^(1/4) p^(1/8) 2^(p(p+1)/4)/"
    "(beta n^(1/12) epsilon^(1/4))), n = O~(... (sqrt l)^3 D_p^3 p^(3/2) 8^(p(p+1)) epsilon^-3 "
    "alpha^-12 beta^-12)",
    added="for the algorithm of the proof, which minimises with (mu/2) ||w||^2 added, "
    "mu = n^(-1/12); ||C||_2 <= 1; epsilon <= 1 and a numerator of at least 1; Lemma 5.1.14",
    refuses={
        "n^(-1/8)": {"n_power": "1/8"},
        "epsilon^(-1/2)": {"epsilon_power": "1/2"},
        "alpha^-6": {"alpha": 6},
        "4^(p(p+1))": {"base": 4},
        "mu = n^(-1/8)": {"ridge": "1/8"},
    },
    unchecked={
        "Err_P, alpha": SOLVED,
    },
)
def population(
    n_power: str = "1/12",
    epsilon_power: str = "1/4",
    alpha: int = 12,
    base: int = 8,
    ridge: str = "1/12",
) -> Outcome:
    """Lemma 5.1.14: sqrt(2 L^2/mu) sqrt(Err_D) + 4 L^2/(beta mu n), and mu/2 for the ridge.

    With Err_D = K^2 n^(-1/4) epsilon^(-1/2) of Corollary 5.1.2 the first is the bound [step
    "first"]; 1/(mu n) and mu are at most n^(-1/12) [steps "second", "third", x = n^(1/12)], and
    the bound is at least that [step "least"]. Solved for n [step "samples"]. Here D is D_p.
    """
    ell, d, p, n, epsilon, beta = symbols("l D p n epsilon beta")
    k = sp.sqrt(ell) ** sp.Rational(1, 4) * d ** sp.Rational(1, 4) * p ** sp.Rational(1, 8)
    k *= 2 ** (p * (p + 1) / 4)
    mu = n ** -sp.Rational(ridge)
    bound = k * n ** -sp.Rational(n_power) * epsilon ** -sp.Rational(epsilon_power)
    needed = sp.sqrt(ell) ** 3 * d**3 * p ** sp.Rational(3, 2) * base ** (p * (p + 1))
    needed = needed * epsilon**-3 * beta**-12 * (bound / beta) ** -alpha
    x, size, small, chance = reals("x K root beta")
    return derived(
        first=same_powers(sp.sqrt(grid_error(p, p) / mu), bound),
        second=for_all(x <= x**11, x >= 1),
        third=same_powers(mu, n ** -sp.Rational(1, 12)),
        least=for_all(
            chance * small <= size, size >= 1, small > 0, small <= 1, chance > 0, chance <= 1
        ),
        samples=same_powers(n, needed),
    )


# ------------------------------------------------------------------- efficient for players


@statement(
    "004 Lemma 5.1.6",
    lines="4902-4908",
    kind="concentration",
    printed="n >= 8p log(8p/beta), sqrt n >= (12/epsilon) sqrt(log(32/beta)): LDP-AVG has max_j "
    "|a_j - mean_j| <= O(b p/(sqrt n epsilon) sqrt(log(p/beta))) w.p. 1 - beta",
    checked="4.26 b sqrt(p log(8p/beta)/n)/epsilon, if each player sends one random coordinate; "
    "the second condition is not needed",
    added="epsilon <= 1: the error of the random sample does not depend on epsilon",
    refuses={
        "4.2": {"constant": "4.2"},
        "without p": {"dimension": 0},
        "epsilon <= 2": {"largest": 2},
        "n >= p log(8p/beta)": {"eight": 1},
    },
    unchecked={
        "12, 32": "of the second condition, which the steps do not need",
    },
)
def vector_mean(
    constant: str = "4.26", dimension: int = 1, largest: int = 1, eight: int = 8
) -> Outcome:
    """Every coordinate has at least n/(2p) players but for p e^(-n/(8p)) = beta/8 (Chernoff).

    [Step "sizes", q = log(8p/beta).] The corrected Lemma 5.1.1 [step "lemma"] on m = n/(2p) of
    them, m >= 1.3248 q [step "enough"], and Hoeffding's inequality for their mean [step "sample"]
    fail with probability 2 e^-q each, in all coordinates beta/2 [step "union"]. Together they are
    2.302 sqrt 2 + epsilon times b sqrt(p q/n)/epsilon [steps "noise", "total"].
    """
    p, beta, n, b, epsilon = symbols("p beta n b epsilon")
    q = sp.log(8 * p / beta)
    records, width = n / (2 * p), b * sp.sqrt(p**dimension * q / n)
    most, ratio, e = reals("least root e")
    return derived(
        lemma=local_mean_error_with_larger_factor(),
        sizes=identity((p * sp.exp(-(eight * p * q) / (8 * p)), beta / 8)),
        enough=less(ball("1.3248"), ball(eight) / 2),
        sample=identity((2 * sp.exp(-2 * records * width**2 / b**2), beta / (4 * p))),
        union=identity((2 * p * (beta / (4 * p)), beta / 2)),
        noise=identity(
            (b * sp.sqrt(q) / (sp.sqrt(records) * epsilon), sp.sqrt(2) * width / epsilon)
        ),
        total=every(
            less(ball("2.302") * sqrt(ball(2)) + largest, ball(constant)),
            for_all(ratio + e <= most, ratio > 0, e > 0, e <= largest, ratio + largest <= most),
        ),
    )


@statement(
    "004 Theorem 5.1.4",
    lines="4918, 4948, 5325-5351",
    kind="utility",
    printed="with v_l = (n/|I_l|) sum over I_l of y_i b_i, Corollary 5.1.2 holds w.p. 1 - 4 beta",
    false="the mean of that is n/2 times the loss",
    errata=("diss-5.1.32/E2",),
)
def scaled_by_n() -> Outcome:
    """All losses 1/2 and n = 1000: the mean of the printed v_l is 250."""
    mean = 1000 * sp.Rational(1, 2) / 2
    return refuted({"n": 1000, "loss": 0.5}, int(mean), 1, "mean of v_l, against a loss of 1")


@scaled_by_n.corrected(
    "(2/|I_l|) sum: mean v, variance of a term v^2 + 4/epsilon^2",
    refuses={
        "(1/|I_l|) sum": {"two": 1},
        "(4/|I_l|) sum": {"two": 4},
        "variance 4/epsilon^2": {"own": 0},
    },
)
def unbiased_bit(two: int = 2, own: int = 1) -> Outcome:
    """Given y the bit is 1 with probability f_v(y)/(2 f_0(y)), and y has the density f_0.

    So E y b is half the mean of the density f_v, and E y^2 b half of its second moment, v^2 +
    2/epsilon^2 [step "moments", of v + z, both signs of z]; hence mean and variance [step "term"].
    """
    z, epsilon, v = symbols("z epsilon v")
    density = epsilon / 2 * sp.exp(-epsilon * z)

    def moment(power: int) -> Any:
        both = sp.expand((v + z) ** power + (v - z) ** power) * density
        return sp.integrate(both, (z, 0, sp.oo))

    mean, square = moment(1) / 2, moment(2) / 2
    return derived(
        moments=identity((mean, v / 2), (square, (v**2 + 2 / epsilon**2) / 2)),
        term=identity(
            (two * mean, v),
            (two**2 * square - (two * mean) ** 2, own * v**2 + 4 / epsilon**2),
        ),
    )


# --------------------------------------------------------------------- efficient for the server


not_checkable(
    "004 Definition 5.1.10",
    lines="4922",
    kind="definition",
    printed="mu-well conditioned: C = {F <= 0}, ||hess F||_2/||grad F||_2 <= mu on its boundary",
    reason="notation",
)


def _smoothing_error(ratio: Any, s: Any, constant: int) -> Any:
    """Return the whole error over epsilon, ``ratio`` being s/epsilon.

    2 Delta + 2 s + sqrt 2 (1 + s)/sqrt T, Delta <= epsilon/constant, T = 16/epsilon^2.
    """
    return 2 / ball(constant) + 2 * ratio + sqrt(ball(2)) * (1 + s) / 4


def _smoothed_descent(ends: int, share: str, power: int) -> dict[str, Outcome]:
    """Return the steps on the mean over cubes and on subgradient descent."""
    at, other, at_close, other_close, delta = reals("a b a_tilde b_tilde Delta")
    now, before = reals("u v")
    x, y, eta, g, p, c, u, d, total = symbols("x y eta g p c u D S")
    close = (z3.Abs(at_close - at) <= delta, z3.Abs(other_close - other) <= delta)
    eta_last = d / sp.sqrt(2 * total)
    gap = symbols("Delta")
    best = sp.sqrt(gap / c)
    return {
        "bias": for_all(z3.Abs((at_close - other_close) - (at - other)) <= ends * delta, *close),
        "spread": identity((sp.integrate(u**2, (u, 0, 1)), sp.Rational(share))),
        "distance": identity(
            (sp.expand((x - eta * g - y) ** 2 + 2 * eta * g * (x - y) - eta**2 * g**2),
             sp.expand((x - y) ** 2))
        ),
        "squares": for_all(
            (now * now - before * before) <= power * now * (now - before),
            now >= before,
            before >= 0,
        ),
        "steps": identity(
            (d**2 / (2 * eta_last) + d / sp.sqrt(2) * sp.sqrt(total), sp.sqrt(2 * total) * d)
        ),
        "balance": identity(
            (gap * sp.sqrt(p) / best + best * sp.sqrt(p) * c, 2 * sp.sqrt(c * p * gap))
        ),
    }  # fmt: skip


@statement(
    "004 Lemma 5.1.7",
    lines="4924, 4957",
    kind="optimisation",
    printed="Delta <= max{epsilon^2/(mu sqrt p), epsilon/p}/16348: a Delta-approximate convex "
    "function is minimised up to epsilon in time Poly(p, 1/epsilon, log(1/delta))",
    checked="by another method than the cited one: the first of the maximum for epsilon <= 1 and "
    "p <= 10^5, the second for .0016 <= epsilon <= 1; 16/epsilon^2 steps, delta = 0 with exact "
    "means over faces of cubes, which a polynomial has",
    added="every point of C lies in a ball of radius 1/mu inside C, as Blaschke's rolling theorem "
    "has it of a smooth boundary, mu <= 25",
    refuses={
        "Delta/(2r) a coordinate": {"ends": 1},
        "E u^2 = 1/4": {"share": "1/4"},
        "sum of g^2/sqrt S <= sqrt S": {"power": 1},
        "epsilon^2/mu": {"root": 4},
        "epsilon/sqrt p": {"excess": 1},
        "1/1634": {"constant": 1634},
    },
    unchecked={
        "mu": "25 where the steps need room, 1 where they bound the error: the worst of each",
        "delta": "0, as the method is exact",
    },
)
def approximately_convex(
    ends: int = 2,
    share: str = "1/3",
    power: int = 2,
    root: int = 2,
    excess: int = 0,
    constant: int = 16348,
) -> Outcome:
    """f~_r(x) = E f~(x + r u), u uniform on [-1, 1]^p, on C_r = {x: x + r [-1, 1]^p in C}.

    A ball of radius 1/mu around x moves inwards: x is within r sqrt p of C_r if r sqrt p <= 1/mu
    [step "room"]. d_j f_r = E (f at u_j = 1 - f at u_j = -1)/(2r), so that the gradient g of f~_r
    is off by Delta/r in every coordinate [step "bias"]: <g - grad f_r, x - y> <= sqrt p Delta/r, D
    <= 1. f <= f_r by convexity and f_r <= f + r sqrt(p/3) [step "spread", E ||u|| <= (E
    ||u||^2)^(1/2)].

    Steps eta_t = D/sqrt(2 S_t), S_t = sum_{s <= t} ||g_s||^2: <g_t, x_t - y> <= (||x_t - y||^2 -
    ||x_{t+1} - y||^2)/(2 eta_t) + eta_t ||g_t||^2/2 [step "distance"], the sum of the first is at
    most D^2/(2 eta_T), and ||g_t||^2/sqrt S_t <= 2 (sqrt S_t - sqrt S_{t-1}) [step "squares"]:
    sqrt(2 S_T) D in all [step "steps"], S_T <= T (1 + sqrt p Delta/r)^2.

    At r^2 = Delta/c, c = 1 + 1/sqrt 3, the error is 2 Delta + 2 s + sqrt 2 (1 + s)/sqrt T, s^2 = c
    p Delta [step "balance"]. With q = p^(1/4): p Delta = q^2 epsilon^2/(16348 mu), largest for mu =
    1 [step "first"]; p Delta = epsilon/16348 [step "second", in sqrt epsilon]. Both grow with
    Delta.
    """
    unit = ball(1) / constant
    largest = 1 + 1 / sqrt(ball(3))
    factor = sqrt(largest * unit)  # s is this times sqrt(16348 p Delta)
    # r sqrt p = sqrt(p Delta/c) at mu = 25, where mu^2 p Delta is largest
    first_room = ball(25) * sqrt(ball(10) ** 5) / largest
    second_room = ball(625) / largest
    return derived(
        **_smoothed_descent(ends, share, power),
        room=every(less(first_room, ball(constant)), less(second_room, ball(constant))),
        first=nonnegative(
            lambda q, e: 1 - _smoothing_error(factor * q ** (root // 2), factor * e * q, constant),
            {"p^(1/4)": (1, "17.79"), "epsilon": (0, 1)},
            whole=True,
        ),
        second=nonnegative(
            lambda q, e: (
                1 - _smoothing_error(factor * q**excess / e, factor * e * q**excess, constant)
            ),
            {"p^(1/4)": (1, "17.79"), "sqrt epsilon": ("0.04", 1)},
            whole=True,
        ),
    )


@statement(
    "004 Theorem 5.1.5",
    lines="4961, 5353-5367",
    kind="optimisation",
    printed="sup |L~ - L| <= alpha, C convex, alpha <= C mu/(p sqrt p): a minimiser of L~ up to "
    "O(p alpha) in polynomial time, whose Err_D is O(p alpha)",
    checked="at epsilon = 16348 p alpha, without the limit on alpha: Err_D <= (16348 p + 2) alpha",
    added="C of diameter 1; Lemma 5.1.7, as derived there for 10^-7 <= p alpha <= 1/16348 and as "
    "cited below; above, any point will do",
    refuses={
        "epsilon = 16348 alpha": {"dimension": 0},
        "(16348 p + 1) alpha": {"twice": 1},
        "derived from p alpha = 9 10^-8 on": {"least": "9e-8"},
    },
    unchecked={
        "C, mu": "of a limit on alpha that the steps do not need",
        "Err_D": "L - Lstar in the last step",
    },
)
def polynomial_server(dimension: int = 1, twice: int = 2, least: str = "1e-7") -> Outcome:
    """Delta = alpha is epsilon/p over 16348, the second of the maximum [step "condition"].

    epsilon is .0016 at least [step "range"]. Where it would be above 1, no point of a 1-Lipschitz
    risk is more than 1 + 2 alpha <= (16348 p + 2) alpha from the least [step "trivial"].
    L(w~) <= L~(w~) + alpha <= L~(w*) + epsilon + alpha <= L(w*) + epsilon + 2 alpha [step "risk"].
    """
    p, alpha = symbols("p alpha")
    mine, approximate, best, true, error, slack = reals("L L_tilde Lstar_tilde Lstar alpha epsilon")
    many = reals("p")
    return derived(
        condition=identity((16348 * p**dimension * alpha / p / 16348, alpha)),
        range=less(ball("0.0016"), 16348 * ball(least)),
        trivial=for_all(
            1 + 2 * error <= (16348 * many + 2) * error, 16348 * many * error >= 1, error >= 0
        ),
        risk=for_all(
            mine - true <= slack + twice * error,
            *(z3.Abs(mine - approximate) <= error, z3.Abs(best - true) <= error),
            approximate <= best + slack,
        ),
    )


@statement(
    "004 Theorem 5.1.6",
    lines="4965-4971",
    kind="utility",
    printed="n = O~(4^(p(p+1)) l D_p^2 p^5 epsilon^-2 alpha^-4): an epsilon-LDP algorithm of one "
    "bit per player with Err_D <= O(alpha) w.p. 1 - 5 beta",
    added="Algorithm 5.1.32 with epsilon_0 = ln(2 - e^-epsilon) and the mean of 2 y b; Lemma 5.1.7",
    special_case_of="004 Theorem 5.1.5",
    refuses={"p^4": {"dimension": 4}, "p^2": {"dimension": 2}},
    unchecked={
        "n": "both sides of the step, (5.5) at alpha/p",
        "Err_D": "at most of order alpha by Theorem 5.1.5 at alpha/p",
        "beta": "not checked: no step adds up the failures to 5 beta",
    },
)
def final_result(dimension: int = 5) -> Outcome:
    """(5.5) at alpha/p, D for D_p."""
    p, alpha, ell, d, epsilon = symbols("p alpha l D epsilon")
    before = 4 ** (p * (p + 1)) * ell * d**2 * p / epsilon**2 * (alpha / p) ** -4
    return same_powers(
        before, 4 ** (p * (p + 1)) * ell * d**2 * p**dimension / epsilon**2 * alpha**-4
    )
