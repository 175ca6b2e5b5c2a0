"""Section 5.3.7: the descent of DP-IHT, from (5.86) to Theorem 5.3.8.

k and k* are the sparsities, beta = k*/(k + k*), kappa = l_s/rho_s.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

NOISE_TERM = "2k*/(eta (k + k*)) <z, x* - x_t> for 2k*/(k + k*) <z, x* - x_t>"


@statement(
    "004 Assumption 5.3.3",
    lines="6579",
    kind="assumption",
    printed="L is rho_s-RSC and l(., z) is l_s-RSS (parameter 2k + k*) and G-Lipschitz for every z",
    false="on all of R^p no loss is both: rho_s/2 ||x - x'||^2 <= 2 G ||x - x'||",
    errata=("diss-5.3.43/E1",),
)
def conditions_printed() -> Outcome:
    """G = rho_s = 1 and ||x - x'|| = 5."""
    return refuted({"G": 1, "rho": 1, "r": 5}, Fraction(25, 2), 10, "RSC against the Lipschitz G")


@conditions_printed.corrected(
    "G-Lipschitz on a ball of a radius up to 2G/rho_s",
    refuses={"a radius up to 3G/rho_s": {"radius": 3}},
)
def conditions(radius: int = 2) -> Outcome:
    """||x - x'|| is at most the diameter, where the two bounds do not contradict each other.

    Here r = ||x - x'|| and rho = rho_s.
    """
    g, rho, r = reals("G rho r")
    return definition(
        for_all(rho * r * r <= 4 * g * r, g > 0, rho > 0, r >= 0, rho * r <= 2 * radius * g)
    )


@statement(
    "004 (5.86)",
    lines="6994-7006",
    kind="optimisation",
    printed="<g, d> + l/2 ||d||^2 = ||d + eta g||^2/(2 eta) - eta ||g||^2/2 - (1 - eta l)/(2 eta) "
    "||d||^2 for d = x_{t+1} - x_t, and -<z, d> <= ||z|| ||d||",
    refuses={"(1 + eta l)/(2 eta)": {"sign": 1}, "eta ||g||^2": {"half": 1}},
)
def smoothness(sign: int = -1, half: int = 2) -> Outcome:
    """Coordinate by coordinate, d = x_{t+1} - x_t; the second is the Cauchy-Schwarz inequality."""
    g, d, eta, l_s = symbols("g d eta l")
    right = (d + eta * g) ** 2 / (2 * eta) - eta * g**2 / half
    right -= (1 + sign * eta * l_s) / (2 * eta) * d**2
    return identity((g * d + l_s / 2 * d**2, right))


@statement(
    "004 (5.87)",
    lines="7013-7017",
    kind="optimisation",
    printed="||x_{t+1}||^2 on the new support is at least ||x_t - eta g||^2 on a set R of as many "
    "entries that were dropped",
    refuses={"R twice as large": {"more": 2}},
    unchecked={
        "R": "as many entries as are new in the support; the steps have their number",
    },
)
def kept_and_dropped(more: int = 1) -> Outcome:
    """The square of every entry that is kept is at least b, of every one dropped at most b."""
    number, b, kept, dropped = reals("number b kept dropped")
    given = (number >= 1, b >= 0, kept >= number * b, dropped >= 0, dropped <= more * number * b)
    return derived(order=for_all(kept >= dropped, *given))


@statement(
    "004 (5.88)",
    lines="7008-7035",
    kind="optimisation",
    printed="|I minus R| <= k + 2k*, so that by Lemma 5.3.3 ||x_{t+1} - x_t + eta g||^2 on it is "
    "at most 2k*/(k + k*) ||x* - x_t + eta g||^2",
    refuses={"|I minus R| <= k + 3k*": {"extra": 3}, "k*/(k + k*)": {"two": 1}},
)
def support(extra: int = 2, two: int = 2) -> Outcome:
    """(f - k)/(f - k*) grows with f = |I minus R|; Lemma 5.3.3 in its squared form."""
    k, least, f = reals("k k_star f")
    claim = (f - k) * (k + least) <= two * least * (f - least)
    return derived(
        ratio=for_all(claim, least > 0, k >= least, f >= k, f > least, f <= k + extra * least)
    )


@statement(
    "004 Display before (5.90)",
    lines="7024-7038",
    kind="optimisation",
    printed="||x_{t+1} - x_t + eta g||^2 on I, less eta^2 ||g||^2 on the new support, is at most "
    "2k*/(k+k*) times ||x* - x_t||^2 + 2 eta (L(x*) - L(x_t) - (rho_s/2) ||x* - x_t||^2) + eta^2 "
    "||g||^2, and the noise term, that is 4 eta k*/(k+k*) (L(x*) - L(x_t)) + 2 (1 - eta rho_s)k*/"
    "(k+k*) ||x* - x_t||^2 + 2 eta^2 k*/(k+k*) ||g||^2",
    checked="its last two steps, of beta = k*/(k+k*); (5.88) is the first, (5.90) has the noise",
    refuses={
        "2 (1 - 2 eta rho_s)k*/(k+k*)": {"convexity": 2},
        "2 eta k*/(k+k*) (L(x*) - L(x_t))": {"gap": 2},
        "(rho_s/2) ||.||^2 for rho_s ||.||^2": {"half": 1},
    },
)
def truncated_step(convexity: int = 1, gap: int = 4, half: int = 2) -> Outcome:
    """RSC bounds <grad, e>, e = x* - x_t [step "convex"]; then sort the terms [step "terms"].

    Here beta = k*/(k+k*) and rho = rho_s.
    """
    beta, eta, rho, e, g = symbols("beta eta rho e g")
    risk = symbols("L(x*)-L(x_t)", real=True)
    before = 2 * beta * (e**2 + 2 * eta * (risk - rho * e**2 / half) + eta**2 * g**2)
    after = gap * eta * beta * risk + 2 * (1 - convexity * eta * rho) * beta * e**2
    inner, step, square, share, gain = reals("<grad,e> eta ||e||^2 beta L(x*)-L(x_t)")
    strong = reals("rho")
    return derived(
        convex=for_all(
            2 * share * 2 * step * inner <= 2 * share * 2 * step * (gain - strong * square / half),
            *(share > 0, step > 0, strong > 0, square >= 0, gain >= inner + strong * square / 2),
        ),
        terms=identity((before, after + 2 * eta**2 * beta * g**2)),
    )


@statement(
    "004 (5.90)",
    lines="7027-7045",
    kind="optimisation",
    printed="||x* - x_t + eta g||^2 2k*/(k + k*) has the noise term 4k*/(k + k*) <z, x* - x_t>",
    false="misprint: 4 eta k*/(k + k*), so that (5.90)-(5.92) have 2k*/(k + k*) without 1/eta",
    errata=("004 (5.90)/E1",),
)
def noise_term_printed() -> Outcome:
    """eta = 1/2, k = 3, k* = 1, <z, x* - x_t> = -1: the term is -1/2, not -1."""
    return refuted({"eta": 0.5, "k": 3, "k*": 1}, Fraction(-1, 2), -1, "noise term and its bound")


@noise_term_printed.corrected(
    "4 eta k*/(k + k*) <z, x* - x_t>, and divided by 2 eta it is 2k*/(k + k*) <z, x* - x_t>",
    refuses={"2 eta": {"four": 2}, "4 without eta": {"power": 0}},
)
def noise_term(four: int = 4, power: int = 1) -> Outcome:
    """Expand 2 beta (e + eta (grad + z))^2, beta = k*/(k+k*), e = x* - x_t and g = grad + z."""
    e, grad, z, eta, beta = symbols("e grad z eta beta")
    g = grad + z
    expanded = 2 * beta * (e**2 + 2 * eta * grad * e + eta**2 * g**2)
    return identity((2 * beta * (e + eta * g) ** 2, expanded + four * eta**power * beta * z * e))


@statement(
    "004 (5.91)",
    lines="7045-7050",
    kind="optimisation",
    printed="from (5.90): eta k*/(k+k*) ||g||^2 on the new support and -(1 - eta l)/(2 eta) "
    "||x_{t+1} - x_t||^2 become -((1 - eta l)/(2 eta) - k*/(eta (k+k*))) ||x_{t+1} - x_t||^2",
    checked="the step from (5.90)",
    misprint=NOISE_TERM,
    errata=("004 (5.90)/E1",),
    refuses={
        "k*/(2 eta (k+k*))": {"share": 2},
        "||x_{t+1} - x_t|| >= eta ||g||/2": {"root": 2},
        "eta k*/(k+k*)": {"inverse": 0},
    },
)
def new_support(share: int = 1, root: int = 1, inverse: int = 1) -> Outcome:
    """x_t is 0 on the new support and x_{t+1} is -eta g there, so that ||d|| >= eta ||g||.

    With beta = k*/(k+k*), d^2 >= eta^2 g^2 gives it.
    """
    beta, eta, g, d, smooth = reals("beta eta g^2 d^2 l")
    before = eta * beta * g - (1 - eta * smooth) / (2 * eta) * d
    weight = beta / (share * eta) if inverse else beta * eta / share
    after = -((1 - eta * smooth) / (2 * eta) - weight) * d
    return derived(
        norm=for_all(
            before <= after,
            *(beta > 0, eta > 0, smooth > 0, g >= 0, d >= 0, root * root * d >= eta * eta * g),
        )
    )


@statement(
    "004 (5.92)",
    lines="7047-7059",
    kind="optimisation",
    printed="-A ||d||^2 + ||z|| ||d|| <= eta (k + k*)/(2((1 - eta l)k - (1 + eta l)k*)) ||z||^2, "
    "A = (1 - eta l)/(2 eta) - k*/(eta (k + k*))",
    checked="the step from (5.91)",
    misprint=NOISE_TERM,
    errata=("004 (5.90)/E1",),
    refuses={"half of it": {"scale": 2}, "(1 - eta l)k*": {"sign": -1}},
)
def young(scale: int = 1, sign: int = 1) -> Outcome:
    """The factor is 1/(4A) [step "factor"], and 4A (z d - A d^2) <= z^2 [step "square"]."""
    k, least, eta, l_s = symbols("k k_star eta l")
    a = (1 - eta * l_s) / (2 * eta) - least / (eta * (k + least))
    factor = eta * (k + least) / (2 * ((1 - eta * l_s) * k - (1 + sign * eta * l_s) * least))
    positive, z, d = reals("A z d")
    square = scale * 4 * positive * (z * d - positive * d * d) <= z * z
    return derived(factor=identity((1 / (4 * a), factor)), square=for_all(square, positive > 0))


@statement(
    "004 Lemma 5.3.12",
    lines="7061-7075",
    kind="optimisation",
    printed="||x_t - x*||^2 <= (4/rho)(L(x*) - L(x_t)) + (8/rho^2)(||g||^2 + ||z||^2)",
    refuses={"3/rho": {"four": 3}, "4/rho^2": {"eight": 4}},
)
def distance(four: int = 4, eight: int = 8) -> Outcome:
    """RSC with <z - g, e> >= -(||z|| + ||g||) ||e||, all in units in which ||e|| = e."""
    gap, rho, e, g, z = reals("L(x*)-L(x_t) rho e g z")
    convex = gap >= -(g + z) * e + rho * e * e / 2
    claim = rho * rho * e * e <= four * rho * gap + eight * (g * g + z * z)
    return for_all(claim, rho > 0, e >= 0, g >= 0, z >= 0, convex)


distance.restated(
    "004 (5.93)",
    lines="7063",
    printed="||x_t - x*||^2 <= (4/rho)(L(x*) - L(x_t)) + (8/rho^2)(||g||^2 + ||z||^2)",
)


@statement(
    "004 (5.94)",
    lines="7069-7073",
    kind="optimisation",
    printed="the coefficient of ||z||^2 is eta (k + k*)/(2((1 - eta rho)k - (1 + eta rho)k*)) + "
    "8 (1 - eta rho)k*/(eta rho^2 (k + k*))",
    false="misprint: l_s for rho_s in its first term, as in (5.92)",
    errata=("004 (5.94)/E1",),
)
def noise_factor_printed() -> Outcome:
    """l = 2, rho = 1, eta = 1/4, k = 257, k* = 1: the first terms with l and with rho."""
    with_l = Fraction(258, 8) / (Fraction(257, 2) - Fraction(3, 2))
    with_rho = Fraction(258, 8) / (Fraction(3 * 257, 4) - Fraction(5, 4))
    point = {"l": 2, "rho": 1, "eta": 0.25, "k": 257, "k*": 1}
    return refuted(point, with_l, with_rho, "coefficient of ||z||^2")


@noise_factor_printed.corrected(
    "l_s in the first term; the coefficients of L(x*) - L(x_t) and ||g||^2 are those printed",
    refuses={
        "1 + (1 - eta rho)/(eta rho)": {"two": 1},
        "4 (1 - eta rho)k*": {"eight": 4},
        "rho_s in the first term": {"printed": True},
    },
    unchecked={
        "L": "the loss; the steps have the coefficient of its gap",
    },
)
def coefficients(two: int = 2, eight: int = 8, printed: bool = False) -> Outcome:
    """Lemma 5.3.12 in (5.92), whose term is beta (1 - eta rho)/eta ||x* - x_t||^2.

    Here l = l_s, rho = rho_s and beta = k*/(k+k*); (5.92) has ||z||^2/(4A) [step "noise"].
    """
    beta, eta, rho, smooth = symbols("beta eta rho l")
    a = (1 - eta * smooth) / (2 * eta) - beta / eta
    first = eta / (2 * ((1 - eta * smooth) * (1 - beta) - (1 + eta * smooth) * beta))
    first = first.subs(smooth, rho) if printed else first
    weight = beta * (1 - eta * rho) / eta
    gap = 2 * beta * (1 + two * (1 - eta * rho) / (eta * rho))
    gradient = eta / 2 - (eta**2 * rho**2 + eight * (1 - eta * rho)) * beta / (eta * rho**2)
    return derived(
        coefficients=identity(
            (2 * beta + weight * 4 / rho, gap),
            (eta / 2 - eta * beta - weight * 8 / rho**2, gradient),
        ),
        noise=identity(
            (1 / (4 * a) + weight * 8 / rho**2, first + 8 * weight / rho**2),
        ),
    )


@statement(
    "004 (5.95)",
    lines="7075-7077",
    kind="optimisation",
    printed="with eta = 1/(2 l_s) and k >= (1 + 64 kappa^2)k* the coefficient of L(x*) - L(x_t) in "
    "(5.94) is at least rho_s/(8 l_s)",
    false="it is 2 beta (4 kappa - 1), less than 1/(8 kappa), and falls with k",
    errata=("diss-5.3.43/E2",),
)
def contraction_printed() -> Outcome:
    """kappa = 1, k = 65, k* = 1: 2 (1/66) 3 = 1/11."""
    return refuted({"kappa": 1, "k": 65, "k*": 1}, Fraction(1, 8), Fraction(1, 11), "coefficient")


@contraction_printed.corrected(
    "with ||g||^2 >= rho (L(x_t) - L(x*)) - ||z||^2 it is 1/(4 kappa) + beta (6 - 8 kappa - "
    "1/(2 kappa)) >= 1/(8 kappa); of ||z||^2 it is at most 37 l_s/rho_s^2",
    refuses={
        "k >= 60 kappa^2 k*": {"multiple": 60, "one": 0},
        "1/(6 kappa)": {"share": "1/6"},
        "37 for 3/4": {"noise": "3/4"},
    },
)
def contraction(multiple: int = 64, one: int = 1, share: str = "1/8", noise: str = "37") -> Outcome:
    """RSC gives L(x_t) - L(x*) <= ||grad||^2/(2 rho) <= (||g||^2 + ||z||^2)/rho [step "gradient"].

    Put into (5.94), where the coefficient of ||g||^2 is negative [step "sign"], the contraction is
    what is claimed [steps "total", "enough"]. The coefficient of ||z||^2 in units of 1/l_s is
    1/(2 (1 - 4 beta)) + 1/4 - beta/2 [steps "noise_identity", "noise"], and kappa >= 1. Here
    kappa = l_s/rho_s, rho = rho_s and gap = L(x_t) - L(x*).
    """
    beta, kappa = symbols("beta kappa")
    h = 1 / (2 * kappa)  # eta rho
    of_gap = 2 * beta * (4 * kappa - 1)
    of_gradient = h / 2 - (h**2 + 8 * (1 - h)) * beta / h  # times rho
    total = 1 / (4 * kappa) + beta * (6 - 8 * kappa - 1 / (2 * kappa))
    of_noise = 8 * (1 - h) * beta / h + of_gradient  # times rho
    b, c, g, z, gradient, gap, rho, v = reals("beta kappa g z grad gap rho 1/(1-4beta)")
    sparse = (b > 0, c >= 1, b * (1 + one + multiple * c * c) <= 1)
    enough = rational("1/4") + b * (6 * c - 8 * c * c - rational("1/2")) >= rational(share)
    return derived(
        gradient=for_all(
            rho * gap <= g * g + z * z,
            rho > 0, g >= 0, z >= 0, gradient >= 0, gradient <= g + z,
            2 * rho * gap <= gradient * gradient,
        ),
        total=identity((of_gap + of_gradient, total)),
        sign=for_all(b * (2 + 64 * c * c - 32 * c) <= 1, *sparse),
        enough=for_all(enough, *sparse),
        noise_identity=identity((of_noise * kappa, sp.Rational(1, 4) - beta / 2)),
        noise=for_all(
            v / 2 + rational("1/4") - b / 2 <= rational(noise) * c * c,
            *sparse, v > 0, v * (1 - 4 * b) == 1,
        ),
    )  # fmt: skip


@statement(
    "004 Lemma 5.3.13",
    lines="7079-7091",
    kind="concentration",
    printed="E |x|_infinity^2 <= O(sigma^2 log p) for x ~ N(0, sigma^2 I_p)",
    checked="at most 2 sigma^2 (log(2p) + 1), and 7 sigma^2 log p",
    added="p >= 2",
    refuses={
        "sigma^2 (2 log(2p) + 1)": {"rest": 1},
        "6.8 sigma^2 log p": {"times": "3.4"},
    },
    unchecked={
        "x": "any x with the tail 2p e^(-t/(2 sigma^2)) of Lemma 5.3.2",
    },
)
def largest_noise(rest: int = 2, times: str = "3.5") -> Outcome:
    """The integral of min{1, 2p e^(-t/(2 sigma^2))}, Lemma 5.3.2 [step "tail"].

    (log(2p) + 1)/log p falls with p, so p = 2 is its largest [step "smallest"]. Here
    variance = sigma^2.
    """
    t, p, variance = symbols("t p variance")
    start = 2 * variance * sp.log(2 * p)
    tail = sp.integrate(2 * p * sp.exp(-t / (2 * variance)), (t, start, sp.oo))
    return derived(
        tail=identity((tail, rest * variance)),
        smallest=less(log(ball(4)) + 1, ball(times) * log(ball(2))),
    )


@statement(
    "004 (5.96)",
    lines="7090-7091",
    kind="optimisation",
    printed="E L(x_{t+1}) <= L(x_t) + (rho_s/(8 l_s))(L(x*) - L(x_t)) + O(kappa_s k* G^2 "
    "log(1/delta) log p T/(rho_s n^2 epsilon^2))",
    checked="at k = (1 + 64 kappa^2)k* the last is at most 207 kappa k* sigma^2 (log(2p) + 1)/"
    "rho_s, sigma^2 = c T log(1/delta) G^2/(n epsilon)^2; at a larger k it grows with k",
    added="the coefficient .79/l_s of ||z||^2 for 37 l_s/rho_s^2 of (5.95): with that it is "
    "kappa^3 k*",
    refuses={
        "the coefficient of (5.95)": {"printed": True},
        "205": {"constant": 205},
        ".77/l_s": {"noise": "0.77"},
        "|I| <= k + k*": {"supports": 1},
    },
    unchecked={
        "L, 8": "the contraction by rho_s/(8 l_s) is that of (5.95), decided there",
        "G, delta, p, T, n, epsilon": "enter by sigma^2 (log(2p) + 1), a factor of both sides",
    },
)
def expected_step(
    printed: bool = False, constant: int = 207, noise: str = "0.79", supports: int = 2
) -> Outcome:
    """E <z, x* - x_t> = 0, and ||z_I||^2 <= |I| |z|_infinity^2, |I| <= 2k + k* [step "support"].

    Lemma 5.3.13 bounds the mean of the last by 2 sigma^2 (log(2p) + 1). The coefficient of ||z||^2
    in the corrected (5.95) is 1/(2 (1 - 4 beta)) + 1/4 - beta/2 over l_s = kappa rho_s [step
    "coefficient", v = 1/(1 - 4 beta)], and 2k + k* = (3 + 128 kappa^2)k*: over kappa the product is
    at most 2 (.79) 131 kappa [step "product"]. Here kappa = l_s/rho_s, kappa_s = kappa.
    """
    beta, kappa, v, k, least = reals("beta kappa v k k*")
    before, after, total = reals("I^t I^(t+1) I")
    sparse = (beta > 0, kappa >= 1, beta * (2 + 64 * kappa * kappa) <= 1)
    factor = 37 * kappa * kappa if printed else rational(noise)  # 37 l/rho^2 = 37 kappa^2/l
    return derived(
        coefficient=for_all(
            v / 2 + rational("1/4") - beta / 2 <= rational(noise),
            *sparse, v > 0, v * (1 - 4 * beta) == 1,
        ),
        support=for_all(
            total <= supports * k + least,
            before >= 0, before <= k, after >= 0, after <= k, least >= 1,
            total <= before + after + least,
        ),
        product=for_all(2 * factor * (3 + 128 * kappa**2) <= constant * kappa**2, kappa >= 1),
    )  # fmt: skip


@statement(
    "004 (5.97)",
    lines="7093-7097",
    kind="optimisation",
    printed="E gap_{t+1} <= (1 - rho_s/(8 l_s)) E gap_t + N, so E gap_T <= (1 - 1/(8 kappa))^T "
    "gap_0 + 8 kappa N with N = O(kappa k* G^2 log(1/delta) log p T/(rho n^2 epsilon^2))",
    checked="the sum of the errors",
    refuses={"+ 7 kappa N": {"times": 7}},
    unchecked={
        "gap_T": "the bound is kept from one step to the next",
        "k*, G, delta, p, T, rho, n, epsilon": "only in N, which is any; its order is (5.96)'s",
    },
)
def recursion(times: int = 8) -> Outcome:
    """The bound is kept from one step to the next [step "kept"]."""
    return derived(kept=_kept(times))


def _kept(times: int) -> Outcome:
    """Decide (1 - q)(h s + 8 kappa N) + N <= (1 - q) h s + 8 kappa N, q = 1/(8 kappa).

    Here kappa = l_s/rho_s, s = gap_0, gap' = gap_{t+1} and h = (1 - q)^t.
    """
    q, gap, power, start, noise, kappa, after = reals("q gap h s N kappa gap'")
    return for_all(
        after <= power * (1 - q) * start + times * kappa * noise,
        kappa >= 1, 8 * kappa * q == 1, power >= 0, power <= 1, start >= 0, noise > 0,
        gap <= power * start + times * kappa * noise, after <= (1 - q) * gap + noise,
    )  # fmt: skip


@statement(
    "004 Theorem 5.3.8",
    lines="6583-6587",
    kind="utility",
    printed="for some c DP-IHT is (epsilon, delta)-DP, and for k >= (1 + 64 kappa^2)k*, eta = "
    "1/(2 l_s), T = O(kappa log(n^2 epsilon^2/k*)) (5.79) holds",
    checked="c = 12 is private; the excess after T steps is at most (1 - 1/(8 kappa))^T gap_0 + "
    "8 kappa (37 l_s/rho_s^2) (2k + k*) 2 sigma^2 (log(2p) + 1)",
    added="epsilon <= log(1/delta); x* the best k*-sparse point",
    repair="gradients bounded by G at the iterates, as no loss meets Assumption 5.3.3 on R^p",
    errata=("diss-5.3.43/E1",),
    refuses={
        "c = 11": {"c": 11},
        "sensitivity 4G/n": {"change": 4},
        "+ 7 kappa N": {"times": 7},
        "T = 4 kappa log(n^2 epsilon^2/k*)": {"steps": 4},
        "1/n for 1/n^2": {"records": 1},
    },
    unchecked={
        "k, 64, eta": "only in the contraction by 1/(8 kappa), which is decided for (5.95)",
    },
)
def sparse_risk(
    c: int = 12, change: int = 2, times: int = 8, steps: int = 8, records: int = 2
) -> Outcome:
    """T Gaussian releases of sensitivity 2G/n are rho-zCDP, rho = 2 epsilon^2/(c log(1/delta)).

    They are (rho + 2 sqrt(rho log(1/delta)), delta)-DP [step "private"]. The risk is the recursion
    (5.97) [step "kept"] with (5.95), where <z, x* - x_t> has mean 0 and ||z_I||^2 is at most
    |I| |z|_infinity^2, |I| <= 2k + k*, which Lemma 5.3.13 bounds. At T = 8 kappa log(n^2 epsilon^2/
    k*) the first term is at most k*/(n epsilon)^2 gap_0, as (1 - q)^T <= e^(-q T) [step "steps"].

    At k = (1 + 64 kappa^2)k* 2k + k* is at most 131 kappa^2 k*, log(2p) + 1 at most 7/2 log p by
    Lemma 5.3.13, and 8 kappa N has the order of (5.79) [step "order", l = log(1/delta)].
    """
    n, kappa, least, level = symbols("n kappa k* epsilon")
    number = steps * kappa * sp.log(n**2 * level**2 / least)
    strong, lipschitz, log_p, big = symbols("rho_s G log_p l")
    variance = c * number * big * lipschitz**2 / (n * level) ** 2
    noise = 37 * kappa / strong * (131 * kappa**2 * least) * 2 * variance
    noise *= sp.Rational(7, 2) * log_p
    rate = least * log_p * big * sp.log(n**2 * level**2 / least) / (n**records * level**2)
    rho, size, epsilon, root = reals("rho log(1/delta) epsilon root")
    return derived(
        private=for_all(
            rho + 2 * root <= epsilon,
            epsilon > 0, epsilon <= 1, size >= epsilon, root >= 0, root * root == rho * size,
            2 * c * rho * size == change * change * epsilon * epsilon,
        ),
        kept=_kept(times),
        steps=identity((-number / (8 * kappa), sp.log(least / (n * level) ** 2))),
        order=identity(
            (8 * kappa * noise, 448 * 37 * 131 * c * kappa**5 * lipschitz**2 / strong * rate)
        ),
    )  # fmt: skip


sparse_risk.restated(
    "004 (5.79)",
    lines="6585-6587",
    printed="E L(x_T; D) - L(x*; D) <= O(log n log p k* log(1/delta)/(n^2 epsilon^2))",
    unchecked={
        "L": "the loss; the steps have its gap",
    },
)
