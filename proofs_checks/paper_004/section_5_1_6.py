"""Section 5.1.6: steps of the proofs, on a grid of (k+1)^p points.

a = log(2/beta) and b = p log(k+1) in Lemma 5.1.13; g = 2^h in (5.8); M, N and S are the numbers of
players, of values and the sum of all values in (5.9).
"""

from __future__ import annotations

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1 import local_mean_error_with_larger_factor
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import derived, for_all, identity, less, rational, reals, symbols


@statement(
    "004 (5.7)",
    lines="5275-5279",
    kind="approximation",
    printed="sup |L~ - B_k^(h) L^| <= max_v |L~(v) - L^(v)| sup sum |prod b^(h)|, and that sum is "
    "at most (2^h - 1)^p",
    checked="for one coordinate and h <= 8; the p-fold sum is the product",
    refuses={"0.9 of the first": {"factor": "0.9"}, "2^h - 2": {"missing": 2}},
)
def weights_of_the_grid(factor: str = "1", missing: int = 1) -> Outcome:
    """One more point after those whose sum is bounded [step "points"].

    B^(i-1) b_{v,k} are nonnegative and add up to 1, so that b^(h) adds up to at most the sum of
    C(h, i), i >= 1, in absolute values [step "row"].
    """
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
    """The triangle inequality [step "sum"]; (2^h - 1)(k + 1) <= 2^(h+1) k [step "coordinate"]."""
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


not_checkable(
    "004 Lemma 5.1.14",
    lines="5307-5309",
    kind="utility",
    printed="L-Lipschitz, mu-strongly convex: Err_P <= sqrt(2L^2/mu) sqrt(Err_D) + 4L^2/(beta mu "
    "n) w.p. 1 - beta",
    reason="cited; its proof is not in the text",
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
    "004 Lemma 5.1.15",
    lines="5457-5473",
    kind="identity",
    printed="f convex and 1-Lipschitz: differentiable at all but countably many points; "
    "(f(u)-f(s))/(u-s) <= (f(t)-f(v))/(t-v) for s < u <= v < t",
    checked="the inequality; rationals between the one-sided slopes are then all different",
    refuses={"t - v for u - s on the right": {"swapped": True}},
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
