"""Experiments: how a figure is drawn, and which trends the paper reads from it.

Figures were lost in conversion and most settings were never printed, so what can be compared is
what the text reports in words: that the error falls in epsilon, that one method beats another.
Each such :class:`Trend` is looked for in every repetition and put to a sign test. A trend that is
not seen does not refute the paper, whose settings are not known; the setting used here is stated.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from auditor.core.context import Context, Tier
from auditor.core.errors import InputError
from auditor.runs.parallel import in_parallel
from reference._validation import FloatArray

Errors = Mapping[str, FloatArray]
"""Label of a curve -> its errors, one for every x of the panel."""

LARGER_CLASS = "larger class"
"""Label of the accuracy of who always says the larger class; beside it accuracies are told."""

LEVEL = 0.05
"""Error probability of each sign test."""


@dataclass(frozen=True)
class Panel:
    """Axes with the trial that fills them.

    Parameters
    ----------
    title : str
    x_label : str
    x : sequence of float
    trial : callable
        ``trial(rng)``: one repetition, all curves on the same data.
    y_label : str
    log_x, log_y : bool
        Whether the axes are logarithmic.
    """

    title: str
    x_label: str
    x: Sequence[float]
    trial: Callable[[np.random.Generator], Errors]
    y_label: str = "error"
    log_x: bool = False
    log_y: bool = True


@dataclass(frozen=True)
class Trend:
    """Claim of the paper about a panel, or prediction of its theorem.

    Parameters
    ----------
    words : str
        One sentence, e.g. ``"the error falls as epsilon grows"``.
    panel : int
        Index of the panel.
    gain : callable
        ``gain(errors)``: positive if one repetition shows the trend, negative if the reverse.
    erratum : str
        ``"card/number"`` of the erratum by which the reverse should show; empty if there is none.
    """

    words: str
    panel: int
    gain: Callable[[Errors], float]
    erratum: str = ""


def falls(label: str) -> Callable[[Errors], float]:
    """Return the gain "the error at the last x is below that at the first"."""
    return lambda errors: float(errors[label][0] - errors[label][-1])


def rises(label: str) -> Callable[[Errors], float]:
    """Return the gain "the error at the last x is above that at the first"."""
    return lambda errors: float(errors[label][-1] - errors[label][0])


def below(first: str, second: str) -> Callable[[Errors], float]:
    """Return the gain "the first error is below the second", as a mean over the panel."""
    return lambda errors: float((errors[second] - errors[first]).mean())


def ends_below(first: str, second: str, factor: float = 1.0) -> Callable[[Errors], float]:
    """Return the gain "at the last x the first error is below ``factor`` times the second"."""
    return lambda errors: float(factor * errors[second][-1] - errors[first][-1])


def columns(rows: Sequence[Mapping[str, float]]) -> dict[str, FloatArray]:
    """Return one array for every label, of rows that have the same labels."""
    return {label: np.array([row[label] for row in rows]) for label in rows[0]}


Met = Literal["met", "not met", "not known"]


@dataclass(frozen=True)
class Condition:
    """Assumption of a theorem, and whether the data drawn here meet it.

    Parameters
    ----------
    words : str
        The assumption, and of which data it is asked.
    found : str
        The figure that decides.
    met : {"met", "not met", "not known"}
    """

    words: str
    found: str
    met: Met


@dataclass(frozen=True)
class Experiment:
    """Figure or table of a paper.

    Parameters
    ----------
    name : str
        E.g. ``"000 Figure 2"``: paper and figure.
    algorithm : str
        Id in the catalogue of the algorithm it is about.
    caption : str
        The paper's.
    setting : str
        Which settings are the paper's and which were chosen here, because it prints none.
    panels : callable
        ``panels(tier)``.
    trends : sequence of Trend
    repetitions, full : int
        Repetitions in the quick and in the full tier; five are the fewest that can show a trend.
    conditions : callable, optional
        ``conditions(rng)``: the assumptions of its theorem, on data drawn as the panels' are.
    """

    name: str
    algorithm: str
    caption: str
    setting: str
    panels: Callable[[Tier], Sequence[Panel]]
    trends: Sequence[Trend]
    repetitions: int = 9
    full: int = 40
    conditions: Callable[[np.random.Generator], Sequence[Condition]] | None = None


@cache
def experiments() -> dict[str, dict[str, Experiment]]:
    """Return family -> name -> experiment, from every module of :mod:`auditor.experiments`.

    A module with experiments defines ``FAMILY`` and ``EXPERIMENTS``.

    Raises
    ------
    RuntimeError
        If two experiments have one name.
    """
    found: dict[str, dict[str, Experiment]] = {}
    for module, defined in _defined():
        for experiment in defined:
            if any(experiment.name in own for own in found.values()):
                raise RuntimeError(f"two experiments are called {experiment.name!r}")
            family = importlib.import_module(module).FAMILY
            found.setdefault(family, {})[experiment.name] = experiment
    return found


def _defined() -> Iterator[tuple[str, Sequence[Experiment]]]:
    package = importlib.import_module("auditor.experiments")
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        yield module.__name__, getattr(module, "EXPERIMENTS", ())


@cache
def modules() -> dict[str, str]:
    """Return name of an experiment -> name of the module that defines it."""
    return {one.name: module for module, own in _defined() for one in own}


def select(wanted: str, figures: Sequence[str] = ()) -> list[Experiment]:
    """Return the experiments of a family, or those of them that are named.

    Raises
    ------
    InputError
        If there is no such family or no such experiment in it.
    """
    families = experiments()
    if wanted not in families:
        raise InputError(f"no experiments for {wanted!r}; known: {', '.join(families)}")
    own = families[wanted]
    unknown = [name for name in figures if name not in own]
    if unknown:
        raise InputError(f"no experiment {unknown[0]!r} in {wanted}; known: {', '.join(own)}")
    return [experiment for name, experiment in own.items() if not figures or name in figures]


def run_all(
    chosen: Sequence[Experiment],
    context: Context,
    *,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
    finished: Callable[[dict[str, Any]], None] = lambda result: None,
) -> list[dict[str, Any]]:
    """Run several experiments; the results do not depend on the number of workers.

    Repetitions are what workers share: one long experiment keeps all of them busy. ``progress`` is
    called with the number of experiments that are done, ``finished`` with each result as soon as
    there is one, in no order.
    """
    progress(0)
    runs = {one.name: _no_runs(one, context) for one in chosen}
    missing = {name: sum(map(len, panels)) for name, panels in runs.items()}
    calls = (
        (name, context, index, repetition)
        for name, panels in runs.items()
        for index, repetitions in enumerate(panels)
        for repetition in range(len(repetitions))
    )
    known = _by_name()
    results: dict[str, dict[str, Any]] = {}
    for name, index, repetition, errors in in_parallel(_run_one, calls, workers):
        runs[name][index][repetition] = errors
        missing[name] -= 1
        if missing[name] == 0:
            results[name] = _result(known[name], context, runs[name])
            finished(results[name])
            progress(len(results))
    return [results[experiment.name] for experiment in chosen]


def _no_runs(experiment: Experiment, context: Context) -> list[list[Errors]]:
    """Return a place for the errors of every repetition, for every panel."""
    repetitions = context.effort(experiment.repetitions, full=experiment.full)
    return [[{}] * repetitions for _ in experiment.panels(context.tier)]


def _run_one(
    name: str, context: Context, index: int, repetition: int
) -> tuple[str, int, int, Errors]:
    return name, index, repetition, _repetition(_by_name()[name], context, index, repetition)


def _by_name() -> dict[str, Experiment]:
    return {name: one for own in experiments().values() for name, one in own.items()}


def run(experiment: Experiment, context: Context) -> dict[str, Any]:
    """Return what one experiment gives, in JSON types: curves and trends.

    Parameters
    ----------
    experiment : Experiment
    context : Context
        Its path should end with what the experiment belongs to; the name is added here.
    """
    runs = [
        [_repetition(experiment, context, index, repetition) for repetition in range(len(panel))]
        for index, panel in enumerate(_no_runs(experiment, context))
    ]
    return _result(experiment, context, runs)


def _repetition(experiment: Experiment, context: Context, index: int, repetition: int) -> Errors:
    """Return the errors of one repetition of a panel.

    Raises
    ------
    ValueError
        If a trial does not give one finite error for every x.
    """
    panel = experiment.panels(context.tier)[index]
    seeds = context.at(experiment.name).at(str(index)).seed_sequence().spawn(repetition + 1)
    with threadpool_limits(limits=1):
        errors = panel.trial(np.random.default_rng(seeds[repetition]))
    for label, values in errors.items():
        if values.shape != (len(panel.x),) or not np.isfinite(values).all():
            raise ValueError(f"panel {panel.title!r}: {label} needs {len(panel.x)} finite errors")
    return errors


def _result(
    experiment: Experiment, context: Context, runs: Sequence[Sequence[Errors]]
) -> dict[str, Any]:
    panels = experiment.panels(context.tier)
    return {
        "name": experiment.name,
        "caption": experiment.caption,
        "setting": experiment.setting,
        "repetitions": len(runs[0]),
        "panels": [_drawn(panel, own) for panel, own in zip(panels, runs, strict=True)],
        "trends": [_seen(trend, runs[trend.panel]) for trend in experiment.trends],
        "conditions": _conditions(experiment, context.at(experiment.name).at("conditions")),
    }


def _conditions(experiment: Experiment, context: Context) -> list[dict[str, Any]]:
    if experiment.conditions is None:
        return []
    with threadpool_limits(limits=1):
        return [asdict(found) for found in experiment.conditions(context.rng())]


def _drawn(panel: Panel, runs: Sequence[Errors]) -> dict[str, Any]:
    curves = {}
    for label in runs[0]:
        quartiles = np.quantile([errors[label] for errors in runs], [0.25, 0.5, 0.75], axis=0)
        curves[label] = dict(
            zip(("lower_quartile", "median", "upper_quartile"), quartiles.tolist(), strict=True)
        )
    return {
        "title": panel.title,
        "x_label": panel.x_label,
        "y_label": panel.y_label,
        "x": [float(value) for value in panel.x],
        "log_x": panel.log_x,
        "log_y": panel.log_y,
        "curves": curves,
    }


def _seen(trend: Trend, runs: Sequence[Errors]) -> dict[str, Any]:
    """Put a trend to a two-sided sign test; repetitions with a gain of 0 do not count."""
    gains = np.array([trend.gain(errors) for errors in runs])
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    seen, reversed_ = (
        float(stats.binom.sf(count - 1, wins + losses, 0.5)) <= LEVEL for count in (wins, losses)
    )
    return {
        "words": trend.words,
        "panel": trend.panel,
        "result": "seen" if seen else "reversed" if reversed_ else "not clear",
        "wins": wins,
        "losses": losses,
        "erratum": trend.erratum,
    }
