"""Test that what a guarantee rests on is required before any release, or made true.

The tables are those of ``docs/explanation/assumptions.md``.
"""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions.sensitivity import largest_ratio
from reference.catalogue import entries, entry
from reference.constraint_sets import SparseVectors
from reference.convex import output_perturbation
from reference.em.models import MixtureOfRegressions
from reference.losses import Cosine
from reference.pairwise import finite_buffer, offline
from reference.proximal import L1Norm


def table(heading: str) -> dict[str, tuple[str, list[str]]]:
    """Return a table of the page: what is before the colon of the first cell, and the others."""
    root = Path(__file__).parents[2]
    page = (root / "docs/explanation/assumptions.md").read_text(encoding="utf-8")
    lines = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return {
        re.split("[:(]", cells[0])[0].strip(): (cells[1], cells[-1].split(", "))
        for cells in rows[2:]
    }


REQUIRED, MADE_TRUE = table("Required"), table("Made true by the code")
PROBED = table("Probed")


class Rough(Cosine):
    def hessian_change(self, dimension: int) -> float:
        return math.inf


class Plane:
    convex, largest_norm = True, math.inf

    def contains(self, x: Any) -> bool:
        return True

    def project(self, x: Any) -> Any:
        return x


def without(thing: Any, name: str, **others: Any) -> SimpleNamespace:
    """Return something that declares all that a thing does but for one."""
    kept = {n: getattr(thing, n) for n in dir(thing) if not n.startswith("_") and n != name}
    return SimpleNamespace(**kept, **others)


def changed(name: str, **fields: Any) -> Any:
    """Return a violation: an argument with some of its fields changed."""
    return lambda arguments: {name: replace(arguments[name], **fields)}


def given(**changes: Any) -> Any:
    """Return a violation: arguments that stand for the usual ones."""
    return lambda arguments: changes


def weaker(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a loss of pairs that is not strongly convex, nor with the ridge of a convex form."""
    return changed("loss", strong_convexity=-arguments.get("strength", 0.0))(arguments)


def longer(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return constants with steps of 100/t from t = 2 on."""
    kind = offline if arguments["identifier"] in ("diss-3.3.14", "diss-3.3.15") else finite_buffer
    return {"constants": kind.Constants(1, 100.0, 1.0, 1.0)}


def unbounded(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a model that declares no bound on its truncated gradients."""
    name = "truncated_sensitivity"
    return {"model": without(arguments["model"], name, truncated_sensitivity=lambda t: math.inf)}


VIOLATIONS = {
    "bounded gradients": (changed("loss", feature_bound=math.inf), "loss.lipschitz must be a"),
    "bounded in l2": (changed("loss", feature_norm="l-infinity"), "must bound gradients in l2"),
    "one of the two losses of section 4.2.2, with features of norm 1 at most": (
        changed("loss", feature_bound=1.1), "loss.feature_bound must be in",
    ),
    "bounded Hessians": (given(loss=Rough()), "loss.hessian_change must be a finite number"),
    "convex loss": (given(loss=Cosine()), "loss must be convex, got Cosine"),
    "step size at most 2/": (
        given(constants=output_perturbation.Constants(100.0, 1.0, 1.0)), "constants.step_size",
    ),
    "ridge": (given(regularizer=L1Norm(0.1)), "regularizer must be a reference.proximal.Ridge"),
    "strongly convex loss of pairs": (weaker, "loss must be strongly convex"),
    "smooth loss of pairs": (changed("loss", smoothness=math.inf), "loss.smoothness must be a"),
    "bounded gradients of pairs on the set": (
        changed("loss", feature_bound=math.inf), "loss.lipschitz must be a finite number > 0",
    ),
    "step sizes at most 2/": (longer, "steps need not contract"),
    "closed and convex set": (given(constraint=SparseVectors(2)), "constraint must be convex"),
    "bounded set": (given(constraint=Plane()), "constraint.largest_norm must be a finite number"),
    "an M-step that is an average of terms of single records": (
        given(model=MixtureOfRegressions(1.0)), "model must be a GaussianMixture",
    ),
    "entries of truncated gradients change by so much at most": (unbounded, "sensitivity must be"),
    "up to a bound on the iterates, which are cut to it": (
        lambda arguments: {"model": without(arguments["model"], "iterate_bound")},
        "model must be a latent-variable model.*, which has no iterate_bound",
    ),
    "epsilon up to which the constants are right": (given(epsilon=1e6), "epsilon"),
    "enough blocks for a smooth bound": (given(n_blocks=3), "n_blocks must be about"),
    "answers are bits": (
        lambda arguments: {"data": np.full(np.shape(arguments["data"]), 0.5)},
        "data must contain only 0 and 1|data must be 0 or 1",
    ),
}  # fmt: skip
"""By the row of the table: what violates it, and what the refusal says."""

STAND_FOR_THEM = (
    "entries of truncated gradients change by so much at most",
    "epsilon up to which the constants are right",
)
"""Assumptions that given constants stand for."""


def some_of(identifier: str) -> Any:
    """Return constants of an algorithm's own kind, all of them small."""
    kind = get_args(get_type_hints(entry(identifier).function)["constants"])[0]
    return kind(**{f.name: 1 if f.type == "int" else 0.5 for f in fields(kind)})


ROWS = [(row, identifier) for row in REQUIRED for identifier in REQUIRED[row][1]]


@pytest.mark.parametrize(("row", "identifier"), ROWS)
def test_an_assumption_that_is_not_met_is_refused(row, identifier, arguments_of, refusal):
    violation, message = VIOLATIONS[row]
    arguments = arguments_of(identifier)
    changes = violation({**arguments, "identifier": identifier})
    assert re.search(message, refusal(identifier, changes))
    if row not in STAND_FOR_THEM and "constants" in arguments:
        # nor do constants of one's own make it good
        assert re.search(
            message, refusal(identifier, {"constants": some_of(identifier), **changes})
        )


def test_every_row_has_its_violation():
    assert list(VIOLATIONS) == list(REQUIRED)


DECLARED = [
    (identifier, *declaration)
    for declared_by, identifiers in REQUIRED.values()
    for declaration in re.findall(r"`(loss|model|constraint)\.(\w+)`", declared_by)
    for identifier in identifiers
]


@pytest.mark.parametrize(("identifier", "name", "attribute"), sorted(set(DECLARED)))
def test_what_is_not_declared_is_not_assumed(identifier, name, attribute, arguments_of, refusal):
    message = refusal(identifier, {name: without(arguments_of(identifier)[name], attribute)})
    of_a_class = identifier in ("diss-4.2.21", "diss-4.2.22", "diss-4.2.4-EM")
    assert message.endswith("got SimpleNamespace" if of_a_class else f"has no {attribute}")


# ------------------------------------------------------------------------ made true by the code


def far_out(data: Any, labels: float) -> Any:
    """Return records a thousand times as large."""
    return (1e3 * data[0], labels * data[1]) if isinstance(data, tuple) else 1e3 * data


@pytest.mark.parametrize(
    "identifier", [i for _, identifiers in MADE_TRUE.values() for i in identifiers]
)
def test_records_beyond_all_bounds_move_no_release_by_more_than_is_claimed(identifier):
    form = build_case(identifier).forms["corrected"]
    labels = 1e3 if identifier.startswith("hu-") else 1.0  # other losses refuse other labels
    first, second = (far_out(data, labels) for data in form.pair)
    assert 0 < largest_ratio(form.run, first, second, target=form.replaced).ratio <= 1 + 1e-9


# ------------------------------------------------------------------------------ nobody is missing

BY_KIND_OF_ARGUMENT = {
    "Loss": {"bounded gradients"},
    "SecondOrderLoss": {"bounded gradients", "bounded in l2", "bounded Hessians"},
    "LinearModelLoss": {"bounded gradients", "bounded in l2"},
    "GeneralizedLinear | Biweight": {
        "one of the two losses of section 4.2.2, with features of norm 1 at most"
    },
    "PairwiseLoss": {
        "strongly convex loss of pairs", "smooth loss of pairs",
        "bounded gradients of pairs on the set", "step sizes at most 2/",
        "closed and convex set", "bounded set",
    },
    "GaussianMixture": {"an M-step that is an average of terms of single records"},
}  # fmt: skip


@pytest.mark.parametrize("identifier", entries())
def test_an_algorithm_has_the_rows_that_its_arguments_ask_for(identifier):
    rows = {row for row, (_, identifiers) in REQUIRED.items() if identifier in identifiers}
    for parameter in inspect.signature(entry(identifier).function).parameters.values():
        assert BY_KIND_OF_ARGUMENT.get(parameter.annotation, set()) <= rows


def test_of_every_object_that_reads_records_it_is_said_what_is_probed():
    """The refusals of the probes are tested in test_per_record.py."""
    asked = [
        identifier
        for identifier in entries()
        for parameter in inspect.signature(entry(identifier).function).parameters.values()
        if parameter.name in ("loss", "model", "estimator", "function")
        and parameter.annotation != "MarginLoss"  # which reads no record
    ]
    batches, rows = "mean gradients over a batch that is listed", dict(PROBED)
    assert set(rows.pop(batches)[1]) <= set(rows["mean gradients and mean Hessians"][1])
    assert sorted(i for _, identifiers in rows.values() for i in identifiers) == sorted(asked)


def test_of_every_algorithm_it_is_said_what_bounds_a_record():
    bounded = [*MADE_TRUE.values(), REQUIRED["answers are bits"]]
    named = [identifier for _, identifiers in bounded for identifier in identifiers]
    assert sorted([*named, "zhang-1"]) == sorted(entries())  # zhang-1 is given a vector
