import numpy as np
import pytest

from proofs_checks.statement import run, statements
from proofs_checks.statements import convex, nonconvex
from reference import proximal
from reference.catalogue import entry
from reference.convex import svrg
from reference.losses import Sigmoid
from reference.nonconvex import proximal_gradient_descent

ALL = [*convex.STATEMENTS, *nonconvex.STATEMENTS]
BY_NUMBER = {statement.number: statement for statement in ALL}


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.number)
def test_every_check_says_what_the_ledger_says(statement):
    report = run(statement)
    assert report.as_expected, (report.printed.detail, report.corrected)
    assert report.printed.detail
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness


def test_the_statements_are_registered():
    assert set(ALL) <= set(statements())


@pytest.mark.parametrize("identifier", ["diss-3.1.1", "diss-4.1.16", "diss-4.1.19"])
def test_every_erratum_is_a_false_statement(identifier):
    reproduced = {pair for s in ALL if s.expected == "false" for pair in s.errata}
    errata = entry(identifier).errata
    assert {(identifier, erratum.number) for erratum in errata} <= reproduced
    for erratum in errata:
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme == "proofs":
            statement = BY_NUMBER[where.removeprefix("004 ")]
            assert (identifier, erratum.number) in statement.errata


# --------------------------------------------------------------- what broken code they catch


def holds(number, *, corrected=False):
    report = run(BY_NUMBER[number])
    outcome = report.corrected if corrected else report.printed
    assert outcome is not None
    return outcome.holds


def halve(monkeypatch, module, name):
    original = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args, **kwargs: original(*args, **kwargs) / 2)


@pytest.mark.parametrize(
    ("module", "name", "number"),
    [
        (proximal_gradient_descent, "smallest_gaussian_scale", "Algorithm 4.1.16"),
        (svrg, "smallest_gaussian_scale", "(3.3)"),
        (nonconvex, "exponential_step_epsilon", "Theorem 4.1.6"),
        (nonconvex, "exponential_step_epsilon", "l.3054 (score sensitivity)"),
        (convex, "contraction", "(3.5)"),
    ],
)
def test_wrong_calibration_is_caught(monkeypatch, module, name, number):
    assert holds(number, corrected=True)
    halve(monkeypatch, module, name)
    assert not holds(number, corrected=True)


def test_wrong_constants_are_caught(monkeypatch):
    monkeypatch.setattr(Sigmoid, "slope_bound", property(lambda _: 0.2))
    assert not holds("Definition 4.0.1")
    monkeypatch.setattr(Sigmoid, "curvature_bound", property(lambda _: 0.09))
    assert not holds("Definition 4.0.2")


def test_a_wrong_proximal_step_is_caught(monkeypatch):
    original = proximal.proximal_step

    def longer(x, gradient, *, step_size, **options):
        return original(x, gradient, step_size=1.3 * step_size, **options)

    monkeypatch.setattr(nonconvex, "proximal_step", longer)
    assert not holds("Lemma 4.1.2")
    assert not holds("(4.2)")


def test_a_wrong_soft_threshold_is_caught(monkeypatch):
    monkeypatch.setattr(proximal, "soft_threshold", lambda x, t: np.sign(x) * np.abs(x) * 0.5)
    assert not holds("Lemma 3.1.3")
    assert not holds("Lemma 3.1.2")


def test_the_misprinted_sign_is_caught_in_the_code(monkeypatch):
    """Were the default loss the printed one, the corrected check would fail."""
    monkeypatch.setattr(
        Sigmoid,
        "_slope",
        lambda loss, score, labels, slope=Sigmoid._slope: -slope(loss, score, labels),
    )
    assert not holds("l.2877 (sigmoid loss)", corrected=True)
