"""Errata in the sources of zhang-2 (Algorithm 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.em.models import LatentModel
from reference.em.sparse_em import Constants, constants_for, sparse_em
from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy.ledger import Ledger, open_ledger


def printed_constants(
    data: Any,
    model: LatentModel,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    sparsity: int,
    **parameters: Any,
) -> Constants:
    """Noise of Lemma 3.1, whatever epsilon (erratum zhang-1/E1)."""
    del initial
    right = constants_for(
        model, n=len(data), epsilon=epsilon, delta=delta, sparsity=sparsity, **parameters
    )
    scale = printed_noise_scale(epsilon, delta, sparsity=sparsity, sensitivity=right.sensitivity)
    return replace(right, noise_scale=scale)


sparse_em_with_printed_noise = with_constants(sparse_em, printed_constants)


def printed(
    data: Any,
    model: LatentModel,
    *,
    initial: Any,
    n_iterations: int,
    ledger: Ledger | None = None,
    **parameters: Any,
) -> FloatArray:
    """Every iteration reads the same first n/N0 records (step 4, l.138-146)."""
    ledger = open_ledger(ledger)
    batch = np.asarray(data)[: len(data) // n_iterations]
    beta: FloatArray = np.asarray(initial, dtype=np.float64)
    for _ in range(n_iterations):  # step 3
        beta = sparse_em_with_printed_noise(
            batch, model, initial=beta, n_iterations=1, ledger=ledger, **parameters
        )  # steps 4, 5
    return beta


ERRATA = (
    Erratum(
        name="zhang-2/E1",
        severity="S2",
        kind="implementation",
        origin="misprint",
        statement="Algorithms 2-8 sum over i = 1..n/N0 in every iteration, whatever t",
        truth="over the t-th of N0 disjoint batches, as the text (l.136) says; the same batch "
        "in every iteration is an N0-fold composition",
        witness="N0 = 5, s-hat = d = 2, (16, 0.1): delta(16) > 0.6 on the pair of the "
        "audit; the zCDP bound is N0 times 5 epsilon^2/(24 log(1/delta))",
        reproduced_by="audit:printed/accounting",
        elsewhere="The words (l.136, also in the copy without formulas) speak of sample "
        "splitting; all boxes have n/N0 without t",
    ),
    Erratum(
        name="zhang-2/E2",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Theorem 3.8: s* log d log^(3/2)(n)/n = o(1) makes the noise o(1)",
        truth="the noise is of order s* log d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon): "
        "sqrt(log(1/delta))/epsilon is missing (it also enters Theorems 4.2-4.6)",
        witness="delta = 1/n^2 and s* log d = n/log^(7/4)(n), or epsilon = 1/log n: the "
        "condition holds and the noise diverges",
        reproduced_by="proofs:002 Theorem 3.8",
    ),
    Erratum(
        name="zhang-2/E3",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma B.1: after thresholding the error is a contraction plus O(eta alpha)",
        truth="plus C (sqrt(W) + xi) for selection noise W and truncation error xi, which are "
        "dropped between (57) and (58); Theorem 3.8 keeps its form",
        witness="alpha = xi = 0, d = 200, s* = 4, s-hat = 45, Laplace scale b, beta* = (.577, "
        ".577, .577, b): the right side is 0, the left side > 0 in 53% of runs at b = .05",
        reproduced_by="proofs:002 Lemma B.1",
    ),
    Erratum(
        name="zhang-2/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(22): kappa^(t/2) ||beta^t - beta*|| on the right",
        truth="||beta^0 - beta*||, as in Theorem 3.8",
        witness="alpha = xi = W = 0, kappa = 1/4: after 2 steps error 1/4, right side 1/16",
        reproduced_by="proofs:002 (22)",
        elsewhere="Theorem 3.8, l.200, has beta^0; this text was made from the source and not "
        "from a page",
    ),
    Erratum(
        name="zhang-2/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(54) squares the right side of (53)",
        truth="it may be negative; with its positive part, (55) follows all the same",
        witness="bbar = beta* = (1, .5, b, 0, ..), alpha = xi = 0, the noise misses coordinate 3: "
        "1 <= 1 - (bracket)^2 with a strictly negative bracket",
        reproduced_by="proofs:002 (54)",
    ),
    Erratum(
        name="zhang-2/E6",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Theorem 3.8, (3): the truncation error xi enters by eta xi/(1 - sqrt(kappa))",
        truth="(2 + 1/sqrt 2) eta xi/(1 - sqrt(kappa)) is enough: xi moves the selection, too; the "
        "rate is unaffected",
        witness="beta* = e_1, s-hat = 8, kappa = 1e-8, alpha = 0, no noise: xi takes .9 of the "
        "first coordinate and puts 1/9 on eight others; the error is 1.0994 times the right side",
        reproduced_by="proofs:002 (3)",
    ),
    Erratum(
        name="002 (55)/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Lemma B.1, (55): some constant c0 > 0 is at most min(s* s3/(s-hat "
        "s1) - 1, (2 sqrt(s*/s1) - 1)^2 - 1)",
        truth="with s2 = 0 the right side is 0 and with s2 = 1 it is about 1/s*, so 1 + 1/c0 "
        "costs a factor s*; the slack c0 > 1 of the theorem repairs it",
        witness="s* = 10, s-hat = 112: 0 for s2 = 0, .1012 for s2 = 1",
        reproduced_by="proofs:002 (55)",
    ),
    Erratum(
        name="002 (74)/E1",
        severity="S4",
        kind="misprint",
        origin="mathematical",
        statement="(74): coefficients 1 + sqrt(a) + a and 2 eta alpha, a = s*/s-hat",
        truth="1 + 2 sqrt(a) + 2a and 4 eta alpha; absorbed in the constants",
        witness="every term of (73) counts twice in the square",
        reproduced_by="proofs:002 (74)",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-2/E1",), function=printed),)
