"""Section 5.1.6: steps of the proofs, on a grid of (k+1)^p points.

a = log(2/beta) and b = p log(k+1) in Lemma 5.1.13; g = 2^h in (5.8); M, N and S are the numbers of
players, of values and the sum of all values in (5.9); l = log(1/beta), D = D_h at l.5295.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1 import local_mean_error_with_larger_factor
from proofs_checks.paper_004.section_5_1_3 import same_powers
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)


@statement(
    "004 (5.7)",
    lines="5275-5279",
    kind="approximation",
    printed="sup |L~ - B_k^(h) L^| <= max_v |L~(v) - L^(v)| sup sum |prod b^(h)|, and that sum is "
    "at most (2^h - 1)^p",
    checked="for one coordinate and h <= 8; the p-fold sum is the product",
    refuses={
        "0.9 of the first": {"factor": "0.9"},
        "2^h - 2": {"missing": 2},
        "(2^h - 1)^(p-1)": {"folds": 0},
    },
)
def weights_of_the_grid(factor: str = "1", missing: int = 1, folds: int = 1) -> Outcome:
    """One more point after those whose sum is bounded [step "points"].

    There e = L~(v) - L^(v), w = b_v.

    B^(i-1) b_{v,k} are nonnegative and add up to 1, so that b^(h) adds up to at most the sum of
    C(h, i), i >= 1, in absolute values [step "row"]. The sum over a grid of one more coordinate is
    the product of a row and of the sum before it [steps "one more" and "fold", by induction on p].
    """
    one, before, bound, row = reals("2^h-1 sum_p bound_p row")
    h_, p = symbols("h p")
    total, rows, error, weight, largest = reals("total rows e w m")
    return derived(
        points=for_all(
            z3.Abs(total + error * weight) <= rational(factor) * largest * (rows + z3.Abs(weight)),
            *(largest >= 0, rows >= 0, z3.Abs(error) <= largest),
            z3.Abs(total) <= rational(factor) * largest * rows,
        ),
        row=identity(
            *(
                (sum(sp.binomial(h, i) for i in range(1, h + 1)), 2**h - missing)
                for h in range(1, 9)
            )
        ),
        one_more=for_all(
            row * before <= one * bound,
            *(row >= 0, row <= one, before >= 0, before <= bound),
        ),
        fold=identity(((2**h_ - 1) * (2**h_ - 1) ** p, (2**h_ - 1) ** (p + folds))),
    )


@statement(
    "004 Lemma 5.1.13",
    lines="5283-5289",
    kind="concentration",
    printed="n >= p log(2/beta) log(k+1): |L~(v) - L(v)| <= O(sqrt(log(1/beta)) sqrt p sqrt(log k) "
    "(k+1)^p/(sqrt n epsilon)) for all v w.p. 1 - beta",
    checked="k >= 2 and n >= 3.13 times that, with 2.302 sqrt(2.36) and log(2/beta) log(k+1)",
    refuses={
        "2.3 for 2.36": {"constant": "2.3"},
        "without (k+1)^p": {"power": 0},
        "n >= 3 times": {"fewest": "3"},
        "without the union": {"union": 0},
    },
    unchecked={
        "v": "one of the N = (k+1)^p points of the grid, over which the union is",
    },
)
def all_grid_points(
    constant: str = "2.36", power: int = 1, fewest: str = "3.13", union: int = 1
) -> Outcome:
    """The corrected Lemma 5.1.1 [step "lemma"] at beta/N and epsilon/N, N = (k+1)^p.

    [Steps "level", "error".] a + b <= 2.36 a b for a >= log 2 and b >= log 3 [steps "product",
    "log 2", "log 3"], so that n >= 1.3248 (a + b) [step "enough"].
    """
    beta, n, epsilon, points = symbols("beta n epsilon N")
    x, y = reals("a b")
    level = sp.log(2 / (beta / points**union))
    error = sp.sqrt(level) / (sp.sqrt(n) * (epsilon / points))
    claimed = sp.sqrt(level) * points**power / (sp.sqrt(n) * epsilon)
    return derived(
        lemma=local_mean_error_with_larger_factor(),
        level=identity((points * 2 * sp.exp(-level), beta)),
        error=identity((error, claimed)),
        product=for_all(
            x + y <= rational(constant) * x * y, x >= rational("0.693"), y >= rational("1.0986")
        ),
        **{
            "log 2": less(ball("0.693"), log(ball(2))),
            "log 3": less(ball("1.0986"), log(ball(3))),
        },
        enough=less(ball("1.3248") * ball("2.36"), ball(fewest)),
    )


@statement(
    "004 (5.8)",
    lines="5291-5293",
    kind="approximation",
    printed="sup |L~ - L| <= O(D_h p/k^h + 2^((h+1)p) sqrt(log(1/beta)) sqrt(p log k) k^p/(sqrt n "
    "epsilon))",
    checked="(5.7) and Lemma 5.1.13 for the second, Lemma 5.1.3 for the first, in each coordinate",
    refuses={"2^(hp)": {"two": 1}, "the larger of the two": {"larger": True}},
)
def grid_error_in_all(two: int = 2, larger: bool = False) -> Outcome:
    """The triangle inequality [step "sum"]; (2^h - 1)(k + 1) <= 2^(h+1) k [step "coordinate"].

    Here g = 2^h, first = D_h p/k^h, and second = 2^((h+1)p) sqrt(log(1/beta)) sqrt(p log k)
    k^p/(sqrt n epsilon).
    """
    g, k = reals("g k")
    noisy, smooth, true, first, second = reals("L_tilde B L first second")
    bound = z3.If(first > second, first, second) if larger else first + second
    return derived(
        sum=for_all(
            z3.Abs(noisy - true) <= bound,
            *(z3.Abs(noisy - smooth) <= second, z3.Abs(smooth - true) <= first),
        ),
        coordinate=for_all((g - 1) * (k + 1) <= two * g * k, g >= 2, k >= 1),
    )


@statement(
    "004 l.5295",
    lines="5295",
    kind="approximation",
    printed="for n = O(4^(p(h+1))/(epsilon^2 p D^2)) log k > 1, k^(h+p) = D sqrt(pn) epsilon/"
    "(2^((h+1)p) sqrt l)",
    false="k^(h+p) is a constant there, so that log k falls with h + p",
    errata=("004 l.5295/E1",),
)
def points_of_the_grid() -> Outcome:
    """n is 10^6 times that, l = 1 and h = p = 10; larger h and p suit a larger constant.

    The condition of Theorem 5.1.2 is p l times that, for log k = log(10^7)/40.
    """
    point = {"constant": 1e6, "h": 10, "p": 10, "beta": 0.37}
    return refuted(point, ball(1), log(ball(10**6)) / 2 / 20, "log k")


@points_of_the_grid.corrected(
    "for n >= e^(2(h+p)) l 4^(p(h+1))/(epsilon^2 p D^2) log k >= 1",
    refuses={
        "e^(h+p)": {"two": 1},
        "without l": {"ell": 0},
        "4^(p(h+1))/(epsilon D)^2": {"dimension": 0},
    },
    unchecked={
        "n, l, epsilon, D": "their powers cancel in the step as it is shown, at the least n",
        "k": "k^(h+p) is the left side of the step",
    },
)
def enough_points(two: int = 2, ell: int = 1, dimension: int = 1) -> Outcome:
    """There k^(h+p) = e^(h+p)."""
    n, size, d, epsilon, h, p = symbols("n l D epsilon h p")
    least = sp.exp(two * (h + p)) * size**ell * 4 ** (p * (h + 1))
    least /= epsilon**2 * p**dimension * d**2
    x = d * sp.sqrt(p * n) * epsilon / (2 ** ((h + 1) * p) * sp.sqrt(size))
    return same_powers(x.subs(n, least), sp.exp(h + p))


@statement(
    "004 Lemma 5.1.14",
    lines="5307-5309",
    kind="utility",
    printed="L-Lipschitz, mu-strongly convex: Err_P <= sqrt(2L^2/mu) sqrt(Err_D) + 4L^2/(beta mu "
    "n) w.p. 1 - beta",
    checked="2 L^2/(beta mu n) is enough; for all theta of the set at once",
    refuses={
        "sqrt(L^2/mu)": {"two": 1},
        "L^2/(beta mu n)": {"shares": 1},
        "L^2/(mu n)": {"chance": 0},
        "2 L/(beta mu n)": {"lengths": 1},
    },
    unchecked={
        "Err_P": "gap and value together, which the steps bound one by one",
    },
)
def population_by_stability(
    two: int = 2, shares: int = 4, chance: int = 1, lengths: int = 2
) -> Outcome:
    """L_P(theta) - L_P(u) <= L ||theta - u|| and Err_D(theta) >= (mu/2) ||theta - u||^2.

    u is the minimiser on the data [step "near"]. Another record moves it to v: the sum of what u
    and v miss on the two data sets is at least mu ||u - v||^2 and at most 2 L ||u - v||/n [step
    "stable"], so that E (L_P(u) - L(u)) <= L ||u - v|| <= 2 L^2/(mu n) [step "loss"], while
    E L(u) <= min L_P. L_P(u) - min L_P >= 0 exceeds 1/beta times its mean with probability at most
    beta (Markov) [step "chance"].
    """
    gap, size, mu, distance, error = reals("gap L mu distance Err_D")
    n, moved, beta, mean, value, failed = reals("n moved beta mean value P(gap>=value)")
    return derived(
        near=for_all(
            gap * gap * mu <= two * size * size * error,
            *(size > 0, mu > 0, distance >= 0, gap >= 0, gap <= size * distance),
            2 * error >= mu * distance * distance,
        ),
        stable=for_all(
            moved * mu * n <= 2 * size,
            *(n >= 1, mu > 0, size > 0, moved >= 0, mu * moved * moved * n <= 2 * size * moved),
        ),
        loss=for_all(
            mean * mu * n * 2 <= shares * size**lengths,
            *(mu > 0, n >= 1, size > 0, mean <= size * moved, moved * mu * n <= 2 * size),
        ),
        chance=for_all(
            failed <= beta,
            *(beta > 0, beta <= 1, mean >= 0, value > 0, value * beta**chance == mean),
            value * failed <= mean,
        ),
    )


@statement(
    "004 (5.9)",
    lines="5343-5345",
    kind="approximation",
    printed="|N/M - S/n| <= |N - S/2|/M + |S/2| |1/M - 2/n| <= |N - S/2|/M + (nb/2) |1/M - 2/n|",
    refuses={"S for S/2": {"half": 1}, "(nb/4) |1/M - 2/n|": {"quarter": 4}},
)
def half_of_the_players(half: int = 2, quarter: int = 2) -> Outcome:
    """[Steps "split", "triangle"]; |S| <= n b [step "size"]."""
    n, m, total, chosen = symbols("n M S N", real=True)
    x, y, size, b, gap, records = reals("x y S b gap n")
    return derived(
        split=identity(
            (chosen / m - total / n, (chosen - total / half) / m + total / half * (1 / m - 2 / n))
        ),
        triangle=for_all(z3.Abs(x + y) <= z3.Abs(x) + z3.Abs(y)),
        size=for_all(
            z3.Abs(size) / 2 * gap <= records * b / quarter * gap,
            *(gap >= 0, records > 0, b > 0, z3.Abs(size) <= records * b),
        ),
    )


@statement(
    "004 Proof of Theorem 5.1.4 (half of the players)",
    lines="5337-5347",
    kind="concentration",
    printed="|n/2 - M| <= sqrt(n log(4/beta)) and |N - S/2| <= b sqrt(n log(2/beta)) with "
    "probability 1 - beta, so that |N/M - S/n| <= O(b sqrt(log(1/beta)/n)) for n = "
    "Omega(log(1/beta))",
    checked="8 b sqrt(log(4/beta)/n), for n >= 16 log(4/beta); the two fail with probability "
    "beta^2/8 and beta^2/2",
    special_case_of="004 (5.9)",
    refuses={
        "7 b": {"constant": 7},
        "n >= 15 log(4/beta)": {"fewest": 15},
        "|n/2 - M| <= sqrt(n log(4/beta))/2": {"half": 2},
        "b for b sqrt(n)": {"records": 0},
    },
)
def sampled_half(constant: int = 8, fewest: int = 16, half: int = 1, records: int = 1) -> Outcome:
    """Hoeffding's inequality for M, of n fair bits [step "players"], and for N [step "values"].

    With a = sqrt(n log(4/beta)) <= n/4 M is at least n/4 [step "at least"], and each of the two
    terms of (5.9) is at most 4 b a/n [step "sum"].
    """
    n, beta, b = symbols("n beta b")
    deviation = sp.sqrt(n * sp.log(4 / beta)) / half
    other = b * sp.sqrt(n**records * sp.log(2 / beta))
    a, size, m, value, shift, gap = reals("a n M b |N-S/2| |1/M-2/n|")
    return derived(
        players=identity((2 * sp.exp(-2 * deviation**2 / n), beta**2 / 8)),
        values=identity((2 * sp.exp(-2 * other**2 / (n * b**2)), beta**2 / 2)),
        **{
            "at least": for_all(
                4 * m >= size, *(size > 0, a >= 0, fewest * a * a <= size * size), m >= size / 2 - a
            ),
        },
        sum=for_all(
            (shift / m + size * value / 2 * gap) * size <= constant * value * a,
            *(size > 0, a >= 0, value > 0, 4 * m >= size, shift >= 0, shift <= value * a),
            *(gap >= 0, gap * m * size <= 2 * a),
        ),
    )


@statement(
    "004 Proof of Lemma 5.1.8",
    lines="5371-5375",
    kind="identity",
    printed="f_beta'' = beta^2/((x-1/2)^2 + beta^2)^(3/2) <= 1/beta, |f_beta^(3)| = 3 beta^2 x/"
    "(x^2 + beta^2)^(5/2) <= 3/beta^2",
    false="misprint: half of both; the bounds of the lemma hold all the same",
    errata=("004 Proof of Lemma 5.1.8/E1",),
)
def curvature_printed() -> Outcome:
    """x = 1/2 and beta = 1: f_beta'' = 1/2."""
    return refuted({"x": 0.5, "beta": 1}, 1, Fraction(1, 2), "printed and true f_beta''")


@curvature_printed.corrected(
    "beta^2/(2 (u^2 + beta^2)^(3/2)) and 3 beta^2 |u|/(2 (u^2 + beta^2)^(5/2)), u = 1/2 - x",
    refuses={"without 1/2": {"half": 1}, "beta for beta^2": {"power": 1}},
)
def curvature(half: int = 2, power: int = 2) -> Outcome:
    """Differentiate f_beta = (u + sqrt(u^2 + beta^2))/2, u = 1/2 - x; its sign does not matter."""
    u, beta = symbols("u beta")
    root = sp.sqrt(u**2 + beta**2)
    smooth = (u + root) / 2
    return identity(
        (sp.diff(smooth, u, 2), beta**power / (half * root**3)),
        (-sp.diff(smooth, u, 3), 3 * beta**power * u / (half * root**5)),
    )


@statement(
    "004 Proof of Lemma 5.1.9",
    lines="5447-5453",
    kind="identity",
    printed="g'(theta) = P(s <= theta) - P(s > theta) = ([f'(theta) - f'(-1)] - [f'(1) - "
    "f'(theta)])/(f'(1) - f(-1))",
    false="misprint: f'(-1) for f(-1), as in its next line",
    errata=("004 Proof of Lemma 5.1.9/E1",),
)
def law_of_kinks_printed() -> Outcome:
    """f = t^2/2, theta = 1: P(s <= 1) - P(s > 1) = 1, and 2/(1 - 1/2) = 4 as printed."""
    return refuted({"f": "t^2/2", "theta": 1}, 4, 1, "printed and true g'(1)")


@law_of_kinks_printed.corrected(
    "over f'(1) - f'(-1), that is (2 f'(theta) - f'(1) - f'(-1))/(f'(1) - f'(-1))",
    refuses={"f'(theta) for 2 f'(theta)": {"two": 1}, "over its half": {"half": 2}},
)
def law_of_kinks(two: int = 2, half: int = 1) -> Outcome:
    """u is uniform on [a, b] = [f'(-1), f'(1)], and s <= theta iff u <= f'(theta)."""
    a, b, slope = symbols("a b f'", real=True)
    below = (slope - a) / (b - a)
    return identity((below - (1 - below), half * (two * slope - a - b) / (b - a)))


@statement(
    "004 Lemma 5.1.15",
    lines="5457-5473",
    kind="identity",
    printed="f convex and 1-Lipschitz: differentiable at all but countably many points; "
    "(f(u)-f(s))/(u-s) <= (f(t)-f(v))/(t-v) for s < u <= v < t",
    checked="the inequality; rationals between the one-sided slopes are then all different",
    refuses={"t - v for u - s on the right": {"swapped": True}},
    unchecked={
        "v": "m and c in the step are the slopes on (u, v) and (v, t)",
    },
)
def slopes_increase(swapped: bool = False) -> Outcome:
    """Three points give neighbouring slopes in order [step "three"]; twice, for four [step "four"].

    In "four" a, m and c are the slopes on (s, u), (u, v) and (v, t).
    """
    s, u, t, fs, fu, ft = reals("s u t fs fu ft")
    first, second = ((t - u), (u - s)) if not swapped else ((u - s), (t - u))
    a, middle, c = reals("a m c")
    return derived(
        three=for_all(
            (fu - fs) * first <= (ft - fu) * second,
            *(s < u, u < t, fu * (t - s) <= fs * (t - u) + ft * (u - s)),
        ),
        four=for_all(a <= c, a <= middle, middle <= c),
    )


@statement(
    "004 Proof of Theorem 5.1.9 (kinks)",
    lines="5511-5521",
    kind="utility",
    printed="Var(t_ij) <= O(1) over the s_k, and similarly Var(r_ij) <= O(1); so Var(G^(w, i, s) | "
    "i) <= O(d^(2d+2))",
    false="the factors of r_ij are up to 2: their variance grows like a power of d",
    errata=("004 Proof of Theorem 5.1.9/E1",),
)
def kinks_as_printed() -> Outcome:
    """f = max(0, |t| - 1/2), so that s = +-1/2; t = -1 and j = 0, d = 200: factors 7/4 and 5/4."""
    d = 200
    second, mean = Fraction(49 + 25, 32), Fraction(3, 2)
    point = {"t": -1.0, "s": [-0.5, 0.5], "d": d, "constant": 1e9}
    return refuted(point, second**d - mean ** (2 * d), 10**9, "Var(r_i0)")


@kinks_as_printed.corrected(
    "Var(r_ij) <= 4^(d-j); (b - a)^2 (d+1)^2 16^d, at most 16 d^(2d+2) for d >= 4, for Var(G^ | i)",
    refuses={
        "Var(r_ij) <= 3^(d-j)": {"factor": "1.7"},
        "for d >= 3": {"fewest": 3},
        "15 d^(2d+2)": {"constant": 15},
        "d terms": {"more": 0},
        "8^d for 16^d": {"base": 8},
    },
    unchecked={
        "r_ij": "a product of at most d - j factors, which the step bounds by 2",
        "G^": "a sum of d + 1 terms, which the steps bound one by one",
    },
)
def kinks(
    factor: str = "2", fewest: int = 4, constant: int = 16, more: int = 1, base: int = 16
) -> Outcome:
    """|(t-s)/2| <= 1 and |1 - (t-s)/2| <= 2 [step "factors"], and |c_j| <= 1, C(d, j) <= 2^d.

    So a term is at most 2^d 2^(d-j) <= 4^d [step "term"], d + 1 of them (d+1) 4^d [step "sum", one
    more], with b - a <= 2 and 16^d <= d^(2d) [step "base"]; (b - a)^2 (d+1)^2 <= 16 d^2 [steps
    "square", "terms"].
    """
    t, s, d, width = reals("t s d b-a")
    total, each, k, most = reals("total each k most")
    size, j, slope = symbols("d j slope")  # b - a
    inside = (t >= -1, t <= 1, s >= -1, s <= 1)
    return derived(
        factors=for_all(
            z3.And(z3.Abs(t - s) <= 2, z3.Abs(1 - (t - s) / 2) <= rational(factor)), *inside
        ),
        term=identity(((2 ** (size - j)) ** 2, 4 ** (size - j)), (2**size * 2**size, 4**size)),
        sum=for_all(total + each <= (k + more) * most, total <= k * most, each <= most),
        square=identity(
            ((slope * (size + 1) * 4**size) ** 2, slope**2 * (size + 1) ** 2 * base**size)
        ),
        base=for_all(d * d >= 16, d >= fewest),
        terms=for_all(
            width * width * (d + 1) ** 2 <= constant * d * d, width >= 0, width <= 2, d >= 1
        ),
    )


twin(
    "004 Proof of Theorem 5.1.9 (total)",
    of="004 Proof of Theorem 5.1.7",
    lines="5493-5497, 5524-5527",
    printed="E ||G(w, i, s) - G^||^2 <= O~(d^(6d) C^d p/epsilon^(4d+4))",
    reason="as for Algorithm 5.1.33: factors that are halved change C only",
    algorithms=("diss-5.1.34",),
)
