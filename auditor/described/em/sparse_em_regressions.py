"""Sparse DP-EM for the mixture of regressions (zhang-5): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Form, along
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_regressions
from auditor.described.data.small_em import applied
from auditor.described.data.truncated_em import HUGE
from reference.em.models import MixtureOfRegressions
from reference.em.sparse_em_regressions import sparse_em_regressions
from reference.errata.em import sparse_em_regressions as errata

RATE = (
    "Theorem 4.4: O(sqrt(s* log d/n) log n + s* log d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon))"
)


def _form(function: Any, pair: Any, *, printed: bool = False, **options: Any) -> Form:
    """Use beta = e_1 and covariates with opposite signs in all but the first entry."""
    settings = {"truncation_level": 2.0, **options}
    return shared.sparse_form(
        function,
        pair,
        gradient=exact_regressions(settings["truncation_level"], printed=printed),
        initial=(1.0, 0.0, 0.0, 0.0),
        standard_deviation=1.0,
        **settings,
    )


def _right(**options: Any) -> Form:
    """With y = 0 and a large <x, beta> the gradient is -T Pi_T(x)."""
    record, other = (HUGE, HUGE, -HUGE, -HUGE, 0.0), (HUGE, -HUGE, HUGE, HUGE, 0.0)
    rest = (HUGE, -HUGE, -HUGE, -HUGE, 0.0)
    return _form(sparse_em_regressions, shared.pair_of(record, other, rest), **options)


def _printed() -> Form:
    """As printed, the largest gradient is 2T Pi_T(x), for a large y and <x, beta> -> 0 like it."""
    small = 1e-3
    record, other = (small, HUGE, -HUGE, -HUGE, HUGE), (small, -HUGE, HUGE, HUGE, HUGE)
    pair = shared.pair_of(record, other, (small, HUGE, HUGE, HUGE, HUGE))
    return _form(errata.printed, pair, printed=True)


_error_of = partial(shared.error_of, model=MixtureOfRegressions(0.5), truncation_level=4.0, s=4)
_error = _error_of(sparse_em_regressions)


def zhang_5() -> Case:
    """Sparse mixture of regressions; the printed weight leaves a floor."""
    private = partial(along, slope=-1.0, error=_error, d=20, expensive=True)
    fixed, privacy = RATE + ", privacy term at fixed T and N0", RATE + ", privacy term"
    return Case(
        id="zhang-5",
        forms={"corrected": _right(by_zcdp=True), "printed": _printed()},
        scaling=(
            private("n", (5e3, 1e4, 2e4, 4e4), epsilon=4.0, repetitions=30, claim=fixed),
            # the paper's Laplace scale is of order 1/epsilon exactly
            private("epsilon", (0.5, 1.0, 2.0, 4.0), n=40_000, repetitions=18, claim=privacy),
            shared.printed_weight(_error_of(errata.printed), d=6, rate=RATE, erratum="zhang-5/E2"),
        ),
        no_real_data=shared.NO_REAL_DATA,
        mutants=shared.without_truncation(_right, 2.0, power=2),
    )


CASES = {"zhang-5": zhang_5}
SETTINGS = {"zhang-5": partial(applied, "regressions", sparse=True)}
RAISED = {"zhang-5": {"algorithms": 1}}
LEFT_OUT = {"zhang-5": {"loop": "it is Algorithm 2, for a special case"}}
