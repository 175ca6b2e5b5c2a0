"""Generalised linear models from one noisy message per user and public features (diss-5.2.39)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries, clip_rows
from reference.constants import fixed_constants
from reference.local.links import Link
from reference.local.scaled_least_squares import (
    Constants,
    Estimate,
    checked_data,
    constants_for,
    least_squares,
    scores,
    smallest_root,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def release_moments(
    features: FloatArray,
    labels: FloatArray,
    *,
    radius: float,
    constants: Constants,
    ledger: Ledger,
) -> tuple[FloatArray, FloatArray]:
    """Release every user's noisy x x^T, (n, p, p), and x y, (n, p): steps 1 to 4.

    A local guarantee is over all inputs: what the box assumes of x and y is made true here.
    """
    x = clip_rows(features, radius, order=1)  # ||x_i||_1 <= r
    y = clip_entries(labels, 1.0)  # |y_i| <= 1
    noisy_xx = ledger.symmetric_gaussian(  # step 2: x_i x_i^T + E_{1,i}
        x[:, :, None] * x[:, None, :],
        sensitivity=constants.matrix_sensitivity,
        scale=constants.matrix_scale,
        unit="record",
    )
    noisy_xy = ledger.gaussian(  # step 3: x_i y_i + E_{2,i}
        x * y[:, None],
        sensitivity=constants.vector_sensitivity,
        scale=constants.vector_scale,
        unit="record",
    )
    return noisy_xx, noisy_xy


@checked_arguments
def local_generalised_linear_model(
    data: tuple[ArrayLike, ArrayLike],
    link: Link,
    *,
    public_features: ArrayLike,
    epsilon: float,
    delta: float,
    radius: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Estimate:
    """Estimate w* = argmin E[Phi(<x, w>) - y <x, w>] under non-interactive local privacy.

    Parameters
    ----------
    data : (array_like of shape (n, p), array_like of shape (n,))
        Features and labels, one record per user. Features of l1 norm above ``radius`` are scaled
        down to it, labels are cut to [-1, 1], on the user's side. It takes up to 5 n p^2 floats.
    link : Link
        f = Phi'; only the server needs it. The same messages serve any number of links.
    public_features : array_like of shape (m, p)
        From the same law as the private ones. Public.
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    radius : float
        r > 0, public.
    constants : Constants, optional
        By default :func:`~reference.local.scaled_least_squares.constants_for`. For epsilon <= 1
        :func:`~reference.local.scaled_least_squares.constants_of_theorem` is right as well.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Estimate
        Without coefficients where no root is found.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.2.1): (epsilon, delta)-DP in the local model, non-interactive, here for
    every epsilon.

    *Utility*: median error in n^{-1/2} and epsilon^{-1} down to a bias of order
    ||w*||_inf^2/sqrt p. The noisy matrix has a positive smallest eigenvalue from about
    n = 16 p scale^2/lambda_min^2 on, and ||x||_1 <= r makes lambda_min at most r^2/p.

    *As printed*: the noise is that of ``constants_of_theorem``; less suffices. There are sums in
    step 6, here are means, which have the same w_ols. Newton's method of steps 8 to 10, from an
    initial c, is one of several in step 7; it goes to any root or to none, so the smallest is
    bracketed. Its sums run to n + m + 1, one row more than there is (diss-5.2.39/E9).

    References
    ----------
    Wang (2020), Algorithm 5.2.39 (l.5678-5696), Theorems 5.2.1 to 5.2.3 (l.5722-5758).
    """
    ledger = open_ledger(ledger)
    features, labels, public = checked_data(data, public_features, link)
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, epsilon=epsilon, delta=delta, radius=radius
    )

    noisy_xx, noisy_xy = release_moments(  # steps 1-4, every user for itself
        features, labels, radius=radius, constants=chosen, ledger=ledger
    )
    # step 5: the server
    w_ols, eigenvalue = least_squares(noisy_xx.mean(axis=0), noisy_xy.mean(axis=0))  # step 6
    y_tilde = scores(public, w_ols)  # step 7
    c = smallest_root(link, y_tilde)  # steps 7-11: 1 = c mean_j Phi''(c y_tilde_j)
    w_glm = None if c is None else c * w_ols  # step 12
    return Estimate(w_glm, w_ols, c, eigenvalue)


ENTRY = Entry(
    id="diss-5.2.39",
    name="Non-interactive LDP for smooth GLM with public data",
    sources=(Source("004", "Algorithm 5.2.39", "5678-5696"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for 0 < epsilon, delta < 1 "
    "(Theorem 5.2.1)",
    utility_claim="||w - w*||_inf = O(p sqrt(log(1/delta) log(p/xi))/(epsilon sqrt n) + p/sqrt m "
    "+ 1/sqrt p), other terms omitted (Theorem 5.2.2)",
    function=local_generalised_linear_model,
)
