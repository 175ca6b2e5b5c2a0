"""Whether the step that gives a statement its label is the one that refuses wrong versions.

A derivation may have sampled steps beside it. They are switched off here, one statement after the
other: what is called proved or derived must then still refuse a wrong version of its formula.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from proofs_checks import vocabulary
from proofs_checks.outcome import PROVED, Outcome
from proofs_checks.statement import Checked, Statement, statements

SAMPLED = ("exactly", "precisely", "searched", "rare", "average_at_most")
"""The helpers whose figures come from points, searches and draws."""

LABELS = (*PROVED, "derived, step checked")


def _labelled() -> Iterator[tuple[Statement, Checked]]:
    """Yield what is checked once, whatever statements share it."""
    seen: set[int] = set()
    for item in statements():
        checked = item.true_check
        if checked is not None and checked.refuses and id(checked) not in seen:
            seen.add(id(checked))
            yield item, checked


def _accept(*arguments: Any, **options: Any) -> Outcome:
    return Outcome(True, "checked by search", "switched off")


@pytest.fixture(scope="module")
def without_sampling() -> Iterator[None]:
    """Let every sampled step of every check pass."""
    helpers = {id(getattr(vocabulary, name)) for name in SAMPLED}
    modules = [module for name, module in sys.modules.items() if name.startswith("proofs_checks.")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            for attribute, value in list(vars(module).items()):
                if id(value) in helpers:
                    patch.setattr(module, attribute, _accept)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("without_sampling")
@pytest.mark.parametrize("checked", [pytest.param(c, id=i.key) for i, c in _labelled()])
def test_the_step_that_gives_the_label_refuses_a_wrong_version(checked: Checked) -> None:
    if checked.run(np.random.default_rng(0)).level in LABELS:
        wrong = (checked.run(np.random.default_rng(0), each) for each in checked.refuses)
        assert not all(outcome.holds for outcome in wrong)
