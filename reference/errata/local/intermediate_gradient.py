"""Errata in the source of diss-5.1.38 (SIGM, Algorithm 5.1.38)."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.1.38/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Lemma 5.1.5: the error is Theta(beta sigma ||C||^2/sqrt k + gamma), which is "
        "said to be Lemma 5.1.16 at p = 1",
        truth="that is beta R^2/k + sigma R/sqrt k + gamma; the printed bound is too small where "
        "beta R < 1, and holds up to a constant where beta R >= 1 and sigma >= 1/sqrt k",
        witness="f(w) = sigma w/sqrt T on [-R, R], beta=sigma=1, T=400: the error is .66, 6.6, 66 "
        "times beta sigma R^2/sqrt T at R = 1, .1, .01, and .66 times sigma R/sqrt T at each",
        reproduced_by="test:test_the_printed_bound_is_too_small_where_the_set_is",
    ),
)
