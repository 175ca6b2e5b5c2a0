"""Errata in the sources of diss-6.3.51-W1 (Theorem 6.3.4, Lemma 6.3.2)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Erratum, PrintedForm
from reference.matrices.graphical_lasso import PrecisionMinimum, graphical_lasso
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: ArrayLike, *, epsilon: float, penalty: float, ledger: Ledger | None = None
) -> PrecisionMinimum:
    """Wishart noise, W_d(d + 1, 3/(2 n epsilon) I) (Theorem 6.3.4, l.8763)."""
    records = require_array("data", data, ndim=2)
    n, d = records.shape
    noisy = open_ledger(ledger).wishart(  # step 1
        second_moment(records), sensitivity=1 / n, degrees=d + 1, scale=3 / (2 * n * epsilon)
    )
    return graphical_lasso(noisy, penalty=penalty)  # step 2


ERRATA = (
    Erratum(
        name="diss-6.3.51-W1/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="S + W_d(d + 1, 3/(2 n epsilon) I) is epsilon-DP for any epsilon > 0",
        truth="not epsilon-DP for any epsilon: the output lies above S, so neighbours have "
        "different supports. It is (0, 1 - e^(-epsilon/3))-DP. Symmetric Laplace noise and a "
        "projection on the positive semidefinite cone are epsilon-DP",
        witness="a zero record against e_1: outputs impossible under the second have "
        "probability 1 - e^(-epsilon/3) = .2835 at epsilon = 1, for every d and n",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-6.3.51-W1/E2",
        severity="S2",
        kind="misprint",
        origin="misprint",
        statement="Lemma 6.3.2 adds W_d(d + 1, 3 B^2/(2 n epsilon) I) to A^T A",
        truth="the scale belongs to A^T A/n, as Theorem 6.3.4 uses it",
        witness="n=100, epsilon=1, d=1: outputs impossible under the neighbour have "
        "probability 1 - 3.3e-15 instead of .2835",
        reproduced_by="proofs:004 Lemma 6.3.2",
        elsewhere="Theorem 6.3.4, l.8763, has the same C for A^T A/n",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-6.3.51-W1/E1",), function=printed),)
