"""Errata in the sources of zhang-3 (Algorithm 3)."""

from __future__ import annotations

from typing import Any

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.errata.em.models import PrintedMixture
from reference.errata.em.sparse_em import sparse_em_with_printed_noise
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    *,
    standard_deviation: float,
    step_size: float = 1.0,
    ledger: Ledger | None = None,
    **parameters: Any,
) -> FloatArray:
    """Weight 1/(1 + exp(-<beta, y>/sigma^2)), whose exponent lacks a factor 2 (l.231).

    With the noise of Lemma 3.1 (erratum zhang-1/E1).
    """
    model = PrintedMixture(standard_deviation)
    found: FloatArray = sparse_em_with_printed_noise(
        data, model, step_size=step_size, ledger=ledger, **parameters
    )
    return found


ERRATA = (
    Erratum(
        name="zhang-3/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="w_beta(y) = 1/(1 + exp(-<beta, y>/sigma^2)), with which the error of "
        "Theorem 4.2 vanishes",
        truth="the posterior has 2<beta, y>/sigma^2; with the printed weight beta* is not a fixed "
        "point and the error does not fall below a floor; it is small for a large SNR",
        witness="SNR 2 (sigma = .5, ||beta*|| = 1): fixed point .9530 beta*, floor .047; "
        ".8313 at 1.5, .99742 at 3",
        reproduced_by="audit:printed/scaling",
        copy_of="model-gmm/E1",
    ),
    Erratum(
        name="002 Lemma 4.1/E1",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Condition 3.7 in Lemmas 4.1, A.1, A.2: the full norm of the truncation error is "
        "O(sqrt(s* log d log n/n)) (log n for the regressions); (34)-(35) treat the selected "
        "coordinates as fixed",
        truth="the full norm grows with d. Restricted to the selected coordinates, which is all "
        "that is used, the rates hold, uniformly over sets: for the mixture 8.5 sigma sqrt(s log d "
        "log n/n) at T >= max |beta*| + sigma sqrt(2 log n), log d <= n",
        witness="n = 4000, T = sigma sqrt(2 log n): the full norm is .19 times the bound with "
        "C2 = 1 at d = 1e6, 132 times at d = 1e12. n0 = 400, d = 1000, s = 10, T = sigma sqrt(log "
        "4000): the worst set has 10.9 times the energy of an average one",
        reproduced_by="proofs:002 (34)",
    ),
    Erratum(
        name="002 (36)-(39)/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(38)-(39): the integral of (z - a)^2 phi(z) over z > a is at most "
        "2 sigma^2 exp(-a^2/(2 sigma^2))",
        truth="for a >= 0 only, so T >= |beta_j| must be assumed, which is always meant",
        witness="sigma = 1: 1.925 > 1.213 at a = -1, 4.994 > .271 at a = -2",
        reproduced_by="proofs:002 (39)",
    ),
    Erratum(
        name="zhang-3/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(37): the integral of (z - a)^2 phi(z) over z > a is that of P(Z >= a + t) t/2",
        truth="that of 2 P(Z >= a + t) t",
        witness="a = 0, sigma = 1: 1/2 on the left, 1/8 on the right",
        reproduced_by="proofs:002 (37)",
        elsewhere="(39), l.1036, follows with the factor 2; the 1/2 stands in two lines (l.1025, "
        "l.1026)",
    ),
    Erratum(
        name="zhang-u1/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Propositions 4.3, 4.5, 5.6 and Theorem A.4: a minimax lower bound, which "
        "shows the algorithms near optimal",
        truth="the supremum is over unrestricted beta*, and beta and -beta give one law: the "
        "minimax risk is infinite with or without privacy, and nothing follows for an "
        "algorithm that starts within ||beta*||/8",
        witness="max(E||M - beta||, E||M + beta||) >= ||beta|| for every M and beta",
        reproduced_by="proofs:002 Remark after Proposition 4.3",
    ),
    Erratum(
        name="zhang-u1/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proofs of Propositions 4.3 and 4.5: the model without latent variable is "
        "the special case Z = 1",
        truth="Z is a fair sign, so it is no special case; flipping the sign of every record "
        "by a fair coin is a valid reduction",
        witness="a flipped N(beta, sigma^2 I) has exactly the law of the mixture",
        reproduced_by="proofs:002 Proof of Proposition 4.3",
    ),
    Erratum(
        name="zhang-u4/E1",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="Table 3: misclassification .14/.12/.10 at epsilon = .2 and .08/.07/.07 at "
        ".5 for s-hat = 5/10/15, with N0 = 50, eta = .5",
        truth="an iteration reads 5 records and the Laplace scale is at least 6.6 T per "
        "coordinate at epsilon = .5, against a signal of at most T: classification at chance",
        witness="296 training records, T in {2.39, .5, .05}: error .42-.54 in all cells",
        reproduced_by="proofs:002 Table 3",
        elsewhere="The copy without formulas has the same figures",
    ),
    Erratum(
        name="zhang-u4/E2",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Section 6.3: the pipeline on the breast cancer data is (epsilon, delta)-DP",
        truth="standardisation, centring and the removal of 145 benign records by label use "
        "the data without noise; the claim covers the algorithm alone",
        witness="one replaced record changes every standardised record",
        reproduced_by="proofs:002 Section 6.3, preprocessing",
    ),
    Erratum(
        name="zhang-u4/E3",
        severity="S4",
        kind="implementation",
        origin="mathematical",
        statement="Section 6.3 starts at (1/sqrt(30), ..., 1/sqrt(30)) with s-hat in {5, 10, 15}",
        truth="Algorithm 3 wants ||beta^0||_0 <= s-hat; harmless for privacy",
        witness="30 > 15",
        reproduced_by="proofs:002 Section 6.3, initialisation",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "zhang-3/E2",
        "Figure 1 has no numbers and section 6.1 states neither T, N0, s-hat nor the start, so it "
        "cannot be called irreproducible.",
    ),
    Withdrawn(
        "zhang-3/E3",
        "Theorem 4.2 asks for s-hat >= (100/9) s*, but sections 6.1 and A.3 do not state theirs.",
    ),
    Withdrawn(
        "002 choice of T/E1",
        "l.1038 chooses T = c sigma sqrt(log n) with a constant c, which may be large enough; "
        "nobody claims every c.",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-3/E1",), function=printed),)
