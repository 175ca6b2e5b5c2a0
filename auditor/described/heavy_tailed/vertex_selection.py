"""The selection of a vertex (hu-expmech): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Case, Everything, Form, Setting, along, averaged, form, scaled_claim
from auditor.described.data.small_heavy_tailed import TRIANGLE, vectors
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed.vertex_selection import select_vertex
from reference.privacy.ledger import Ledger


def _form(
    constraint: Any,
    *,
    bound: float = 1.0,
    second: float = 0.0,
    epsilon: float = 6.0,
    **options: Any,
) -> Form:
    """Change the gradient's first entry from one end to the other, and the second's sign.

    Among few vertices the losses stay below the epsilon/2 that they approach.
    """
    return form(
        select_vertex,
        one_record(3, [-bound, second], [bound, -second]),
        constraint,
        epsilon=epsilon,
        bound=bound,
        domain=Everything((2,)),
        **options,
    )


def _error(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """Return <v, g> - min <., g> on the l1 ball, with vertices at every distance from the best."""
    gradient = np.linspace(0.0, 0.5, 200)
    # n is a matter of the sensitivity alone: the records are the same
    records = np.tile(gradient, (int(n), 1))
    vertex = select_vertex(records, L1Ball(1.0), epsilon=1.0, bound=0.5, ledger=ledger)
    return float(vertex @ gradient) + 0.5


def vertex_selection() -> Case:
    """Select by differences of scores, wherever the polytope lies."""
    sizes = (64.0, 128.0, 256.0, 512.0)
    lemma = "Lemma 1: OPT - u = O(Delta log|V|/epsilon), Delta of order 1/n"
    return Case(
        id="hu-expmech",
        forms={
            "corrected": _form(L1Ball(1.0), statistic=lambda vertex: float(vertex[0])),
            # vertices of l1 norm 200: their scores change by 100 times what their differences do
            "corrected-far": _form(
                Polytope([[101.0, 100.0], [100.0, 101.0]]),
                second=1.0,
                no_black_box="that of the l1 ball stands for it",
            ),
        },
        scaling=(along("n", sizes, -1.0, error=averaged(_error, 20), repetitions=12, claim=lemma),),
        no_real_data="diss-4.1.19 stands for selections on real data",
        mutants={
            # entries up to 1000, a sensitivity for entries up to 1
            "clipping dropped": scaled_claim(
                _form(L1Ball(1.0), bound=1e3, no_black_box="a mutant"), 1e-3
            )
        },
    )


def settings() -> tuple[Setting, ...]:
    """Vertex selection."""

    def of(data: FloatArray, constraint: Any, epsilon: float, bound: float) -> dict[str, Any]:
        return {"data": data, "constraint": constraint, "epsilon": epsilon, "bound": bound}

    few = np.array([[0.5, -3.0], [1.0, 0.0], [2.0, -0.5]])
    cancelling = np.array([[0.5, -0.25, 1.0], [-0.5, 0.25, -1.0]])
    return (
        Setting(
            "by-hand",
            "Three records of two entries, cut to 1: one of four vertices of the l1 ball.",
            of(few, L1Ball(1.0), 4.0, 1.0),
            seed=4,
            noiseless=np.array([-1.0, 0.0]),
        ),
        Setting(
            "middle",
            "Thirty records of four entries in an l1 ball of radius 2.",
            of(vectors(30, 4, 11), L1Ball(2.0), 2.0, 1.5),
            seed=13,
        ),
        Setting(
            "far-away",
            "A triangle far from the origin: scores are those of the differences of its vertices.",
            of(vectors(12, 2, 12), Polytope(TRIANGLE), 3.0, 2.0),
            seed=3,
        ),
        Setting(
            "all-alike",
            "Records that cancel: all vertices have the same score, and the draws decide.",
            of(cancelling, Polytope(np.eye(3)), 1.0, 1.0),
            seed=4,
        ),
    )


CASES = {"hu-expmech": vertex_selection}
SETTINGS = {"hu-expmech": settings}
