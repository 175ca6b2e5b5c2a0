"""Results of a check: drawn, shown in a notebook, and sent from one process to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import auditor
from auditor.checking.result import Measurement, received_verdict
from auditor.core.verdict import Verdict
from auditor.runs.wire import Malformed


def noisy_sum(data: Any, rng: np.random.Generator) -> float:
    return float(sum(data) + rng.laplace(scale=0.5))


@pytest.fixture(scope="module")
def found() -> auditor.CheckResult:
    return auditor.check(noisy_sum, pair=([0, 1], [0, 0]), epsilon=1.0, samples=5000)


def test_the_plot_shows_the_event_and_what_it_certifies(
    found: auditor.CheckResult, tmp_path: Path
) -> None:
    figure = found.plot(tmp_path / "check.svg")
    left, right = figure.axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == [
        f"on {side}" for side in found.direction.split(" against ")
    ]
    shares = [line.get_xdata()[0] for line in left.get_lines() if line.get_marker() == "o"]
    (k, n), (m, size) = found.first, found.second
    assert shares == pytest.approx([k / n, m / size])
    ends = [segment[:, 0] for bars in left.collections for segment in bars.get_segments()]
    for (hits, runs), (low, high) in zip((found.first, found.second), ends, strict=True):
        exact = stats.binomtest(hits, runs).proportion_ci(found.confidence)
        assert (low, high) == pytest.approx((exact.low, exact.high))
    (bar,) = right.patches
    assert bar.get_width() == pytest.approx(found.level_lower)
    assert [tick.get_text() for tick in right.get_yticklabels()] == ["certified"]
    assert right.get_ylim() == pytest.approx((0.6, -0.6))
    (claim,) = right.get_lines()
    assert list(claim.get_xdata()) == [1.0, 1.0]
    assert "<svg" in (tmp_path / "check.svg").read_text()


def test_the_plot_of_a_pass_says_what_would_have_been_noticed() -> None:
    held = auditor.check(noisy_sum, pair=([0, 1], [0, 0]), epsilon=2.0, samples=20_000)
    assert held.status == "holds"
    assert held.noticeable < float("inf")
    certified, noticed = held.plot().axes[1].patches
    assert certified.get_width() == pytest.approx(held.level_lower)
    assert noticed.get_width() == pytest.approx(2.0 * (1 + held.noticeable))
    axes = held.plot().axes[1]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "certified",
        "would be\nnoticed",
    ]
    below, above = axes.get_ylim()
    for bar in axes.patches:  # both whole within the axes
        assert above < bar.get_y() < bar.get_y() + bar.get_height() < below


def test_a_figure_shows_itself_in_a_notebook(found: auditor.CheckResult) -> None:
    assert found.plot()._repr_png_().startswith(b"\x89PNG")


def test_it_cannot_be_saved_where_nothing_can(found: auditor.CheckResult, tmp_path: Path) -> None:
    with pytest.raises(auditor.InputError, match="cannot be saved"):
        found.plot(tmp_path / "no" / "check.png")
    with pytest.raises(auditor.InputError, match="cannot be saved"):
        found.plot(tmp_path / "check.unknown")


def test_a_notebook_shows_the_answer_in_words(found: auditor.CheckResult) -> None:
    shown = found._repr_html_()
    assert shown.startswith('<p><b style="color: #b3261e">violated</b> ')
    assert "&gt;" in shown  # the event has a > in it
    rate = auditor.check_scaling(
        lambda rng, n: (1 + rng.random() / 1e6) / n,
        along="n<b>",
        values=[1, 2, 4, 8],
        claim=-1,
        repetitions=5,
    )
    assert "n&lt;b&gt;" in rate._repr_html_()
    assert ">holds<" in rate._repr_html_()


def test_an_answer_comes_back_and_what_is_none_is_malformed(found: auditor.CheckResult) -> None:
    """The figures of a check may be anything; in other answers every field has its type."""
    verdict = Verdict("accounting", "holds", "so", p_value=0.5)
    measured = auditor.measure_samples(np.arange(50.0), np.arange(50.0))
    words = ("status", "summary", "claim", "symbol", "event", "direction")
    for receive, sent, answer, checked in (
        (type(found).received, found.sent(), found, (*words, "questions", "findings", "witness")),
        (Measurement.received, measured.sent(), measured, measured.sent()),
        (received_verdict, vars(verdict), verdict, vars(verdict)),
    ):
        assert receive(sent) == answer
        strange = [{**sent, name: 1j} for name in checked]
        strange += [{**sent, "findings": type(sent["findings"])([1])}, {**sent, "more": 1}, [sent]]
        for one in strange:
            with pytest.raises(Malformed):
                receive(one)
