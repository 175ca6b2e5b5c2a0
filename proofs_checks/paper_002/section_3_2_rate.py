"""Section 3.2: the rate (3) of Theorem 3.8."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_1 import (
    iterated,
    lemma_with_noise,
    released_noise,
    truncation_and_sample_bound,
)
from proofs_checks.paper_002.facts import noise_of_batches
from proofs_checks.paper_002.section_3_2 import FRAMEWORK
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, reals, refuted


@statement(
    "002 (3)",
    lines="200-201, 791-792",
    kind="utility",
    printed="||beta^t - beta*|| <= kappa^{t/2} ||beta^0 - beta*|| + (sqrt(s-hat) + c1 "
    "sqrt(s*/(1-L))) eta alpha/(1-sqrt kappa) + K s* log d sqrt(log(1/delta)) (log n)^{3/2}/(n "
    "epsilon) + eta xi/(1-sqrt kappa)",
    false="xi moves the selection, too, as in Lemma B.1, so its coefficient 1 is too small",
    algorithms=FRAMEWORK,
    errata=("zhang-2/E6",),
)
def selection_by_truncation() -> Outcome:
    """One step from beta^0 = beta* = e_1, alpha = 0, n without end; s-hat = 8, L = 1/10.

    mu = nu = 1, gamma = kappa = 10^-8, Q(.; beta*) = -||. - beta*||^2/2. The truncation error
    takes 9/10 of the first coordinate and puts 1/9 on eight others, which are then selected.
    """
    left = 1 + 8 * Fraction(1, 9) ** 2
    xi_squared = Fraction(9, 10) ** 2 + 8 * Fraction(1, 9) ** 2
    right = xi_squared / (1 - Fraction(1, 10**4)) ** 2
    point = {"s*": 1, "s-hat": 8, "L": 0.1, "kappa": 1e-8, "xi^2": float(xi_squared)}
    return refuted(point, left, right, "squared error against the squared right-hand side")


@selection_by_truncation.corrected(
    "with (2 + 1/sqrt 2) eta xi for eta xi and (1 + sqrt 2) sqrt(s*) for c1 sqrt(s*/(1-L)), for "
    "s-hat >= 4 s*",
    refuses={
        "without W and xi in the step": {"with_noise": False},
        "0.9/(1 - sqrt(kappa))": {"factor": "0.9"},
        "without log(1/delta)": {"budget": 0},
        "log n for (log n)^{3/2}": {"power": 2},
        "without s*": {"privacy": {"sparsity": 0}},
        "without log d": {"privacy": {"dimension": 0}},
        "(n epsilon)^2": {"privacy": {"records": 2}},
        "kappa^t": {"half": 2},
        "1/(1 - kappa)": {"root": 2},
        "sqrt(s-hat/2)": {"share": "1/2"},
        "(1 + 1/sqrt 2) eta xi": {"own": 0},
        "sqrt(s*) for (1 + sqrt 2) sqrt(s*)": {"both": 0},
        "s-hat >= 3 s*": {"least": 3},
    },
    unchecked={
        "c1": "of the print; the formula replaces it",
    },
)
def rate(
    rng: np.random.Generator,
    with_noise: bool = True,
    factor: str = "1",
    budget: int = 1,
    power: int = 3,
    own: int = 1,
    both: int = 1,
    half: int = 1,
    root: int = 1,
    share: str = "1",
    privacy: dict[str, int] | None = None,
    least: int = 4,
) -> Outcome:
    """A step is the corrected (20): Lemma B.1 [step "selection"] and (15) [step "sample"].

    Together they have the stated coefficients, t = 1/sqrt 2 [step "coefficients";
    a = sqrt(s-hat) eta alpha, b = sqrt(s*) eta alpha, z = eta xi]. The choice of s-hat makes a
    step contract by sqrt(kappa), and the steps add up [step "sum"].
    2 sqrt(2W) and ||W_Lap|| are of the order of the third term: (18) [step "noise"] with n0 =
    n/log n [step "batches"], and (56).
    """
    after, kept, one, a, b, z, noise, t = reals("after kept one a b z noise t")
    return derived(
        selection=lemma_with_noise(rng, with_noise=with_noise, least=least),
        sample=truncation_and_sample_bound(share),
        coefficients=for_all(
            after <= kept + a + (1 + 2 * both * t) * b + (1 + own + t) * z + noise,
            *(t > 0, 2 * t * t == 1, a >= 0, b >= 0, z >= 0, one <= z + a),
            after <= one + kept + (1 + 2 * t) * b + (1 + t) * z + noise,
        ),
        sum=iterated(factor, half, root),
        noise=released_noise(),
        batches=noise_of_batches(budget, power, **(privacy or {})),
    )
