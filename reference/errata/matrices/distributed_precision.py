"""Errata in the sources of diss-6.3.52."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import ParameterValueError, require_array
from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.errata.matrices import wishart_covariance_perturbation
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.privacy.ledger import Ledger


def printed(
    data: ArrayLike, *, epsilon: float, penalty: float, ledger: Ledger | None = None
) -> PrecisionMinimum:
    """Shares v_i v_i^T and d + 1 - n terms of the server, N(0, 3/(2 n epsilon) I) (l.8802-8806).

    They are drawn as their sum, W_d(d + 1, 3/(2 n epsilon) I).
    """
    n, d = require_array("data", data, ndim=2).shape
    if n > d + 1:
        raise ParameterValueError("data", f"have at most d + 1 = {d + 1} records", got=f"{n}")
    return wishart_covariance_perturbation.printed(
        data, epsilon=epsilon, penalty=penalty, ledger=ledger
    )


ERRATA = (
    Erratum(
        name="diss-6.3.52/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Algorithm 6.3.52 with the C and m of Theorem 6.3.4 is epsilon-DP",
        truth="its sum is S + W_d(d + 1, C), which is not, see diss-6.3.51-W1/E1",
        witness="a zero record against e_1, n=d=2, epsilon=1: 110 of 400 outputs are impossible "
        "under e_1",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.3.51-W1/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-6.3.52/E1",), function=printed),)

WITHDRAWN = (
    Withdrawn(
        "diss-6.3.52/E2",
        "that a message shows the server its record is a limit of the model: the text claims "
        "privacy of the output only.",
    ),
)
