"""Errata in the sources of diss-5.3.41 (LDP-IHT)."""

from __future__ import annotations

import math
from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.local.iterative_hard_thresholding import Constants, local_hard_thresholding
from reference.losses import n_features


def _printed_constants(data: Any, *, noise_bound: float, **_: Any) -> Constants:
    """Gradients of norm C sqrt(p) at most (l.6481); longer ones are scaled down to it."""
    return Constants(radius=noise_bound * math.sqrt(n_features(data)))


printed = with_constants(local_hard_thresholding, _printed_constants)

ERRATA = (
    Erratum(
        name="diss-5.3.41/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="l.7109: <x, theta> <= ||x||_infinity ||theta||_2 <= 1",
        truth="not Hoelder's inequality: <x, theta> <= ||theta||_1 <= sqrt(s); E2 follows from it",
        witness="theta = (1, .., 1)/sqrt 8, x = (1, .., 1): 2.828",
        reproduced_by="proofs:004 Proof of Theorem 5.3.9 (gradient)",
    ),
    Erratum(
        name="diss-5.3.41/E2",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="step 3, (5.76): r = O(C sqrt p), and the error is O(C ..)",
        truth="r = sqrt(p) (sqrt(8 s*) + sqrt(s*) + C), and that for C sqrt(p) in the error: the "
        "messages of a smaller ball cannot carry theta*",
        witness="n=1e6, p=8, epsilon=2, T=5, theta*=.9 e_1, C=.05: error .65; the theorem has "
        ".03 and C sqrt(p log p T s*/n)/epsilon = .0002",
        reproduced_by="audit:printed/scaling",
    ),
    Erratum(
        name="diss-5.3.41/E3",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorem 5.3.5: for any epsilon > 0 the error falls like 1/epsilon",
        truth="like coth(epsilon/2)/2: messages are never shorter than r",
        witness="p=2, C=.5, n=400, T=4, epsilon=27: error of .3 and more, and .08 by the theorem",
        reproduced_by="test:test_the_error_does_not_vanish_as_epsilon_grows",
    ),
    Erratum(
        name="diss-5.3.41/E4",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="l.6712: the s* coefficients of theta* are drawn from U[0, 1]",
        truth="||theta*|| <= 1 in the model: longer ones cannot be reached in the unit ball",
        witness="s* = 5, 10, 20: longer than 1 with probability .84, .997, 1; relative error at "
        "least .20, .43, .61 on average",
        reproduced_by="test:test_printed_coefficients_are_outside_the_unit_ball",
        elsewhere="l.6726 has the same words for the other model",
    ),
    Erratum(
        name="diss-5.3.41/E5",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="l.6714: eta = .1 or .2, T = log(n/p) steps from a Gaussian start, the best of "
        "10 by the true error",
        truth="these steps leave most of the start's error, whatever n; and the best by the true "
        "error is no estimator",
        witness="no noise, all of the distribution, p = 50, s* = 5: relative error .97 (n=1e4) and "
        ".90 (n=1e5) for eta = .1",
        reproduced_by="test:test_the_printed_steps_do_not_converge",
        elsewhere="Nowhere else",
    ),
)
FORMS = (PrintedForm("printed", errata=("diss-5.3.41/E2",), function=printed),)
