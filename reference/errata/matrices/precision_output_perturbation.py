"""Errata in the sources of diss-6.3.50 (Algorithm 6.3.50)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.catalogue import Erratum, PrintedForm
from reference.matrices.second_moments import second_moment
from reference.matrices.stable_graphical_lasso import stable_graphical_lasso
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: ArrayLike, *, epsilon: float, penalty: float, ledger: Ledger | None = None
) -> FloatArray:
    """Wishart noise, W_d(d + 1, d^(5/2)/(n epsilon rho^2) I), on the minimiser (l.8717)."""
    records = require_array("data", data, ndim=2)
    n, d = records.shape
    return open_ledger(ledger).wishart(
        stable_graphical_lasso(second_moment(records), penalty),  # step 1
        sensitivity=2 * (d / penalty) ** 2 / n,  # (6.99)
        degrees=d + 1,
        scale=d**2.5 / (n * epsilon * penalty**2),
    )


ERRATA = (
    Erratum(
        name="diss-6.3.50/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 6.3.1: Theta* + W_d(d + 1, d^(5/2)/(n epsilon rho^2) I) is epsilon-DP",
        truth="not for any epsilon: the output lies above Theta*, so neighbours have different "
        "supports, see diss-6.3.51-W1/E1; the proof compares densities on the common part only",
        witness="d=n=rho=epsilon=1, a unit record against a zero record: outputs impossible under "
        "the second have probability 1 - e^(-1/4) = .2212",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.3.51-W1/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-6.3.50/E1",), function=printed),)
