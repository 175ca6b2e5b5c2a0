"""What the sources of diss-4.1.16 (Algorithm 4.1.16) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="privacy",
        origin="misprint",
        statement="step 3 (l.2713): sigma^2 = 2 L^2 T/(n^2 rho^2)",
        truth="1/rho, as in the text l.2738; the printed form is not private once rho > 1, "
        "i.e. epsilon > 1 + 2 sqrt(log(1/delta)), and over-noises below",
        witness="L = G: (10, 0.01): rho = 2.808, true delta(10) = 0.2236; (20, 1e-4): 0.906",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        number=2,
        kind="privacy",
        origin="misprint",
        statement="l.2713, l.2738: sigma^2 has the smoothness L where sensitivity needs the "
        "Lipschitz constant G",
        truth="G, as in (4.3) and Assumption 4.1.1",
        witness="sigmoid loss, unit rows: G = 1/4, L = 0.0962, noise 2.6 times too small; "
        "(1, 0.01): true delta(1) = 0.0671",
        reproduced_by="audit:printed-2/privacy_loss",
    ),
    Erratum(
        number=3,
        kind="privacy",
        origin="mathematical",
        statement="Theorem 4.1.1: constants c, c_1 make (4.3) private for every "
        "0 < epsilon < c_1 T and every delta",
        truth="mu = 2 epsilon/sqrt(c log(1/delta)) does not depend on T, so no c is "
        "universal; c = 2 (1 + sqrt 2)^2 = 11.66 holds for epsilon <= log(1/delta)",
        witness="c = 12, delta = 0.01, epsilon = 100, T >= 100/c_1: true delta(100) = 1.0",
        reproduced_by="audit:printed-3/privacy_loss",
    ),
    Erratum(
        number=6,
        kind="experiment",
        origin="unclear",
        statement="l.2877, l.4102: the sigmoid loss 1/(1 + exp(-y <theta, x>))",
        truth="1/(1 + exp(+y <theta, x>)): the printed one grows with the margin, its "
        "minimiser is the worst classifier",
        witness="separable labels, n = 500, p = 5: training accuracy 0.004 with the printed "
        "sign, 0.996 with the other",
        reproduced_by="proofs:004 l.2877 (sigmoid loss)",
    ),
)
