"""Random one-line mutants: what they change, and which tests they are tried on."""

from __future__ import annotations

import ast

import pytest

from benchmarks import one_line_mutants
from benchmarks.one_line_mutants import Mutant, importing_tests, mutants_of, try_all

SOURCE = '''
def f(x: Literal[7] = 3, *, é: bool = True) -> "float":
    """Return 1 + 1."""
    if x <= 2 and not é:
        return -min(x, 1.5) * (
            x + 1
        )
    return "é" * x
'''


def test_every_mutant_changes_one_expression_on_one_line() -> None:
    found = list(mutants_of("f.py", SOURCE))
    assert {(m.before, m.after) for m in found} == {
        ("3", "4"),
        ("True", "False"),
        ("x <= 2 and not é", "(x <= 2 or not é)"),
        ("x <= 2", "(x < 2)"),
        ("2", "3"),
        ("not é", "(é)"),
        ("-min(x, 1.5)", "(min(x, 1.5))"),
        ("min(x, 1.5)", "max(x, 1.5)"),
        ("1.5", "2.25"),
        ("x + 1", "(x - 1)"),
        ("1", "2"),
        ('"é" * x', "('é' / x)"),
    }
    for mutant in found:
        changed = mutant.applied(SOURCE)
        ast.parse(changed)
        pairs = zip(SOURCE.splitlines(), changed.splitlines(), strict=True)
        (line,) = [i for i, (one, other) in enumerate(pairs, start=1) if one != other]
        assert line == mutant.line
        assert mutant.after in changed.splitlines()[line - 1]


def test_the_tests_of_a_module_are_those_that_import_it() -> None:
    names = [test.name for test in importing_tests("auditor/questions/mutants.py")]
    assert names[0] == "test_mutants.py"
    assert "test_samplers.py" in names
    assert "test_conclude.py" not in names


def test_a_mutant_is_tried_alone_and_one_that_no_test_sees_survives(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    def run(tree, tests):
        text = (tree / "auditor/core/sides.py").read_text() + (
            tree / "auditor/core/version.py"
        ).read_text()
        seen.append(text)
        return "FAILED somewhere" if "# broken" in text else "passed"

    monkeypatch.setattr(one_line_mutants, "_run", run)
    monkeypatch.setattr(one_line_mutants, "COPIED", ("auditor",))
    monkeypatch.setattr(
        one_line_mutants, "importing_tests", lambda path: [one_line_mutants.ROOT / path]
    )
    caught = Mutant("auditor/core/sides.py", 1, 0, 0, "", "# broken ")
    missed = Mutant("auditor/core/version.py", 1, 0, 0, "", "# harmless ")
    assert try_all([caught, missed]) == {caught: "FAILED somewhere", missed: "survives"}
    # both files without a mutant, then with it: never both at once
    assert [("# broken" in text, "# harmless" in text) for text in seen] == [
        (False, False),
        (True, False),
        (False, False),
        (False, True),
    ]
    assert "[survives]" in capsys.readouterr().out
