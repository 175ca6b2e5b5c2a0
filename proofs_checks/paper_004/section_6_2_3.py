"""Section 6.2.3: perturbed and thresholded covariance matrices, central model."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, exp, log, ndtr, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import norm_of_matrix
from proofs_checks.paper_004.random_matrices import symmetric, unit_rows
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.paper_004.section_6_2_2 import entries_of_a_sample, largest_of_normals
from proofs_checks.paper_004.section_6_2_7_thresholding import root_of_the_product, small_moments
from proofs_checks.statement import not_checkable, twin
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.matrices.local_gaussian_pca import constants_for_scaled
from reference.matrices.perturbed_covariance import constants_for
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import second_moment
from reference.matrices.sparse_covariance import entry_threshold, sparse_covariance
from reference.privacy.mechanisms import SymmetricGaussian

statement = partial(any_statement, algorithms=("diss-6.2.48",))

sample_check = entries_of_a_sample.of_printed.check  # type: ignore[union-attr]
noise_check = largest_of_normals.of_printed.check  # type: ignore[union-attr]


@statement(
    "004 Theorem 6.2.1",
    lines="7957, 7940-7953",
    kind="privacy",
    printed="Algorithm 6.2.48, S + symmetric N(0, 2 ln(1.25/delta)/(n epsilon)^2), its entries "
    "thresholded and its positive part taken, is (epsilon, delta)-DP for 0 < epsilon, delta <= 1",
    false="the sensitivity is sqrt 2/n, not 1/n, and what is above the threshold is released",
    special_case_of="004 Theorem 6.3.7 (privacy)",
    errata=("diss-6.2.48/E1",),
)
def thresholded_covariance() -> Outcome:
    """Of 200 records in the plane 100 are e_1, the others e_2, and one e_1 becomes an e_2.

    The difference of the two diagonal entries is that of S + N, which has the privacy curve of the
    whole matrix, unless one of them falls below .3 or the other entry exceeds .3 in modulus: else
    the diagonal is above the threshold, .14 at gamma = 1, and the matrix is positive definite. So
    few outputs differ that delta falls by (1 + e) times their probability at most.
    """
    n, epsilon, delta = 200, ball(1), ball("1e-5")
    deviation = sqrt(2 * log(ball("1.25") / delta)) / n
    threshold = sqrt(log(ball(2)) / n) + 4 * deviation * sqrt(log(ball(2)))
    assert threshold < ball("0.3")
    others = (1 + exp(epsilon)) * 4 * ndtr(-(ball("0.495") - ball("0.3")) / deviation)
    left = gaussian_delta(sqrt(ball(2)) / (n * deviation), epsilon) - others
    point = {"n": n, "records": "e_1, e_2", "epsilon": 1.0, "delta": 1e-5, "gamma": 1.0}
    return refuted(point, left, delta, "exact delta of the output, at least, against delta")


@thresholded_covariance.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def thresholded_covariance_at_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy); the rest is post-processing."""
    return local_privacy_at_sensitivity_root_two(squared)


twin(
    "004 (6.16)",
    of="004 Theorem 6.2.1",
    lines="7904-7912",
    printed="S + symmetric N(0, 2 ln(1.25/delta)/(n epsilon)^2) is (epsilon, delta)-DP for 0 < "
    "epsilon, delta <= 1",
    special_case_of=(),
    algorithms=("diss-6.2-NAIVE",),
    errata=("diss-6.2-NAIVE/E2",),
)
not_checkable(
    "004 (6.19)",
    lines="7947",
    kind="definition",
    printed="sigma^_ij = sigma~_ij if |sigma~_ij| > gamma sqrt(log(p)/n) + 4 sqrt(2 "
    "ln(1.25/delta)) sqrt(log p)/(n epsilon), 0 otherwise",
    reason="defines the estimate; i and j run to p, not to n as printed",
)


# ------------------------------------------------------------------- without a threshold


@statement(
    "004 (6.17)",
    lines="7914",
    kind="utility",
    printed="||Sigma~ - Sigma||_2 <= ||S - Sigma||_2 + ||N||_2 <= O(sqrt(p log(1/delta))/(n "
    "epsilon))",
    false="that bounds N alone: the error of the sample is of order n^(-1/2)",
    algorithms=("diss-6.2-NAIVE",),
    errata=("diss-6.2-NAIVE/E1",),
)
def perturbed_without_the_sample() -> Outcome:
    """p = 1, x = 0 or +-1 with x^2 a coin, C = 100; n grows with C.

    By Jensen's inequality the mean error with N is at least E |S - 1/2|, which is half of
    C(n, n/2) 2^-n for even n.
    """
    n, epsilon, delta, constant = 10**8, 1.0, 1e-5, 100
    with mp.workdps(30):
        central = mp.loggamma(n + 1) - 2 * mp.loggamma(n / 2 + 1) - n * mp.log(2)
        error = mp.exp(central) / 2
        rate = constant * mp.sqrt(mp.log(1 / mp.mpf(delta))) / (n * epsilon)
        point = {"p": 1, "n": n, "epsilon": epsilon, "delta": delta, "C": constant}
        return refuted(point, float(error), float(rate), "mean error against C times the rate")


@perturbed_without_the_sample.corrected(
    "E||Sigma~ - Sigma||_2 <= 2 sqrt(p) sigma_1 + sqrt(2 lambda_1 log(2p)/n) + log(2p)/(3n) for "
    "records in the unit ball",
    refuses={
        "without the sample": {"sample": 0},
        "1.9 sqrt(p)": {"noise": "1.9"},
        "sqrt(lambda_1 log(2p)) /n": {"power": 2},
    },
    unchecked={
        "sigma_1": "a factor of N and so of its norm; the steps have sigma_1 = 1",
        "lambda_1": "in matrix Bernstein, which is cited; 1/p in what is drawn",
    },
)
def perturbed_with_the_sample(
    rng: np.random.Generator, sample: int = 1, noise: str = "2", power: int = 1
) -> Outcome:
    """E ||N||_2 <= 2 sqrt(p) sigma_1 [step "noise"], and matrix Bernstein for x x^T - Sigma.

    (Tropp, cited.) (x x^T)^2 = |x|^2 x x^T is at most x x^T, so that the variances add up to
    n Sigma at most [step "variance", along a direction]. Drawn: e_1, ..., e_p with random signs,
    many or few, with and without noise that matters [step "drawn"].
    """
    length, along = reals("length along")
    worst, runs = 0.0, 200
    for p, n, epsilon in ((10, 20_000, 20.0), (10, 400, 20.0), (30, 400, 1.0)):
        scale = constants_for(n=n, epsilon=epsilon, delta=1e-5).noise_scale
        mechanism, logarithm = SymmetricGaussian(scale), math.log(2 * p)
        parts = math.sqrt(2 / p * logarithm / n**power) + logarithm / (3 * n)
        allowed = float(Fraction(noise)) * math.sqrt(p) * scale + sample * parts
        total = 0.0
        for _ in range(runs):
            missed = np.diag(rng.multinomial(n, np.full(p, 1 / p)) / n - 1 / p)
            found = mechanism.output(missed, mechanism.draw(missed, rng))
            total += float(np.linalg.norm(found, 2))
        worst = max(worst, total / runs / allowed)
    return derived(
        noise=norm_of_matrix(noise),
        variance=for_all(length * along * along <= along * along, length >= 0, length <= 1),
        drawn=searched(worst, 1, tried=3 * runs, what="mean error over bound, three designs"),
    )


@statement(
    "004 (6.18)",
    lines="7924",
    kind="concentration",
    printed="with probability at least 1 - C p^-6 all |sigma~_ij - sigma_ij| <= "
    "gamma sqrt(log(p)/n) + 4 sigma_1 sqrt(log p)",
    checked="C = 4, gamma = 2",
    refuses={"3 sigma_1 sqrt(log p)": {"width": "3"}, "1 - C p^-7": {"power": 7}},
    unchecked={
        "C, gamma": "constants of no claimed value, 4 and 2 in the steps",
    },
)
def all_entries(width: str = "4", power: int = 6) -> Outcome:
    """(6.15) [step "sample"] and (6.13) at n = 1 [step "normal"], for p^2 entries.

    At t = 4 sigma_1 sqrt(log p) the latter is 2 p^-8 [step "noise"]; p^2 (2 + 2) p^-8 [step
    "union"].
    """
    p, scale = symbols("p sigma_1")
    t = sp.Rational(width) * scale * sp.sqrt(sp.log(p))
    return derived(
        sample=sample_check(),
        normal=noise_check(),
        noise=identity((2 * sp.exp(-(t**2) / (2 * scale**2)), 2 * p**-8)),
        union=identity((p**2 * (2 + 2) * p**-8, 4 * p**-power)),
    )


# ---------------------------------------------------------------------- with a threshold


@statement(
    "004 Lemma 6.2.3",
    lines="7961-7965",
    kind="utility",
    printed="for given i, j, with probability at least 1 - C_1 p^(-9/2): |sigma^_ij - sigma_ij| <= "
    "4 min{|sigma_ij|, T}",
    checked="C_1 = 4",
    refuses={
        "2.9 min": {"factor": "2.9"},
        "|sigma~ - sigma| <= T for 3 T/4": {"share": "1"},
        "p^-5": {"power": "5"},
    },
    unchecked={
        "C_1": "a constant of no claimed value; the steps have 2 + 2 for both tails",
    },
)
def thresholded_entry(factor: str = "4", share: str = "3/4", power: str = "9/2") -> Outcome:
    """If |sigma~ - sigma| <= 3 T/4 it holds, whatever sigma is [step "entry"].

    It is so but for (6.14) at 3/4 of its level and (6.13) at 3 sigma_1 sqrt(log p) [steps "sample",
    "noise"].
    """
    noisy, true, level = reals("noisy true T")
    kept = z3.If(z3.Abs(noisy) > level, noisy, 0)
    least = z3.If(z3.Abs(true) <= level, z3.Abs(true), level)
    p = symbols("p")
    part, exponent = sp.Rational(share), sp.Rational(power)
    return derived(
        entry=for_all(
            z3.Abs(kept - true) <= rational(factor) * least,
            *(level > 0, z3.Abs(noisy - true) <= rational(share) * level),
        ),
        sample=identity((2 * sp.exp(-8 * part**2 * sp.log(p)), 2 * p**-exponent)),
        noise=identity((2 * sp.exp(-((4 * part) ** 2) * sp.log(p) / 2), 2 * p**-exponent)),
    )


thresholded_entry.restated("004 (6.20)", lines="7963", printed="|sigma^ - sigma| <= 4 min")
entry_check = thresholded_entry.of_printed.check  # type: ignore[union-attr]


def thresholding_rate(
    rng: np.random.Generator, sparsity: int = 2, local: bool = False, power: int = 1
) -> Outcome:
    """E||Sigma^ - Sigma||_2^2 = O(s^2 T^2), which is below the printed rate for epsilon <= 1.

    ||Sigma^+ - Sigma|| <= 2 ||Sigma^ - Sigma||: it moves by the largest negative eigenvalue, which
    Sigma >= 0 has as an error (Weyl, cited) [step "positive", and searched]. For a symmetric
    matrix ||.||_2 <= ||.||_1. Where Lemma 6.2.3 holds for all entries [step "entry"] a column adds
    up to 4 (s + 1) T at most [step "column"], and (s + 1)^2 <= 4 s^2 [step "square", s >= 1]. Where
    it does not, p times the squares of entries are O(1/n + sigma_1^2) in the mean [steps "kept",
    "lost": (6.59), (6.62); (6.64) is as the latter]. T^2 <= 2 log(p) (4/n + 16 sigma_1^2) [step
    "level"], sigma_1^2 = 4 L/(n^2 epsilon^2) in the central and 4 L/(n epsilon^2) in the local
    model, L = ln(1.25/delta) >= 1/5 [step "rate"]. Drawn errors are below 3 (s + 1)^2 T^2 [step
    "drawn"].
    """
    moved, error, negative = reals("moved error negative")
    inside, count, level, s, column = reals("inside count T s column")
    first, second = reals("first second")
    n, ell, epsilon, variance = reals("n L epsilon variance")
    records = 1 if local else 2
    return derived(
        positive=for_all(
            moved <= 2 * error, negative >= 0, negative <= error, moved <= negative + error
        ),
        projection=_projections(rng),
        entry=entry_check(),
        column=for_all(
            column <= 4 * (s + 1) * level,
            *(level > 0, s >= 1, count <= s + 1, count >= 0, inside <= 4 * level),
            *(inside >= 0, column <= count * inside),
        ),
        square=for_all((s + 1) * (s + 1) <= 4 * s**sparsity, s >= 1),
        kept=small_moments(),
        lost=root_of_the_product(),
        level=for_all((first + second) ** 2 <= 2 * (first * first + second * second)),
        rate=for_all(
            4 * epsilon**2 * n ** (power - 1) + 16 * variance * n**power * epsilon**2 <= 84 * ell,
            *(n >= 1, epsilon > 0, epsilon <= 1, ell >= rational("1/5"), variance >= 0),
            variance * n**records * epsilon**2 <= 4 * ell,
        ),
        drawn=_drawn_errors(rng, local, sparsity),
    )


def _projections(rng: np.random.Generator) -> Outcome:
    worst = 0.0
    for _ in range(100):
        p = int(rng.integers(2, 8))
        truth = second_moment(unit_rows(p, p, rng))
        estimate = truth + 10.0 ** rng.uniform(-2, 1) * symmetric(p, rng)
        moved = float(np.linalg.norm(positive_part(estimate) - truth, 2))
        worst = max(worst, moved / float(np.linalg.norm(estimate - truth, 2)))
    return searched(worst, 2, tried=100, what="distance of Sigma^+ over that of Sigma^")


def _block(p: int, s: int, entry: float) -> FloatArray:
    found = np.zeros((p, p))
    found[: s + 1, : s + 1] = entry
    return found


def _drawn_errors(rng: np.random.Generator, local: bool, sparsity: int) -> Outcome:
    """Blocks whose entries are multiples of the threshold, seen through the mean of records."""
    worst, tried = 0.0, 0
    noise_of = constants_for_scaled(epsilon=1.0, delta=1e-5)
    for s, p, multiple in ((1, 20, 0.5), (2, 20, 1.0), (4, 40, 1.0), (16, 40, 1.0), (16, 40, 3.0)):
        n = 10**6
        scale = noise_of.noise_scale / (math.sqrt(n) if local else n)
        level = entry_threshold(n=n, dimension=p, deviation=scale)
        truth = _block(p, s, multiple * level)
        mechanism = SymmetricGaussian(scale)
        for _ in range(20):
            noisy = mechanism.output(truth, mechanism.draw(truth, rng))
            found = sparse_covariance(noisy, level).thresholded
            error = float(np.linalg.norm(found - truth, 2)) ** 2
            worst = max(worst, error / ((s + 1) ** sparsity * level**2))
            tried += 1
    return searched(worst, 3, tried=tried, what="error over (s + 1)^2 T^2, s up to 16")


RATES = {"s for s^2": {"sparsity": 1}, "n^2 for n": {"power": 2}}


@statement(
    "004 Theorem 6.2.2",
    lines="7967-7971",
    kind="utility",
    printed="(6.21): E||Sigma^ - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2))",
    checked="O(s^2 log(p) (1/n + L/(n^2 epsilon^2))) and so (6.21), with L = ln(1.25/delta)",
    added="epsilon <= 1, ||x|| <= 1, s >= 1",
    refuses=RATES,
)
def thresholding_error(rng: np.random.Generator, sparsity: int = 2, power: int = 1) -> Outcome:
    """See :func:`thresholding_rate`."""
    return thresholding_rate(rng, sparsity, power=power)


thresholding_error.restated(
    "004 (6.21)", lines="7969", printed="O(s^2 log(p) log(1/delta)/(n epsilon^2))"
)


@statement(
    "004 Corollary 6.2.1",
    lines="7973-7979",
    kind="utility",
    printed="(6.22): ||Sigma^ - Sigma||_w^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2)) for every "
    "1 <= w <= infinity",
    checked="in the mean, by ||A||_w <= ||A||_1 for symmetric A; the proof speaks of Sigma^+",
    refuses={
        "the largest entry for ||A||_1": {"entries": 1},
        "||A||_1/2": {"share": 0.5},
        "s for s^2": {"sparsity": 1},
    },
)
def every_norm(
    rng: np.random.Generator, entries: int = 0, share: float = 1, sparsity: int = 2
) -> Outcome:
    """||A||_w <= max(||A||_1, ||A||_infinity) (Riesz and Thorin, cited), and they are equal.

    Theorem 6.2.2 bounds ||Sigma^ - Sigma||_1 [step "rate"]. Vectors that A stretches most are
    sought from random ones by the iteration of Boyd [step "stretched"].
    """
    worst, tried = 0.0, 60
    for _ in range(tried):
        p = int(rng.integers(2, 7))
        a = symmetric(p, rng)
        w = float(rng.choice([1.0, 1.3, 2.0, 4.0, 30.0]))
        bound = float(np.abs(a).max()) if entries else share * float(np.abs(a).sum(axis=0).max())
        x = rng.standard_normal(p)
        for _ in range(30):
            y = a @ x
            if w > 1:
                z = a.T @ (np.sign(y) * np.abs(y / np.abs(y).max()) ** (w - 1))
                x = np.sign(z) * np.abs(z / np.abs(z).max()) ** (1 / (w - 1))
            else:
                x = np.eye(p)[int(np.abs(a).sum(axis=0).argmax())]
        stretched = np.linalg.norm(a @ x, ord=w) / np.linalg.norm(x, ord=w)
        worst = max(worst, float(stretched) / bound)
    return derived(
        rate=thresholding_rate(rng, sparsity),
        stretched=searched(worst, 1 + 1e-9, tried=tried, what="||A x||_w over ||A||_1 ||x||_w"),
    )


every_norm.restated(
    "004 (6.22)",
    lines="7975",
    printed="the same in every l_w norm",
    unchecked={
        "l_w": "any norm from l_1 to l_infinity (cited); five w are tried",
    },
)
