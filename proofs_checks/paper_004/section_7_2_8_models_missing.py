"""Section 7.2.8: the gradient of missing covariates is sub-exponential (Lemmas 7.2.22, 7.2.23)."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 Lemma 7.2.22", of="000 Lemma 21", lines="10156-10158")
twin(
    "004 (7.94)",
    of="000 (65)",
    lines="10158",
    printed="the xi of Lemma 7.2.22 is O(sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)",
)
twin("004 (7.95)", of="000 (66)", lines="10166")
twin("004 (7.96)", of="000 (67)", lines="10170")
twin(
    "004 Lemma 7.2.23",
    of="000 Lemma 22",
    lines="10174",
    checked="under the assumptions of Lemma 7.2.7, with C = 1",
    misprint="the lemma on mixtures of regressions is named for that on missing covariates",
)
twin("004 (7.97)", of="000 (68)", lines="10178")
twin("004 (7.98)", of="000 (69)", lines="10184")
twin("004 (7.99)", of="000 (70)", lines="10188")
twin("004 (7.100)", of="000 (71)", lines="10192")
twin(
    "004 (7.101)",
    of="000 (72)",
    lines="10196",
    checked="<= 4 (1+k)(1+kr)^2 ||beta*||; (7.100) alone gives sqrt(d) times that",
)
twin("004 (7.102)", of="000 (73)", lines="10200")
twin("004 (7.103)", of="000 (74)", lines="10204")
twin("004 (7.104)", of="000 Lemma 21, last display", lines="10208")
