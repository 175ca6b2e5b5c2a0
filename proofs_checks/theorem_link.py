"""Link between theorems and code: the releases of a run beside those that Coq prints."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from proofs_checks.algorithm_theorems import algorithm_theorems, kept_formulas
from proofs_checks.printed_formulas import PrintedFormulas, evaluate, read_formulas
from proofs_checks.theorem_bindings import BINDINGS, ROUNDED, Values
from reference.basic.sums import RESOLUTION
from reference.privacy.ledger.transcript import Transcript
from reference.privacy.mechanisms import NoisyMax

KINDS: Mapping[str, tuple[str, ...]] = {
    "Gaussian_noise": ("gaussian", "symmetric gaussian"),
    "Laplace_noise": ("laplace", "symmetric laplace"),
    "Exponential_selection": ("exponential", "randomized response", "bit", "l2 ball"),
    "Noisy_max": ("noisy max",),
}
"""Kinds of the code's mechanisms by the theorem's kind."""

WITH_SCORES_OF_ITS_OWN = frozenset({"randomized response", "bit", "l2 ball"})
"""Kinds that are the theorem's only by scores that an instance gives."""

AGREES = Decimal(2) ** -50
"""Relative difference up to which a double is the theorem's number: a few roundings."""

ROUNDING = 1e-9
"""Relative and absolute allowance for how far a released value moves, for rounding of values."""


@dataclass(frozen=True)
class UnitRelease:
    """A release as the theorem counts it: one of a local algorithm for every unit.

    Attributes
    ----------
    kind : str
    size : int
        Numbers released, or candidates to choose from.
    sensitivity, scale : float
        The scale of a selection is its rate.
    read : frozenset of int
        Units whose data is read; of a subsample those that were drawn.
    background : float
        Sensitivity for other units.
    """

    kind: str
    size: int
    sensitivity: float
    scale: float
    read: frozenset[int]
    background: float


def n_units(transcript: Transcript, n: int) -> int:
    """Return the number of units: records, or the attributes of all records."""
    first = transcript.releases[0]
    return np.asarray(first.value).size if first.claim.unit == "attribute" else n


def unit_releases(transcript: Transcript, n: int) -> Iterator[UnitRelease]:
    """Yield the releases of a transcript as the theorem counts them."""
    units = n_units(transcript, n)
    for release in transcript.releases:
        mechanism, claim = release.mechanism, release.claim
        size = _size(release)
        names = ("scale", "rate", "epsilon", "temperature")
        scale = next(getattr(mechanism, name) for name in names if hasattr(mechanism, name))
        whole = claim.unit == "dataset"
        records = claim.records if claim.sample is None else claim.sample.indices
        background = 0.0 if claim.sample is None else claim.background_sensitivity
        read = range(n) if records is None else np.arange(n)[records].tolist()
        each = range(units) if claim.unit == "attribute" else read
        for group in (read,) if whole else ((k,) for k in each):
            unit = frozenset(group)
            yield UnitRelease(mechanism.kind, size, claim.sensitivity, scale, unit, background)


def _size(release: Any) -> int:
    mechanism, value = release.mechanism, np.asarray(release.value)
    if hasattr(mechanism, "categories"):
        return int(mechanism.categories)
    if mechanism.kind in ("exponential", "noisy max"):
        return int(value.shape[-1])
    if mechanism.kind in ("bit", "l2 ball"):  # of the latter the side of a public direction
        return 2
    own = value.shape if release.claim.unit == "dataset" else value.shape[1:]
    if mechanism.kind.startswith("symmetric"):
        return int(own[-1] * (own[-1] + 1) // 2)
    return math.prod(own)


def bound_values(identifier: str, call: Any, data: Any, transcript: Transcript) -> dict[str, Any]:
    """Return the theorem's variables for a call.

    Parameters
    ----------
    identifier : str
    call : Call
        Its ``function``, ``arguments`` and ``parameters`` are read.
    data
        First argument of the function.
    transcript : Transcript
        Of the call on ``data``.
    """
    signature = inspect.signature(call.function)
    bound = signature.bind(data, *call.arguments, **call.parameters)
    bound.apply_defaults()
    arguments = SimpleNamespace(**bound.arguments)
    first = data[0] if isinstance(data, tuple) else data
    arguments.data, arguments.n = np.asarray(first), len(first)
    if transcript.fixed:
        arguments.constants = transcript.fixed[0].constants
    mechanism = transcript.releases[0].mechanism
    arguments.candidates = np.asarray(transcript.releases[0].value).size
    arguments.releases = transcript.releases
    arguments.categories = getattr(mechanism, "categories", None)
    units = n_units(transcript, arguments.n)
    return {"n": units, **BINDINGS[identifier](arguments)}


def formulas_of(identifier: str) -> PrintedFormulas:
    """Return the kept formulas of an entry's theorem."""
    return read_formulas(kept_formulas(algorithm_theorems()[identifier]))


def disagreements(formulas: PrintedFormulas, transcript: Transcript, values: Values) -> list[str]:
    """Compare the releases of a transcript with the theorem's.

    Returns
    -------
    list of str
        What differs: number, kind, size, sensitivity for every unit, scale, what a peeling leaves
        out and releases; empty if nothing.
    """
    n, wrong = values["n"], _strays(transcript)
    releases = list(unit_releases(transcript, n))
    steps = int(evaluate(formulas.steps, values))
    asked = values.get("asked", range(steps))
    if len(releases) != len(asked) or any(t >= steps for t in asked):
        wrong.append(f"{len(releases)} releases, the theorem has {steps}")
    for t, release in zip(asked, releases, strict=False):
        here = {**values, "t": t}
        printed = formulas.at(here)
        if release.kind not in KINDS[printed.kind]:
            wrong.append(f"release {t} is {release.kind}, the theorem has {printed.kind}")
        if release.size != evaluate(printed.dimension, here):
            wrong.append(f"release {t} has size {release.size}")
        some = min(release.read, default=0)
        factor = _rounding(release.sensitivity, printed.sensitivity_for(some, here), values)
        for k in range(n):
            moved = factor * printed.sensitivity_for(k, here)
            stated = release.sensitivity if k in release.read else release.background
            if not _close(stated, moved):
                wrong.append(f"release {t}, unit {k}: {stated!r}, the theorem has {moved:.17g}")
                break
        scale = factor * evaluate(printed.scale, here)
        if not _close(release.scale, scale):
            wrong.append(f"release {t}: scale {release.scale!r}, the theorem has {scale:.17g}")
    return wrong


def _strays(transcript: Transcript) -> list[str]:
    """Return where peelings leave out, or release, other coordinates than their rounds selected."""
    wrong: list[str] = []
    selected: list[int] = []
    sizes: list[float] = []  # of the selected coordinates that are not yet released
    for t, release in enumerate(transcript.releases):
        value = np.asarray(release.value)
        mechanism = release.mechanism
        if isinstance(mechanism, NoisyMax):
            if not sizes:
                selected = []
            if mechanism.excluded != tuple(selected):
                wrong.append(f"release {t} leaves out others than those selected before")
            selected.append(int(release.output))
            sizes.append(float(value[selected[-1]]))
        elif selected and (not sizes or abs(float(value)) != sizes.pop(0)):
            wrong.append(f"release {t} is not of the coordinate that its round selected")
    return wrong


def _rounding(stated: float, theorem: Decimal, values: Values) -> Decimal:
    """Return the factor for rounding: a sensitivity grows by two distances of doubles."""
    added = float(Decimal(stated) - theorem)
    if ROUNDED not in values or not theorem or added <= RESOLUTION * float(theorem):
        return Decimal(1)
    exponent = math.log2(added)
    if abs(exponent - round(exponent)) > ROUNDING:
        return Decimal(1)
    return 1 + Decimal(2) ** round(exponent) / theorem


def _close(stated: float, theorem: Decimal) -> bool:
    return abs(Decimal(stated) - theorem) <= abs(theorem) * AGREES


def moved_too_far(
    formulas: PrintedFormulas,
    transcript: Transcript,
    replayed: Transcript,
    record: int,
    values: Values,
) -> list[str]:
    """Compare how far a replaced record moved each released value with the theorem's sensitivity.

    Parameters
    ----------
    formulas : PrintedFormulas
    transcript, replayed : Transcript
        The second is a replay of the first on data that differ in ``record``.
    record : int
    values : mapping
        Of the theorem's variables.
    """
    wrong, asked = [], iter(values.get("asked", itertools.count()))
    pairs = zip(transcript.releases, replayed.releases, strict=True)
    for number, (old, new) in enumerate(pairs):
        if new.mechanism != old.mechanism:
            wrong.append(f"release {number}: record {record} changes its scale or who is left out")
        before, after = np.asarray(old.value), np.asarray(new.value)
        moved = np.ravel(old.mechanism.distance(before, after, old.claim.axes))
        attributes = len(moved) // len(before) if old.claim.unit == "attribute" else 1
        for unit, far in enumerate(moved):
            t = next(asked)
            k = unit if unit // attributes == record else record * attributes
            here = {**values, "t": t}
            theorem = formulas.at(here).sensitivity_for(k, here)
            bound = float(theorem * _rounding(old.claim.sensitivity, theorem, values))
            if far > bound * (1 + ROUNDING) + ROUNDING:
                wrong.append(f"release {t}: record {record} moves it by {far:.6g} > {bound:.6g}")
    return wrong
