"""Appendix A: sub-exponential and sub-Gaussian variables, symmetrisation."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from proofs_checks.em import tails as shared
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("wang-2",))

for _number, _lines, _printed in (
    ("Definition 8", "448", "|X|_psi1 = sup_(p >= 1) (E|X|^p)^(1/p)/p"),
    ("Definition 9", "452", "xi-sub-exponential: E exp(t(X - E X)) <= exp(xi^2 t^2/2), |t| < 1/xi"),
    ("Definition 10", "464", "sub-Gaussian: P(|X - E X| >= t) <= 2 exp(-t^2/(2 sigma^2))"),
    ("Definition 11", "468", "|X|_psi2 = sup_(p >= 1) (E|X|^p)^(1/p)/sqrt p"),
):
    not_checkable(
        f"000 {_number}",
        lines=_lines,
        kind="definition",
        printed=_printed,
        reason="a definition",
        algorithms=("wang-1", "wang-2"),
    )


@statement(
    "000 Lemma 9",
    lines="454 (004 Lemma 7.2.10)",
    kind="concentration",
    printed="E exp(tX) <= exp(C t^2 |X|_psi1^2) for |t| <= c/|X|_psi1",
    false="needs E X = 0",
    errata=("000 Lemma 9/E1",),
)
def mgf() -> Outcome:
    """See :func:`proofs_checks.em.tails.uncentred_mgf`."""
    return shared.uncentred_mgf()


@mgf.corrected(
    "the same for E X = 0, with C = 2e^2 and c = 1/(2e)",
    refuses={
        "C = 1.9e^2": {"constant": "1.9"},
        "C = 2e by the same steps": {"e_power": 1},
        "c = 1/e by the same steps": {"within": 1},
    },
    unchecked={
        "C, c": '2 e^2 is in step "back"; 1/(2e) is z <= 1/2 of step "half", z = e |t| |X|',
    },
)
def centred_mgf(
    rng: np.random.Generator, constant: str = "2", e_power: int = 2, within: int = 2
) -> Outcome:
    """See :func:`proofs_checks.em.tails.centred_mgf`."""
    return shared.centred_mgf(rng, constant, e_power, within)


@statement(
    "000 Lemma 10",
    lines="458 (004 Lemma 7.2.11)",
    kind="concentration",
    printed="E X^2 <= O(|X|_psi1^2) for zero-mean sub-exponential X",
    checked="E X^2 <= 4 |X|_psi1^2, whatever the mean",
    refuses={"3.9 for 4": {"constant": "3.9"}},
)
def second_moment(rng: np.random.Generator, constant: str = "4") -> Outcome:
    """See :func:`proofs_checks.em.tails.second_moment`."""
    return shared.second_moment(rng, constant)


@statement(
    "000 Lemma 11",
    lines="460-464 (004 Lemma 7.2.12)",
    kind="concentration",
    printed="P(|mean - mu| >= t) <= 2 exp(-n min(-t^2/v^2, t/(2v)))",
    checked="the same with t^2/v^2 for -t^2/v^2: with the minus the bound exceeds 1",
    false="misprint: without the minus, which makes it say nothing, a factor 1/2 is missing",
    errata=("000 Lemma 11/E1",),
)
def bernstein() -> Outcome:
    """See :func:`proofs_checks.em.tails.bernstein_without_half`."""
    return shared.bernstein_without_half()


@bernstein.corrected(
    "2 exp(-n min(t^2/(2v^2), t/(2v)))",
    refuses={
        "t^2/(1.9v^2)": {"half": "1.9"},
        "without the factor 2, by the same steps": {"sides": 1},
        "n^2": {"power": 2},
    },
)
def bernstein_with_half(half: str = "2", sides: int = 2, power: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.tails.bernstein`."""
    return shared.bernstein(half, sides, power)


@statement(
    "000 Lemma 12",
    lines="472 (004 Lemma 7.2.13)",
    kind="concentration",
    printed="|X - E X|_psi <= 2 |X|_psi for both norms",
    refuses={"1.5 for 2": {"factor": "1.5"}},
)
def centring(rng: np.random.Generator, factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.tails.centring`."""
    return shared.centring(rng, factor)


@statement(
    "000 Lemma 13",
    lines="474 (004 Lemma 7.2.14)",
    kind="concentration",
    printed="|X_1 X_2|_psi1 <= C max(|X_1|_psi2^2, |X_2|_psi2^2)",
    checked="the same with C = 2",
    refuses={"C = 1.9": {"constant": "1.9"}},
    unchecked={
        "C": '2 in the steps, as "checked" says',
    },
)
def product(rng: np.random.Generator, constant: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.tails.product`."""
    return shared.product(rng, constant)


@statement(
    "000 Lemma 14",
    lines="478 (004 Lemma 7.2.15)",
    kind="concentration",
    printed="|sum X_j|_psi2^2 <= C sum |X_j|_psi2^2 for independent zero-mean X_j",
    checked="the same with C = 64/e; C must be at least 1",
    refuses={"C = 2.4/e": {"times_e": "2.4"}},
    slack="the largest C that was found necessary is 1",
    unchecked={
        "C": '64/e in the steps, as "checked" says',
    },
)
def sum_of_subgaussians(rng: np.random.Generator, times_e: str = "64") -> Outcome:
    """See :func:`proofs_checks.em.tails.sum_of_subgaussians`."""
    return shared.sum_of_subgaussians(rng, times_e)


@statement(
    "000 Lemma 15",
    lines="482-486 (004 Lemma 7.2.16)",
    kind="concentration",
    printed="E phi(sup_f |sum f(y_i) - E f|) <= E phi(sup_f |sum eps_i f(y_i)|)",
    false="the factor 2 inside phi is missing",
    errata=("000 Lemma 15/E1",),
)
def symmetrisation() -> Outcome:
    """See :func:`proofs_checks.em.tails.symmetrisation_printed`."""
    return shared.symmetrisation_printed()


@symmetrisation.corrected(
    "<= E phi(2 sup_f |sum eps_i f(y_i)|)",
    refuses={"1.7 for 2": {"factor": Fraction(17, 10)}},
    unchecked={
        "phi, f": "any convex increasing phi and any f; the laws have x and x^2, three f",
    },
)
def symmetrisation_with_two(rng: np.random.Generator, factor: Fraction = Fraction(2)) -> Outcome:
    """See :func:`proofs_checks.em.tails.symmetrisation`."""
    return shared.symmetrisation(rng, factor)


@statement(
    "000 Lemma 16",
    lines="488-494 (004 Lemma 7.2.17)",
    kind="concentration",
    printed="E phi(sup_f sum eps_i phi_i(f)) <= E phi(2L sup_f sum eps_i f), phi_i(0) = 0",
    refuses={"0.9 L for 2L": {"factor": 0.9}},
    slack="in the search L or little more does for 2L",
    unchecked={
        "phi, f, eps_i, phi_i": "Ledoux and Talagrand's; f and phi_i are drawn, phi is x or e^x",
        "L": "1 in the search: phi_i/L is a contraction",
    },
)
def comparison(rng: np.random.Generator, factor: float = 2.0) -> Outcome:
    """See :func:`proofs_checks.em.tails.comparison`."""
    return shared.comparison(rng, factor)
