"""Errata in the sources of hu-2 (Algorithm 2)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.constraint_sets import L1Ball
from reference.errata.nonconvex.frank_wolfe_l1 import printed_step_epsilon
from reference.heavy_tailed.lasso import Constants, heavy_tailed_lasso
from reference.heavy_tailed.vertex_selection import l1_diameter


def printed_score_sensitivity(n: int, *, radius: float, truncation_level: float) -> float:
    """Return 8 ||W||_1 K^2/n of Algorithm 2, ||W||_1 = 2 R being the l1 diameter (l.109).

    It is (1 + R)/4 of the right one too small: valid for R <= 3, twice too much for R = 1.
    """
    return 8 * l1_diameter(L1Ball(radius), 1) * truncation_level**2 / n


def printed_constants(
    data: Any,
    *,
    epsilon: float,
    delta: float,
    truncation_level: float,
    n_iterations: int,
    radius: float = 1.0,
    **parameters: Any,
) -> Constants:
    """Step 4: sensitivity 8 ||W||_1 K^2/n, budget epsilon/(2 sqrt(2 T log(1/delta))).

    A selection then costs up to (1 + R)/4 times the printed budget; that is (epsilon, delta)-DP
    whenever R <= 3 and epsilon <= 48 log(1/delta), e.g. epsilon < 1 and delta <= 0.979.
    """
    return Constants(
        sensitivity=printed_score_sensitivity(
            len(data[1]), radius=radius, truncation_level=truncation_level
        ),
        step_epsilon=printed_step_epsilon(epsilon, delta, n_iterations=n_iterations),
    )


printed = with_constants(heavy_tailed_lasso, printed_constants)

ERRATA = (
    Erratum(
        name="hu-2/E1",
        severity="S3",
        kind="sensitivity",
        origin="mathematical",
        statement="Algorithm 2: the scores have sensitivity 8 ||W||_1 K^2/n, ||W||_1 the "
        "diameter of an l1 ball of any radius R",
        truth="4 R (1 + R) K^2/n, which is more for R > 3",
        witness="w = R e_1, ((K, K), -K) replaced by ((K, -K), -K): 2.75 times at R = 10. "
        "T = 1, epsilon = 0.99, delta = 1e-5, k more records ((0, K), -K): delta(0.99) = "
        "1.5e-5 at R = 39 (k = 560), 0.0171 at R = 60 (k = 180), 0.412 at R = 200 (k = 80)",
        reproduced_by="audit:printed/sensitivity",
    ),
    Erratum(
        name="hu-2/E2",
        severity="S3",
        kind="accounting",
        origin="mathematical",
        statement="Theorem 4: (epsilon, delta)-DP for any delta < 1, with "
        "epsilon/(2 sqrt(2 T log(1/delta))) per selection",
        truth="for epsilon <= 48 log(1/delta), e.g. epsilon < 1 and delta <= 0.979 (R <= 3); "
        "the budget grows without bound as delta tends to 1",
        witness="d = n = T = 1, R = K = 1, epsilon = 0.99, records (1, 1) and (1, -1), w = 0: "
        "delta(0.99) = 1 - 3.6e-6 at delta = 1 - 1e-5",
        reproduced_by="audit:printed-2/accounting",
    ),
    Erratum(
        name="hu-2/E3",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Theorem 4: Algorithm 1 is (epsilon, delta)-DP",
        truth="Algorithm 2",
        witness="it stands after Algorithm 2, takes its delta, and Theorem 1 is about Algorithm 1",
        reproduced_by="proofs:003 Theorem 4",
        elsewhere="Theorem 1, l.216, is about Algorithm 1 and has no delta",
    ),
    Erratum(
        name="hu-2/E4",
        severity="S4",
        kind="utility",
        origin="unclear",
        statement="Theorem 5: the steps eta_{t-1} = 2/(t+2)",
        truth="2/(t+1): with 2/(t+2) a third of the initial error is left where the prescribed T "
        "is 1",
        witness="d = 1, x = +-sqrt(lambda), y = x/sqrt(lambda) from w^0 = -1, lambda such that "
        "T = 1: the excess over (9) grows without bound, more than 50-fold from n = 1e4 to 1e12",
        reproduced_by="proofs:003 Theorem 5",
        copy_of="hu-1/E6",
        elsewhere="Theorem 2, l.218, has the same steps",
    ),
    Erratum(
        name="hu-2/E5",
        severity="S3",
        kind="utility",
        origin="unclear",
        statement="Theorem 5: T and (9) with sqrt(log(1/delta) log(dT/zeta))",
        truth="sqrt(log(1/delta)) log(dT/zeta): a selection among 2d vertices loses up to (Delta/"
        "eps') log d, whatever its budget",
        witness="independent signs x, y = c (x_1 + ... + x_m), m c = 1, 2c = (Delta/eps') log d: "
        "from w^0 = 0 none of the m coordinates is ever selected but for a probability below "
        "1e-100, and the excess stays c, over (9) of order sqrt(log d)",
        reproduced_by="proofs:003 (9)",
        elsewhere="Both T (l.270) and (9), l.272, have the root over both; nowhere else",
        sign="root",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("hu-2/E1",), function=printed),
    PrintedForm("printed-2", errata=("hu-2/E2",), function=printed),
)
