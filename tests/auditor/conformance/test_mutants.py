"""Mutants of the reference: one expression is changed, and all is as it was afterwards."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np
import pytest

from auditor.conformance import store
from auditor.conformance.mutants import (
    FLAGS,
    Mutant,
    functions_run,
    mutants_of,
    noticed,
    recompiled,
)
from auditor.conformance.record import draws_of, replayed
from reference import proximal
from reference.catalogue import entry, errata
from reference.em import split_gradient_em
from reference.errata.em.models import LINES, PrintedLine
from reference.privacy import curves

SOURCE = '''
def f(x: Literal[7] = 3, *, é: bool = True) -> "float":
    """Return 1 + 1."""
    if x <= 2 and not é and 0.0:
        return -min(x, 1.5) * (
            x + 1
        )
    for _ in range(x):
        x = clip_rows(x, é) / n
    return "é" * x
'''


def test_every_mutant_changes_one_expression_on_one_line() -> None:
    found = list(mutants_of("f.py", SOURCE))
    assert {(m.before, m.after, m.about, m.flag) for m in found} == {
        ("3", "4", "4 for 3", "index"),
        ("True", "False", "False for True", "branch"),
        ("x <= 2 and not é and 0.0", "(x <= 2 or not é or 0.0)", "or for and", "branch"),
        ("0.0", "1.0", "1.0 for 0.0", "formula"),
        ("x <= 2", "(x < 2)", "< for <=", "branch"),
        ("2", "3", "3 for 2", "index"),
        ("not é", "(é)", "not turned", "branch"),
        ("-min(x, 1.5)", "(min(x, 1.5))", "a minus is left out", "sign"),
        ("min(x, 1.5)", "max(x, 1.5)", "max for min", "branch"),
        ("1.5", "2.25", "2.25 for 1.5", "formula"),
        ("x + 1", "(x - 1)", "- for +", "sign"),
        ("1", "2", "2 for 1", "index"),
        ("range(x)", "range(x - 1)", "one step fewer", "step"),
        ("clip_rows(x, é) / n", "(clip_rows(x, é) * n)", "* for /", "formula"),
        ("clip_rows(x, é) / n", "((clip_rows(x, é)) / (n - 1))", "n - 1 for n", "divisor"),
        ("clip_rows(x, é)", "(x)", "clip_rows is left out", "bound"),
        ('"é" * x', "('é' / x)", "/ for *", "formula"),
    }
    for mutant in found:
        changed = mutant.applied(SOURCE)
        ast.parse(changed)
        pairs = zip(SOURCE.splitlines(), changed.splitlines(), strict=True)
        (line,) = [i for i, (one, other) in enumerate(pairs, start=1) if one != other]
        assert line == mutant.line
        assert mutant.after in changed.splitlines()[line - 1]


def test_a_mutant_knows_its_function_and_whether_it_checks_arguments_only() -> None:
    source = (
        "LIMIT = 1.0\n@cache\ndef f(x):\n    if x < 0:\n        raise ValueError(1)\n"
        "    require_positive(x, y=2)\n    return x + LIMIT\n"
    )
    found = {m.before: (m.function, m.begins, m.checks) for m in mutants_of("f.py", source)}
    assert found["1.0"] == ("", 0, False)
    assert found["x < 0"] == found["2"] == ("f", 2, True)
    assert found["x + LIMIT"] == ("f", 2, False)


def test_a_module_is_as_it_was_afterwards_its_caches_included() -> None:
    right = curves.gaussian_dp_mu(0.5, 1e-5)
    source = inspect.getsource(curves)
    changed = source.replace("float(scipy.optimize.brentq(", "2 * float(scipy.optimize.brentq(")
    assert changed != source
    with recompiled(curves, changed):
        assert curves.gaussian_dp_mu(0.5, 1e-5) != right
    assert curves.gaussian_dp_mu(0.5, 1e-5) == right


def soft() -> Any:
    return proximal.soft_threshold(np.array([0.75, -2.0, 0.25]), 0.5)


def test_what_a_case_notices_is_named_and_nothing_else() -> None:
    right = soft()
    assert functions_run(soft)[0][0] == "reference.proximal"
    found = noticed(soft, lambda: not np.array_equal(soft(), right), most=9)
    assert {item["flag"] for item in found} <= set(FLAGS)
    assert {"twin": "+ for - in soft_threshold", "flag": "sign"} in found
    assert noticed(soft, lambda: False, most=9) == []
    assert noticed(lambda: None, lambda: True, most=9) == []
    assert noticed(soft, lambda: not np.array_equal(soft(), right), most=1) == found[:1]


def test_an_error_tells_nothing() -> None:
    def broken() -> bool:
        raise FloatingPointError

    assert noticed(soft, broken, most=9) == []


def test_a_printed_line_is_told_by_some_case(vectors: Any) -> None:
    shown = {
        printed["form"]
        for cases in vectors.values()
        for case in cases
        for printed in case.get("as_printed", ())
    }
    for line in LINES:
        assert line.erratum in errata()
        assert f"{line.about} (erratum {line.erratum})" in shown


def test_a_printed_line_whose_text_is_gone_is_an_error() -> None:
    line = PrintedLine("gone", "wang-2/E2", "reference.clipping", "no such text", "")
    with pytest.raises(ValueError, match="is 0 times in"):
        line.printed("x = 1")


def test_a_printed_line_gives_what_the_erratum_says() -> None:
    case = store.read(store.path_of("algorithms", "wang-2"))[1]
    line = next(line for line in LINES if line.erratum == "wang-2/E2")
    (shown,) = [item for item in case["as_printed"] if line.about in item["form"]]
    with recompiled(split_gradient_em, line.printed(inspect.getsource(split_gradient_em))):
        found = replayed(entry("wang-2").function, case["inputs"], draws_of(case["steps"]))
    np.testing.assert_allclose(found["result"], shown["result"], rtol=1e-12)
    assert not np.allclose(found["result"], case["result"])


def test_a_mutant_is_written_as_a_line_of_a_list() -> None:
    assert str(Mutant("f.py", 3, 0, 1, "a", "b")) == "f.py:3: a -> b"
