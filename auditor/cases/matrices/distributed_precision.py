"""How the distributed precision matrix (diss-6.3.52) is audited."""

from __future__ import annotations

from auditor import Case
from auditor.cases.matrices import laplace_covariance_perturbation as pure
from auditor.cases.matrices import wishart_covariance_perturbation_approximate as approximate
from auditor.cases.matrices.wishart_covariance_perturbation import printed_form
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


CASES = {"diss-6.3.52": distributed}
