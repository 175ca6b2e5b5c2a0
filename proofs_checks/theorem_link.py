"""Link between theorems and code: the releases of a run beside those that Coq prints.

:data:`BINDINGS` says for each entry which value of the code a variable of the theorem stands for.
The noise scale of Gaussian releases is bound to the scale that the code calibrates: calibration is
outside the theorems, which hold for every scale.
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
from proofs_checks.theorem_hypotheses import least_kernel, stated_bit_loss, stated_index_move
from reference.local.marginals import monomials, step_polynomial
from reference.local.trigonometry_mechanism import ROUNDING as ROUNDING_SHARE
from reference.matrices.precision_output_perturbation import rounding
from reference.privacy.ledger.transcript import Transcript

KINDS: Mapping[str, tuple[str, ...]] = {
    "Gaussian_noise": ("gaussian", "symmetric gaussian"),
    "Laplace_noise": ("laplace", "symmetric laplace"),
    "Exponential_selection": ("exponential", "randomized response", "bit", "l2 ball"),
}
"""Kinds of the code's mechanisms by the theorem's kind."""

AGREES = Decimal(2) ** -50
"""Relative difference up to which a double is the theorem's number: a few roundings."""

ROUNDING = 1e-9
"""Relative and absolute allowance for how far a released value moves, for rounding of values."""

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


def laplace_sums(x: SimpleNamespace) -> Values:
    """Bind sums of records, clipped in every coordinate, with Laplace noise."""
    return {"d": x.data.shape[1], "b": x.bound, "eps": x.epsilon}


def laplace_moments(x: SimpleNamespace) -> Values:
    """Bind upper triangles of x x^T with Laplace noise."""
    return {"p": x.data.shape[1], "eps": x.epsilon}


def grid_losses(x: SimpleNamespace) -> Values:
    """Bind users' losses at the points of a grid."""
    return {"k": x.constants.degree, "p": x.loss.dimension, "eps": x.constants.step_epsilon}


def disjunction_coefficients(x: SimpleNamespace) -> Values:
    """Bind users' coefficients of the polynomial of a disjunction."""
    polynomial = step_polynomial(x.k, x.accuracy / 2)
    _, coefficients = monomials(polynomial, x.data.shape[1])
    sizes = sum((abs(Decimal(c)) for c in coefficients.tolist()), Decimal())
    return {"N": len(coefficients), "S": sizes, "eps": x.epsilon}


def cosine_products(x: SimpleNamespace) -> Values:
    """Bind users' products of cosines."""
    q, share = x.n_degrees, Decimal(ROUNDING_SHARE)
    # a constant feature alone moves by nothing; the code gives it the share of 1 instead
    least = least_kernel(q) if q > 1 else 1 - share / (1 + share)
    return {"q": q, "p": x.data.shape[1], "least": least, "share": share, "eps": x.epsilon}


def bits(x: SimpleNamespace) -> Values:
    """Bind users' bits."""
    return {"loss": stated_bit_loss(x.constants.bit_epsilon)}


def last_iterate(x: SimpleNamespace) -> Values:
    """Bind the last iterate of gradient descent."""
    return {
        "T": x.n_iterations,
        "d": len(x.initial),
        "G": x.loss.lipschitz,
        "lam": getattr(x.regularizer, "strength", 0),
        "eta": x.constants.step_size,
        "sigma": x.constants.noise_scale,
    }


def averaged_path(x: SimpleNamespace) -> Values:
    """Bind the averaged path of steps on pairs."""
    first, n = x.constants.first_phase, x.n
    return {
        "T1": first,
        "d": len(np.ravel(x.initial)),
        "G": x.loss.lipschitz(x.constraint.largest_norm),
        "al": x.loss.strong_convexity,
        "H": sum((1 / Decimal(t) for t in range(first + 1, n + 1)), Decimal()),
        "sigma": x.constants.noise_scale,
    }


def regularized_path(x: SimpleNamespace) -> Values:
    """Bind the averaged path of steps on pairs, with a quadratic around the initial point."""
    radius = x.constraint.largest_norm
    far = radius + max(radius, float(np.linalg.norm(x.initial)))
    return {**averaged_path(x), "lam": x.strength, "far": far}


def sides(x: SimpleNamespace) -> Values:
    """Bind users' vectors by the l2-ball randomizer."""
    return {"eps": x.epsilon}


def precision_output(x: SimpleNamespace) -> Values:
    """Bind upper triangles of a graphical lasso's result with Laplace noise."""
    e = rounding(n=x.n, dimension=x.data.shape[1], penalty=x.penalty)
    return {**laplace_moments(x), "rho": x.penalty, "e": e}


def indices(x: SimpleNamespace) -> Values:
    """Bind users' indices of public numbers."""
    return {"k": x.constants.n_candidates - 1, "moved": stated_index_move(x.constants)}


BINDINGS: Mapping[str, Callable[[SimpleNamespace], Values]] = {
    "diss-2.exponential": chosen_sums,
    "diss-2.gaussian": sums,
    "diss-2.laplace": laplace_sums,
    "diss-2.randomized-response": answers,
    "diss-3.1.4": gradients,
    "diss-3.1.baselines": last_iterate,
    "diss-3.2.8": robust_means,
    "diss-3.3.14": averaged_path,
    "diss-3.3.15": regularized_path,
    "diss-4.1.16": gradients,
    "diss-4.1.17": gradients,
    "diss-4.1.18": gradients,
    "diss-4.1.19": vertices,
    "diss-4.2.20": gradients,
    "diss-4.2.21": gradients,
    "diss-4.2.22": cross_polytope,
    "diss-4.2.4-EM": net,
    "diss-4.3.25": gradients,
    "diss-5.1-LDPAVGvec": numbers,
    "diss-5.1-pop": grid_losses,
    "diss-5.1.30": numbers,
    "diss-5.1.31": grid_losses,
    "diss-5.1.32": bits,
    "diss-5.1.35": disjunction_coefficients,
    "diss-5.1.36": cosine_products,
    "diss-5.1.37": indices,
    "diss-5.3.41": sides,
    "diss-5.3.42": labels,
    "diss-5.3.43": gradients,
    "diss-5.3.44": sides,
    "diss-5.3.45": labels,
    "diss-5.3.lasso": labels,
    "diss-5.3.rand": sides,
    "diss-6.1.46": second_moments,
    "diss-6.1.47": second_moments,
    "diss-6.2-NAIVE": second_moments,
    "diss-6.2.48": second_moments,
    "diss-6.2.49": second_moments,
    "diss-6.3-SULQ": second_moments,
    "diss-6.3.50": precision_output,
    "diss-6.3.51-G": second_moments,
    "diss-6.3.51-L": laplace_moments,
    "diss-6.3.51-W1": laplace_moments,
    "diss-6.3.52": laplace_moments,
    "diss-6.3.53": second_moments,
    "diss-7.1.54": answers,
    "diss-7.1.majority": answers,
    "diss-7.2.56": robust_means,
    "diss-7.2.57": robust_means,
    "diss-RGD": robust_batches,
    "hu-1": robust_vertices,
    "hu-2": lasso_vertices,
    "hu-expmech": far_vertices,
    "wang-1": clipped_gradients,
    "wang-2": robust_blocks,
    "wang-ldp-em": asked_users,
    "wang-ldp-mean": robust_mean,
    "wang-mean": robust_mean,
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
        names = ("scale", "rate", "epsilon", "temperature")
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
    if mechanism.kind == "exponential":
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
        What differs: number, kind, size, sensitivity for every unit, scale; empty if nothing.
    """
    n, wrong = values["n"], []
    releases = list(unit_releases(transcript, n))
    steps = evaluate(formulas.steps, values)
    if len(releases) != steps:
        wrong.append(f"{len(releases)} releases, the theorem has {steps}")
    for t, release in enumerate(releases):
        here = {**values, "t": t}
        if release.kind not in KINDS[formulas.kind]:
            wrong.append(f"release {t} is {release.kind}, the theorem has {formulas.kind}")
        if release.size != evaluate(formulas.dimension, here):
            wrong.append(f"release {t} has size {release.size}")
        for k in range(n):
            moved = formulas.sensitivity_for(k, here)
            stated = release.sensitivity if k in release.read else 0.0
            if not _close(stated, moved):
                wrong.append(f"release {t}, unit {k}: {stated!r}, the theorem has {moved:.17g}")
                break
        scale = evaluate(formulas.scale, here)
        if not _close(release.scale, scale):
            wrong.append(f"release {t}: scale {release.scale!r}, the theorem has {scale:.17g}")
    return wrong


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
        before, after = np.asarray(old.value), np.asarray(new.value)
        moved = np.ravel(old.mechanism.distance(before, after, old.claim.axes))
        attributes = len(moved) // len(before) if old.claim.unit == "attribute" else 1
        for unit, far in enumerate(moved):
            k = unit if unit // attributes == record else record * attributes
            bound = float(formulas.sensitivity_for(k, {**values, "t": t}))
            if far > bound * (1 + ROUNDING) + ROUNDING:
                wrong.append(f"release {t}: record {record} moves it by {far:.6g} > {bound:.6g}")
            t += 1
    return wrong
