"""Section 5.3.7: what a private view tells, Lemmas 5.3.7, 5.3.8 and 5.3.11."""

from __future__ import annotations

from proofs_checks.balls import ball, exp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
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
    "004 Lemma 5.3.7",
    lines="6805-6815",
    kind="lower bound",
    printed="risk >= Phi(delta)/2 (1 - (n epsilon^2 C_infinity + log 2)/log|V|) for 2 delta-"
    "separated laws, epsilon in (0, 1/2]",
    checked="the information of n views is at most n (e^epsilon - 1)^2/4 C_infinity <= "
    "n epsilon^2 C_infinity; C_infinity of P_v - Pbar with the mixture of single records",
    refuses={
        "(e^epsilon - 1)^2/8": {"quarter": "1/8"},
        "2 n epsilon^2 C_infinity/5": {"claimed": "2/5"},
        "m (1 + (e^epsilon - 1)(1 + gamma)/4)": {"half": "1/4"},
    },
    unchecked={
        "Phi, delta": "only in Fano's inequality, which is cited",
        "n": "the views are independent and add up; the steps have one",
        "C_infinity": "the supremum of the averages of psi^2, which the steps have",
    },
)
def information(quarter: str = "1/4", claimed: str = "1", half: str = "1/2") -> Outcome:
    """View z of x has q(z|x) = m (1 + (e^epsilon - 1)(1 + gamma)/2), |gamma| <= 1 [step "centre"].

    This as q is in [m, m e^epsilon]; what is constant in x cancels in P_v - Pbar.

    I <= avg chi^2(M_v, Mbar) = avg sum_z (m (e^epsilon - 1)/2 psi_v(gamma_z))^2/Mbar(z), and
    Mbar >= m, sum_z m <= 1: at most (e^epsilon - 1)^2/4 C_infinity [step "sum"], which is
    .43 epsilon^2 C_infinity [step "constant"], as (e^epsilon - 1)/epsilon grows. Independent views
    add up, and Fano's inequality is cited.
    """
    m, q, gain, square, each = reals("m q e^epsilon-1 psi^2 summand")
    gamma = (q / m - 1) / (gain * rational(half)) - 1
    grows = 4 * (exp(ball("1/2")) - 1) ** 2 * ball(quarter)
    return derived(
        centre=for_all(gamma * gamma <= 1, m > 0, gain > 0, q >= m, q <= m * (1 + gain)),
        sum=for_all(
            each <= rational(quarter) * gain * gain * m * square,
            m > 0, gain > 0, q >= m, square >= 0, each * q == rational("1/4") * (m * gain) ** 2
            * square,
        ),
        constant=less(grows, ball(claimed)),
    )  # fmt: skip


@statement(
    "004 Lemma 5.3.8",
    lines="6817-6825",
    kind="lower bound",
    printed="I(Z_1, .., Z_n; V) <= c epsilon^2 sum_i avg ||P_{v,i} - P_{v',i}||_TV^2 with c < 19, "
    "epsilon in (0, 1/2]; and Fano's inequality",
    checked="with c = 1.69",
    refuses={"c = 1.68": {"constant": "1.68"}, "psi <= TV": {"variation": 1}},
    unchecked={
        "Z_1, Z_n, V": "the information, by name; the steps have one record's bound by psi^2",
        "c, 19": "the step has 1.69 for c, which is less than 19",
        "epsilon": "the step has (e^epsilon - 1)^2/epsilon^2 at 1/2, where it is largest",
    },
)
def pairwise_information(
    constant: str = "1.69", variation: int = 2, largest: str = "1/2"
) -> Outcome:
    """I <= (e^epsilon - 1)^2/4 avg psi_v^2 per record, as in the check of Lemma 5.3.7.

    psi_v(gamma) is the mean over v' of integrals of gamma against P_v - P_v', each 2 TV at most
    [step "range"]; its square is at most the mean of the squares 4 TV^2, for two of them and so for
    any number [step "jensen"]. (e^epsilon - 1)^2/epsilon^2 is largest at the largest epsilon,
    1/2 [step "constant"].
    """
    end = ball(largest)
    up, down, low, high = reals("up down gamma_low gamma_high")
    x, y = reals("x y")
    # mass TV is taken from one place and put to another, gamma in [-1, 1] at both
    moved = up * high - down * low <= variation * up
    bounded = (low >= -1, low <= 1, high >= -1, high <= 1)
    return derived(
        range=for_all(moved, up > 0, down == up, *bounded),
        jensen=for_all((x + y) ** 2 <= 2 * (x * x + y * y)),
        constant=less((exp(end) - 1) ** 2 / end**2, ball(constant)),
    )


@statement(
    "004 Lemma 5.3.11",
    lines="6960-6968",
    kind="lower bound",
    printed="the risk under epsilon^2-chi^2 privacy is at least min_v d_L/2 (1 - sqrt(D_kl)/2), "
    "D_kl <= n epsilon^2 C_2 min{e^epsilon, max_v ||dP_v/dP||_infinity}",
    false="misprints: 1 - sqrt(D_kl/2) as in Lemma 5.3.9, and dP/dP_v for dP_v/dP",
    errata=("004 Lemma 5.3.11/E1",),
)
def chi_square_printed() -> Outcome:
    """As for Lemma 5.3.9: randomized response of odds e^(1/2) has epsilon = .505 in chi^2."""
    odds = exp(ball("0.5"))
    divergence = (odds - 1) / (odds + 1) / 2
    claimed = (1 - divergence.sqrt() / 2) / 2
    return refuted({"odds": 1.6487, "n": 1}, claimed, 1 / (1 + odds), "risk claimed and attained")


@chi_square_printed.corrected(
    "1 - sqrt(D_kl/2) and D_kl <= n epsilon^2 C_2 max_v ||dP/dP_v||_infinity",
    refuses={
        "max ||dP_v/dP||": {"inverted": True},
        "without the ratio": {"ratio": 0},
    },
    unchecked={
        "D_kl": "Pinsker's inequality is in Lemma 5.3.9; the steps have chi^2 above KL",
        "n": "views add up by the chain rule; the steps have one",
        "epsilon, C_2": "avg phi^2 <= C_2 ||g||^2 and chi^2 <= epsilon^2 define them",
        "v": "any law of the family; the steps have M_v",
    },
)
def chi_square(inverted: bool = False, ratio: int = 1) -> Outcome:
    """D(M_0 || Mbar) <= avg_v chi^2(M_0 || M_v), view by view by the chain rule (as KL <= chi^2).

    M_v(z) >= M_P(z)/rho where dP <= rho dP_v [step "ratio"]. phi_v of q_z is that of
    g_z = q_z - M_P(z), and avg_v phi_v(g_z)^2 <= C_2 ||g_z||_P^2. (q - m)^2/m is convex in m
    [step "convex"], so sum_z g_z(x)^2/M_P(z) is at most the mean over x' ~ P of the chi^2
    divergence of q(.|x) and q(.|x'), hence epsilon^2. Pinsker's inequality is in Lemma 5.3.9.
    """
    q, b, c, t = symbols("q b c t")
    mean = t * b + (1 - t) * c
    gap = t * (q - b) ** 2 / b + (1 - t) * (q - c) ** 2 / c - (q - mean) ** 2 / mean
    positive = q**2 * t * (1 - t) * (b - c) ** 2 / (b * c * mean)
    chi, square, here, base, rho = reals("chi^2 phi^2 M_v M_P rho")
    density = here <= rho * base if inverted else rho * here >= base
    return derived(
        ratio=for_all(
            chi * base <= rho**ratio * square,
            here > 0, base > 0, rho >= 1, square >= 0, chi * here == square, density,
        ),
        convex=identity((gap, positive)),
    )  # fmt: skip
