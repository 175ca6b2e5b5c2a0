"""Figures of the report, as small SVG fragments that take their colours from the page.

Every function takes the evidence of one verdict and returns an SVG string, or ``None`` if the
evidence holds nothing to draw. The same evidence gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from auditor.statistics.proportions import clopper_pearson
from reference._validation import FloatArray

EvidenceFields = Mapping[str, Any]

# Stand-ins, replaced by the page's CSS variables so that figures follow its light or dark scheme.
_INK, _FAINT, _SEEN, _CLAIM, _OTHER = "#010101", "#020202", "#030303", "#040404", "#050505"
_VARIABLES = {
    _INK: "var(--ink)",
    _FAINT: "var(--line)",
    _SEEN: "var(--seen)",
    _CLAIM: "var(--claim)",
    _OTHER: "var(--other)",
}

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 10.0,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.color": _INK,
    "lines.linewidth": 1.8,
}


def trade_off(evidence: EvidenceFields, name: str) -> str | None:
    """Draw the trade-off curve of telling D from D' against the least the claim allows."""
    curve = evidence.get("trade_off")
    if curve is None:
        return None
    figure, axes = _figure()
    x = _numbers(curve["type_1"])
    axes.fill_between(
        x, _numbers(curve["lower"]), _numbers(curve["upper"]), color=_SEEN, alpha=0.18, lw=0
    )
    axes.plot(x, _numbers(curve["estimate"]), color=_SEEN, label="seen, with band")
    axes.plot(x, _numbers(curve["claim"]), color=_CLAIM, ls="--", label="claim: nothing below")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="type I error", ylabel="type II error")
    _legend(axes)
    return _svg(figure, name)


def delta_curve(evidence: EvidenceFields, name: str) -> str | None:
    """Draw delta(epsilon) of the transcripts against the claim's."""
    curve = evidence.get("delta_curve")
    if curve is None:
        return None
    figure, axes = _figure()
    x = _numbers(curve["epsilon"])
    floor = _floor([curve["upper"], curve["claim"], [evidence.get("claimed_delta", 0.0)]])
    lower, upper, estimate, claim = (
        np.maximum(_numbers(curve[part]), floor) for part in ("lower", "upper", "estimate", "claim")
    )
    axes.fill_between(x, lower, upper, color=_SEEN, alpha=0.18, lw=0)
    axes.plot(x, estimate, color=_SEEN, label="seen, with bounds")
    axes.plot(x, claim, color=_CLAIM, ls="--", label="claim")
    (claimed_epsilon, claimed_delta) = _numbers(
        [evidence["claimed_epsilon"], evidence["claimed_delta"]]
    )
    axes.plot([claimed_epsilon], [max(claimed_delta, floor)], "o", color=_CLAIM, ms=6)
    axes.set(yscale="log", xlabel="ε", ylabel="δ(ε)", ylim=(floor, 1.5), xlim=(0, None))
    _plain_decades(axes)
    _legend(axes)
    return _svg(figure, name)


def sensitivity_search(evidence: EvidenceFields, name: str) -> str | None:
    """Draw the largest distance found so far, relative to the claimed bound."""
    traces = evidence.get("trace", {})
    found = np.concatenate([np.zeros(0), *(_numbers(trace) for trace in traces.values())])
    if not found.size:
        return None
    figure, axes = _figure()
    known = float(evidence.get("known_pair_ratio") or 0.0)
    finite = [value for value in (*found, known) if math.isfinite(value)]
    top = 1.15 * max([1.0, *finite])  # an infinite distance is drawn here, and said to be one
    seen = np.where(np.isnan(found), 0.0, np.clip(found, 0.0, top))
    best = np.maximum.accumulate(seen)
    search = "search: infinite" if np.isposinf(found).any() else "search"
    axes.plot(np.arange(1, best.size + 1), best, color=_SEEN, drawstyle="steps-post", label=search)
    if known > 0:
        label = "known worst pair" + (": infinite" if math.isinf(known) else "")
        axes.axhline(min(known, top), color=_OTHER, ls=":", label=label)
    axes.axhline(1.0, color=_CLAIM, ls="--", label="claimed bound")
    axes.set(
        xlabel="pairs tried", ylabel="distance / bound", xlim=(1, max(best.size, 2)), ylim=(0, top)
    )
    _legend(axes)
    return _svg(figure, name)


def scaling(recipe: EvidenceFields, name: str) -> str:
    """Draw the error of one scaling recipe on doubly logarithmic axes, with the claimed slope."""
    figure, axes = _figure()
    _scaling(axes, recipe, _SEEN, _CLAIM)
    return _svg(figure, name)


class NotebookFigure(Figure):
    """A figure that shows itself in a notebook, where matplotlib does so for pyplot's alone."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()


def check_figure(found: EvidenceFields) -> NotebookFigure:
    """Return what a check certified, what it would have noticed, and how often its event happened.

    Parameters
    ----------
    found : mapping
        The fields of a :class:`~auditor.checking.result.CheckResult`.
    """
    faint, seen, claim = _OWN
    with mpl.rc_context({**_STYLE, "grid.color": faint, "axes.edgecolor": faint}):
        figure = NotebookFigure(figsize=(8.4, 3.0), layout="constrained")
        left, right = figure.subplots(1, 2)
    sides = found["direction"].split(" against ")
    for row, (k, n) in enumerate((found["first"], found["second"])):
        if not n:
            continue
        low, high = map(float, clopper_pearson(k, n, (1 - found["confidence"]) / 2))
        middle = k / n
        spread = [[middle - low], [high - middle]]
        left.errorbar([middle], [row], xerr=spread, fmt="o", color=seen, capsize=4)
    left.set(xlim=(0, None), ylim=(1.6, -0.6), xlabel="share of runs in the event")
    left.set_yticks([0, 1], [f"on {side}" for side in sides])
    rows = [("certified", found["level_lower"], seen)]
    noticed = found["claimed"] * (1 + found["noticeable"])
    if math.isfinite(noticed):  # of a violation there is nothing left to notice
        rows.append(("would be\nnoticed", noticed, "none"))
    for row, (_, width, inside) in enumerate(rows):
        right.barh([row], [width], color=inside, edgecolor=seen, height=0.4)
    right.axvline(found["claimed"], color=claim, ls="--")
    right.set_yticks(range(len(rows)), [name for name, *_ in rows])
    right.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, None))
    right.set_xlabel(f"{found['symbol']} (dashed: the claim)")
    for axes in (left, right):
        axes.set_axisbelow(True)
    return figure


_OWN = "#dcdfe3", "#0b63a8", "#b5430b"
"""Faint lines, what was seen and what is claimed, where no page has colours."""


def scaling_figure(recipe: EvidenceFields) -> NotebookFigure:
    """Return the same drawing in colours of its own."""
    faint, seen, claim = _OWN
    with mpl.rc_context({**_STYLE, "grid.color": faint, "axes.edgecolor": faint}):
        figure = NotebookFigure(figsize=(4.8, 3.4), layout="constrained")
        axes = figure.subplots()
    _scaling(axes, recipe, seen, claim)
    return figure


def _scaling(axes: Axes, recipe: EvidenceFields, seen: str, claim: str) -> None:
    points = recipe["points"]
    x, middle = _numbers(points["value"]), _numbers(points["median"])
    low, high = _numbers(points["lower_quartile"]), _numbers(points["upper_quartile"])
    spread = _spread(low, middle, high)
    axes.errorbar(
        x, middle, yerr=spread, fmt="o", color=seen, ms=4, lw=1.2, capsize=3, label="seen"
    )
    low, high = _numbers(recipe["slope_interval"])
    label = f"slope {float(recipe['slope']):.2f} [{low:.2f}, {high:.2f}]"
    axes.plot(x, _numbers(recipe["fitted_line"]), color=seen, label=label)
    label = f"claim {float(recipe['claimed_slope']):.2f}"
    axes.plot(x, _numbers(recipe["claimed_line"]), color=claim, ls="--", label=label)
    axes.set(xscale="log", yscale="log", xlabel=recipe["name"], ylabel="error")
    _plain_ticks(axes, x)
    _plain_decades(axes)
    _legend(axes)


def _spread(low: FloatArray, middle: FloatArray, high: FloatArray) -> list[FloatArray]:
    """Return the lengths of error bars; of those that do not end, none."""
    with np.errstate(invalid="ignore"):
        lengths = [middle - low, high - middle]
    return [np.where(np.isfinite(part), np.maximum(part, 0.0), 0.0) for part in lengths]


def real_data(data_set: EvidenceFields, name: str) -> str:
    """Draw the error on a real data set against epsilon: median and quartiles."""
    figure, axes = _figure()
    x = _numbers(data_set["epsilons"])
    axes.fill_between(
        x,
        _numbers(data_set["lower_quartile"]),
        _numbers(data_set["upper_quartile"]),
        color=_SEEN,
        alpha=0.18,
        lw=0,
    )
    axes.plot(x, _numbers(data_set["median"]), "o-", color=_SEEN, ms=4, label="median, quartiles")
    if trivial := data_set.get("trivial"):
        axes.axhline(float(trivial["error"]), color=_OTHER, ls=":", label=trivial["name"])
    axes.set(xscale="log", yscale="log", xlabel="ε")
    axes.set_ylabel(data_set["metric"], fontsize=8)
    _plain_ticks(axes, x)
    _plain_decades(axes)
    _legend(axes)
    return _svg(figure, name)


LINES = ("-", "--", ":")
"""Styles of curves beyond the first three of an experiment."""


def panels(experiment: EvidenceFields, colours: Sequence[str], faint: str) -> Figure:
    """Draw an experiment: a set of axes for every panel; medians, and quartiles as bands.

    Parameters
    ----------
    experiment : mapping
        As :func:`auditor.experiments.experiment.run` returns it.
    colours : sequence of str
        Of curves, used in turn, then again with other line styles.
    faint : str
        Colour of grid and edges.
    """
    drawn = experiment["panels"]
    with mpl.rc_context({**_STYLE, "grid.color": faint, "axes.edgecolor": faint}):
        rows = max(-(-len(panel["curves"]) // _columns(panel)) for panel in drawn)  # of legends
        figure = Figure(figsize=(4.2 * len(drawn), 3.2 + 0.2 * rows), layout="constrained")
        row = figure.subplots(1, len(drawn), squeeze=False)[0]
    for axes, panel in zip(row, drawn, strict=True):
        _panel(axes, panel, colours)
    return figure


def _columns(panel: EvidenceFields) -> int:
    """Return how many labels of a panel stand side by side below it."""
    return 2 if max(map(len, panel["curves"])) <= 24 else 1


def _panel(axes: Axes, panel: EvidenceFields, colours: Sequence[str]) -> None:
    x = _numbers(panel["x"])
    for index, (label, curve) in enumerate(panel["curves"].items()):
        colour, line = colours[index % len(colours)], LINES[index // len(colours) % len(LINES)]
        low, high = _numbers(curve["lower_quartile"]), _numbers(curve["upper_quartile"])
        axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)
        axes.plot(x, _numbers(curve["median"]), color=colour, ls=line, label=label)
    axes.set(title=panel["title"], xlabel=panel["x_label"], ylabel=panel["y_label"])
    if panel["log_y"]:
        axes.set_yscale("log")
        _plain_decades(axes)
    if panel["log_x"]:
        axes.set_xscale("log")
        _plain_ticks(axes, x)
    axes.set_axisbelow(True)
    axes.legend(  # below the axes, where it covers nothing; the title is above
        loc="upper center",
        bbox_to_anchor=(0.5, -0.17),
        ncols=_columns(panel),
        frameon=False,
        fontsize=9,
        labelcolor=_INK,
    )


def drawings(
    question: str, evidence: EvidenceFields, name: str, *, plain: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield (SVG, caption) for what the evidence of a verdict lets be drawn.

    Parameters
    ----------
    question : str
    evidence : mapping
        As in the verdict's JSON.
    plain : bool, default False
        The verdict holds: of its figures those are left out that show no more than its sentence
        says, the search for the worst pair and a second view of the privacy losses.
    name : str
        Unique on the page.
    """
    if question == "privacy_loss":
        for draw, caption in (
            (delta_curve, "δ(ε) of the transcripts against the claim (dot: the claimed pair)."),
            (
                trade_off,
                "Best tests of D against its neighbour: a curve below the dashed line breaks the "
                "claim.",
            ),
        ):
            svg = draw(evidence, f"{name}/{draw.__name__}")
            if svg is not None:
                yield svg, caption
                if plain:
                    return
    elif question == "sensitivity" and not plain:
        svg = sensitivity_search(evidence, name)
        if svg is not None:
            yield svg, "Search for the neighbours farthest apart, relative to the claimed bound."
    elif question == "scaling":
        for index, recipe in enumerate(evidence.get("recipes", ())):
            repetitions = recipe["repetitions"]
            caption = (
                f"Error against {recipe['name']}: median and quartiles of {repetitions} "
                f"repetitions, fitted slope with its {recipe['slope_confidence']:.0%} interval. "
                f"{recipe['claim']}{_of_twin(recipe.get('twin'))}"
            )
            yield scaling(recipe, f"{name}/{index}"), caption
    elif question == "real_data":
        for index, data_set in enumerate(evidence.get("data_sets", ())):
            caption = (
                f"{data_set['name']}, {data_set['records']} records: {data_set['metric']} against "
                f"the non-private fit, {data_set['repetitions']} runs per ε."
            )
            yield real_data(data_set, f"{name}/{index}"), caption


def _of_twin(twin: EvidenceFields | None) -> str:
    """Return what a caption says of a recipe's twin."""
    if not twin or not twin["change"]:
        return ""
    start = f". Its twin, {twin['change']}, "
    if twin["noticed"] is None:
        return start + "is asked in the full tier."
    says = "is noticed" if twin["noticed"] else "passes unnoticed"
    return start + f"{says}: slope {float(twin['slope']):.2f}, p = {float(twin['p_value']):.1g}."


# ------------------------------------------------------------------------------- helpers


def _figure() -> tuple[Figure, Axes]:
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(4.4, 3.0))
        # margins that fit every figure here: to measure each costs more than to draw it
        axes = figure.add_axes((0.17, 0.16, 0.8, 0.74))
    axes.set_axisbelow(True)
    for axis in (axes.xaxis, axes.yaxis):  # a factor beside the axis would be cut off
        axis.set_major_formatter(FuncFormatter(_short))
    return figure, axes


def _numbers(values: Sequence[Any]) -> FloatArray:
    """Return stored figures as floats; "infinity" and "nan" are stored as words."""
    return np.array([float(value) for value in values], dtype=np.float64)


def _legend(axes: Axes) -> None:
    """Put the legend above the axes, where it covers nothing."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=3,
        frameon=False,
        fontsize=8,
        labelcolor=_INK,
        columnspacing=1.0,
        handlelength=1.5,
        handletextpad=0.5,
    )


def _plain_ticks(axes: Axes, values: FloatArray) -> None:
    """Mark a few of the values themselves on a logarithmic axis."""
    values = values[np.isfinite(values) & (values > 0)]
    if not values.size:
        return
    step = -(-len(values) // 5)
    axes.set_xticks(values[::step], [_short(value) for value in values[::step]])
    axes.set_xticks([], minor=True)


def _plain_decades(axes: Axes) -> None:
    """Mark powers of ten, or round numbers of a narrow range, in plain text."""
    low, high = axes.get_ylim()
    decades = math.log10(high / low)
    powers = LogLocator(subs=(1, 2, 5) if decades < 2 else (1,))
    axes.yaxis.set_major_locator(powers if decades > 1 else MaxNLocator(5, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_minor_locator(NullLocator())


def _short(value: float, _: int = 0) -> str:
    text = f"{value:g}" if value >= 1e-3 or value <= 0 else f"{value:.0e}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _floor(curves: Sequence[Sequence[Any]]) -> float:
    """Return a power of ten clearly below every positive value, at least 1e-6."""
    values = np.concatenate([_numbers(curve) for curve in curves])
    positive = values[values > 0]
    smallest = min(float(positive.min()), 1.0) if positive.size else 1e-3
    return 10.0 ** max(-6, math.floor(math.log10(0.7 * smallest)))


def _svg(figure: Figure, name: str) -> str:
    """Return the SVG element alone, without anything that depends on time or place."""
    buffer = io.StringIO()
    # ids are hashes of their content and the salt: equal parts of two figures must differ
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # the date is in there
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # the page sets the size and the typeface
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r"font: [^;\"]*px[^;\"]*", _font, text)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    # of the ids only those that something refers to: markers and clip paths
    text = re.sub(r' id="(?![mp][0-9a-f]{10}")[^"]*"', "", text)
    # the frames of figure and axes have neither stroke nor filling
    text = re.sub(r'<path d="[^"]*" style="fill: none"/>', "", text)
    # a tenth of a point is finer than a screen shows
    text = re.sub(r' (?:d|x|y|width|height)="[^"]*"', _rounded, text)
    text = re.sub(r' transform="rotate\(-0 [^)]*\)"', "", text)
    for _ in range(4):  # groups lost their ids, by which alone they meant anything
        text = re.sub(r"<g>\s*(<(\w+)[^<>]*/>|<text[^<>]*>[^<>]*</text>)\s*</g>", r"\1", text)
    text = re.sub(r"\s*\n\s*", " ", text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    return text.replace("<svg ", '<svg aria-hidden="true" ', 1).strip()


def _rounded(match: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}", match[0])


def _font(match: re.Match[str]) -> str:
    size = re.search(r"[\d.]+px", match.group(0))
    assert size is not None
    return f"font-size: {size.group(0)}"
