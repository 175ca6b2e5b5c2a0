"""The distributed precision matrix (diss-6.3.52): audit and settings."""

from __future__ import annotations

from auditor import Case, Setting
from auditor.described.data.small_matrices import ITERATED, SPREAD, laplace_precision
from auditor.described.matrices import laplace_covariance_perturbation as pure
from auditor.described.matrices import wishart_covariance_perturbation_approximate as approximate
from auditor.described.matrices.wishart_covariance_perturbation import printed_form
from reference.errata.matrices import distributed_precision as errata
from reference.matrices.distributed_precision import distributed_precision


def distributed() -> Case:
    """Distributed precision matrix: what the server sums up is what diss-6.3.51 releases."""
    return Case(
        id="diss-6.3.52",
        forms={
            "corrected": pure.right(distributed_precision),
            "corrected-approximate": approximate.right(distributed_precision),
            "printed": printed_form(errata.printed, "diss-6.3.52/E1"),
        },
        no_scaling="its sum is that of diss-6.3.51-L or -W2: recipes of Theorems 6.3.5 and 6.3.6",
        no_real_data="its sum is that of diss-6.3.51-L or -W2, which are audited on real data",
        mutants={
            "clipping dropped": pure.without_clipping(),
            "clipping dropped, with delta": approximate.without_clipping(),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Distributed precision matrix."""
    few = Setting(
        "few-players",
        "Fewer players than variables, as the source has it.",
        {"data": 2 * SPREAD[:3], "epsilon": 5.0, "penalty": 0.25},
        seed=6,
        **ITERATED,
    )
    with_delta = Setting(
        "with-delta",
        "With a delta the players' shares add up to Wishart noise of a whole number of degrees.",
        {"data": 2 * SPREAD[:3], "epsilon": 0.9, "delta": 0.1, "penalty": 0.25},
        seed=7,
        **ITERATED,
    )
    return (*laplace_precision(), few, with_delta)


CASES = {"diss-6.3.52": distributed}
SETTINGS = {"diss-6.3.52": settings}
LEFT_OUT = {
    "diss-6.3.52": {"loop": "over players, who are axis 0: their messages are drawn as their sum"}
}
