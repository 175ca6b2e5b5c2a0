"""Non-linear regression from one noisy message per user and public features (diss-5.2.40)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import require_magnitude
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries, clip_rows
from reference.constants import fixed_constants
from reference.local.links import Link, label_bound
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


@checked_arguments
def local_nonlinear_regression(
    data: tuple[ArrayLike, ArrayLike],
    link: Link,
    *,
    public_features: ArrayLike,
    epsilon: float,
    delta: float,
    noise_bound: float,
    radius: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Estimate:
    """Estimate w* in y = f(<x, w*>) + noise, ||w*||_2 <= 1, under non-interactive local privacy.

    Parameters
    ----------
    data : (array_like of shape (n, p), array_like of shape (n,))
        Features and labels, one record per user. Features of l1 norm above ``radius`` are scaled
        down to it, labels are cut to [-B, B], on the user's side. It takes up to 5 n p^2 floats.
    link : Link
        f: it fixes B, so that users must know it as well.
    public_features : array_like of shape (m, p)
        From the same law as the private ones. Public.
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    noise_bound : float
        C >= 0, the largest size of a label's noise: B = L r + |f(0)| + C, which must be positive.
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
    *Guarantee* (l.5813, l.5987): (epsilon, delta)-DP in the local model, non-interactive, here for
    every epsilon and for every label.

    *Utility*: as for Algorithm 5.2.39; the factor is c_f = 1/E f'(<x, w*>) (Theorem 5.2.4).

    *As printed*: labels are from {0, 1} and are not cut, though the noise is for labels in [-B, B]
    (diss-5.2.40/E1); here they are cut. The noise is that of ``constants_of_theorem``; less
    suffices. There are sums in step 5, here are means, which have the same w_ols. For Newton's
    method of steps 7 to 9 see Algorithm 5.2.39: here the smallest root is bracketed. The sums of
    step 8 have one row too many (diss-5.2.40/E4).

    References
    ----------
    Wang (2020), Algorithm 5.2.40 (l.5794-5811), Theorem 5.2.5 (l.5815-5834).
    """
    ledger = open_ledger(ledger)
    features, labels, public = checked_data(data, public_features, link)
    bound = require_magnitude(
        "the label bound of link, radius and noise_bound", label_bound(link, radius, noise_bound)
    )
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        epsilon=epsilon,
        delta=delta,
        radius=radius,
        largest_label=bound,
    )

    # step 1: every user for itself
    x = clip_rows(features, radius, order=1)  # ||x_i||_1 <= r
    y = clip_entries(labels, bound)  # |y_i| <= B = L r + |f(0)| + C
    noisy_xx = ledger.symmetric_gaussian(  # step 2: x_i x_i^T + E_{1,i}
        x[:, :, None] * x[:, None, :],
        sensitivity=chosen.matrix_sensitivity,
        scale=chosen.matrix_scale,
        unit="record",
    )
    noisy_xy = ledger.gaussian(  # step 2: x_i y_i + E_{2,i}
        x * y[:, None],
        sensitivity=chosen.vector_sensitivity,
        scale=chosen.vector_scale,
        unit="record",
    )
    # step 4: the server
    w_ols, eigenvalue = least_squares(noisy_xx.mean(axis=0), noisy_xy.mean(axis=0))  # step 5
    y_tilde = scores(public, w_ols)  # step 6
    c = smallest_root(link, y_tilde)  # steps 6-10: 1 = c mean_j f'(c y_tilde_j)
    w_nlr = None if c is None else c * w_ols  # step 11
    return Estimate(w_nlr, w_ols, c, eigenvalue)


ENTRY = Entry(
    id="diss-5.2.40",
    name="Non-interactive LDP non-linear regression with public data",
    sources=(Source("004", "Algorithm 5.2.40", "5794-5811"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for 0 < epsilon, delta < 1 (l.5813)",
    utility_claim="||w - w*||_inf as for Algorithm 5.2.39, with f' for Phi'' (Theorem 5.2.5)",
    function=local_nonlinear_regression,
)
