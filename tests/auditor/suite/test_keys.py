"""Keys: they change with what a verdict depends on, and with nothing else."""

import importlib
import inspect
import sys
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.verdict import QUESTIONS
from auditor.described import build_case, builders
from auditor.questions.table import BY_FORM
from auditor.suite import keys as module
from auditor.suite.keys import Sources, is_stale, key
from auditor.suite.plan import AuditUnit, number_of_tests, plan
from auditor.suite.store import FormResult, Result, Settings

FILES = {
    "__init__.py": "",
    "core.py": "import math\n",
    "extra.py": "x = 1\n",
    "questions/__init__.py": "from fakehouse import report\n",
    "questions/loss.py": "from fakehouse.core import anything\n",
    "questions/scale.py": "def ask():\n    from fakehouse import extra\n",
    "questions/table.py": "from fakehouse.questions import loss, scale\n",
    "cases/__init__.py": "x = 1\n",
    "cases/one.py": "import fakehouse.algorithms.one\nfrom . import data\n",
    "cases/two.py": "from ..algorithms.two import two\n",
    "cases/data.py": "import numpy as np\n",
    "algorithms/__init__.py": "from fakehouse.algorithms.two import two\n",
    "algorithms/one.py": "from fakehouse.errata import one\n",
    "algorithms/two.py": "",
    "errata/__init__.py": "",
    "errata/one.py": "from fakehouse.algorithms import shared\n",
    "zoo.py": "",
    "report.py": "",
}
"""``shared`` is a name in the package ``algorithms`` and no module: by it, one depends on two."""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "fakehouse"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield root
    forget()


def forget() -> None:
    module._path.cache_clear()
    module._folders.cache_clear()


def names(*roots: str) -> set[str]:
    found = Sources().dependencies(*(f"fakehouse.{root}" for root in roots))
    return {name.partition(".")[2] for name in found}


def test_imports_are_followed_wherever_they_stand(house: Path) -> None:
    assert names("questions.loss") == {"questions.loss", "core"}
    assert names("questions.scale") == {"questions.scale", "extra"}
    assert names("cases.two") == {"cases.two", "algorithms.two"}
    assert names("cases.one") == {
        "cases.one", "cases.data", "algorithms.one", "errata.one", "algorithms", "algorithms.two",
    }  # fmt: skip
    assert "fakehouse" not in sys.modules  # nothing of it was imported


def digests() -> dict[tuple[str, str], str]:
    sources = Sources()
    return {
        (question, case): sources.digest(f"fakehouse.questions.{question}", f"fakehouse.{case}")
        for question in ("loss", "scale")
        for case in ("cases.one", "cases.two")
    }


@pytest.mark.parametrize(
    ("edited", "loss_1", "scale_1", "loss_2", "scale_2"),
    [
        ("questions/loss.py", True, False, True, False),
        ("core.py", True, False, True, False),
        ("extra.py", False, True, False, True),
        ("cases/one.py", True, True, False, False),
        ("cases/data.py", True, True, False, False),
        ("errata/one.py", True, True, False, False),
        ("algorithms/__init__.py", True, True, False, False),
        ("algorithms/two.py", True, True, True, True),
        ("questions/table.py", False, False, False, False),
        ("questions/__init__.py", False, False, False, False),
        ("cases/__init__.py", False, False, False, False),
        ("__init__.py", False, False, False, False),
        ("zoo.py", False, False, False, False),
        ("report.py", False, False, False, False),
    ],
)
def test_an_edit_changes_exactly_what_depends_on_it(
    house: Path, edited: str, loss_1: bool, scale_1: bool, loss_2: bool, scale_2: bool
) -> None:
    before = digests()
    with open(house / edited, "a") as file:
        file.write("# edited\n")
    after = digests()
    changed = {name: after[name] != before[name] for name in after}
    assert changed == {
        ("loss", "cases.one"): loss_1,
        ("scale", "cases.one"): scale_1,
        ("loss", "cases.two"): loss_2,
        ("scale", "cases.two"): scale_2,
    }


def test_a_new_module_changes_nothing_until_it_is_imported(house: Path) -> None:
    before = digests()
    (house / "cases" / "three.py").write_text("from fakehouse.algorithms import one\n")
    assert digests() == before


def test_line_ends_are_no_change(house: Path) -> None:
    before = digests()
    path = house / "questions" / "scale.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digests() == before


def test_a_module_without_a_source_has_no_key() -> None:
    with pytest.raises(InputError, match=r"nowhere\.cases has no source file"):
        Sources().digest("nowhere.cases")


UNIT = AuditUnit("wang-1", "corrected", "scaling")


def test_the_key_depends_on_settings_path_level_and_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sources = Sources()
    base = Context(tests=5, path=("wang-1", "corrected"))
    contexts = [
        base,
        replace(base, tier="full"),
        replace(base, seed=1),
        replace(base, confidence=0.99),
        replace(base, tests=6),
        replace(base, path=("wang-1", "printed")),
    ]
    module_of_case = builders()["wang-1"].__module__
    found = {key(sources, module_of_case, UNIT, context) for context in contexts}
    for other in (
        AuditUnit("wang-2", "corrected", "scaling"),
        AuditUnit("wang-1", "corrected", "mutants"),
    ):
        found.add(key(sources, module_of_case, other, base))
    assert len(found) == 8
    assert key(Sources(), module_of_case, UNIT, base) in found
    monkeypatch.setattr(module, "_version", lambda name: "0")
    module._libraries.cache_clear()
    assert key(sources, module_of_case, UNIT, base) not in found
    module._libraries.cache_clear()


# ------------------------------------------------------------------- the catalogue itself


@pytest.mark.parametrize("identifier", sorted(builders()))
def test_a_case_is_built_where_it_is_listed_and_depends_on_no_question(identifier: str) -> None:
    # else its key would not see its own file, or see every question's
    builder = builders()[identifier]
    assert importlib.import_module(builder.__module__).CASES[identifier] is builder
    found = Sources().dependencies(builder.__module__)
    assert build_case(identifier).id == identifier
    forbidden = ("auditor.questions", "auditor.suite", "auditor.checking", "auditor.zoo")
    assert [name for name in found if name.startswith(forbidden)] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_depends_on_no_algorithm_and_no_presentation(question: str) -> None:
    found = Sources().dependencies(f"auditor.questions.{question}")
    # the ranges of parameters are one table for all algorithms
    allowed = ("reference.privacy", "reference._validation", "reference.parameters")
    assert [n for n in found if n.startswith("reference.") and not n.startswith(allowed)] == []
    others = (
        "auditor.described",
        "auditor.suite",
        "auditor.zoo",
        "auditor.cli",
        "auditor.experiments",
    )
    assert [name for name in found if name.startswith(others)] == []


@pytest.mark.parametrize("question", sorted(BY_FORM))
def test_what_reads_shared_runs_depends_on_how_they_are_made(question: str) -> None:
    # the table hands them over, and is not followed
    asked = importlib.import_module(f"auditor.questions.{question}")
    reads = "runs" in inspect.signature(asked.audit).parameters
    found = Sources().dependencies(asked.__name__)
    assert ("auditor.transcript.shared" in found) >= reads


def test_only_statements_are_looked_through_for_imports() -> None:
    source = """
        import a
        try:
            from auditor.core import pair_names
        except ImportError:
            import auditor.core.errors
        else:
            import auditor.core.rates
        finally:
            import auditor.core.context
        def f():
            match 1:
                case 1:
                    with g():
                        import auditor.core.verdict
                case _:
                    while h():
                        import auditor.core.case
                    else:
                        import auditor.core.witness
        class C:
            if True:
                import auditor.core.mutation
            elif False:
                import auditor.core.version
    """
    names = [
        "case",
        "context",
        "errors",
        "mutation",
        "rates",
        "pair_names",
        "verdict",
        "version",
        "witness",
    ]
    found = module._imports(textwrap.dedent(source).encode(), "auditor")
    assert found == {f"auditor.core.{name}" for name in names}


def all_keys() -> dict[AuditUnit, str]:
    sources = Sources()
    found = {}
    for identifier, builder in builders().items():
        case = builder()
        for unit in plan(case):
            context = Settings().context(number_of_tests(case, unit.form))
            own = context.at(identifier, unit.form)
            found[unit] = key(sources, builder.__module__, unit, own)
    return found


def test_all_keys_differ_and_take_no_time() -> None:
    for builder in builders().values():
        builder()  # not what is timed
    start = time.process_time()
    found = all_keys()
    assert time.process_time() - start < 10  # 0.6 s and the cases' own time on an idle machine
    assert len(set(found.values())) == len(found) > 500


def test_how_often_a_question_is_asked_is_part_of_every_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, digest = all_keys(), Sources.digest

    def edited(sources: Sources, *roots: str) -> str:
        changed = "auditor.questions.expected" in sources.dependencies(*roots)
        return "edited" if changed else digest(sources, *roots)

    monkeypatch.setattr(Sources, "digest", edited)
    assert [unit for unit, own in all_keys().items() if own == before[unit]] == []


def stored(builder: Callable[[], object], question: str, tests: int) -> Result:
    context = Settings().context(tests).at("fake", "corrected")
    own = key(Sources(), builder.__module__, AuditUnit("fake", "corrected", question), context)
    form = FormResult("claim", 1.0, 0.0, None, {}, {}, tests, {}, {question: own})
    return Result("fake", Settings(), {"corrected": form})


def test_a_result_of_other_code_or_of_no_known_algorithm_is_stale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builder = builders()["wang-1"]
    result = stored(builder, "scaling", 4)
    assert not is_stale(result, {"fake": builder.__module__})
    assert is_stale(result, {})
    form = result.forms["corrected"]
    fewer = replace(result, forms={"corrected": replace(form, tests=3)})
    assert is_stale(fewer, {"fake": builder.__module__})
    monkeypatch.setattr(Sources, "digest", lambda *roots: "other code")
    assert is_stale(result, {"fake": builder.__module__})


def test_an_extra_moves_no_library_that_verdicts_depend_on() -> None:
    # else installing it would throw every verdict away: its upper bounds are the core's as well
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    core = {r.name: r.specifier for r in map(Requirement, project["dependencies"])}
    extras = {
        Requirement(r).name
        for name in ("proofs", "cluster")
        for r in project["optional-dependencies"][name]
    }
    bounds = [
        (needed.name, bound)
        for extra in sorted(extras)
        for needed in map(Requirement, metadata.requires(extra) or ())
        if needed.name in module.LIBRARIES and needed.marker is None
        for bound in needed.specifier
        if bound.operator in ("<", "<=", "==", "~=")
    ]
    assert [name for name, bound in bounds if bound not in set(core[name])] == []
    assert "mpmath" in dict(bounds)


def test_a_public_name_stands_for_its_module(house: Path) -> None:
    (house / "public.py").write_text("from auditor import rate_slope, InputError\n")
    found = Sources().dependencies("fakehouse.public")
    assert found == {
        "fakehouse.public",
        *Sources().dependencies("auditor.core.rates"),
        "auditor.core.errors",
    }
    (house / "whole.py").write_text("import auditor\n")
    assert "auditor.checking.engine" in Sources().dependencies("fakehouse.whole")
