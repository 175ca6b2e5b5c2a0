"""Link between theorems and code: the releases of a run beside those that Coq prints.

:data:`BINDINGS` says for each entry which value of the code a variable of the theorem stands for.
The noise scale of Gaussian releases is bound to the scale that the code calibrates: calibration is
outside the theorems, which hold for every scale.

Where the code adds a step to a public point, it multiplies sensitivity and noise by one factor for
the rounding of the sum (:func:`reference.basic.sums.rounding_factor`). The factor depends on what
was released before, so that the theorem's release is the code's in units of it: its query is any
function of the past, and a larger unit makes its sensitivity smaller. Such entries bind
:data:`ROUNDED`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from proofs_checks.algorithm_theorems import algorithm_theorems, kept_formulas
from proofs_checks.printed_formulas import PrintedFormulas, evaluate, read_formulas
from reference.basic.sums import RESOLUTION
from reference.privacy.ledger.transcript import Transcript
from reference.privacy.mechanisms import NoisyMax

KINDS: Mapping[str, tuple[str, ...]] = {
    "Gaussian_noise": ("gaussian", "symmetric gaussian"),
    "Laplace_noise": ("laplace", "symmetric laplace"),
    "Exponential_selection": ("exponential", "randomized response"),
    "Noisy_max": ("noisy max",),
}
"""Kinds of the code's mechanisms by the theorem's kind."""

AGREES = Decimal(2) ** -50
"""Relative difference up to which a double is the theorem's number: a few roundings."""

ROUNDING = 1e-9
"""Relative and absolute allowance for how far a released value moves, for rounding of values."""

ROUNDED = "rounded"
"""Bound where the code multiplies sensitivity and noise by a factor for rounding."""

Values = Mapping[str, Any]


def _limit(scale: float) -> Decimal:
    """Return (2 sqrt 2/3) s, the bound of the smoothed truncation at scale s."""
    return 2 * Decimal(2).sqrt() / 3 * Decimal(scale)


def gradients(x: SimpleNamespace) -> Values:
    """Bind gradients that the loss bounds by its Lipschitz constant."""
    G, sigma = x.loss.lipschitz, x.constants.noise_scale
    return {"T": x.n_iterations, "d": len(x.initial), "G": G, "sigma": sigma}


def clipped_gradients(x: SimpleNamespace) -> Values:
    """Bind gradients that the code clips."""
    C, sigma = x.clipping_threshold, x.constants.noise_scale
    return {"T": x.n_iterations, "d": len(x.initial), "C": C, "sigma": sigma}


def robust_means(x: SimpleNamespace) -> Values:
    """Bind means of smoothly truncated coordinates, over all records."""
    return {
        "T": x.n_iterations,
        "d": len(x.initial),
        "B": _limit(x.constants.truncation_scale),
        "sigma": x.constants.noise_scale,
    }


def robust_mean(x: SimpleNamespace) -> Values:
    """Bind a single mean of smoothly truncated numbers, of all records or of each user."""
    B, sigma = _limit(x.constants.truncation_scale), x.constants.noise_scale
    return {"T": 1, "d": 1, "B": B, "sigma": sigma}


def robust_blocks(x: SimpleNamespace) -> Values:
    """Bind means of smoothly truncated coordinates, over T blocks."""
    return {**robust_means(x), "m": x.n // x.n_iterations}


def robust_batches(x: SimpleNamespace) -> Values:
    """Bind means of smoothly truncated coordinates, over blocks of a given size."""
    return {
        "T": x.n // x.batch_size,
        "m": x.batch_size,
        "d": len(x.initial),
        "B": _limit(x.constants.truncation_scale),
        "sigma": x.constants.noise_scale,
    }


def labels(x: SimpleNamespace) -> Values:
    """Bind clipped labels."""
    return {"Y": x.constants.truncation_level, "sigma": x.constants.noise_scale}


def second_moments(x: SimpleNamespace) -> Values:
    """Bind upper triangles of x x^T."""
    return {"p": x.data.shape[1], "sigma": x.constants.noise_scale}


def asked_users(x: SimpleNamespace) -> Values:
    """Bind smoothly truncated gradients of users, each asked in one of T rounds."""
    return {**robust_means(x), "N": x.n // x.n_iterations * x.n_iterations}


def sums(x: SimpleNamespace) -> Values:
    """Bind sums of records, clipped in every coordinate, with Gaussian noise."""
    return {"d": x.data.shape[1], "b": x.bound, "sigma": x.constants.noise_scale}


def chosen_sums(x: SimpleNamespace) -> Values:
    """Bind selections by sums of scores, clipped one by one."""
    return {"k": x.data.shape[1] - 1, "b": x.bound, "eps": x.epsilon}


def numbers(x: SimpleNamespace) -> Values:
    """Bind users' numbers in [0, upper]."""
    return {"upper": x.upper, "eps": x.epsilon}


def vertices(x: SimpleNamespace) -> Values:
    """Bind selections among the vertices of a polytope."""
    points = x.constraint.vertices(len(x.initial))
    norms = np.abs(points).sum(axis=1)
    return {
        "T": x.n_iterations,
        "k": len(points) - 1,
        "G": x.loss.lipschitz,
        "W": float(norms.max()),
        "eps": x.constants.step_epsilon,
    }


def cross_polytope(x: SimpleNamespace) -> Values:
    """Bind selections among the 2 p vertices of the unit l1 ball."""
    return {
        "T": x.n_iterations,
        "k": 2 * len(x.initial) - 1,
        "G": x.loss.lipschitz,
        "W": 1,
        "eps": x.constants.step_epsilon,
    }


def lasso_vertices(x: SimpleNamespace) -> Values:
    """Bind selections among the vertices of an l1 ball, by gradients of shrunken records."""
    dimension = x.data.shape[1]
    return {
        "T": x.n_iterations,
        "k": 2 * dimension - 1,
        "G": 2 * (1 + Decimal(x.radius)) * Decimal(x.truncation_level) ** 2,
        "W": x.radius,
        "eps": x.constants.step_epsilon,
    }


def far_vertices(x: SimpleNamespace) -> Values:
    """Bind a selection among vertices by a mean of clipped records."""
    return {"G": x.bound, "eps": x.epsilon, **_polytope(x.constraint, x.data.shape[1])}


def robust_vertices(x: SimpleNamespace) -> Values:
    """Bind selections among vertices by robust gradients, over T blocks."""
    return {
        "T": x.n_iterations,
        "m": x.n // x.n_iterations,
        "G": _limit(x.truncation_scale),
        "eps": x.epsilon,
        **_polytope(x.constraint, len(x.initial)),
    }


def _polytope(constraint: Any, dimension: int) -> Values:
    points = constraint.vertices(dimension)
    distances = np.abs(points[:, None] - points[None]).sum(axis=2)
    return {"k": len(points) - 1, "W": float(distances.max())}


def net(x: SimpleNamespace) -> Values:
    """Bind a selection from a net of the ball of radius G/lambda."""
    G = x.loss.lipschitz
    radius = G / x.regularizer.strength
    return {"k": x.candidates - 1, "G": G, "radius": radius, "eps": x.epsilon}


def answers(x: SimpleNamespace) -> Values:
    """Bind randomized answers."""
    return {"k": x.categories - 1, "eps": x.epsilon}


def peeled(x: SimpleNamespace) -> Values:
    """Bind a peeling of a vector whose sensitivity the caller promises."""
    given = x.parameters
    return {
        "k": x.data.shape[1] - 1,
        "s": given["sparsity"],
        "Delta": given["sensitivity"],
        "b": x.constants.noise_scale,
    }


def _point_steps(x: SimpleNamespace, scale: str) -> Values:
    return {
        "T": x.n_iterations,
        "m": x.n // x.n_iterations,
        "eta": x.step_size,
        scale: x.constants.noise_scale,
        ROUNDED: True,
    }


def _block_peelings(x: SimpleNamespace) -> Values:
    dimension = x.data.shape[1] if x.initial is None else len(x.initial)
    return {**_point_steps(x, "b"), "k": dimension - 1, "s": x.sparsity}


def model_peelings(x: SimpleNamespace) -> Values:
    """Bind peelings of truncated gradient steps of a latent-variable model."""
    return {**_block_peelings(x), "G": x.model.truncated_sensitivity(x.truncation_level)}


def truncated_peelings(x: SimpleNamespace) -> Values:
    """Bind peelings of gradient steps of a model that truncates records."""
    return {**_block_peelings(x), "K": x.truncation_level}


def robust_peelings(x: SimpleNamespace) -> Values:
    """Bind peelings of robust gradient steps."""
    return {**_block_peelings(x), "B": _limit(x.truncation_scale)}


def model_steps(x: SimpleNamespace) -> Values:
    """Bind truncated gradient steps of a latent-variable model, with Gaussian noise."""
    G = x.model.truncated_sensitivity(x.truncation_level)
    return {**_point_steps(x, "sigma"), "d": len(x.initial), "G": G}


def truncated_steps(x: SimpleNamespace) -> Values:
    """Bind gradient steps of a model that truncates records, with Gaussian noise."""
    return {**_point_steps(x, "sigma"), "d": len(x.initial), "K": x.truncation_level}


BINDINGS: Mapping[str, Callable[[SimpleNamespace], Values]] = {
    "diss-2.exponential": chosen_sums,
    "diss-2.gaussian": sums,
    "diss-2.randomized-response": answers,
    "diss-3.1.4": gradients,
    "diss-3.2.8": robust_means,
    "diss-4.1.16": gradients,
    "diss-4.1.17": gradients,
    "diss-4.1.18": gradients,
    "diss-4.1.19": vertices,
    "diss-4.2.4-EM": net,
    "diss-4.2.20": gradients,
    "diss-4.2.21": gradients,
    "diss-4.2.22": cross_polytope,
    "diss-4.3.25": gradients,
    "diss-5.1.30": numbers,
    "diss-5.3.42": labels,
    "diss-5.3.43": gradients,
    "diss-5.3.45": labels,
    "diss-5.3.lasso": labels,
    "diss-6.1.46": second_moments,
    "diss-6.1.47": second_moments,
    "diss-6.3-SULQ": second_moments,
    "diss-6.2-NAIVE": second_moments,
    "diss-6.2.48": second_moments,
    "diss-6.2.49": second_moments,
    "diss-6.3.51-G": second_moments,
    "diss-6.3.53": second_moments,
    "diss-7.1.54": answers,
    "diss-7.1.majority": answers,
    "diss-7.2.56": robust_means,
    "diss-7.2.57": robust_means,
    "diss-RGD": robust_batches,
    "hu-1": robust_vertices,
    "hu-2": lasso_vertices,
    "hu-3": truncated_peelings,
    "hu-5": robust_peelings,
    "hu-expmech": far_vertices,
    "wang-1": clipped_gradients,
    "wang-2": robust_blocks,
    "wang-ldp-em": asked_users,
    "wang-ldp-mean": robust_mean,
    "wang-mean": robust_mean,
    "zhang-1": peeled,
    "zhang-2": model_peelings,
    "zhang-3": truncated_peelings,
    "zhang-4": model_steps,
    "zhang-5": truncated_peelings,
    "zhang-6": truncated_peelings,
    "zhang-7": truncated_steps,
    "zhang-8": truncated_steps,
}
"""By identifier: Coq's variables but n, from a call's arguments, constants and data."""


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
        Units whose data is read.
    """

    kind: str
    size: int
    sensitivity: float
    scale: float
    read: frozenset[int]


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
        names = ("scale", "rate", "epsilon")
        scale = next(getattr(mechanism, name) for name in names if hasattr(mechanism, name))
        whole = claim.unit == "dataset"
        read = range(n) if claim.records is None else np.arange(n)[claim.records].tolist()
        each = range(units) if claim.unit == "attribute" else read
        for group in (read,) if whole else ((k,) for k in each):
            yield UnitRelease(mechanism.kind, size, claim.sensitivity, scale, frozenset(group))


def _size(release: Any) -> int:
    mechanism, value = release.mechanism, np.asarray(release.value)
    if hasattr(mechanism, "categories"):
        return int(mechanism.categories)
    if mechanism.kind in ("exponential", "noisy max"):
        return int(value.shape[-1])
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
    steps = evaluate(formulas.steps, values)
    if len(releases) != steps:
        wrong.append(f"{len(releases)} releases, the theorem has {steps}")
    for t, release in enumerate(releases):
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
            stated = release.sensitivity if k in release.read else 0.0
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
    wrong, t = [], 0
    for old, new in zip(transcript.releases, replayed.releases, strict=True):
        if new.mechanism != old.mechanism:
            wrong.append(f"release {t}: record {record} changes its scale or who is left out")
        before, after = np.asarray(old.value), np.asarray(new.value)
        moved = np.ravel(old.mechanism.distance(before, after, old.claim.axes))
        attributes = len(moved) // len(before) if old.claim.unit == "attribute" else 1
        for unit, far in enumerate(moved):
            k = unit if unit // attributes == record else record * attributes
            here = {**values, "t": t}
            theorem = formulas.at(here).sensitivity_for(k, here)
            bound = float(theorem * _rounding(old.claim.sensitivity, theorem, values))
            if far > bound * (1 + ROUNDING) + ROUNDING:
                wrong.append(f"release {t}: record {record} moves it by {far:.6g} > {bound:.6g}")
            t += 1
    return wrong
