"""The audit cases of the gradient-EM paper: do they show what they are meant to show."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.mixtures import exact_gradients
from auditor.questions.mutants import generic
from auditor.questions.sensitivity import largest_ratio
from auditor.transcript.replay import record
from reference.em import full_data_gradient_em, local_gradient_em, split_gradient_em
from reference.em.models import MissingCovariates
from reference.privacy.guarantees import Model
from tests.auditor.described.ratios import ratios

IDENTIFIERS = ("wang-1", "wang-2", "wang-ldp-em", "diss-7.2.56", "diss-7.2.57")
FORMS = [(identifier, name) for identifier in IDENTIFIERS for name in build_case(identifier).forms]


def test_wang_1_pairs_are_worst_at_every_iteration() -> None:
    forms = build_case("wang-1").forms
    for form in forms.values():
        assert ratios(form) == pytest.approx([1.0] * 3, abs=1e-6)


CONSTANTS: dict[str, Any] = {
    "wang-2": split_gradient_em.constants_for,
    "diss-7.2.56": full_data_gradient_em.constants_for,
    "diss-7.2.57": full_data_gradient_em.constants_for,
    "wang-ldp-em": local_gradient_em.constants_for,
}
GIVEN = ("n", "epsilon", "delta", "second_moment", "failure_probability", "n_iterations")


# What the exact sensitivity is of the claimed one, for each iteration. The mixture's pair is worst
# at beta^0; where the record is read again, its two gradients agree at most other iterates.
@pytest.mark.parametrize(
    ("identifier", "name", "shares"),
    [
        ("wang-2", "corrected", [1, 0]),
        ("wang-2", "corrected-mrm", [1, 0]),
        ("wang-2", "corrected-rmc", [1, 0]),
        ("diss-7.2.56", "corrected", [1, 1, 1]),
        ("diss-7.2.56", "corrected-rmc", [1, 1, 1]),
        ("diss-7.2.56", "printed", [1, None]),
        ("diss-7.2.57", "corrected", [1, None]),
        ("wang-ldp-em", "corrected", [1, 0]),
        ("wang-ldp-em", "corrected-rmc", [1, 0]),
    ],
)
def test_pairs_are_worst(identifier: str, name: str, shares: list[int | None]) -> None:
    form = build_case(identifier).forms[name]
    given = {key: form.parameters[key] for key in GIVEN}
    constants = CONSTANTS[identifier](dimension=2, **given)
    exact = math.erf(math.sqrt(constants.precision / 2))
    for ratio, share in zip(ratios(form), shares, strict=True):
        if share is not None:
            assert ratio == pytest.approx(share * exact, rel=1e-9)


@pytest.mark.parametrize(("identifier", "least"), [("wang-2", 100), ("diss-7.2.57", 10)])
def test_printed_truncation_is_unbounded(identifier: str, least: float) -> None:
    assert max(ratios(build_case(identifier).forms["printed"])) > least


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_exact_query_agrees_with_the_release(identifier: str, name: str) -> None:
    form = build_case(identifier).forms[name]
    if form.claim.model is Model.LOCAL:
        assert form.exact_query is None  # a message per record is not checked with mpmath
        return
    assert form.exact_query is not None
    for data in form.pair:
        transcript, _ = record(form.run, data, 3)
        for index, release in enumerate(transcript.releases):
            with mpmath.workdps(50):
                exact = np.array([float(v) for v in form.exact_query(data, transcript, index)])
            np.testing.assert_allclose(release.value, exact, rtol=1e-8, atol=1e-12)


def test_exact_gradients_of_incomplete_records() -> None:
    model = MissingCovariates(1.0)
    beta = np.array([0.5, -1.0, 2.0])
    data = model.sample(beta, 20, np.random.default_rng(0))
    data[0, :-1] = math.nan
    exact = exact_gradients(model, data, [mpmath.mpf(b) for b in beta])
    np.testing.assert_allclose(
        np.array(exact, dtype=np.float64), model.gradients(data, beta), rtol=1e-12
    )


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_own_mutants_break_the_claimed_sensitivity(identifier: str) -> None:
    case = build_case(identifier)
    assert case.mutants
    for name, form in case.mutants.items():
        assert max(ratios(form)) > 10, name
    understated = generic(case.forms["corrected"])["sensitivity understated"]
    assert max(ratios(understated)) > 1.5


@pytest.mark.parametrize(
    "identifier", [identifier for identifier in IDENTIFIERS if identifier != "diss-7.2.57"]
)
def test_records_with_missing_entries_keep_the_claim(identifier: str) -> None:
    # the search has no missing entries in its domain: try them here, mixed with extremes
    form = build_case(identifier).forms["corrected-rmc"]
    rng = np.random.default_rng(1)
    entries = np.array([0.0, 1.0, -1.0, 1e3, -1e3, 1e12, -1e12, math.nan])
    largest = 0.0
    for trial in range(60):
        pair = tuple(data.copy() for data in form.pair)
        if trial % 2:
            pair[0][1:, :-1] = rng.choice(entries, size=pair[0][1:, :-1].shape)
            pair[1][1:] = pair[0][1:]
        for data in pair:
            data[0] = [*rng.choice(entries, size=2), rng.choice(entries[:-1])]
        gap = largest_ratio(form.run, *pair, seed=trial, target=0)
        assert gap is not None
        largest = max(largest, gap.ratio)
    assert 0.5 < largest <= 1 + 1e-9


# error ~ sqrt(d) sigma; a factor 4 covers one repetition's spread (chance < 1e-6 for d = 4)
@pytest.mark.parametrize(
    ("identifier", "n", "size"),
    [
        ("wang-2", 40_000, 0.03),
        ("diss-7.2.56", 16_000, 0.144),
        ("diss-7.2.57", 16_000, 0.144),
        ("wang-ldp-em", 16_000, 0.15),
    ],
)
def test_scaling_recipes_have_the_right_size(identifier: str, n: int, size: float) -> None:
    recipes = {recipe.name: recipe for recipe in build_case(identifier).scaling}
    error = recipes["n"].error(n, np.random.default_rng(0))
    assert size / 4 < error < size * 4


@pytest.mark.parametrize("identifier", ["wang-2", "diss-7.2.56", "diss-7.2.57"])
def test_errors_are_equivariant_in_the_scale(identifier: str) -> None:
    # exactly, up to rounding
    (recipe,) = (recipe for recipe in build_case(identifier).scaling if recipe.name == "1/R")
    first = recipe.error(1.0, np.random.default_rng(1))
    second = recipe.error(64.0, np.random.default_rng(1))
    assert first == pytest.approx(64 * second, rel=1e-9)
