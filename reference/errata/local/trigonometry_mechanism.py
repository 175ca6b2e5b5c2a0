"""Errata in the sources of diss-5.1.36 (Algorithm 5.1.36)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.local.trigonometry_mechanism import Constants, local_trigonometry_mechanism


def printed_constants(data: Any, *, epsilon: float, n_degrees: int) -> Constants:
    """LDP-AVG with b = 1 (step 9, l.5224), each of the t^p features with epsilon/t^p."""
    n_features = float(n_degrees) ** np.shape(data)[1]
    return Constants(n_features, n_features / epsilon)


printed = with_constants(local_trigonometry_mechanism, printed_constants)

ERRATA = (
    Erratum(
        name="diss-5.1.36/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.1.11: Algorithm 5.1.36, which runs LDP-AVG with b = 1 on the features "
        "prod_j cos(v_j arccos x_j), is epsilon-LDP",
        truth="features are in [-1, 1]: their width is 2. The l1 sensitivity of all t^p is "
        "t^(p-1) (t - min_phi sum_{v<t} cos(v phi)), for t >= 3 above the t^p that the noise is "
        "for, by up to 1.2172; Laplace noise of that over epsilon, or b = 2, is right",
        witness="p=1, t=3: x = 1 and x' = -1/4 are 25/8 apart, a loss of 1.0417 epsilon; t=5: "
        "1.1039 epsilon",
        reproduced_by="audit:printed/privacy_loss",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-5.1.36/E1",), function=printed),)
