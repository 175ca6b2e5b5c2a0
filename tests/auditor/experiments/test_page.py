"""The pages on experiments in docs/: words and pictures are those of the numbers kept there."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from auditor.core.errors import InputError
from auditor.experiments import page
from auditor.experiments.experiment import LEVEL, experiments
from auditor.experiments.kept import _fits
from auditor.site import guides

FOLDER = Path(__file__).parents[3] / "docs/experiments"
PNG = b"\x89PNG"


def test_every_family_has_a_page_and_its_numbers() -> None:
    for ending in ("md", "json"):
        assert {path.stem for path in FOLDER.glob(f"*.{ending}")} == set(experiments())


@pytest.mark.parametrize("family", experiments())
def test_a_page_says_what_its_numbers_say(family: str) -> None:
    kept = page.read(family, FOLDER)
    assert kept["tier"] == "full"
    written = (FOLDER / f"{family}.md").read_text(encoding="utf-8")
    assert written == page.text(kept, family)
    assert (FOLDER / f"{family}.json").read_text(encoding="utf-8") == page.dump(kept)
    for result in kept["results"]:
        for trend in result["trends"]:
            assert f"| {trend['words']} | " in written
            assert f" | {trend['wins']}, {trend['losses']} |" in written


@pytest.mark.parametrize("family", experiments())
def test_the_numbers_are_of_the_experiments_that_there_are(family: str) -> None:
    kept, own = page.read(family, FOLDER), experiments()[family]
    assert [result["name"] for result in kept["results"]] == list(own)
    for result in kept["results"]:
        one = own[result["name"]]
        assert (result["caption"], result["setting"]) == (one.caption, one.setting)
        assert [t["words"] for t in result["trends"]] == [t.words for t in one.trends]
        assert [p["title"] for p in result["panels"]] == [p.title for p in one.panels("full")]
        assert _fits(result, one.name)


@pytest.mark.parametrize("family", experiments())
def test_a_trend_is_seen_if_its_repetitions_say_so(family: str) -> None:
    own = experiments()[family]
    for result in page.read(family, FOLDER)["results"]:
        for trend, kept in zip(own[result["name"]].trends, result["trends"], strict=True):
            wins, losses = kept["wins"], kept["losses"]
            assert wins + losses <= result["repetitions"]
            likely = [stats.binom.sf(k - 1, wins + losses, 0.5) > LEVEL for k in (wins, losses)]
            expected = {(False, True): "seen", (True, False): "reversed"}
            assert kept["result"] == expected.get((likely[0], likely[1]), "not clear")
            if kept["result"] == "not clear":
                continue
            # where nearly all repetitions agree, their medians do: the gain has the right sign
            panel = result["panels"][trend.panel]
            curves = {label: np.array(one["median"]) for label, one in panel["curves"].items()}
            if max(wins, losses) > 0.7 * (wins + losses):
                assert np.sign(trend.gain(curves)) == np.sign(wins - losses), trend.words


def test_what_is_not_a_number_is_not_kept() -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        page.dump({"tier": "quick", "seed": 0, "results": [{"x": float("nan")}]})


def test_a_picture_is_drawn_of_the_numbers() -> None:
    kept = page.read("em", FOLDER)
    first = {**kept, "results": kept["results"][:1]}
    ((name, picture),) = page.pictures(first, "em")
    assert name == "experiments-em-000-figure-1.png"
    assert picture.startswith(PNG)
    other = deepcopy(first)
    curve = next(iter(other["results"][0]["panels"][0]["curves"].values()))
    curve["median"][0] *= 1.5
    ((_, changed),) = page.pictures(other, "em")
    assert changed != picture


def test_the_site_shows_every_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page.figures, "panels", lambda *_: Blank())
    drawn, pages = dict(guides.drawn()), dict(guides.guides())
    for family, own in experiments().items():
        for name in own:
            picture = page.picture_name(name, family)
            assert f"]({picture})" in pages[f"guides/experiments-{family}"]
            assert f"guides/{picture}" in drawn


class Blank:
    """A figure that is not drawn."""

    def savefig(self, *_: object, **__: object) -> None:
        """Write nothing."""


def test_a_page_without_its_numbers_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guides, "ROOT", tmp_path)
    monkeypatch.setattr(guides, "EXPERIMENTS", tmp_path / "docs/experiments")
    monkeypatch.setattr(guides, "ELSEWHERE", {})
    (tmp_path / "docs/experiments").mkdir(parents=True)
    (tmp_path / "docs/experiments/em.md").write_text("# Experiments: em\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"em\.json is missing; run `touchstone experiments em"):
        list(guides.guides())


@pytest.mark.parametrize(
    "broken",
    [
        lambda result: result["panels"][0].pop("curves"),
        lambda result: result["trends"][0].update(result="perhaps"),
        lambda result: result.update(setting="<script>"),
        lambda result: result.update(picture="other.png"),
    ],
)
def test_broken_numbers_are_refused(tmp_path: Path, broken: object) -> None:
    kept = page.read("em", FOLDER)
    result = deepcopy(kept["results"][0])
    (tmp_path / "em.json").write_text(page.dump({**kept, "results": [result]}), encoding="utf-8")
    assert page.read("em", tmp_path)["results"] == [json.loads(json.dumps(result))]
    assert callable(broken)
    broken(result)
    (tmp_path / "em.json").write_text(page.dump({**kept, "results": [result]}), encoding="utf-8")
    with pytest.raises(InputError, match="is broken"):
        page.read("em", tmp_path)
