"""Section 6.1: the two lower bounds, from the laws (6.7) to the risk, with constants."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from proofs_checks.balls import ball, exp, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_3_7_information import pairwise_information
from proofs_checks.paper_004.section_6_1_packing import embedded_distance, sparse_packing
from proofs_checks.paper_004.section_6_2_5_displays import symmetric_information
from proofs_checks.paper_004.section_6_2_5_divergences import pinsker
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.matrices.subspaces import sin_theta_squared

pairs_check = pairwise_information.of_printed.check  # type: ignore[union-attr]
pinsker_check = pinsker.of_printed.check  # type: ignore[union-attr]
distance_check = embedded_distance.of_printed.check  # type: ignore[union-attr]
sparse_check = sparse_packing.of_printed.check  # type: ignore[union-attr]
views_check = symmetric_information.of_printed.check  # type: ignore[union-attr]

CLASS = "||Z||_psi2 <= L with L >= sqrt(8/3) in the class, as no law has a norm of at most 1"


@statement(
    "004 Lemma 6.1.1",
    lines="7545, 7569-7579",
    kind="lower bound",
    printed="I(Z_1, .., Z_n; V) <= c epsilon^2 sum_i avg ||P_{v,i} - P_{v',i}||_TV^2 with c < 19, "
    "alpha in (0, 23/35]; and the risk is at least Phi(delta)/2 (1 - (I + log 2)/log|V|)",
    checked="with c = 2",
    added="Fano's inequality is cited",
    misprint="alpha for epsilon; and the text leaves out that the parameters are 2 delta apart, "
    "which Lemma 5.3.7 has",
    refuses={
        "c = 1.99": {"constant": "1.99"},
        "psi <= TV": {"variation": 1},
        "epsilon <= 2/3": {"largest": "2/3"},
    },
    unchecked={
        "Z_1, Z_n, V": "the information, by name; the steps have one record's bound by psi^2",
        "c, 19": "the step has 2 for c, which is less than 19",
        "epsilon, alpha, 23, 35": "the step has (e^epsilon - 1)^2/epsilon^2 at epsilon = 23/35",
        "Phi": "only in Fano's inequality, which is cited",
    },
)
def information_of_pairs(
    constant: str = "2", variation: int = 2, largest: str = "23/35"
) -> Outcome:
    """As Lemma 5.3.8 with a larger epsilon, see its steps.

    [Steps "range", "jensen"], and (e^epsilon - 1)^2/epsilon^2 at 23/35 [step "constant"].
    """
    return pairs_check(constant, variation, largest)


twin(
    "004 Lemma 6.1.4",
    of="004 Lemma 6.2.13",
    lines="7627-7629",
    printed="P(z - n >= 2 sqrt(n x) + 2 x) <= e^-x for z ~ chi^2_n",
)


@statement(
    "004 (6.7)",
    lines="7615-7619",
    kind="definition",
    printed="Sigma_V = lambda/(5p (lambda+1)) V V^T + 1/(5p (lambda+1)) I_p has lambda_1 = .. = "
    "lambda_k = 1/(5p), the others 1/(5p (lambda+1))",
    refuses={"1/(4p)": {"share": 4}, "lambda/(5p) V V^T": {"power": 0}},
    unchecked={
        "Sigma_V, V, lambda_1, lambda_k": "the step has the eigenvalue on the span of V",
    },
)
def spiked(share: int = 5, power: int = 1) -> Outcome:
    """Sigma_V v for v in the span of V; off it, the second term alone."""
    p, size = symbols("p lambda")
    rest = 1 / (5 * p * (size + 1))
    return definition(identity((size / (5 * p * (size + 1) ** power) + rest, 1 / (share * p))))


@statement(
    "004 Lemma 6.1.5",
    lines="7635-7657",
    kind="identity",
    printed="D(P_V || P_V') <= lambda^2/(2(1+lambda)) ||sin Theta(V, V')||_F^2, and ||P_V - "
    "P_V'||_TV^2 <= lambda^2/(1+lambda) ||sin Theta||_F^2",
    checked="with equality, and TV^2 <= lambda^2/(4(1+lambda)) ||sin Theta||_F^2",
    refuses={
        "lambda^2/(4(1+lambda)) ||sin Theta||^2": {"half": "1/4"},
        "lambda/(2(1+lambda)) ||sin Theta||^2": {"power": 1},
        "TV^2 <= lambda^2/(5(1+lambda)) ||sin Theta||^2": {"variation": "1/5"},
    },
    unchecked={
        "V, P_V', V'": "the law of a second subspace; the steps have traces of projections",
    },
)
def divergence_of_spikes(
    rng: np.random.Generator, half: str = "1/2", power: int = 2, variation: str = "1/4"
) -> Outcome:
    """Let P = V V^T, P' = V' V'^T, tr P P' = k - s with s = ||sin Theta||_F^2.

    Sigma_V' has the inverse 5p (1+lambda) (I - lambda/(1+lambda) P') [step "inverse", on the span
    of V' and off it]. The two determinants are equal, so that D = tr Sigma_V'^-1 (Sigma_V -
    Sigma_V')/2; expand it [step "trace"]. Pinsker's inequality is (6.65) [steps "Pinsker",
    "variation"]. Drawn subspaces agree [step "code"].
    """
    size, p, k, s = symbols("lambda p k s")
    on, off = 1 / (5 * p), 1 / (5 * p * (1 + size))
    inverse = 5 * p * (1 + size)
    same, other = k - k, (k - s) - k  # tr(P - P') and tr P'(P - P')
    trace = inverse * (same - size / (1 + size) * other) * size / (5 * p * (1 + size))
    claimed = sp.Rational(half) * size**power / (1 + size) * s
    total, divergence, w, sine = reals("TV^2 D lambda^2/(1+lambda) s")
    worst = 0.0
    for _ in range(40):
        d = int(rng.integers(2, 8))
        rank, spike = int(rng.integers(1, d)), float(10 ** rng.uniform(-1, 1))
        v, w_ = (np.linalg.qr(rng.standard_normal((d, rank)))[0] for _ in range(2))
        covariances = [(spike * x @ x.T + np.eye(d)) / (5 * d * (spike + 1)) for x in (v, w_)]
        found = float(np.trace(np.linalg.solve(covariances[1], covariances[0])) - d) / 2
        logarithms = [float(np.linalg.slogdet(m)[1]) for m in covariances]
        found += (logarithms[1] - logarithms[0]) / 2
        formula = spike**2 / (2 * (1 + spike)) * sin_theta_squared(v, w_)
        worst = max(worst, abs(found - formula) / formula)
    return derived(
        inverse=identity((on * inverse * (1 - size / (1 + size)), 1), (off * inverse, 1)),
        trace=identity((trace / 2, claimed)),
        Pinsker=pinsker_check(),
        variation=for_all(
            total <= rational(variation) * w * sine,
            *(w > 0, sine >= 0, 2 * divergence == w * sine, 2 * total <= divergence),
        ),
        code=searched(worst, 1e-8, tried=40, what="relative difference from drawn subspaces"),
    )


divergence_check = divergence_of_spikes.of_printed.check  # type: ignore[union-attr]


@statement(
    "004 Lemma 6.1.9",
    lines="7715-7721",
    kind="lower bound",
    printed="epsilon in (0, 23/35], ||J_i - J_j||_F >= delta_N: the risk is at least delta_N^2 "
    "alpha^2 (1-alpha^2)/2 [1 - (4 c alpha^2 epsilon^2 d n lambda^2/(1+lambda) + log 2)/log N]",
    checked="with c alpha^2 for 4 c alpha^2, c = 2",
    repair=CLASS,
    errata=("diss-6.1.46/E4",),
    refuses={
        "delta_N^2 alpha^2 (1-alpha^2)": {"half": "1"},
        "c/2 for 4 c": {"four": "1/2"},
        "||J_i - J_j||^2 <= 3 d": {"diameter": 3},
        "epsilon for epsilon^2": {"epsilons": 1},
    },
    unchecked={
        "23, 35": "the step of Lemma 6.1.1 has the figure for epsilon = 23/35",
    },
)
def risk_of_a_packing(
    rng: np.random.Generator,
    half: str = "1/2",
    four: str = "1",
    diameter: int = 4,
    epsilons: int = 2,
) -> Outcome:
    """Draw theta' from the posterior law of theta = V V^T/sqrt 2, in which ||sin||_F is a distance.

    The mean square of theta - a is half of that of theta - theta', plus a square, for every a
    [step "posterior", three points, an entry]. theta' is a guess at theta, so it is wrong with a
    probability of 1 - (I + log 2)/log N at least (Fano, cited), and then alpha^2 (1-alpha^2)
    delta_N^2 apart [steps "distance", "risk"]. ||J - J'||_F^2 = 2 d - 2 tr J^T J' <= 4 d [step
    "range"] and Lemma 6.1.5 make TV^2 at most alpha^2 d lambda^2/(1+lambda) [steps "divergence",
    "variation"], and I at most c n epsilon^2 times that by Lemma 6.1.1 [steps "information",
    "views"]. Here apart = alpha^2 (1-alpha^2) delta_N^2.
    """
    x, y, z, a, u, v = sp.symbols("x y z a u v", real=True)
    weights, points = (u, v, 1 - u - v), (x, y, z)
    loss = sum(w * (at - a) ** 2 for w, at in zip(weights, points, strict=True))
    mean = sum(w * at for w, at in zip(weights, points, strict=True))
    pairs = sum(
        w * w_ * (at - at_) ** 2
        for w, at in zip(weights, points, strict=True)
        for w_, at_ in zip(weights, points, strict=True)
    )
    risk, apart, wrong, size, told, two = reals("risk apart wrong log_N I log_2")
    square, moved, ratio, d, total = reals("alpha^2 moved lambda^2/(1+lambda) d TV^2")
    n, epsilon = reals("n epsilon")
    return derived(
        posterior=identity((loss, sp.Rational(half) * pairs + (mean - a) ** 2)),
        distance=distance_check(rng),
        divergence=divergence_check(rng),
        variation=for_all(
            total <= rational(four) * square * d * ratio,
            *(square > 0, square <= 1, d >= 1, ratio > 0, moved >= 0, moved <= diameter * d),
            4 * total <= ratio * square * moved,
        ),
        range=for_all(2 * d - 2 * moved <= diameter * d, d >= 1, moved >= -d, moved <= d),
        information=information_of_pairs.of_printed.check(),  # type: ignore[union-attr]
        views=for_all(
            told <= 2 * n * epsilon**epsilons * square * d * ratio,
            *(n >= 1, epsilon > 0, ratio > 0, d >= 1, total <= square * d * ratio),
            told <= 2 * n * epsilon**2 * total,
        ),
        risk=for_all(
            risk * size >= rational(half) * apart * (size - told - two),
            *(size > 0, apart >= 0, told >= 0, two > 0, 2 * risk >= apart * wrong),
            wrong * size >= size - told - two,
        ),
    )


# -------------------------------------------------------------------------- Theorem 6.1.1


@statement(
    "004 Proof of Theorem 6.1.1 (norm)",
    lines="7621-7631",
    kind="concentration",
    printed="x ~ N(0, Sigma_V) has ||x||_2^2 <= 5k/(5p) + 5(p-k)/(5p (lambda+1)) <= 1 but for a "
    "probability of e^-k + e^-(p-k) <= 2 e^(-p/4), p/4 <= k <= 3p/4",
    refuses={
        "4k/(5p)": {"times": 4},
        "2 e^(-p/3)": {"rate": 3},
        "lambda_1 = 1/(4p)": {"share": 4},
    },
    unchecked={
        "Sigma_V": "the steps have its eigenvalues, 1/(5p) and 1/(5p (lambda+1))",
    },
)
def norm_by_two_chi_squares(times: int = 5, rate: int = 4, share: int = 5) -> Outcome:
    """Lemma 6.1.4 at x = k gives k + 2k + 2k = 5k for chi^2_k [step "deviation"], and so for p-k.

    The two parts add up to 1 at most [step "sum"], and both k and p-k are p/4 at least [step
    "rate"]. For every k see Remark 6.1.1, with one chi^2.
    """
    k = symbols("k")
    size, p, spike, x = reals("k p lambda x")
    inside = (p >= 2, size >= 1, 4 * size >= p, 4 * size <= 3 * p)
    return derived(
        deviation=identity((k + 2 * sp.sqrt(k * k) + 2 * k, times * k)),
        sum=for_all(
            share * p * x <= share * p,
            *(*inside, spike > 0, share * p * x == 5 * size + 5 * (p - size) / (spike + 1)),
        ),
        rate=for_all(rational(1) * size * rate >= p, *inside),
    )


@statement(
    "004 Proof of Theorem 6.1.1 (risk)",
    lines="7659-7667",
    kind="lower bound",
    printed="for alpha eps_1 <= ||V V^T - U U^T||_F <= 2 eps_1 the risk is at least alpha^2 "
    "eps_1^2 (1 - (4 lambda^2/(1+lambda) c n epsilon^2 eps_1^2 + log 2)/(k(p-k) log(c_0/(alpha "
    "c_1))))",
    checked="with log|V| for the denominator, which is a lower bound of it",
    false="||sin Theta||_F^2 is half of ||V V^T - U U^T||_F^2, and the risk half of that: it is "
    "alpha^2 eps_1^2/4",
    errata=("diss-6.1-HARD/E5",),
)
def more_than_the_diameter() -> Outcome:
    """k = 1 and the lines of e_1, .., e_100: at distance sqrt 2 = eps_1, alpha = 1.

    n = 1, epsilon = 1/2, c = 19, lambda = 10^-3; no loss exceeds 1.
    """
    told = ball(4) * ball("1e-6") / ball("1.001") * 19 / 4 * 2
    claimed = 2 * (1 - (told + log(ball(2))) / log(ball(100)))
    point = {"p": 100, "k": 1, "n": 1, "epsilon": 0.5, "lambda": 0.001, "alpha": 1.0}
    return refuted(point, claimed, ball(1), "lower bound of a risk, and the largest loss")


@more_than_the_diameter.corrected(
    "alpha^2 eps_1^2/4 (1 - (lambda^2/(2(1+lambda)) c n epsilon^2 eps_1^2 + log 2)/log|V|)",
    refuses={
        "alpha^2 eps_1^2/2": {"quarter": 2},
        "lambda^2/(3(1+lambda))": {"half": 3},
        "||sin||^2 = ||V V^T - U U^T||^2": {"apart": 1},
    },
)
def risk_of_a_local_packing(
    rng: np.random.Generator, quarter: int = 4, half: int = 2, apart: int = 2
) -> Outcome:
    """As Lemma 6.1.9, by its steps.

    The posterior law of V V^T/sqrt 2 has half of the mean square of two draws; these differ with a
    probability of 1 - (I + log 2)/log|V| at least, and then ||sin||^2 >= alpha^2 eps_1^2/2 [steps
    "packing", "risk"]. ||sin||^2 <= 2 eps_1^2 and TV^2 <= lambda^2/(4(1+lambda)) ||sin||^2, Lemma
    6.1.5 [step "divergence"], so that TV^2 <= lambda^2/(2(1+lambda)) eps_1^2 [step "variation"].
    """
    risk, e, sine, wrong, size, told, two = reals("risk alpha^2eps_1^2 sine wrong log|V| I log_2")
    total, ratio, squared, wide = reals("TV^2 lambda^2/(1+lambda) eps_1^2 wide")
    return derived(
        packing=risk_of_a_packing.of_printed.check(rng),  # type: ignore[union-attr]
        divergence=divergence_check(rng),
        variation=for_all(
            half * total <= ratio * squared,
            *(ratio > 0, squared > 0, wide >= 0, 4 * total <= ratio * wide, apart * wide <= 4
              * squared),
        ),
        risk=for_all(
            quarter * risk * size >= e * (size - told - two),
            *(size > 0, e > 0, told >= 0, two > 0, sine * 2 >= e, 2 * risk >= sine * wrong),
            *(wrong >= 0, wrong * size >= size - told - two),
        ),
    )  # fmt: skip


def _graphs(rng: np.random.Generator) -> Outcome:
    """Compare ||sin Theta||_F of two graphs with the formula of :func:`every_subspace`."""

    def root(matrix: FloatArray) -> FloatArray:
        values, vectors = np.linalg.eigh(np.eye(len(matrix)) + matrix)
        return np.asarray((vectors / np.sqrt(values)) @ vectors.T)

    worst = 0.0
    for _ in range(40):
        k, m = (int(size) for size in rng.integers(1, 5, size=2))
        t = float(10 ** rng.uniform(-2, 0))
        one, two = (t * rng.choice([-1.0, 1.0], size=(m, k)) for _ in range(2))
        bases = [np.linalg.qr(np.vstack([np.eye(k), b]))[0] for b in (one, two)]
        formula = root(two @ two.T) @ (one - two) @ root(one.T @ one)
        found = sin_theta_squared(*bases)
        worst = max(worst, abs(found - float(np.linalg.norm(formula) ** 2)))
    return searched(worst, 1e-12, tried=40, what="difference of ||sin Theta||_F^2")


@statement(
    "004 Theorem 6.1.1",
    lines="7371-7373, proof 7615-7671",
    kind="lower bound",
    printed="p/4 <= k <= 3p/4, epsilon in (0, 1/2], n >= Omega(sigma^2 min{k, p-k}/epsilon^2): the "
    "non-interactive risk over P(k, sigma^2) is Omega(sigma^2 k p/(n epsilon^2))",
    checked="at least 3 sigma^2 k p/(512 n epsilon^2) for n >= 58 sigma^2 min{k, p-k}/epsilon^2; "
    "for every k at least 3 sigma^2 k (p-k)/(128 n epsilon^2) for n >= 29 sigma^2 p/(2 epsilon^2)",
    repair=CLASS,
    errata=("diss-6.1.46/E4",),
    refuses={
        "3/511": {"share": "3/511"},
        "n >= 25 sigma^2 p/(2 epsilon^2)": {"records": "25"},
        "n >= 57 sigma^2 min{k, p-k}/epsilon^2": {"smaller": 57},
        "lambda^2/(2(1+lambda)) in the variation": {"quarter": "1/2"},
        "k >= p/5": {"least": 5},
        "epsilon <= 1": {"largest": "1"},
    },
)
def every_subspace(
    rng: np.random.Generator,
    share: str = "3/512",
    records: str = "29",
    smaller: int = 58,
    quarter: str = "1/4",
    least: int = 4,
    largest: str = "1/2",
) -> Outcome:
    """Let B be uniform on {-1, 1}^(m x k), m = p - k, V_B the span of [I; t B], laws (6.7).

    lambda has (1+lambda)/lambda^2 = sigma^2, and the laws are in the class by Remark 6.1.1. [-t B',
    I] is orthogonal to V_B', and times [I; t B] it is t (B - B') [step "graph"], so ||sin Theta||_F
    is that of (I + t^2 B' B'^T)^(-1/2) t (B - B') (I + t^2 B^T B)^(-1/2) [step "code"]. With H
    entries of B and B' different it is at most 4 t^2 H, squared, and at least t^2 H if t ||B||_2
    and t ||B'||_2 are at most 1, which is called good [step "distance"].

    ||B||_2 is at most twice the largest u^T B v over 1/4-nets of 9^k and 9^m points [step "net"],
    each above s with probability exp(-s^2/2) at most (Hoeffding). At ||B||_2^2 = 29 p that leaves
    9^p exp(-29 p/8) <= 1/16 for p >= 2 [step "good"], and t^2 = sigma^2/(2 n epsilon^2) <= 1/(29 p)
    [step "records"], for which the printed condition is enough, min{k, p-k} >= p/4 [step "enough"].

    One entry moves P_B by TV^2 <= t^2/sigma^2 by Lemma 6.1.5 [step "variation"], and n views by
    TV^2 <= (e^epsilon - 1)^2 n TV^2/4 by Lemma 6.2.11 and Pinsker's inequality, as a mean over the
    other entries too [steps "views", "views apart"]: below 1/4 [step "constant"]. So the guess of
    each entry is wrong with probability 1/4 or more, see Lemma 6.2.4, and the good vertex nearest
    to an estimate has a mean of H of at least D/4 - D/16 where B is good, D = k m [step "bits"].
    There 4 times the loss is t^2 H or more [step "risk"], and m >= p/4 [step "all"].
    """
    entry, other = sp.symbols("B B'", commutative=False)
    t, size = symbols("t lambda")
    z, sine, u, v, hamming = reals("t^2 sine u v H")
    norm, on_net = reals("norm net")
    n, noise, p, epsilon, k = reals("n sigma^2 p epsilon k")
    square, views, gain = reals("TV^2 TV_n^2 (e^epsilon-1)^2")
    wrong, bad, d, loss = reals("wrong bad D loss")
    end, level = ball(largest), ball(records) / 4
    moved = sp.Rational(quarter) * size**2 / (1 + size) * 4 * t**2  # one entry, 4 t^2
    return derived(
        graph=identity((sp.expand(-t * other + t * entry - t * (entry - other)), 0)),
        code=_graphs(rng),
        distance=for_all(
            sine >= z * hamming,
            *(z > 0, hamming >= 0, sine >= 0, u >= 0, v >= 0, u <= 1, v <= 1),
            sine * (1 + u) * (1 + v) >= 4 * z * hamming,
        ),
        net=for_all(norm <= 2 * on_net, norm >= 0, norm <= on_net + norm / 4 + norm / 4),
        good=less(log(ball(16)), 2 * (level / 2 - log(ball(9)))),
        records=for_all(
            z * 29 * p <= 1,
            *(p >= 2, n >= 1, epsilon > 0, noise > 0, 2 * n * epsilon**2 * z == noise),
            2 * n * epsilon**2 >= rational(records) * noise * p,
        ),
        enough=for_all(2 * smaller * (p - k) >= 29 * p, p >= 2, least * (p - k) >= p, k >= p - k),
        variation=identity((moved, t**2 * size**2 / (1 + size))),
        views=views_check(),
        views_apart=for_all(
            8 * views * epsilon**2 <= gain,
            *(n >= 1, epsilon > 0, noise > 0, z > 0, gain > 0, views >= 0, square >= 0),
            *(4 * views <= gain * n * square, square * noise <= z),
            2 * n * epsilon**2 * z == noise,
        ),
        constant=less((exp(end) - 1) ** 2 / end**2 / 8, ball("1/4")),
        bits=for_all(
            16 * wrong >= 3 * d, d >= 1, bad >= 0, 16 * bad <= 1, wrong >= d / 4 - d * bad
        ),
        risk=for_all(
            128 * loss * n * epsilon**2 >= 3 * noise * d,
            *(z > 0, d >= 1, n >= 1, epsilon > 0, noise > 0, 4 * loss >= z * wrong),
            *(16 * wrong >= 3 * d, 2 * n * epsilon**2 * z == noise),
        ),
        all=for_all(
            3 * k * (p - k) >= 128 * rational(share) * k * p,
            *(p >= 2, k >= 1, least * k <= (least - 1) * p),
        ),
    )


theorem_check = every_subspace.of_printed.check  # type: ignore[union-attr]


# -------------------------------------------------------------------------- Theorem 6.1.3


@statement(
    "004 Theorem 6.1.3",
    lines="7430-7432, proof 7699-7744",
    kind="lower bound",
    printed="2k <= s - k <= p - k, p/4 <= k <= 3p/4, epsilon in (0, 1/2], n >= Omega((s-k) sigma^2 "
    "(k + log p)/epsilon^2): the non-interactive risk over P(s, k, sigma^2) is Omega(sigma^2 s (k "
    "+ log p)/(n epsilon^2))",
    checked="at least sigma^2 s (k + log p)/(160 n epsilon^2) for n >= 22 sigma^2 (s-k)/epsilon^2: "
    "as s >= 3k >= 3p/4 it is Theorem 6.1.1 in s coordinates, and log p is at most 3k/2",
    repair=CLASS,
    errata=("diss-6.1.46/E4",),
    refuses={
        "1/155": {"share": 155},
        "k >= p/8": {"least": 8},
        "k <= s - k": {"twice": 1},
        "n >= 21 sigma^2 (s-k)/epsilon^2": {"records": 21},
    },
)
def sparse_subspaces(
    rng: np.random.Generator, share: int = 160, least: int = 4, twice: int = 2, records: int = 22
) -> Outcome:
    """Put V into the first s coordinates; the norm of a record does not change.

    That gives 3 sigma^2 k (s-k)/(128 n epsilon^2) [step "subspaces"] for n >= 29 sigma^2
    s/(2 epsilon^2) [step "records"]. log p <= p/2.7 [step "minimum", where the derivative
    1/2.7 - 1/p is 0], so log p <= 4k/2.7 [step "rate"].
    """
    k, s, p, logarithm = reals("k s p log_p")
    given = (k >= 1, p >= 2, s <= p, twice * k <= s - k)
    return derived(
        subspaces=theorem_check(rng),
        records=for_all(2 * records * (s - k) >= 29 * s, *given),
        minimum=less(log(ball("2.7")), ball(1)),
        rate=for_all(
            3 * share * k * (s - k) >= 128 * s * (k + logarithm),
            *(*given, least * k >= p, logarithm > 0, rational("27/10") * logarithm <= p),
        ),
    )


@statement(
    "004 Proof of Theorem 6.1.3 (variable selection)",
    lines="7731",
    kind="lower bound",
    printed="d = 1, delta_N = 1/2 and alpha^2 = O((1+lambda)/lambda^2 s log p/(n epsilon^2)) in "
    "Lemma 6.1.9 give Omega((1+lambda)/lambda^2 s log p/(n epsilon^2))",
    checked="that the bracket of Lemma 6.1.9 is positive there",
    false="log N is at most m log 5, m = p - k, so that for s = m and large p the bracket is "
    "negative: it is s (1 + log(m/s)) for s log p",
    errata=("diss-6.1-HARD/E4",),
)
def too_many_bits() -> Outcome:
    """Points of a sphere 1/2 apart: balls of radius 1/4 are disjoint, N <= 5^m.

    At alpha^2 = a (1+lambda)/lambda^2 s log p/(n epsilon^2), s = m, the bracket is at most
    1 - 4 c a log p/log 5, negative for every a > 0 from some p on; here a = 1/100, c = 2, with
    log p above 4.6 log 10.
    """
    a, c, tens = Fraction(1, 100), 2, 10
    asked = 4 * ball(c) * ball(a) * ball(tens) * log(ball(10))
    return refuted(
        {"a": 0.01, "c": c, "log10 p": tens}, asked, log(ball(5)), "per coordinate: 4 c a log p, "
        "and log N"
    )  # fmt: skip


@too_many_bits.corrected(
    "at least sigma^2 s (1 + log(m/s))/(4096 n epsilon^2) for m >= 4 and n >= sigma^2 s (1 + "
    "log(m/s))/(32 epsilon^2), sigma^2 = (1+lambda)/lambda^2; s sparse beside k full rows",
    refuses={
        "1/4000": {"share": 4000},
        "n >= sigma^2 s (1 + log(m/s))/(40 epsilon^2)": {"records": 40},
        "m >= 3": {"least": 3},
    },
)
def variable_selection(
    rng: np.random.Generator, share: int = 4096, records: int = 32, least: int = 4
) -> Outcome:
    """Lemma 6.1.9 [step "packing"] with I <= 2 n epsilon^2 alpha^2/sigma^2, delta_N^2 = 1/4.

    Lemma 6.1.10 has log N >= max{l/8, log m}, l = s (1 + log(m/s)) [step "directions"]. At alpha^2
    = sigma^2 l/(64 n epsilon^2), at most 1/2 [step "records"], I <= l/32 is a quarter of log N, and
    log 2 half of it at most, as m >= 2^2 [step "size"]: the bracket is at least 1/4, and 1 -
    alpha^2 at least 1/2 [step "risk"].
    """
    n, noise, epsilon, square, bits, size, two, risk, told = reals(
        "n sigma^2 epsilon alpha^2 l log_N log_2 risk I"
    )
    given = (n >= 1, noise > 0, epsilon > 0, bits > 0, 64 * n * epsilon**2 * square == noise * bits)
    return derived(
        packing=risk_of_a_packing.of_printed.check(rng),  # type: ignore[union-attr]
        directions=sparse_check(),
        records=for_all(2 * square <= 1, *given, records * n * epsilon**2 >= noise * bits),
        size=for_all(rational(least) >= 2**2),
        risk=for_all(
            share * risk * n * epsilon**2 >= noise * bits,
            *(*given, two > 0, size >= 2 * two, 8 * size >= bits, 2 * square <= 1, square > 0),
            *(told >= 0, told * noise <= 2 * n * epsilon**2 * square),
            8 * risk * size >= square * (1 - square) * (size - told - two),
        ),
    )


@statement(
    "004 Proof of Theorem 6.1.3 (subspaces)",
    lines="7740-7742",
    kind="lower bound",
    printed="delta_N = O(sqrt(k)/e) and alpha^2 = Theta((1+lambda)/lambda^2 s/(n epsilon^2)) in "
    "Lemma 6.1.9 give Omega((1+lambda)/lambda^2 s k/(n epsilon^2))",
    checked="m = s - k >= 2k: at least sigma^2 k m/(475136 n epsilon^2) for k m >= 12 and n >= "
    "sigma^2 m/(32 epsilon^2), with a packing in the place of Lemma 6.1.11",
    refuses={
        "1/400000": {"share": 400_000},
        "log N >= D/3": {"bits": 3},
        "H >= D/4": {"apart": "1/4"},
        "k m >= 11": {"size": 11},
    },
)
def full_rows(
    rng: np.random.Generator,
    share: int = 475_136,
    bits: int = 4,
    apart: str = "1/8",
    size: int = 12,
) -> Outcome:
    """Let J be the graphs of t B, B in {-1, 1}^((m-k) x k) good, in R^m, as for Theorem 6.1.1.

    D = k (m-k) >= k m/2 [step "rows"] and t^2 = 1/(29 m). 15/16 of all B are good; a largest set of
    them that differs in D/8 places or more has log N >= D (log 2 - h) + log(15/16) >= D/4, h the
    entropy of 1/8, see Lemma 6.1.10 [step "bits"]. J - J' is not less than its part orthogonal to
    J', so ||J - J'||_F^2 >= ||sin||_F^2 >= t^2 D/8 >= k/464 [steps "subspaces", "separation"],
    which is delta_N^2 in Lemma 6.1.9 with d = k [step "packing"]. There I <= 2 n epsilon^2 alpha^2
    k/sigma^2 = k m/32 at alpha^2 = sigma^2 m/(64 n epsilon^2), a quarter of log N, and log 2 is
    half of it at most for D >= 6 [step "size"]; alpha^2 <= 1/2 [step "risk"].
    """
    part = ball(Fraction(apart))
    entropy = -part * log(part) - (1 - part) * log(1 - part)
    k, m, d, square, n, noise, epsilon = reals("k m D alpha^2 n sigma^2 epsilon")
    logs, two, told, risk, delta = reals("log_N log_2 I risk delta_N^2")
    given = (k >= 1, m >= 2 * k, n >= 1, noise > 0, epsilon > 0, square > 0)
    return derived(
        rows=for_all(2 * d >= k * m, k >= 1, m >= 2 * k, d == k * (m - k)),
        bits=less(ball(1) / bits, log(ball(2)) - entropy + log(ball(15) / 16)),
        subspaces=theorem_check(rng),
        separation=for_all(
            464 * delta >= k, k >= 1, m >= 2 * k, 2 * d >= k * m, delta * 29 * m * 8 >= d
        ),
        packing=risk_of_a_packing.of_printed.check(rng),  # type: ignore[union-attr]
        size=less(8 * log(ball(2)), ball(size) / 2),
        risk=for_all(
            share * risk * n * epsilon**2 >= noise * k * m,
            *(*given, two > 0, logs >= 2 * two, 8 * logs >= k * m, 2 * square <= 1, told >= 0),
            *(64 * n * epsilon**2 * square == noise * m, 32 * told <= k * m),
            *(
                464 * delta >= k,
                2 * risk * logs >= delta * square * (1 - square) * (logs - told - two),
            ),
        ),
    )
