"""The framework of sparse DP-EM (zhang-2): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Form
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_mixture
from auditor.described.data.small_em import framework
from auditor.described.data.truncated_em import HUGE
from reference.em.models import GaussianMixture
from reference.em.sparse_em import sparse_em
from reference.errata.em import sparse_em as errata

# With beta near 2 e_1, where the first batch takes it, the first entry of a record is the sign of
# all: whatever it is, the gradient's first entry is T, and the others take every value.
RECORD, OTHER = (HUGE, HUGE, -HUGE, -HUGE), (-HUGE, HUGE, -HUGE, -HUGE)
MIXTURE_PAIR = shared.pair_of(RECORD, OTHER, [HUGE] * 4, n=100)
# with beta near (2, 2) the large entry decides the sign, and both entries of the gradient move;
# read literally, the first 10 records are all that is read
LITERAL_PAIR = shared.pair_of((10 * HUGE, -HUGE), (-HUGE, 10 * HUGE), [HUGE] * 2, n=50)


def _form(function: Any, pair: Any, *, truncation_level: float = 2.0, **options: Any) -> Form:
    return shared.sparse_form(
        function,
        pair,
        GaussianMixture(1.0),
        gradient=exact_mixture(truncation_level),
        truncation_level=truncation_level,
        step_size=1.0,
        **options,
    )


def _right(truncation_level: float = 2.0) -> Form:
    """Put the record in the second of two batches: the last iterate is about it."""
    return _form(
        sparse_em,
        shared.before((HUGE, 0, 0, 0), MIXTURE_PAIR),
        initial=(1.0, 0.0, 0.0, 0.0),
        replaced=100,
        n_iterations=2,
        truncation_level=truncation_level,
        by_zcdp=True,
    )


def zhang_2() -> Case:
    """Framework, with the Gaussian mixture; read literally, it reuses one batch."""
    return Case(
        id="zhang-2",
        forms={
            "corrected": _right(),
            "printed": _form(
                errata.printed,
                LITERAL_PAIR,
                initial=(1.0, 1.0),
                epsilon=16.0,
                delta=0.1,
                n_iterations=5,
                same_batch=True,
                no_black_box="the claim is about all iterates (Lemma 3.3); the last alone is one "
                "release",
                violates={"accounting": "zhang-2/E1", "privacy_loss": "zhang-2/E1"},
            ),
        },
        no_scaling="Theorem 3.8 is about the conditions of a model; its instances zhang-3, zhang-5 "
        "and zhang-6 have the scaling",
        no_real_data="a framework: zhang-3 is run on real data",
        mutants=shared.without_truncation(_right, 2.0),
    )


CASES = {"zhang-2": zhang_2}
SETTINGS = {"zhang-2": partial(framework, sparse=True)}
RAISED = {"zhang-2": {"algorithms": 1}}
