"""The page on continuous integration: its tests pass, and reports say what was noticed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs/in-ci.md").read_text(encoding="utf-8")
(TESTS,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_tests_of_the_page_pass_and_say_what_they_would_have_noticed(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(TESTS)
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--junitxml=privacy.xml")
    found.assert_outcomes(passed=2)
    (said,) = re.findall(r"^    (touchstone: .*)$", PAGE, flags=re.MULTILINE)
    assert said in found.outlines
    tree = ElementTree.parse(pytester.path / "privacy.xml")
    properties = {
        case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in tree.iter("testcase")
    }
    private, rate = properties["test_noisy_sum"], properties["test_the_error_of_the_mean"]
    assert private["touchstone.status"] == rate["touchstone.status"] == "holds"
    assert str(private["touchstone.certified"]).startswith("epsilon >= ")
    assert float(str(private["touchstone.noticeable"])) <= 1
    assert float(str(rate["touchstone.slope"])) == pytest.approx(-1, abs=0.3)
    assert set(re.findall(r"`(touchstone\.\w+)`", PAGE)) == {*private, *rate}


def test_a_failed_test_has_its_figures_and_is_not_counted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS.replace("scale=1.0", "scale=0.3"))
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--junitxml=privacy.xml")
    found.assert_outcomes(passed=1, failed=1)
    assert any(line.startswith("touchstone: 1 check passed;") for line in found.outlines)
    text = (pytester.path / "privacy.xml").read_text()
    assert 'name="touchstone.status" value="violated"' in text


def test_what_the_bluntest_of_them_would_have_noticed_is_said(pytester: pytest.Pytester) -> None:
    few = TESTS.replace("test_the_error_of_the_mean", "test_few").replace(
        "claim=-1", "claim=-1, repetitions=40, notice=0.9"
    )
    pytester.makepyfile(TESTS + few[few.index("@pytest.mark.scaling") :])
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    found.assert_outcomes(passed=3)
    (line,) = [line for line in found.outlines if line.startswith("touchstone: 3 checks passed")]
    assert float(line.rpartition("a rate ")[2].removesuffix(" short")) > 0.2


def test_nothing_is_said_where_nothing_is_marked(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert not [line for line in found.outlines if line.startswith("touchstone:")]


def test_the_recipes_are_yaml_that_run_the_plugin() -> None:
    recipes = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    assert len(recipes) == 3
    assert all("--junitxml=privacy.xml" in str(recipe) for recipe in recipes[:2])
    steps = recipes[0]["jobs"]["privacy"]["steps"]
    assert {next(iter(step)) for step in steps} == {"uses", "run"}
