"""Helpers of the checks of section 4.3 of paper 004, against simulations and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp

from proofs_checks.paper_004.section_4_3_1_escape import length_of_region, stuck
from proofs_checks.statement import statements


def test_every_numbered_statement_of_section_4_3_is_there() -> None:
    numbers = {
        "Assumption 4.3.1",
        *(f"Definition 4.3.{k}" for k in range(1, 5)),
        *(f"Lemma 4.3.{k}" for k in range(1, 13)),
        *(f"Theorem 4.3.{k}" for k in range(1, 8)),
        *(f"Remark 4.3.{k}" for k in range(1, 4)),
        *(f"(4.{k})" for k in range(55, 100)),
    }
    assert numbers <= {item.number for item in statements("004") if item.section.startswith("4.3")}


def symmetric(p: int, rng: np.random.Generator) -> np.ndarray:
    """Return a symmetric matrix, all entries N(0, 1), as the algorithms of section 4.3 draw it."""
    upper = np.triu(rng.standard_normal((p, p)))
    return upper + np.triu(upper, 1).T


def test_the_norm_of_symmetric_gaussian_matrices() -> None:
    """The mean is below 2 sqrt(p) and near it; the tail is that of ``norm_of_matrix``."""
    rng = np.random.default_rng(43)
    p, failure = 80, 0.01
    largest = np.array([np.linalg.eigvalsh(symmetric(p, rng))[-1] for _ in range(300)])
    assert 1.8 * math.sqrt(p) < largest.mean() < 2 * math.sqrt(p)
    bound = 2 * math.sqrt(p) + 2 * math.sqrt(math.log(1 / failure))
    assert (largest > bound).mean() <= failure


def test_the_witness_of_theorem_4_3_7_never_stops() -> None:
    """At sigma_2 = sqrt(alpha rho) = 1 and p = 100 the lowest eigenvalue is far below -1."""
    rng = np.random.default_rng(7)
    assert max(np.linalg.eigvalsh(symmetric(100, rng))[0] for _ in range(50)) < -10


@pytest.mark.parametrize(("spread", "xi"), [("0.01", "0.25"), ("0.5", "0.16"), ("1", "0.09")])
def test_the_length_of_the_stuck_region(spread: str, xi: str) -> None:
    """Its end is where a run is stuck with probability sqrt(xi), against simulation."""
    rng = np.random.default_rng(5)
    end = float(length_of_region(spread, xi)) / 2
    ends = end + float(spread) * rng.standard_normal(400_000)
    assert abs((np.abs(ends) <= 0.5).mean() - math.sqrt(float(xi))) < 0.005


def test_the_stuck_region_by_hand() -> None:
    with mp.workdps(30):
        # hardly any noise: P = 1/2 at distance 1/2
        assert float(length_of_region("1e-6", "0.25")) == pytest.approx(1, abs=1e-5)
        # P(|N| <= 1/2) = .383 is below sqrt(.25)
        assert length_of_region("1", "0.25") == 0
        assert float(stuck(mp.mpf(0), mp.mpf(1), mp.mpf(1))) == pytest.approx(0.6826894921370859)
