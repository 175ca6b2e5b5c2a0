"""The statements of seed 000: every check says what the ledger says, and can say the opposite."""

import math

import numpy as np
import pytest

from proofs_checks.statement import Statement, run
from proofs_checks.statements import em
from reference.em.models import GaussianMixture


def named(number: str) -> Statement:
    return next(statement for statement in em.STATEMENTS if statement.number == number)


@pytest.mark.parametrize("statement", em.STATEMENTS, ids=lambda statement: statement.number)
def test_checks_agree_with_the_ledger(statement: Statement) -> None:
    # Monte Carlo checks have fixed seeds; each would fail a true statement with chance < 1e-5
    report = run(statement)
    assert report.as_expected, (report.printed.detail, report.corrected)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness


def test_every_upheld_erratum_of_the_cards_is_reproduced() -> None:
    reproduced = {erratum for statement in em.STATEMENTS for erratum in statement.errata}
    wanted = {
        ("wang-phi", 1), ("wang-phi", 2), ("wang-mean", 1), ("wang-mean", 3), ("wang-ldp-mean", 1),
        ("wang-1", 2), ("wang-2", 2), ("wang-2", 3), ("wang-2", 4), ("wang-2", 5), ("wang-2", 6),
        ("model-gmm", 1), ("wang-prep", 1), ("ledger:000 Lemma 4", 1), ("ledger:000 Lemma 9", 1),
        ("ledger:000 Lemma 11", 1), ("ledger:000 Lemma 15", 1), ("ledger:000 Lemma 19", 1),
        ("ledger:000 Thm 6", 1),
    }  # fmt: skip
    assert reproduced == wanted


def fails(check: em.Callable) -> bool:
    return not check(np.random.default_rng(0)).holds


class TestChecksCanFail:
    def test_closed_form(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = em.closed_form
        monkeypatch.setattr(em, "closed_form", lambda a, b: right(a, b) + em.mp.mpf("1e-25"))
        assert fails(em._closed_form_is_right)

    def test_stable_form(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def off(x: object, *, scale: float, precision: float) -> np.ndarray:
            return smoothed(x, scale=scale, precision=precision) * (1 + 1e-13)

        smoothed = em.smoothed_truncation
        monkeypatch.setattr(em, "smoothed_truncation", off)
        assert fails(em._stable_form)

    def test_moment_without_the_radius(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            GaussianMixture, "moment_bound", lambda self, b, r: np.abs(b).max() ** 2 + 1
        )
        assert fails(em._moment_with_radius)

    def test_privacy_with_half_the_noise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = em.zcdp_rho
        monkeypatch.setattr(em, "zcdp_rho", lambda e, d: right(e, d) / 4)
        assert fails(em._privacy_of_algorithm_2)

    def test_interval_constants(self) -> None:
        outcome = em._bounded_constant(lambda x, y, e: 8 / 3 * em._noise_part(x, y), 4.0, 0.0, "r")
        assert not outcome.holds

    def test_binomial_tails(self) -> None:
        # half of the bound of (36) is exceeded too often
        worst = em._binomial_failure(
            lambda moment, precision, zeta: (moment / 2 + math.log(1 / zeta) / 300) / 4,
            lower=False,
        )
        assert worst > 1

    def test_bias_with_the_lost_factor(self) -> None:
        assert em._largest_bias(50.0) > 1 / 50

    def test_additive_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = em._mixture_run

        def noisier(rng: np.random.Generator, size: float, **kwargs: int) -> tuple:
            estimate, truth = right(rng, size, **kwargs)
            return truth + 30 * (estimate - truth), truth

        monkeypatch.setattr(em, "_mixture_run", noisier)
        assert fails(em._additive_bound)
