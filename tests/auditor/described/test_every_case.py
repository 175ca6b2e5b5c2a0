"""Conditions that every audit case must meet, checked without auditing it."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from auditor import described
from auditor.core.neighbours import differing_records, n_records
from auditor.core.verdict import QUESTIONS, jsonable
from auditor.described import build_case, builders, modules
from auditor.questions.sensitivity import ATTAINED, largest_ratio
from auditor.transcript.replay import record
from reference.catalogue import entries, entry

IDENTIFIERS = list(builders())
FORMS = [(i, name) for i in IDENTIFIERS for name in build_case(i).forms]


def test_every_algorithm_has_a_case_and_every_case_an_algorithm():
    assert set(IDENTIFIERS) == set(entries())
    names = [info.name for info in pkgutil.walk_packages(described.__path__, "auditor.described.")]
    found = [
        (identifier, name)
        for name in names
        for identifier in getattr(importlib.import_module(name), "CASES", ())
    ]
    assert sorted(found) == sorted(modules().items())


def test_a_case_is_imported_alone():
    source = "import sys; from auditor.described import builders; builders()['wang-1']"
    code = f"{source}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert "auditor.described.em.clipped_gradient_em" in imported
    assert not {name for name in imported if name.startswith("auditor.described.convex")}


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_the_printed_forms_are_those_of_the_errata(identifier):
    case = build_case(identifier)
    assert next(iter(case.forms)) == "corrected"
    printed = {name for name in case.forms if not name.startswith("corrected")}
    assert printed == {form.name for form in entry(identifier).printed_forms}


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_an_algorithm_has_no_switch_for_a_wrong_version(identifier):
    parameters = inspect.signature(entry(identifier).function).parameters
    words = ("printed", "published", "calibration", "constant", "correction", "rule", "without")
    assert not [name for name in parameters if name.startswith(words) and name != "constants"]
    assert list(parameters)[-1] == "ledger"


def parts(data):
    return data if isinstance(data, tuple) else (data,)


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_a_form_is_well_formed(identifier, name):
    case = build_case(identifier)
    form = case.forms[name]
    if n_records(form.pair[0]) == n_records(form.pair[1]):
        assert differing_records(*form.pair) == [form.replaced]
    if form.black_box is not None:
        # a pair of its own is of neighbours as well
        sizes, seen = (tuple(map(n_records, pair)) for pair in (form.pair, form.black_box.pair))
        assert seen[0] - seen[1] == sizes[0] - sizes[1]
        if seen[0] == seen[1]:
            assert len(differing_records(*form.black_box.pair)) == 1
            shapes = [[np.shape(part) for part in parts(data)] for data in form.black_box.pair]
            assert shapes[0] == shapes[1]
    assert "0x" not in json.dumps(jsonable(form.parameters)), "an address is no description"
    assert form.black_box is not None or form.no_black_box
    assert form.domain is not None or form.no_search
    slopes = {recipe.erratum for recipe in case.scaling if recipe.form == name} - {None}
    shown = slopes | set(form.violates.values())
    assert set(form.violates) <= set(QUESTIONS)
    if name.startswith("corrected"):
        assert not shown
        assert form.claim.relation is entry(identifier).relation
    else:
        (printed,) = (f for f in entry(identifier).printed_forms if f.name == name)
        audited = {
            erratum.name
            for erratum in entry(identifier).errata
            if erratum.reproduced_by.startswith(f"audit:{name}/")
        }
        # what is printed may be safe, such as too much noise: then nothing is to show
        assert audited <= shown <= set(printed.errata)
        assert printed.summary.endswith(".")


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_the_pair_moves_what_is_released(identifier):
    form = build_case(identifier).forms["corrected"]
    for seed in range(5):
        transcripts = [record(form.run, data, seed, target=form.replaced)[0] for data in form.pair]
        values = zip(*(transcript.releases for transcript in transcripts), strict=True)
        # where the noise depends on the data, they may differ in its scale alone
        if any(
            not np.array_equal(mine.value, theirs.value) or mine.mechanism != theirs.mechanism
            for mine, theirs in values
        ):
            return
    pytest.fail("no release differs between the two data sets")


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_pair_attains_the_claimed_sensitivity_or_says_why_not(identifier):
    for name, form in build_case(identifier).forms.items():
        if not name.startswith("corrected"):
            continue
        gaps = [
            largest_ratio(form.run, *pair, target=form.replaced)
            for pair in (form.pair, form.pair[::-1])
        ]
        ratio = max(gap.ratio for gap in gaps)
        assert (ratio < ATTAINED) == bool(form.not_attained), f"{name} moves {ratio:.3g}"


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_the_values_of_a_scaling_recipe_grow(identifier):
    # a slope of 1/2 must be far from one of 0 where the noise of a twin grows like the root
    for recipe in build_case(identifier).scaling:
        steps = np.divide(recipe.values[1:], recipe.values[:-1])
        assert len(recipe.values) >= 4, recipe.name
        assert min(recipe.values) > 0, recipe.name
        assert min(steps) > 1.1, (recipe.name, recipe.values)


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_scaling_recipe_draws_from_its_generator_alone(identifier):
    for recipe in build_case(identifier).scaling:
        first, second = (recipe.error(recipe.values[0], np.random.default_rng(3)) for _ in "ab")
        assert first == second > 0, recipe.name


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_scaling_recipe_has_a_twin_that_is_itself_at_the_first_value(identifier):
    for recipe in build_case(identifier).scaling:
        assert (recipe.twin is None) == (recipe.erratum is not None), recipe.name
        if recipe.twin is not None:
            value = recipe.values[0]
            mine, theirs = (
                error(value, np.random.default_rng(3))
                for error in (recipe.error, recipe.twin.error)
            )
            assert mine == theirs, recipe.name
            assert recipe.twin.change
