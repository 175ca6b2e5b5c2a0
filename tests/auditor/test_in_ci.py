"""The page on continuous integration: its tests pass, and reports say what was noticed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.suite.keys import Sources

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs/how-to/in-ci.md").read_text(encoding="utf-8")
(TESTS,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def properties(report: Path) -> dict[str | None, dict[str | None, str | None]]:
    """Return name of a test -> its properties in a junit file."""
    return {
        case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in ElementTree.parse(report).iter("testcase")
    }


def test_the_tests_of_the_page_pass_and_say_what_they_would_have_noticed(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(TESTS)
    passed, unchanged = re.findall(r"^    (touchstone: .*)$", PAGE, flags=re.MULTILINE)
    found = pytester.runpytest_subprocess("--private-changed", "--junitxml=privacy.xml")
    found.assert_outcomes(passed=2)
    assert passed in found.outlines
    first = properties(pytester.path / "privacy.xml")
    private, rate = first["test_noisy_sum"], first["test_the_error_of_the_mean"]
    assert private["touchstone.status"] == rate["touchstone.status"] == "holds"
    assert str(private["touchstone.certified"]).startswith("epsilon >= ")
    assert float(str(private["touchstone.noticeable"])) <= 1
    assert float(str(rate["touchstone.slope"])) == pytest.approx(-1, abs=0.3)
    names = {*private, *rate, "touchstone.kept"}
    assert set(re.findall(r"`(touchstone\.\w+)`", PAGE)) == names
    found = pytester.runpytest_subprocess("--private-changed", "--junitxml=privacy.xml")
    found.assert_outcomes(passed=2)
    assert unchanged in found.outlines
    second = properties(pytester.path / "privacy.xml")
    assert second == {name: {**said, "touchstone.kept": "True"} for name, said in first.items()}


def test_a_failed_test_has_its_figures_and_is_not_counted(pytester: Any, run_pytest: Any) -> None:
    pytester.makepyfile(TESTS.replace("scale=1.0", "scale=0.3"))
    found = run_pytest("-p", "no:cacheprovider", "--junitxml=privacy.xml")
    found.assert_outcomes(passed=1, failed=1)
    assert any(line.startswith("touchstone: 1 check passed;") for line in found.outlines)
    text = (pytester.path / "privacy.xml").read_text()
    assert 'name="touchstone.status" value="violated"' in text


def test_what_the_bluntest_of_them_would_have_noticed_is_said(
    pytester: Any, run_pytest: Any
) -> None:
    few = TESTS.replace("test_the_error_of_the_mean", "test_few").replace(
        "claim=-1", "claim=-1, repetitions=40, notice=0.9"
    )
    pytester.makepyfile(TESTS + few[few.index("@pytest.mark.scaling") :])
    found = run_pytest("-p", "no:cacheprovider")
    found.assert_outcomes(passed=3)
    (line,) = [line for line in found.outlines if line.startswith("touchstone: 3 checks passed")]
    assert float(line.rpartition("a rate ")[2].removesuffix(" short")) > 0.2


MARKED = """
import pytest
import another
from noise_of_mine import noise

@pytest.mark.private(epsilon=1.0, pair=([0, 1], [0, 0]), samples=SAMPLES)
def test_sum(data, rng, scale):
    return sum(data) + scale * noise(rng)
"""


def edited(hashes: Any, name: str, sources: Sources, *roots: str) -> dict[str, str]:
    """Return the hashes of modules as if one that is among them were another."""
    found: dict[str, str] = hashes(sources, *roots)
    return {**found, **({name: "another"} if name in found else {})}


def test_what_passed_is_carried_out_again_when_something_it_depends_on_has_changed(
    pytester: pytest.Pytester, run_pytest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "pytest.ini": "[pytest]\n",
        "conftest.py": "import pytest\n\n@pytest.fixture\ndef scale():\n    return 1.0\n",
        "test_mine.py": MARKED.replace("SAMPLES", "2000"),
        "noise_of_mine.py": "def noise(rng):\n    return rng.laplace(scale=1.0)\n",
        "another.py": "",
        "unrelated.py": "",
        "inner/conftest.py": "",  # of the same name as the other
        "inner/test_inner.py": MARKED.replace("SAMPLES", "20, allow_inconclusive=True"),
    }
    for name, text in files.items():
        (pytester.path / name).parent.mkdir(exist_ok=True)
        (pytester.path / name).write_text(text)

    def kept(*arguments: str, passed: int = 2) -> bool:
        """Return whether what passed because its claim holds was kept; nothing else ever is."""
        found = run_pytest(*arguments)
        found.assert_outcomes(passed=passed, failed=2 - passed)
        text = found.stdout.str()
        assert text.count("before, unchanged since") == text.count("(1 before, unchanged since)")
        return "unchanged" in text

    assert not kept("--private-changed")
    assert kept("--private-changed")
    assert not kept()  # without the option everything is run
    assert kept("--private-changed")
    assert not kept("--private-changed", "--private-seed=5")
    edits = {
        "test_mine.py": "# edited",
        "noise_of_mine.py": "# edited",
        "another.py": "# edited",
        "conftest.py": "# edited",
        "inner/conftest.py": "# edited",
        "pytest.ini": "private_seed = 77",
    }
    for name, line in edits.items():
        with open(pytester.path / name, "a") as file:
            file.write(f"{line}\n")
        assert not kept("--private-changed"), name
    (pytester.path / "unrelated.py").write_text("# edited\n")
    assert kept("--private-changed")
    own = Sources.hashes
    for name in ("auditor.checking.engine", "auditor.pytest_plugin"):
        with monkeypatch.context() as patch:
            patch.setattr(Sources, "hashes", partialmethod(partial(edited, own, name)))
            assert not kept("--private-changed"), name
        assert not kept("--private-changed")  # as it was
    weak = files["noise_of_mine.py"].replace("1.0", "0.2")
    (pytester.path / "noise_of_mine.py").write_text(weak)
    assert not kept("--private-changed", passed=0)
    assert not kept("--private-changed", passed=0)


def test_without_pytests_cache_nothing_can_be_kept(pytester: Any, run_pytest: Any) -> None:
    pytester.makepyfile(TESTS)
    found = run_pytest("--private-changed", "-p", "no:cacheprovider")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["ERROR: --private-changed keeps what passed in pytest's cache,*"])


def test_nothing_is_said_where_nothing_is_marked(pytester: Any, run_pytest: Any) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    found = run_pytest("-p", "no:cacheprovider")
    assert not [line for line in found.outlines if line.startswith("touchstone:")]


def test_the_recipes_are_yaml_that_run_the_plugin() -> None:
    recipes = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    assert len(recipes) == 4
    assert all("--junitxml=privacy.xml" in str(recipe) for recipe in recipes[:2])
    steps = recipes[0]["jobs"]["privacy"]["steps"]
    assert {next(iter(step)) for step in steps} == {"uses", "run"}
