"""Section 4.2.3: DP-FW-L2 over a symmetric set, and the lower bound of Theorem 4.2.12.

a = ln(1/delta), M~ = M ||C||_2^2, W = ||C||_2^2 + G_C^2; the set has diameter 2 in its own norm.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proofs_checks.balls import ball, exp, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_4_1_1 import valid_constant
from proofs_checks.paper_004.section_4_1_2_methods import signs_of_gradients
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

twin(
    "004 Theorem 4.2.13",
    of="004 Theorem 4.1.4",
    lines="3621",
    printed="constants c_1, c_2: DP-FW-L2 is (epsilon, delta)-DP for 0 < epsilon < c_1 T and "
    "delta < 1 with sigma^2 = c_2 L^2 T ln(1/delta)/(n^2 epsilon^2)",
    algorithms=("diss-4.1.17",),
)


@statement(
    "004 Theorem 4.2.5, privacy",
    lines="3313-3315",
    algorithms=("diss-4.2.21",),
    kind="privacy",
    printed="constants c_1, c_2: DP-FW-L2 is (epsilon, delta)-DP for 0 < epsilon < c_1 T with "
    "sigma^2 = c_2 C_sigma^2 (B+1)^2 T ln(1/delta)/(n epsilon)^2 (robust: c_2 C_psi^2 T ...)",
    false="as Theorem 4.1.4: no c_2 serves every epsilon",
    special_case_of="004 Theorem 4.1.4",
    errata=("diss-4.1.16/E3",),
)
def linear_model_at_large_epsilon() -> Outcome:
    """d = 1, robust regression, psi' = C_psi beyond 1/2, Y = 2: x = 0 but for one x = 1, y = -+2.

    Its gradient is +-C_psi on [-1, 1]: the records of Theorem 4.1.4.
    """
    general = signs_of_gradients.of_printed
    assert general is not None
    return general.check()


@linear_model_at_large_epsilon.corrected(
    "c_2 = 8(1+sqrt 2)^2 (robust: 2(1+sqrt 2)^2) and epsilon <= ln(1/delta)",
    refuses={
        "c_2 = 2(1+sqrt 2)^2": {"factor": 2},
        "robust: (1+sqrt 2)^2": {"robust": 1},
        "epsilon <= 1.1 ln(1/delta)": {"most": "1.1"},
    },
)
def linear_model_privacy(factor: int = 8, most: str = "1", robust: int = 2) -> Outcome:
    """Theorem 4.2.13 with L = 2 C_sigma(B+1) ((4.50), corrected) or C_psi [step "Lipschitz"].

    Here c_2 = 8 (1 + w)^2, in the robust case c_2 = 2 (1 + w)^2, and w is sqrt(2).
    """
    w, size, bound = symbols("w C B")

    def noise(lipschitz: sp.Expr) -> sp.Expr:
        return 2 * (1 + w) ** 2 * lipschitz**2

    linear = 2 * size * (bound + 1)
    return derived(
        private=valid_constant(most=most),
        Lipschitz=identity(
            (noise(linear), factor * (1 + w) ** 2 * size**2 * (bound + 1) ** 2),
            (noise(size), robust * (1 + w) ** 2 * size**2),
        ),
    )


@statement(
    "004 Theorem 4.2.6, sensitivity",
    lines="3337",
    algorithms=("diss-4.2.22",),
    kind="sensitivity",
    printed="Delta = O(C_sigma(B+1)/n), robust: O(C_psi/n)",
    checked="4 C_sigma(B+1)/n and 2 C_psi/n",
    refuses={
        "2 C_sigma(B+1)/n": {"factor": 2},
        "C_psi/n": {"robust": 1},
        "4 C_sigma(B+1)/n^2": {"records": 2},
    },
    unchecked={
        "Delta": "the steps have it as mean - mean'",
    },
)
def score_sensitivity(factor: int = 4, robust: int = 2, records: int = 1) -> Outcome:
    """A vertex +-e_j scores an entry of the mean gradient: |g - h|/n, |g|, |h| at most L.

    The other n - 1 records add the same to both sums [step "mean"].
    L = 2 C_sigma(B+1) (l.3790, corrected) or C_psi, with C = C_sigma, and in the robust case
    C = C_psi.
    """
    g, h, size, bound, n, rest, before, after = reals("g h C B n rest mean mean'")

    def within(most: Any) -> tuple[Any, ...]:
        return (g <= most, -g <= most, h <= most, -h <= most, size >= 1, bound > 0)

    return derived(
        linear=for_all(g - h <= factor * size * (bound + 1), *within(2 * size * (bound + 1))),
        robust=for_all(g - h <= robust * size, *within(size)),
        mean=for_all(
            n**records * (before - after) <= g - h,
            *(n >= 1, g >= h, n * before == rest + g, n * after == rest + h),
        ),
    )


@statement(
    "004 (4.47)",
    lines="3621-3627, 3649-3661",
    algorithms=("diss-4.1.17",),
    kind="utility",
    printed="E gap_R <= O(||C||_2 (W ln(1/delta))^{1/4}/sqrt(n epsilon)), gamma = O(sqrt(W "
    "ln(1/delta))/(||C||_2 sqrt(n epsilon))), T = O(n epsilon/sqrt(W ln(1/delta)))",
    checked="with gamma = (W ln(1/delta))^{1/4}/(||C||_2 sqrt(n epsilon))",
    misprint="the square root of W ln(1/delta) in gamma for the fourth root, which its proof has",
    errata=("004 (4.47)/E1",),
    added="||C||_2 of order 1, or else its power differs (1/||C||_2 in the noise term)",
    refuses={
        "gamma as printed": {"root": "1/2"},
        "M~ gamma^2 D^2/2": {"smooth": "1/2"},
        "||eps||_*^2/(4 M~ gamma)": {"noise": 4},
        "(W ln(1/delta))^{1/8}": {"power": 8},
        "W = ||C||_2^2": {"widths": 0},
        "W = G_C^2": {"diameters": 0},
    },
)
def frank_wolfe_gap(
    root: str = "1/4",
    smooth: str = "1",
    power: int = 4,
    widths: int = 1,
    diameters: int = 1,
    noise: int = 2,
) -> Outcome:
    """gamma gap <= drop + ||eps||_*^2/(2 M~) + M~ gamma^2 D^2, by (4.48) and (4.49).

    By smoothness F changes by at most gamma (e d - gap) + M~ gamma^2 D^2/2, e = ||eps||_* [step
    "descent"]; Young's inequality gamma e d <= M~ gamma^2 d^2/2 + e^2/(2 M~), d <= D [step
    "Young"]. Sum up over T steps [step "sum", mean_gap = E gap_R]. With E e^2 <= sigma^2 W
    (Lemma 4.1.1, step "width") and D = 2: drop/(gamma T), M~ gamma D^2 and sigma^2 W/(2 M~ gamma)
    are all ||C||_2, or 1/||C||_2, times the rate [step "rate"].

    Here rounds = T and a = log(1/delta).
    """
    e, d, size, gamma, diameter = reals("e d M gamma D")
    left = 2 * size * gamma * e * d + size * size * gamma * gamma * diameter * diameter
    W, a, n, epsilon, width, M, L, c = symbols("W a n epsilon C M L c")
    step = (W * a) ** sp.Rational(root) / (width * sp.sqrt(n * epsilon))
    rounds = n * epsilon / sp.sqrt(W * a)
    rate = (W * a) ** sp.Rational(1, power) / sp.sqrt(n * epsilon)
    moment, gaussian, size_of_set = reals("moment G_C C")
    change, gap, inner, mean_gap, drop, noisy, steps = reals(
        "change gap inner mean_gap drop noise T"
    )
    sigma = c * L**2 * rounds * a / (n * epsilon) ** 2
    return derived(
        descent=for_all(
            2 * size * change <= left - 2 * size * gamma * gap,
            *(size > 0, gamma > 0, inner <= e * d - gap),
            change <= gamma * inner + size * gamma * gamma * diameter * diameter / 2,
        ),
        sum=for_all(
            mean_gap
            <= drop / (gamma * steps)
            + size * gamma * diameter * diameter
            + noisy / (noise * size * gamma),
            *(size > 0, gamma > 0, steps >= 1, noisy >= 0),
            gamma * steps * mean_gap
            <= drop + steps * (size * gamma * gamma * diameter * diameter + noisy / (2 * size)),
        ),
        Young=for_all(
            left <= 2 * rational(smooth) * size * size * gamma * gamma * diameter**2 + e * e,
            *(size > 0, gamma > 0, e >= 0, d >= 0, d <= diameter),
        ),
        width=for_all(
            moment <= diameters * size_of_set**2 + widths * gaussian**2,
            *(gaussian >= 0, size_of_set >= 0, moment <= gaussian**2 + size_of_set**2 / 4),
        ),
        rate=identity(
            (1 / (step * rounds), width * rate),
            (M * width**2 * step * 4, 4 * M * width * rate),
            (sigma * W / (2 * M * width**2 * step), c * L**2 / (2 * M * width) * rate),
        ),
    )


@statement(
    "004 Theorem 4.2.12",
    lines="3581-3593",
    kind="lower bound",
    printed="every epsilon-DP algorithm errs by Omega(min{1, d/(n epsilon)}) w.p. 1/2 on some D, "
    "l(w, z) = -<w, z> - lambda/2 ||w||^2, C = B(r)",
    false="not in one dimension, nor for epsilon beyond the order of d: randomised response then "
    "gives the minimiser with probability above 1/2",
    errata=("004 Theorem 4.2.12/E1",),
)
def exact_with_probability_above_one_half() -> Outcome:
    """One record z of one coordinate: w = r z is the minimiser.

    Randomised response errs at all with probability 1/(1 + e^epsilon); with d coordinates, among
    2^d values of z, with less than 1/2 for epsilon > d log 2.
    """
    point = {"d": 1, "n": 1, "epsilon": 1.0, "algorithm": "randomised response"}
    wrong = 1 / (1 + exp(ball(1)))
    return refuted(point, ball("1/2"), wrong, "1/2 against the probability of any error")


@exact_with_probability_above_one_half.corrected(
    "for d >= 2 and epsilon <= .15 d some D has an error of at least (r/16) min{1, d/(10 n "
    "epsilon)} with probability at least 1/2",
    refuses={
        "r/15": {"constant": "15"},
        "d/(9 n epsilon)": {"ten": 9},
        "epsilon <= .16 d": {"largest": "0.16"},
        "from d = 1 on": {"fewest": 1},
        "r^2": {"power": 2},
    },
    unchecked={
        "D": "one of the D_i of the packing, of which the steps have m, the records that differ",
    },
)
def packing_bound(
    constant: str = "16",
    ten: int = 10,
    largest: str = "0.15",
    fewest: int = 2,
    power: int = 1,
) -> Outcome:
    """Bassily, Smith and Thakurta (2014), by a packing, with constants.

    Let u_1, ..., u_N be signs over sqrt d, any two of which differ in at least d/8 places, so that
    |u_i - u_j|^2 >= 1/2. D_i has m records u_i and n - m that cancel, n - m even. The error of
    w = r v is r (m/n)(1 - <v, u_i>), as the regulariser cancels (next statement). If it is below
    r m/(16 n) then |v - u_i|^2 <= 2 - 2 <v, u_i> < 1/8, so it is not for two i [step "apart"]. Were
    it so with probability above 1/2 on every D_i, then on D_1 for u_i, i > 1, with probability
    above e^(-m epsilon)/2, as m records differ: together at most 1, so that e^(m epsilon) > N - 1
    [step "packing"].

    By Gilbert and Varshamov there are N >= 2^d/V, V = sum_{i < d/8} binomial(d, i), and N - 1 is at
    least 1.35^d > e^(.3 d) [steps "smallest", "code", "base"]: beyond d = 400 since V 7^(-d/8) <=
    (1 + 1/7)^d, that is N >= e^(.31 d) [step "entropy"], which is above e^(.301 d) + 1 [step
    "rest"]. So the algorithm errs if m <= K = .3 d/epsilon. At epsilon <= .15 d K is at least 2
    [step "range"], the largest m <= K with the parity of n is at least K/3 [step "parity"], or n,
    and K/3 is the claim [step "rate"].
    """
    first, second, between, t, s, share = reals("first second between t s share")
    others, g, own, rest, m, k, d, epsilon = reals("others g own rest m K d epsilon")
    size, n, budget, r = symbols("d n epsilon r")
    allowed = sp.Rational(3, 10) * size / budget
    error = r * allowed / 3 / n / sp.Rational(constant)  # r (m/n)(1 - <v, u_i>) at m = K/3

    def words(length: int) -> int:
        volume = sum(math.comb(length, i) for i in range(-(-length // 8)))
        return -(-(1 << length) // volume)

    def code() -> Iterator[tuple[dict[str, Any], Fraction, int]]:
        for length in range(fewest, 401):
            yield {"d": length}, Fraction(27, 20) ** length, words(length) - 1

    return derived(
        apart=for_all(
            between < rational("1/2"),
            share * rational(constant) == 1,
            *(t > 1 - share, s > 1 - share, first <= 2 - 2 * t, second <= 2 - 2 * s),
            between <= 2 * (first + second),
        ),
        packing=for_all(
            others < g,
            *(g > 0, others >= 0, 2 * own > 1, 2 * rest * g >= others, own + rest <= 1),
        ),
        smallest=less(ball("1.35") ** fewest, ball(words(fewest) - 1)),
        code=exactly(code(), note="1.35^d against N - 1, d <= 400"),
        base=less(exp(ball("0.3")), ball("1.35")),
        entropy=less(ball("0.31"), log(ball("7/4")) - log(ball(7)) / 8),
        rest=less(exp(400 * ball("0.301")) + 1, exp(400 * ball("0.31"))),
        range=for_all(
            rational("0.3") * d >= 2 * epsilon,
            *(epsilon > 0, d > 0, epsilon <= rational(largest) * d),
        ),
        parity=for_all(3 * m >= k, k >= 2, m >= 1, m > k - 2),
        rate=identity((error, r**power / sp.Rational(constant) * size / (ten * n * budget))),
    )


@statement(
    "004 Theorem 4.2.12, reduction",
    lines="3581",
    kind="identity",
    printed="L^r(w, D) = -<w, mean z> is linear",
    refuses={"r = lambda/4 ||w||^2": {"share": "1/4"}},
    unchecked={
        "L": "the mean over the records, of which the step has one",
    },
)
def reduction(share: str = "1/2") -> Outcome:
    """The regulariser r = lambda/2 ||w||^2 cancels; per record and coordinate."""
    w, z, ridge = sp.symbols("w z lambda", real=True)
    loss = -w * z - ridge / 2 * w**2
    return identity((loss + sp.Rational(share) * ridge * w**2, -w * z))
