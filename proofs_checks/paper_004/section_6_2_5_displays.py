"""Section 6.2.5: notions and displays, and the sequential bound of Theorem 6.2.5."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, exp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import derived, for_all, less, precisely, rational, reals

for number, lines, said in (
    ("(6.25)", "8027", "P^n_{j,a}: the mean of P^n_v over v with v_j = a"),
    ("(6.27)", "8041", "P^n_{j,a} and P_{j,a}: means over tau in T_{j,a}"),
    ("(6.28)", "8057", "M^n_tau: the law of the views of n records of P_tau"),
    ("(6.32)", "8093", "P-bar^n_{j,a,b,c}: the mean over tau with v_j = a and the rest given"),
    ("(6.34)", "8107", "G(s): columns with at most s non-zero entries beside the diagonal"),
    ("(6.35)", "8117", "P(|<v, X>| > t) <= exp(-t^2/(2 rho)) for unit v"),
    ("(6.36)", "8121", "P(rho, s): (6.35), E X = 0, Sigma in G(s), ||X|| <= 1 but for e^-Omega(p)"),
    ("(6.37)", "8133", "Sigma(tau) = c I + c a sum_j v_j A_j(lambda_j), the sum to r, not to n"),
):
    not_checkable(
        f"004 {number}", lines=lines, kind="definition", printed=said, reason="fixes a notion"
    )

for number, of, lines, said in (
    ("(6.26)", "Lemma 6.2.4", "8031", "alpha/4 sum_j [1 - ||P^n_{j,+1} - P^n_{j,-1}||_TV]"),
    ("(6.29)", "Theorem 6.2.4", "8063", "alpha/4 sum_j [1 - ||M^n_{j,+1} - M^n_{j,-1}||_TV]"),
    ("(6.31)", "Theorem 6.2.6", "8077", "1 - sqrt((epsilon^2 chi^2)^n/2)"),
    ("(6.33)", "Corollary 6.2.2", "8101", "the same with the mean over the rest"),
    ("(6.38)", "Lemma 6.2.9", "8163", "the entries of Q"),
    ("(6.39)", "Lemma 6.2.10", "8175", "R = -2 log(1 - J c^2 a^2) + R_1"),
    ("(6.77)", "Lemma 6.2.14", "8559", "int g_1 g_2/g_0 by Sigma_0^-2"),
):
    twin(
        f"004 {number}",
        of=f"004 {of}",
        lines=lines,
        printed=said,
        special_case_of=(f"004 {of}",),
    )


@statement(
    "004 Lemma 6.2.11",
    lines="8433-8441",
    kind="lower bound",
    printed="sum_j [KL(M^n_{j,+1} || M^n_{j,-1}) + KL(M^n_{j,-1} || M^n_{j,+1})] <= (e^epsilon - 1)"
    "^2 n sup_gamma sum_j (int gamma (dP_{j,+1} - dP_{j,-1}))^2, |gamma| <= 1",
    checked="one record (n adds up, by the chain rule), with (e^epsilon - 1)^2/4",
    refuses={"a fifth": {"quarter": "1/5"}, "(e^epsilon - 1)^3": {"power": 3}},
    unchecked={
        "KL": "the sum of both divergences; the steps have a term of it",
        "M, n_{j,+1}": "the laws of views; the steps have one view of one record",
        "n": "adds up by the chain rule; the steps have one record",
        "gamma": "the steps have psi, the integral of gamma",
    },
)
def symmetric_information(quarter: str = "1/4", power: int = 2) -> Outcome:
    """View z has probability m (1 + gain (1 + gamma)/2), |gamma| <= 1, m its least over x.

    Here gain = e^epsilon - 1.

    So its two probabilities differ by m (e^epsilon - 1) psi_j/2, psi_j the integral [step "moved"].
    (a - b) log(a/b) <= (a - b)^2/min(a, b) (log x <= x - 1), and both are at least m: a term of at
    most m (e^epsilon - 1)^2 psi_j^2/4 [step "term"]. For every z the sum over j is at most that of
    the best gamma, and the m add up to 1 at most. Randomized response comes near [step "near"].
    """
    gain, least, psi, change, total = reals("gain m psi change term")

    def responses() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for odds, gap in itertools.product(("1.01", "1.2", "1.6"), ("0.1", "0.5", "1")):
            e, apart = mp.mpf(odds), mp.mpf(gap)
            first, second = ((p * e + 1 - p) / (1 + e) for p in ((1 + apart) / 2, (1 - apart) / 2))
            both = 2 * (first - second) * mp.log(first / second)
            share = Fraction(quarter)
            bound = share.numerator * (e - 1) ** power * (2 * apart) ** 2 / share.denominator
            yield {"odds": odds, "TV": gap}, both, bound

    return derived(
        moved=for_all(
            (1 + psi) / 2 * least * gain - least * gain / 2 == least * gain * psi / 2,
        ),
        term=for_all(
            total <= rational(quarter) * least * gain**power * psi * psi,
            *(least > 0, gain > 0, change * 2 == least * gain * psi, total >= 0),
            total * least <= change * change,
        ),
        near=precisely(responses, note="randomized response"),
    )


information = symmetric_information.of_printed.check  # type: ignore[union-attr]


@statement(
    "004 Theorem 6.2.5",
    lines="8067-8071",
    kind="lower bound",
    printed="(6.30): for epsilon <= 1/2 the sequential risk is at least alpha r/4 [1 - "
    "(n epsilon^2/(2 r) sup_gamma sum_j (int gamma (dP_{j,+1} - dP_{j,-1}))^2)^(1/2)]",
    misprint="the brackets of the square on the integral are lost",
    refuses={"n epsilon^2/(20 r)": {"part": "1/20"}},
    unchecked={
        "alpha": "the sum over bits by alpha/4 is that of Theorem 6.2.4",
        "n, gamma": "n sup_gamma sum_j is as Lemma 6.2.11 has it; the steps have its factor",
    },
)
def sequential_assouad(part: str = "1/2") -> Outcome:
    """Theorem 6.2.4 with Pinsker's inequality (cited), twice, and Cauchy and Schwarz.

    TV_j^2 <= K_j/4, K_j the symmetric divergence; (sum TV_j)^2 <= r sum TV_j^2 <= r sum_j K_j/4
    [step "cauchy", one j more]. By Lemma 6.2.11 that is r n (e^epsilon - 1)^2/16 sup_gamma, at most
    r n epsilon^2/2 sup_gamma [step "constant", at the largest epsilon] with much room.
    """
    total, square, r, x = reals("total squares r TV")
    return derived(
        information=information(),
        cauchy=for_all(
            (total + x) ** 2 <= (r + 1) * (square + x * x),
            *(r >= 1, total >= 0, x >= 0, total * total <= r * square),
        ),
        constant=less((exp(ball("1/2")) - 1) ** 2 * 4 / 16, ball(part)),
    )


sequential_assouad.restated("004 (6.30)", lines="8069", printed="the bound of Theorem 6.2.5")
