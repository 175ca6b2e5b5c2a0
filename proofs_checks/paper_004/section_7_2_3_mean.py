"""Section 7.2.3: the clipped method and the smoothed mean."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 Theorem 7.2.1", of="000 Theorem 1", lines="9528, 9944")
twin("004 Algorithm 7.2.55", of="000 Algorithm 1", lines="9540-9555", errata=())
twin(
    "004 (7.53)",
    of="000 (13)",
    lines="9567",
    reason="an approximation without a bound; its bound is Lemma 7.2.1",
)
twin("004 (7.54)", of="000 (14)", lines="9571-9573")
twin("004 (7.55)", of="000 (15)", lines="9577")
twin("004 (7.56)", of="000 (16)", lines="9581")
twin(
    "004 (7.57)",
    of="000 (17)",
    lines="9585-9599",
    printed="E phi(a + b xi) = a(1 - b^2/2) - a^3/6 + C(a, b) for any a and b > 0",
)
twin("004 Lemma 7.2.1", of="000 Lemma 1", lines="9601-9605")
twin(
    "004 (7.58)",
    of="004 Lemma 7.2.1",
    lines="9605",
    printed="|x^ - E x| <= O(sqrt(tau log(1/zeta)/n))",
    special_case_of=("004 Lemma 7.2.1",),
)
twin("004 (7.59), sensitivity", of="000 (18), sensitivity", lines="9607")
twin("004 (7.59)", of="000 (18)", lines="9609", special_case_of=("004 Definition 2.1.3",))
twin(
    "004 Lemma 7.2.2",
    of="000 Lemma 2",
    lines="9613-9615",
    printed="(7.60): |A(D) - E x| <= O(sqrt(v L Lambda/(n epsilon^2))) w.p. 1 - zeta",
    checked="the same with the constant 10",
    misprint="v for tau",
)
twin(
    "004 (7.60)",
    of="000 (19)",
    lines="9615",
    printed="|A(D) - E x| <= O(sqrt(v log(1/delta) log(1/zeta)/(n epsilon^2)))",
    misprint="v for tau",
)
twin(
    "004 Remark 7.2.1",
    of="000 Remark 1",
    lines="9656",
    printed="random starts work well; n must grow like 1/R^2; for constant R, v, mu, gamma the "
    "error of (7.63) is O~(d sqrt(tau)/(sqrt(n) epsilon)); tau may depend on d and beta*",
    checked="n of (7.62) is proportional to 1/R^2, and (7.63) for constant R, v, mu and gamma to d "
    "sqrt(tau/n); nothing of random starts",
)
