"""How the distributed precision matrix (diss-6.3.52) is audited."""

from __future__ import annotations

from auditor.cases.matrices.laplace_covariance_perturbation import right, without_clipping
from auditor.cases.matrices.wishart_covariance_perturbation import printed_form
from auditor.core.case import Case
from reference.errata.matrices import distributed_precision as errata
from reference.matrices.distributed_precision import distributed_precision


def distributed() -> Case:
    """Distributed precision matrix: what the server sums up is what diss-6.3.51 releases."""
    return Case(
        id="diss-6.3.52",
        forms={
            "corrected": right(distributed_precision),
            "printed": printed_form(errata.printed, "diss-6.3.52/E1"),
        },
        no_scaling="it runs diss-6.3.51-L, whose recipes are for Theorem 6.3.5",
        no_real_data="it runs diss-6.3.51-L, which is audited on real data",
        mutants={"clipping dropped": without_clipping()},
    )


CASES = {"diss-6.3.52": distributed}
