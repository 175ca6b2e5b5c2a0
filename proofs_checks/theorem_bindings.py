"""Bindings of the theorems' variables to the code's values, for every entry with a theorem.

The noise scale of Gaussian releases is bound to the scale that the code calibrates: calibration is
outside the theorems, which hold for every scale.

Where the code adds a step to a public point, it multiplies sensitivity and noise by one factor for
the rounding of the sum (:func:`reference.basic.sums.rounding_factor`). The factor depends on what
was released before, so that the theorem's release is the code's in units of it: its query is any
function of the past, and a larger unit makes its sensitivity smaller. Such entries bind
:data:`ROUNDED`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from proofs_checks.theorem_hypotheses import least_kernel, stated_bit_loss, stated_index_move
from reference.local.links import label_bound
from reference.local.marginals import monomials, step_polynomial
from reference.local.trigonometry_mechanism import ROUNDING as ROUNDING_SHARE
from reference.matrices.precision_output_perturbation import rounding

Values = Mapping[str, Any]

ROUNDED = "rounded"
"""Bound where the code multiplies sensitivity and noise by a factor for rounding."""


def _limit(scale: float) -> Decimal:
    """Return (2 sqrt 2/3) s, the bound of the smoothed truncation at scale s."""
    return 2 * Decimal(2).sqrt() / 3 * Decimal(scale)


def gradients(x: SimpleNamespace) -> Values:
    """Bind gradients that the loss bounds by its Lipschitz constant."""
    G, sigma = x.loss.lipschitz, x.constants.noise_scale
    return {"T": x.n_iterations, "d": len(x.initial), "G": G, "sigma": sigma}


def centre_of_blocks(x: SimpleNamespace) -> Values:
    """Bind the centre of attention of estimates, with noise in proportion to a smooth bound."""
    read = x.n // x.n_blocks * x.n_blocks if x.disjoint else x.n
    dimension, chosen = np.asarray(x.releases[0].value).size, x.constants
    return {"n": read, "d": dimension, "gamma": chosen.divisor, "tau": 2 * chosen.decay}


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


def copies(x: SimpleNamespace) -> Values:
    """Bind noisy copies of users' records."""
    return {
        "p": x.data.shape[1],
        "degree": x.degree,
        "sigma0": x.constants.pair_noise_scale,
        "sigma": x.constants.factor_noise_scale,
    }


def moment_messages(x: SimpleNamespace) -> Values:
    """Bind users' x x^T and x y, labels cut to [-1, 1] or to the link's bound.

    The sensitivity of x x^T over radius^2 is sqrt 2, or the paper's 2.
    """
    chosen, radius = x.constants, Decimal(x.radius)
    stated = Decimal(chosen.matrix_sensitivity) / radius**2
    noise_bound = getattr(x, "noise_bound", None)
    return {
        "p": x.data.shape[1],
        "radius": radius,
        "B": 1 if noise_bound is None else label_bound(x.link, x.radius, noise_bound),
        "c": min(Decimal(2).sqrt(), Decimal(2), key=lambda c: abs(c - stated)),
        "sigma1": chosen.matrix_scale,
        "sigma2": chosen.vector_scale,
    }


def tested_descent(x: SimpleNamespace) -> Values:
    """Bind gradients of a descent, then a gradient and a Hessian for each point."""
    return {
        "T": x.n_iterations,
        "d": len(x.initial),
        "G": x.loss.lipschitz,
        "H": x.loss.hessian_change(len(x.initial)),
        "sigma": x.constants.descent_noise_scale,
        "sigma1": x.constants.gradient_noise_scale,
        "sigma2": x.constants.hessian_noise_scale,
    }


def quadratic_models(x: SimpleNamespace) -> Values:
    """Bind gradients and Hessians by turns, up to the end of the search."""
    return {
        "T": x.n_iterations,
        "d": len(x.initial),
        "G": x.loss.lipschitz,
        "H": x.loss.hessian_change(len(x.initial)),
        "sigma1": x.constants.noise_scale,
        "sigma2": x.constants.hessian_noise_scale,
        "asked": range(len(x.releases)),
    }


def wanted_hessians(x: SimpleNamespace) -> Values:
    """Bind gradients, each followed by a Hessian or not, up to the end of the search."""
    asked = [-1]
    for release in x.releases:
        parity = int(release.mechanism.kind == "symmetric gaussian")
        asked.append(asked[-1] + (1 if asked[-1] % 2 != parity else 2))
    return {**quadratic_models(x), "asked": asked[1:]}


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


def pair_stream(x: SimpleNamespace) -> Values:
    """Bind a stream of pairs with all earlier records or a buffer, regularised or not."""
    radius = x.constraint.largest_norm
    return {
        "T1": x.constants.first_phase,
        "d": len(x.initial),
        "s": min(getattr(x, "buffer_size", x.n), x.n),
        "alpha": x.loss.strong_convexity,
        "G": x.loss.lipschitz(radius),
        "strength": getattr(x, "strength", 0.0),
        "radius": radius,
        "multiplier": x.constants.noise_multiplier,
    }


def quadratic_models_of_batches(x: SimpleNamespace) -> Values:
    """Bind gradients and Hessians of batches by turns, up to the end of the search."""
    return {**quadratic_models(x), **_batches(x)}


def batches(x: SimpleNamespace) -> Values:
    """Bind gradients of batches."""
    return {**gradients(x), **_batches(x)}


def variance_reduced(x: SimpleNamespace) -> Values:
    """Bind variance-reduced gradients of batches, over T epochs."""
    return {**batches(SimpleNamespace(n_iterations=x.n_epochs, **vars(x))), "m": x.n_inner}


def _batches(x: SimpleNamespace) -> Values:
    samples = [release.claim.sample for release in x.releases]
    drawn = [range(x.n) if sample is None else set(sample.indices.tolist()) for sample in samples]
    return {"b": x.constants.batch_size, "batch": lambda t, k: int(k) in drawn[int(t)]}


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
    "diss-2.sgd-accountant": batches,
    "diss-3.1.1": variance_reduced,
    "diss-3.1.2": variance_reduced,
    "diss-3.1.3": variance_reduced,
    "diss-3.1.4": gradients,
    "diss-3.1.baselines": last_iterate,
    "diss-3.2.5": centre_of_blocks,
    "diss-3.2.8": robust_means,
    "diss-3.3.10": pair_stream,
    "diss-3.3.12": pair_stream,
    "diss-3.3.13": pair_stream,
    "diss-3.3.14": averaged_path,
    "diss-3.3.15": regularized_path,
    "diss-3.3.9": pair_stream,
    "diss-4.1.16": gradients,
    "diss-4.1.17": gradients,
    "diss-4.1.18": gradients,
    "diss-4.1.19": vertices,
    "diss-4.2.20": gradients,
    "diss-4.2.21": gradients,
    "diss-4.2.22": cross_polytope,
    "diss-4.2.4-EM": net,
    "diss-4.3.25": gradients,
    "diss-4.3.26": tested_descent,
    "diss-4.3.27": wanted_hessians,
    "diss-4.3.28": quadratic_models,
    "diss-4.3.29": quadratic_models_of_batches,
    "diss-5.1-LDPAVGvec": numbers,
    "diss-5.1-pop": grid_losses,
    "diss-5.1.30": numbers,
    "diss-5.1.31": grid_losses,
    "diss-5.1.32": bits,
    "diss-5.1.33": copies,
    "diss-5.1.34": copies,
    "diss-5.1.35": disjunction_coefficients,
    "diss-5.1.36": cosine_products,
    "diss-5.1.37": indices,
    "diss-5.2.39": moment_messages,
    "diss-5.2.40": moment_messages,
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
"""By identifier: Coq's variables but n, from a call's arguments, constants and data.

``asked`` lists the steps of the theorem that a run made, where the theorem lets it leave out some.
"""
