"""The public bounds that sums are given: no term exceeds one, and the worst records attain it.

A bound that is too small would let a sum be rounded more than its release counts; one that is too
large makes its grid coarse.
"""

import ast
import importlib
import pkgutil
import sys
from collections import defaultdict
from functools import cache, wraps
from pathlib import Path

import numpy as np
import pytest

import reference
from auditor.described import build_case, builders
from reference.basic import sums
from reference.constraint_sets import L2Ball
from reference.heavy_tailed.baselines import clipped_gradient_descent
from reference.losses import Logistic
from reference.privacy import Ledger

REFERENCE = Path(reference.__file__).parent
SUMS = ("rounded_sum", "rounded_mean", "rounded_mean_product")


def callers():
    """Return "file:function" for every function outside of sums.py that takes such a sum."""
    found = set()
    for path in REFERENCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "sums.py" or not any(name in text for name in SUMS):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef):
                called = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                if called.intersection(SUMS):
                    found.add(f"{path.relative_to(REFERENCE).as_posix()}:{function.name}")
    return sorted(found)


def part_of_bound(name, arguments, bounds):
    """Return the size of the largest entry of a term, in units of its bound."""
    if name == "rounded_mean_product":
        parts = zip(arguments, bounds["bounds"], strict=True)
        return max(np.abs(vectors).max() / bound for vectors, bound in parts)
    vectors, weights = arguments[0], bounds.get("weights")
    terms = vectors if weights is None else (vectors.T * weights).T
    if bounds["bound"] == 0:  # the gain of a vertex over itself
        return 0.0 if not terms.any() else np.inf
    return np.abs(terms).max() / bounds["bound"]


def run_everything():
    for identifier in builders():
        for name, form in build_case(identifier).forms.items():
            if name.startswith("corrected"):
                for data in form.pair:
                    form.run(data, Ledger(0))
    records = np.array([[3.0], [0.0]]), np.array([1.0, 1.0])
    clipped_gradient_descent(
        records,
        Logistic(),
        L2Ball(1.0),
        initial=[0.0],
        epsilon=1.0,
        delta=1e-3,
        clipping_threshold=0.5,
        step_size=0.1,
        n_iterations=1,
    )


@cache
def largest_parts():
    """Return the largest part of its bound that each caller's terms attain on the worst pairs."""
    largest = defaultdict(float)

    def watched(name, function):
        @wraps(function)
        def taken(*arguments, **options):
            code = sys._getframe(1).f_code
            caller = Path(code.co_filename).relative_to(REFERENCE).as_posix()
            key = f"{caller}:{code.co_name}"
            largest[key] = max(largest[key], part_of_bound(name, arguments, options))
            return function(*arguments, **options)

        return taken

    for module in pkgutil.walk_packages(reference.__path__, "reference."):
        importlib.import_module(module.name)
    with pytest.MonkeyPatch.context() as patch:
        for name in SUMS:
            function = getattr(sums, name)
            for module in list(sys.modules.values()):
                inside = module.__name__.startswith("reference") and module is not sums
                if inside and getattr(module, name, None) is function:
                    patch.setattr(module, name, watched(name, function))
        run_everything()
    return largest


@pytest.mark.parametrize("caller", callers())
def test_the_largest_term_is_the_bound(caller):
    assert 0.9 < largest_parts()[caller] <= 1 + 1e-9


def test_all_callers_are_found():
    assert set(largest_parts()) == set(callers())
