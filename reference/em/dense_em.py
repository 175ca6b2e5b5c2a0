"""Dense DP-EM: truncated gradient steps on fresh batches with Gaussian noise (zhang-4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_steps
from reference.basic.sums import rounded_mean, rounding_factor
from reference.blocks import disjoint_blocks
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.em.models import LatentModel, require_model
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of a step, in l2.
    noise_scale : float
        Standard deviation of the noise on every coordinate of a step.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    model: LatentModel,
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    truncation_level: float,
    step_size: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make all iterates together (epsilon, delta)-DP, for every epsilon.

    A record is in one batch of n0 = floor(n/N0), and its batch's release is one Gaussian of l2
    sensitivity eta sqrt(d) G/n0, with G the model's ``truncated_sensitivity`` (2T for the mixture,
    attained for d >= 2).

    Parameters
    ----------
    model : LatentModel
    n, dimension : int
        Number of records and length of beta.
    epsilon, delta, truncation_level, step_size, n_iterations
        As for :func:`dense_em`.
    method : str
        Of :func:`~reference.privacy.calibration.smallest_gaussian_scale`: exact by default.
    """
    require_steps("n_iterations", n_iterations, at_most=n)
    entry_sensitivity = model.truncated_sensitivity(truncation_level) / (n // n_iterations)
    sensitivity = step_size * math.sqrt(dimension) * entry_sensitivity
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method)
    return Constants(sensitivity, scale)


@checked_arguments
def dense_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    truncation_level: float,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the parameter of a latent-variable model, all coordinates of it.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``. Iteration t reads the t-th batch of n0 = floor(n/N0) consecutive
        records; the remainder is not used. The order must not depend on the values: shuffle
        sorted data first.
    model : LatentModel
        Gives the truncated gradients and their sensitivity;
        :class:`~reference.em.models.GaussianMixture` in Theorem 5.5.
    initial : array_like of shape (d,)
        beta^0, public. The theory wants it within R/2 of the truth.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    truncation_level : float
        T > 0, in units of the data; of order sqrt(log n) times their scale in the theory.
    step_size : float
        eta > 0; 2/(mu + nu) in the theory, 1 for the models of the paper.
    n_iterations : int
        N0, iterations and batches, 1 <= N0 <= n; of order log n in the theory.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^{N0}.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Lemma 5.1, without proof in the paper): all iterates together are
    (epsilon, delta)-DP, central, replace-one, for every epsilon. Where a model's sensitivity holds
    for bounded iterates only (``iterate_bound``), beta^0 and every iterate are clipped to them,
    which is post-processing.

    *As printed*: the Gaussian rule of Proposition 2.4 has no upper limit on epsilon (zhang-4/E1).

    References
    ----------
    Zhang and Zhang (2021), Algorithm 4 (l.379-386), Proposition 2.4 (l.85), Theorems 5.4, 5.5
    (l.409-427).
    """
    ledger = open_ledger(ledger)
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_per_record_gradients(
        "model",
        model,
        lambda some, at: model.truncated_gradients(some, at, truncation_level),
        data,
        beta,
        beta + 1,  # at 0 some gradients vanish
    )
    n = len(records)
    require_steps("n_iterations", n_iterations, at_most=n)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        model,
        n=n,
        dimension=beta.size,
        epsilon=epsilon,
        delta=delta,
        truncation_level=truncation_level,
        step_size=step_size,
        n_iterations=n_iterations,
    )

    bound = model.iterate_bound(truncation_level)
    largest = model.truncated_sensitivity(truncation_level)
    beta = np.clip(beta, -bound, bound)
    for batch in disjoint_blocks(n, n_iterations):  # step 3
        gradients = model.truncated_gradients(records[batch], beta, truncation_level)
        mean = rounded_mean(gradients, bound=largest + float(np.abs(beta).max()))
        rounding = rounding_factor(beta, sensitivity=chosen.sensitivity)
        noisy = ledger.gaussian(
            beta + step_size * mean,
            sensitivity=rounding * chosen.sensitivity,
            scale=rounding * chosen.noise_scale,
            records=batch,
        )  # step 4
        beta = np.clip(noisy, -bound, bound)
    return beta


ENTRY = Entry(
    id="zhang-4",
    name="Dense DP-EM (Gaussian mechanism)",
    sources=(Source("002", "Algorithm 4", "379-386"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Lemma 5.1)",
    utility_claim="||beta-hat - beta*||_2 <= C d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) + "
    "C_1 sqrt(d/n) log n for the Gaussian mixture (Theorem 5.5)",
    function=dense_em,
)
