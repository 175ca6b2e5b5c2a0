"""Section 4.3.2, DP-STR: Theorem 4.3.7 and the displays of its proof."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations

from mpmath import mp

from proofs_checks.balls import ball, ndtr
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import failures_of_steps, norm_of_matrix
from proofs_checks.paper_004.section_4_3_2 import WORSE_OUTPUT, last_step
from proofs_checks.paper_004.section_4_3_2_proofs import ANY_STEP
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    exactly,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)

STR = ("diss-4.3.29",)
of_stochastic = partial(statement, algorithms=STR)


# ----------------------------------------------------------------------------------- subsampling


@of_stochastic(
    "004 (4.60)",
    lines="4037",
    kind="definition",
    printed="grad L(w, S) = 1/|S| sum over i in S of grad l(w, x_i)",
    refuses={"1/n": {"divisor": 5}},
    unchecked={
        "L, l": "gradients of l are the five numbers of the step, and those of L their means",
    },
)
def batch_mean(divisor: int | None = None) -> Outcome:
    """Averaged over all S of one size it is grad L(w, D): n = 5 records, sizes 1 to 5."""
    records = [Fraction(k) for k in (-7, 2, 3, 11, 40)]

    zero = Fraction(0)

    def average(size: int) -> Fraction:
        means = [sum(batch, zero) / (divisor or size) for batch in combinations(records, size)]
        return sum(means, zero) / len(means)

    mean = sum(records, zero) / 5
    return definition(
        exactly((({"|S|": size}, average(size), mean) for size in range(1, 6)), "=", "mean of all")
    )


twin(
    "004 (4.61)",
    of="004 (4.60)",
    lines="4039",
    printed="Hess L(w, T) = 1/|T| sum over i in T of Hess l(w, x_i)",
    algorithms=STR,
    unchecked={
        "L, l": "Hessians of l are the five numbers of the step, and those of L their means",
        "T": "the batch that the step calls S",
    },
)


def batch_exponent(square: str, drawn: int = 1, power: int = 1) -> Outcome:
    """|T| u^2/(2 + 4u/3) >= l + ln 2 at |T| u^2 = square l, l >= ln 2, for deviations u <= 2.

    That u is, in units of M, the claimed sqrt(square) M sqrt(l/|T|) [first part].
    """
    size, u, level, k = reals("T u l log_2")
    M, batch, claimed_level = symbols("M T l")
    squared = sp.Rational(square) * M ** (2 * power) * claimed_level / batch**drawn
    return every(
        identity((batch * squared / M**2, sp.Rational(square) * claimed_level)),
        for_all(
            size * u * u >= (level + k) * (2 + 4 * u / 3),
            *(k > 0, level >= k, u > 0, u <= 2, size > 0),
            size * u * u == rational(square) * level,
        ),
    )


@of_stochastic(
    "004 Lemma 4.3.12",
    lines="4516-4522",
    kind="concentration",
    printed="with probability 1 - zeta ||grad L(w, S) - grad L(w, D)|| <= "
    "O(G sqrt(ln(p/zeta)/|S|)), and the same for Hessians with M and |T|",
    checked="the O is sqrt(28/3) = 3.06",
    added="p >= 2: at p = 1 and zeta near 1 the bound is below every deviation",
    refuses={
        "1 for 3.06": {"square": "1"},
        "2.9 for 3.06": {"square": "8.4"},
        "ln(1/zeta) for ln(p/zeta)": {"dimension": False},
        "without M": {"power": 0},
        "sqrt(ln(p/zeta))/|S|": {"batch": 2},
    },
)
def batch_error(
    square: str = "28/3", dimension: bool = True, power: int = 1, batch: int = 1
) -> Outcome:
    """Matrix Bernstein inequality (Tropp 2012), without replacement by Gross and Nesme (2010).

    Deviations are at most 2 M, so u <= 2 M need be considered. The error exceeds u with
    probability at most 2 p exp(-|T| u^2/(2 M^2 + 4 M u/3)); gradients are blocks of symmetric
    matrices of dimension p + 1 <= 2 p with eigenvalues in pairs, for which M is G. At |T| u^2 =
    (28/3) M^2 l, l = ln(p/zeta) >= ln 2, the exponent is at least 2 l >= l + ln 2 [step "exponent",
    M = 1, for which it is enough: step "scale", u = M v]: zeta is left of 2 p e^-(l + ln 2) [step
    "failures"]. Exact tails for diagonal matrices of independent signs [step "signs"].
    """

    def cases() -> list[tuple[dict[str, float], mp.mpf, mp.mpf]]:
        found = []
        for p, zeta, count in ((2, "0.9", 100), (54, "0.01", 100), (54, "0.9", 1000)):
            level = mp.log((p if dimension else 1) / mp.mpf(zeta))
            length = mp.sqrt(mp.mpf(Fraction(square).numerator) / Fraction(square).denominator)
            least = int(mp.ceil(count * (1 + length * mp.sqrt(level / count)) / 2))
            tail = 2 * mp.betainc(least, count - least + 1, 0, 0.5, regularized=True)
            point = {"p": p, "zeta": float(zeta), "|T|": count}
            found.append((point, 1 - (1 - tail) ** p, mp.mpf(zeta)))
        return found

    size, failure, M, v, drawn = symbols("p zeta M v T")
    u = M**power * v
    level = sp.log(size / failure if dimension else 1 / failure)
    return derived(
        exponent=batch_exponent(square, batch, power),
        scale=identity((drawn * u**2 / (2 * M**2 + 4 * M * u / 3), drawn * v**2 / (2 + 4 * v / 3))),
        failures=identity((2 * size * sp.exp(-level - sp.log(2)), failure)),
        signs=precisely(cases, digits=30, note="probability against zeta"),
    )


# ------------------------------------------------------------------------------------ total error


def logarithm_of_steps(exponent: int = 1) -> Outcome:
    """Where T <= p^c (else a probability of 1 - T/p^c claims nothing) ln(pT/zeta) <= (1 + c) l."""
    level, log_steps, log_p, c = reals("l log_T log_p c")
    return for_all(
        level + log_steps <= (exponent + c) * level,
        *(c > 0, log_p >= 0, level >= log_p, log_steps <= c * log_p),
    )


@of_stochastic(
    "004 (4.87)",
    lines="4528",
    kind="concentration",
    printed="||grad~ L(w^k, S) - grad L(w^k, D)|| <= O(L sqrt(pT) ln(T/delta)/(n eps) + "
    "G sqrt(ln(pT/zeta)/|S|)) <= alpha/6 for all k",
    checked="the O is 32 (1 + sqrt(2c)) ln(5T/delta)/ln(T/delta) and 3.06, with probability "
    "1 - zeta - T/p^c; the second inequality is a condition on n and |S|",
    added="p >= 2, L = G, the proof's constant 1024 T in the noise",
    refuses={
        "without T in the noise, as in step 3": {"with_steps": False},
        "16": {"constant": 16},
        "without sqrt(p)": {"power": "0"},
        "2.9 for 3.06": {"square": "8.4"},
        "ln(p/zeta)": {"rounds": 0},
        "probability 1 - zeta - 1/p^c": {"failures": 0},
        "sqrt(ln(pT/zeta))/|S|": {"drawn": 2},
        "G^2 sqrt(ln(pT/zeta)/|S|)": {"norm": 2},
        "6 for 12 in the n and |S| that give alpha/6": {"needed": 6},
    },
    unchecked={
        "k": "from 1 to T, over which the union is",
    },
)
def error_of_gradients(
    constant: int = 32,
    with_steps: bool = True,
    power: str = "1/2",
    square: str = "28/3",
    rounds: int = 1,
    failures: int = 1,
    drawn: int = 1,
    norm: int = 1,
    needed: int = 12,
) -> Outcome:
    """The noise: ||eps_k|| <= sigma (sqrt(p) + sqrt(2 c ln p)) with probability 1 - p^-c.

    The norm is 1-Lipschitz and E||eps_k|| <= sigma sqrt(p); with ln p <= p this is at most
    sigma sqrt(p) (1 + sqrt(2c)) [step "norm"], so that no ln(1/zeta) is needed. sigma = 32 G
    sqrt(T x y)/(n eps), x = ln(5T/delta), y = ln(2/delta) <= x [steps "scale" and "logarithms"].
    The batch: Lemma 4.3.12 with zeta/T for each of the T steps. With l = ln(pT/zeta), K = 3.06,
    n of order sqrt(T)/alpha and |S| = (12 K)^2 G^2 l/alpha^2 give alpha/6 [step "size"; G is L].
    """
    p, G, T, n, eps, x, c = symbols("p G T n epsilon x c")
    alpha, K, level = symbols("alpha K l")
    sigma = sp.sqrt(1024 * G**2 * T * x**2) / (n * eps)
    bound = constant * (1 + sp.sqrt(2 * c)) * G * p ** sp.Rational(power) * x / (n * eps)
    of_noise = 32 * (1 + sp.sqrt(2 * c)) * G * sp.sqrt(p * T) * x / eps  # times n
    records = needed * of_noise / alpha
    batch = (needed * K) ** 2 * G**2 * level / alpha**2
    log_p, size, rate, larger, smaller = reals("log_p p c x y")
    return derived(
        union=failures_of_steps(failures),
        norm=for_all(2 * rate * log_p <= 2 * rate * size, *(rate > 0, size >= 1, log_p <= size)),
        scale=identity(
            (sigma * sp.sqrt(p) * (1 + sp.sqrt(2 * c)), bound * (sp.sqrt(T) if with_steps else 1))
        ),
        logarithms=for_all(
            larger * smaller <= larger * larger, *(larger > 0, smaller > 0, smaller <= larger)
        ),
        batch=batch_error_of_one_step(square, rounds, drawn, norm),
        size=identity((of_noise / records + K * G * sp.sqrt(level / batch), alpha / 6)),
    )


def batch_error_of_one_step(
    square: str = "28/3", rounds: int = 1, drawn: int = 1, power: int = 1
) -> Outcome:
    """Put zeta/T into Lemma 4.3.12: the T failures add up to zeta, ln(p/(zeta/T)) = ln(pT/zeta)."""
    p, T, zeta = symbols("p T zeta")
    return derived(
        lemma=batch_exponent(square, drawn, power),
        steps=identity((T * (zeta / T), zeta), (p / (zeta / T), p * T**rounds / zeta)),
    )


@of_stochastic(
    "004 (4.88)",
    lines="4530",
    kind="concentration",
    printed="||Hess~ L(w^k, T) - Hess L(w^k, D)|| <= O(p M sqrt(T) ln(T/delta)/(n eps) + "
    "M sqrt(ln(pT/zeta)/|T|)) <= sqrt(alpha rho)/3 for all k",
    checked="the O is 32 C ln(5T/delta)/ln(T/delta), C = 2 + 2 sqrt(c + log 2), and 3.06, with "
    "probability 1 - zeta - T/p^c; the second inequality is a condition on n and |T|",
    added="p >= 2, the proof's constant 1024 in the noise",
    refuses={
        "sqrt(p)": {"power": "1/2"},
        "16 C": {"constant": 16},
        "1.9 sqrt(p) for E lambda_max": {"factor": "1.9"},
        "2.9 for 3.06": {"square": "8.4"},
        "ln(p/zeta)": {"rounds": 0},
        "probability 1 - zeta - 1/p^c": {"failures": 0},
        "sqrt(ln(pT/zeta))/|T|": {"drawn": 2},
        "M^2 sqrt(ln(pT/zeta)/|T|)": {"norm": 2},
        "3 for 6 in the n and |T| that give a third": {"needed": 3},
    },
    unchecked={
        "k": "from 1 to T, over which the union is",
    },
)
def error_of_hessians(
    constant: int = 32,
    power: str = "1",
    factor: str = "2",
    square: str = "28/3",
    rounds: int = 1,
    failures: int = 1,
    drawn: int = 1,
    norm: int = 1,
    needed: int = 6,
) -> Outcome:
    """||H_k|| <= C sqrt(p) sigma_2, sigma_2 = 32 M sqrt(p T x y)/(n eps), y <= x as in (4.87).

    x = ln(5T/delta). With l = ln(pT/zeta), K = 3.06, n of order sqrt(T/(alpha rho)) and |T| =
    (6 K)^2 M^2 l/(alpha rho) give sqrt(alpha rho)/3 [step "size"].
    """
    p, M, T, n, eps, x, C = symbols("p M T n epsilon x C")
    alpha, rho, K, level = symbols("alpha rho K l")
    of_noise = 32 * C * p * M * sp.sqrt(T) * x / eps  # times n
    records = needed * of_noise / sp.sqrt(alpha * rho)
    batch = (needed * K) ** 2 * M**2 * level / (alpha * rho)
    sigma = sp.sqrt(1024 * p * M**2 * T * x**2) / (n * eps)
    bound = constant * C * p ** sp.Rational(power) * M * sp.sqrt(T) * x / (n * eps)
    return derived(
        norm=norm_of_matrix(factor),
        union=failures_of_steps(failures),
        scale=identity((C * sp.sqrt(p) * sigma, bound)),
        batch=batch_error_of_one_step(square, rounds, drawn, norm),
        size=identity(
            (of_noise / records + K * M * sp.sqrt(level / batch), sp.sqrt(alpha * rho) / 3)
        ),
    )


# ----------------------------------------------------------------------------------- the theorem


@of_stochastic(
    "004 Theorem 4.3.7",
    lines="4045, 4512-4598",
    kind="utility",
    printed="r = sqrt(alpha/rho), T = 6 sqrt(rho) Delta/alpha^1.5, |S| >= Omega(L^2 ln(p/zeta)/"
    "alpha^2), |T| >= Omega(M^2 ln(p/zeta)/(alpha rho)): with probability 1 - 3 zeta - T/p^c the "
    "output is an O(alpha)-SOSP for n >= (4.59)",
    false="(4.59) has sqrt(ln(1/delta)), the noise sqrt(ln(5T/delta) ln(2/delta)): for small delta "
    "(4.59) is too few, whatever Omega is",
    errata=("diss-4.3.29/E6",),
)
def too_few_records() -> Outcome:
    """F = 0, G = M = rho = alpha = 1, Delta = 1/6, so T = 1; p = 100, zeta = .1, Omega = K = 1000.

    n = K p ln(1/zeta) sqrt(a)/eps with a = ln(1/delta), and sigma_2 = 16 sqrt(p ln(5/delta)
    ln(2/delta))/(n eps) of step 4 is at least 16 sqrt(a)/(K sqrt(p) ln(1/zeta)), which is 1 at
    sqrt(a) = K sqrt(p) ln(1/zeta)/16 = 1440. A point is output only if lambda <= 1, thus
    lambda_min(H~) >= -1, thus no diagonal entry of H~ = H_0 is below -1: Phi(1)^100 at most. For
    other K and c take p with p^c >= 100 and a accordingly.
    """
    claimed = 1 - 3 * ball("0.1") - ball("0.01")
    point = {"K": 1000, "p": 100, "zeta": 0.1, "T": 1, "log(1/delta)": "2.07e6", "sigma_2": 1.0}
    return refuted(point, claimed, ndtr(ball(1)) ** 100, "claimed against the probability")


@too_few_records.corrected(
    "n >= Omega(p sqrt(ln(5T/delta) ln(2/delta))/(alpha^1.75 eps)): ||grad F|| <= 2 alpha and "
    "lambda_min >= -7/3 sqrt(alpha rho)",
    refuses={
        **WORSE_OUTPUT,
        "alpha^1.5 for alpha^1.75": {"power": "3/2"},
        "half of n": {"records": "1/2"},
        "half of |S| and |T|": {"batches": "1/2"},
        "ln(pT/zeta) <= c ln(p/zeta)": {"exponent": 0},
    },
)
def sampled_output(
    gradient: str = "1/12",
    hessian: str = "1/6",
    steps: str = "6",
    slope: str = "2",
    lowest: str = "7/3",
    power: str = "7/4",
    records: str = "1",
    batches: str = "1",
    exponent: int = 1,
) -> Outcome:
    """The errors of (4.87) and (4.88) are those of Theorem 4.3.5's proof [step "output"].

    They are within alpha/12 and sqrt(alpha rho)/6, half by noise and half by batches. With
    |S| = (24 K)^2 G^2 l/alpha^2, |T| = (12 K)^2 M^2 l/(alpha rho), l = ln(pT/zeta), K = 3.06, the
    batches' errors are alpha/24 and sqrt(alpha rho)/12 [step "batches"]; l is of order ln(p/zeta)
    [step "logarithm"]. Write v = sqrt(ln(5T/delta) ln(2/delta)), and N and C for the constants of
    the noise: n = 24 N G sqrt(6 Delta) rho^(1/4) p v/(alpha^1.75 eps) makes it alpha/24 times
    1/sqrt(p), n = 12 C M sqrt(6 Delta) rho^(-1/4) p v/(alpha^1.75 eps) makes it
    sqrt(alpha rho)/12 times sqrt(alpha) <= 1 [step "records"]. Here low = lambda_min.
    """
    p, G, M, rho, drop, alpha, eps, v, N, C, K, level = symbols(
        "p G M rho Delta alpha epsilon v N C K l"
    )
    rounds = 6 * sp.sqrt(rho) * drop / alpha ** sp.Rational(3, 2)
    share, many = sp.Rational(batches), sp.Rational(records)
    shape = many * sp.sqrt(6 * drop) * p * v / (alpha ** sp.Rational(power) * eps)
    for_gradient = 24 * N * G * rho ** sp.Rational(1, 4) * shape
    for_hessian = 12 * C * M * rho ** sp.Rational(-1, 4) * shape
    vector = N * G * sp.sqrt(p * rounds) * v / (for_gradient * eps)
    matrix = C * p * M * sp.sqrt(rounds) * v / (for_hessian * eps)
    drawn = share * (24 * K) ** 2 * G**2 * level / alpha**2
    drawn_too = share * (12 * K) ** 2 * M**2 * level / (alpha * rho)
    return derived(
        output=last_step(gradient, hessian, steps, slope, lowest),
        batches=identity(
            (K * G * sp.sqrt(level / drawn), alpha / 24),
            (K * M * sp.sqrt(level / drawn_too), sp.sqrt(alpha * rho) / 12),
        ),
        logarithm=logarithm_of_steps(exponent),
        records=identity(
            (vector, alpha / 24 / sp.sqrt(p)),
            (matrix, sp.sqrt(alpha * rho) / 12 * sp.sqrt(alpha)),
        ),
    )


# ------------------------------------------------------------- what is as in the proof of DP-TR

again = partial(twin, algorithms=STR)
MODEL = "its noisy gradient and Hessian are any vector and symmetric matrix in the steps"

again(
    "004 (4.89)",
    of="004 (4.76)",
    lines="4536",
    printed="L(w + h) <= L(w) + <grad L(w), h> + <Hess L(w) h, h>/2 + (rho/6) ||h||^3",
    checked="",
    misprint="",
)
again(
    "004 (4.90)",
    of="004 (4.77)",
    lines="4540",
    printed="L(w + h) <= L(w) + <grad~, h> + ||s_k|| ||h|| + <Hess~ h, h>/2 + (rho/6) ||h||^3 + "
    "||t_k|| ||h||^2/2",
)
again(
    "004 (4.91)",
    of="004 (4.78)",
    lines="4544",
    printed="||s_k|| ||h^k|| + ||t_k|| ||h^k||^2/2 <= alpha^1.5/(3 sqrt(rho))",
)
again(
    "004 (4.92)",
    of="004 (4.79)",
    lines="4550",
    printed="grad~ L(w^k, S) + Hess~ L(w^k, T) h^k + lambda^k h^k = 0 with a lambda^k >= 0",
    unchecked={
        "L": MODEL,
        "k": ANY_STEP,
    },
)
again(
    "004 (4.93)",
    of="004 (4.80)",
    lines="4552",
    printed="Hess~ L(w^k, T) + lambda^k I > 0",
    unchecked={
        "L": MODEL,
        "k": ANY_STEP,
    },
)
again("004 (4.94)", of="004 (4.81)", lines="4554")
again(
    "004 (4.95)",
    of="004 (4.82)",
    lines="4558",
    printed="<grad~ L(w^k, S) + Hess~ L(w^k, T) h^k + lambda^k h^k, h^k> = 0",
    special_case_of=("004 (4.92)",),
)
again(
    "004 (4.96)",
    of="004 (4.83)",
    lines="4562",
    printed="<Hess~ L(w^k, T) h^k + lambda^k h^k, h^k> >= 0",
    special_case_of=("004 (4.93)",),
)
again(
    "004 (4.97)",
    of="004 (4.84)",
    lines="4566",
    printed="<grad~ L(w^k, S), h^k> <= 0",
)
again(
    "004 (4.99)",
    of="004 (4.86)",
    lines="4584",
    printed="||grad~ L(w^k, S) + Hess~ L(w^k, T) h^k||_2 = lambda^k sqrt(alpha/rho) <= alpha if "
    "lambda^k <= sqrt(alpha rho)",
    unchecked={
        "L": MODEL,
        "k": ANY_STEP,
    },
)

not_checkable(
    "004 Remark 4.3.3",
    lines="4070-4074",
    kind="remark",
    printed="unknown whether DP-GD has a stochastic version, whether variance reduction helps, "
    "whether inexact subproblems suffice",
    reason="open questions",
    algorithms=STR,
)
