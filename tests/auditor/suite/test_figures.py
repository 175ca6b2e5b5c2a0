"""The drawings of a report: what they show, and that nothing of them is covered or cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from auditor import figures
from auditor.suite.drawings import share_styles

EVIDENCE = json.loads(Path(__file__).with_name("evidence.json").read_text(encoding="utf-8"))
LOSS, RECIPE, SEARCH = (EVIDENCE[name] for name in ("privacy_loss", "scaling", "sensitivity"))


def drawn_figures(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Draw what covered or cut something once: a curve at 1, ratios of 1e12, long slopes."""
    monkeypatch.setattr(figures, "_svg", lambda figure, name: figure)
    yield figures.sensitivity_search(
        {"trace": {"d": [1.0, 8.7e12]}, "known_pair_ratio": 1.0}, "search"
    )
    epsilons = [0.0, 1.0, 6.0]
    curve = {"epsilon": epsilons, "estimate": [1.0] * 3, "lower": [0.9] * 3, "upper": [1.0] * 3}
    claim = {"claim": [0.4, 1e-2, 1e-2]}
    yield figures.delta_curve(
        {"delta_curve": {**curve, **claim}, "claimed_epsilon": 1.0, "claimed_delta": 1e-2}, "delta"
    )
    values = [1e10, 1e11, 1e12, 1e13]
    errors = [1e12, 1e11, 1e10, 1e9]
    yield figures.scaling(
        {
            "name": "n",
            "points": {
                "value": values,
                "median": errors,
                "lower_quartile": errors,
                "upper_quartile": errors,
            },
            "slope": -10.25,
            "slope_interval": [-10.55, -10.15],
            "claimed_slope": -10.0,
            "fitted_line": errors,
            "claimed_line": errors,
        },
        "scaling",
    )
    level = {"lower_quartile": [0.97, 0.98], "median": [1.1, 1.2], "upper_quartile": [1.3, 1.31]}
    falling = {key: [1.0, 1e-9] for key in level}
    between = {key: [0.3, 4.0] for key in level}
    yield figures.panels(
        {
            "panels": [
                {
                    "title": "each at once",
                    "x_label": "n",
                    "y_label": "error",
                    "x": [1e4, 1e6],
                    "log_x": True,
                    "log_y": True,
                    "curves": {f"{name} {i}": curve for i in range(5)},
                }
                for curve, name in (
                    (level, "a curve's average name"),
                    (between, "one"),
                    (falling, "one with a name that is a lot longer"),
                )
            ]
        },
        ("#000000",),
        "#d0d0d0",
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-2.5, "-2.5"),
        (0.001, "0.001"),
        (5e-4, "5e-4"),
        (1e12, "1e12"),
        (1e6, "1e6"),
        (4e4, "40000"),
    ],
)
def test_the_numbers_at_an_axis_are_short(value: float, text: str) -> None:
    assert figures._short(value) == text


def test_no_legend_covers_a_curve_and_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    for drawn in drawn_figures(monkeypatch):
        drawn.draw_without_rendering()
        inches = drawn.get_tightbbox()  # of all that is drawn
        width, height = drawn.get_size_inches()
        assert inches.x0 >= 0
        assert inches.y0 >= 0
        assert inches.x1 <= width
        assert inches.y1 <= height
        for axes in drawn.axes:
            legend, drawn_in = axes.get_legend().get_window_extent(), axes.get_window_extent()
            assert (
                legend.y0 >= drawn_in.y1 - 1 or legend.y1 <= axes.xaxis.label.get_window_extent().y0
            )
            assert not any(axis.get_offset_text().get_text() for axis in (axes.xaxis, axes.yaxis))
            low, high = axes.get_ylim()
            ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
            shown = {value: label for value, label in ticks if low <= value <= high}
            texts = [label.get_text() for label in shown.values()]
            assert 2 <= len(texts) <= 6
            middle = axes.transAxes.transform((0, 0.5))[1]
            least, most = (axes.transData.transform((1, f(shown)))[1] for f in (min, max))
            assert least < middle < most
            assert "$" not in "".join(texts)


def test_drawings_follow_their_evidence() -> None:
    svg = figures.delta_curve(LOSS, "a")
    assert svg == figures.delta_curve(LOSS, "a")
    assert svg != figures.delta_curve({**LOSS, "claimed_epsilon": 0.9}, "a")
    assert figures.delta_curve({}, "a") is None
    assert figures.trade_off({}, "a") is None
    assert figures.sensitivity_search({"trace": {}}, "a") is None
    assert list(figures.drawings("accounting", {}, "a")) == []
    search = figures.sensitivity_search(SEARCH, "a")
    assert search is not None
    assert "claimed bound" in search
    assert "slope -0.97 [-1.10, -0.90]" in figures.scaling(RECIPE, "a")


@pytest.mark.parametrize(
    ("twin", "says"),
    [
        ({}, ". Its twin, twice the noise, is noticed: slope -0.40, p = 0.0001."),
        ({"noticed": False}, "twice the noise, passes unnoticed: slope -0.40, p = 0.0001."),
        ({"noticed": None}, ". Its twin, twice the noise, is asked in the full tier."),
        ({"change": ""}, "Theorem 1: error O(1/n)"),
    ],
)
def test_a_caption_says_what_became_of_the_twin(twin: dict[str, Any], says: str) -> None:
    recipe = {**RECIPE, "twin": {**RECIPE["twin"], **twin}}
    ((_, caption),) = figures.drawings("scaling", {"recipes": [recipe]}, "a")
    assert caption.endswith(says)


def test_what_holds_is_drawn_once_and_all_else_in_every_way() -> None:
    for question, evidence, number in (("privacy_loss", LOSS, 2), ("sensitivity", SEARCH, 1)):
        assert len(list(figures.drawings(question, evidence, "a"))) == number
        assert len(list(figures.drawings(question, evidence, "a", plain=True))) == number - 1


def test_figures_share_their_styles() -> None:
    drawn = [figures.scaling(RECIPE, name) for name in ("a", "b")]
    shared, css = share_styles(drawn)
    assert len("".join(shared)) + len(css) < 0.7 * len("".join(drawn))
    assert not any("style=" in svg for svg in shared)
    classes = dict(re.findall(r"svg \.(s\d+) \{ (.*) \}", css))
    again = [re.sub(r'class="(s\d+)"', lambda m: f'style="{classes[m[1]]}"', s) for s in shared]
    assert again == drawn


def test_no_stand_in_colour_is_left_and_ids_differ_between_figures() -> None:
    first, second = (figures.trade_off(LOSS, name) for name in ("a", "b"))
    assert first is not None
    assert second is not None
    assert not re.search(r"#0[1-5]0[1-5]0[1-5]", first)
    assert "var(--claim)" in first
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_a_logarithmic_axis_marks_a_few_of_the_values_alone() -> None:
    axes = Figure().subplots()
    axes.set_xscale("log")
    values = np.array([3.0, 6.0, 12.0, 24.0, 48.0, 96.0])
    axes.plot(values, values)
    figures._plain_ticks(axes, values)
    assert axes.get_xticks().tolist() == [3.0, 12.0, 48.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["3", "12", "48"]
    assert axes.get_xticks(minor=True).size == 0
