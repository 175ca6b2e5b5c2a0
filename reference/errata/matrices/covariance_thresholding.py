"""Errata in the source of diss-6.2.48 (Algorithm 6.2.48)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.covariance_thresholding import covariance_thresholding
from reference.matrices.sparse_covariance import Constants, entry_threshold


def printed_constants(data: Any, *, epsilon: float, delta: float) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/(n epsilon), for sensitivity 1/n (step 1, l.7940-7944)."""
    n, p = data.shape
    scale = printed_gaussian_scale(epsilon, delta, sensitivity=1 / n)
    return Constants(1 / n, scale, entry_threshold(n=n, dimension=p, deviation=scale))


printed = with_constants(covariance_thresholding, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.2.48/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 6.2.1: S + symmetric N(0, 2 ln(1.25/delta)/(n epsilon)^2), thresholded, "
        "is (epsilon, delta)-DP for 0 < epsilon, delta <= 1",
        truth="the sensitivity is sqrt 2/n, not 1/n, see diss-6.1.46/E1; large entries are "
        "released",
        witness="e_1 replaced by e_2 among records on the axes: delta(1) = 6.3e-7 at (1, 1e-8), "
        "3.74e-5 at (1, 1e-5)",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.1.46/E1",
    ),
    Erratum(
        name="diss-6.2.48/E2",
        severity="S2",
        kind="experiment",
        origin="mathematical",
        statement="section 6.2.6: dividing U~ + 50 I by c = 200 makes the norm of samples of "
        "N(0, U) less than 1 with high probability",
        truth="the variances are 1/4, so the norm is about sqrt(p/4), and the sensitivity of the "
        "second moment p/4 times what the noise is for: not private at the epsilon of the figures",
        witness="p=50, the smallest of the figures: a norm below 1 has probability at most "
        "1.7e-11 if U~ has no eigenvalue below -25; the mean square is 12.5",
        reproduced_by="proofs:004 Section 6.2.6, norm of the samples",
    ),
    Erratum(
        name="diss-6.2.48/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(6.62): P(|n_ij| >= |sigma_ij|/4, |sigma_ij| > 4 T) is bounded by P(|n_ij| >= "
        "T) P(|n_ij| > |sigma_ij|/4)",
        truth="one event is inside the other, so that the probability is the smaller of the two, "
        "not their product; its root is enough, P <= sqrt(P(|n_ij| >= T) P(|n_ij| > "
        "|sigma_ij|/4)), and leaves O(sigma_1^2/p)",
        witness="sigma_ij just above 4 T, T = 6.13 sigma_1: 8.8e-10 against 7.7e-19",
        reproduced_by="proofs:004 (6.62)",
    ),
    Erratum(
        name="diss-6.2.48/E5",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="(6.59): [E(S~_ij - sigma_ij)^6]^(1/3) = O(1/(n epsilon^2)) by E(S_ij - "
        "sigma_ij)^8 <= C/n and E n_ij^8 = O(1/(n epsilon))",
        truth="it needs eighth moments of order n^-4 and (n epsilon)^-8, which they are: "
        "105 sigma_1^8 for the noise",
        witness="a variable of eighth moment 1/n may have [E x^6]^(1/3) = n^(-1/4): .01 against "
        "1e-8 at n = 1e8",
        reproduced_by="proofs:004 (6.59)",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="diss-6.2.48/E6",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.49)-(6.51): the event B has 2 sigma_1 log p, and the bound a level of "
        "2 sqrt(3 ln(1.25/delta)) log p/(n epsilon)",
        truth="3 sigma_1 sqrt(log p) in both places, as in (6.48) and as (6.52) uses it",
        witness="p=100, S - sigma at its level: P(|N| > 3 sigma_1 sqrt(log p)) = 1.2e-10 against "
        "1.6e-29",
        reproduced_by="proofs:004 (6.51)",
        elsewhere="3 and the root over log p in (6.46)-(6.50), l.8277-8287; 2 sqrt(3 ..) in "
        "l.8289 shows that two digits changed places",
    ),
    Erratum(
        name="diss-6.2.48/E7",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.58): sum d_ij^2 is the sum of (sigma~ - sigma)^2 over E^c and of sigma^2 "
        "over E^c where sigma^ = 0",
        truth="at most that: the first sum counts all of E^c",
        witness="T = 1, sigma = 5, sigma~ = 1: 41 against 25",
        reproduced_by="proofs:004 (6.58)",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="diss-6.2.48/E8",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.19): the thresholded estimate is (sigma^_ij), 1 <= i, j <= n",
        truth="1 <= i, j <= p",
        witness="n = 3, p = 5: 9 of 25 entries, in a regime of p >> n",
        reproduced_by="test:test_the_estimate_has_p_rows_and_not_n",
        elsewhere="p in the same box (l.7943) and in l.7864, l.7906 and l.8261; n again in "
        "(6.23), l.8001",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-6.2.48/E3",
        "that the threshold of the experiments exceeds every entry beside the diagonal presumes "
        "gamma, the sample sizes and the entries of U~, none of which is printed.",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-6.2.48/E1",), function=printed),)
