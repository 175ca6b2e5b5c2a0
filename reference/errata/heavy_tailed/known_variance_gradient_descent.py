"""What the sources of diss-3.2.8 (Algorithm 3.2.8) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="accounting",
        origin="misprint",
        statement="l.1631: tilde-epsilon = (sqrt(log(1/delta)) + epsilon) - "
        "sqrt(log(1/delta)), which is epsilon",
        truth="(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, by which the proof and "
        "the rates go; neither the literal reading nor the root alone is (epsilon, delta)-DP",
        witness="l = -xw, d = 1, records +-1e6 s, delta' = 0.01, at (1, 1e-5): literal, "
        "delta(1) = 0.268 and epsilon 6.32 at 1e-5; without the square 0.0087 and 2.08; "
        "with it 0.716",
        reproduced_by="audit:printed/accounting",
    ),
    Erratum(
        number=2,
        card="hu-mean",
        kind="misprint",
        origin="unclear",
        statement="Algorithm 3.2.8 sets the precision beta = log(1/delta'), and applies Lemma "
        "3.2.3, which has beta = 2 log(1/delta')",
        truth="harmless: the lemma's bound holds for every beta, up to the factors beta/2 "
        "and 1 + 1/beta of its two terms",
        witness="delta' = 0.01: 4.6 against 9.2",
        reproduced_by="proofs:004 Lemma 3.2.3",
    ),
    Erratum(
        number=1,
        card="ledger:data sets",
        kind="experiment",
        origin="unclear",
        statement="l.1686: y = sign(1/(1 + exp(<w*, x> + e)) - 1/2), fitted by logistic regression",
        truth="that is -sign(<w*, x> + e): the usual loss log(1 + exp(-y <w, x>)) is "
        "minimised in the direction of -w*",
        witness="<w*, x> + e = 1: 1/(1 + e) - 1/2 = -0.231, so y = -1",
        reproduced_by="test:test_the_printed_labels_have_the_opposite_sign",
    ),
)
