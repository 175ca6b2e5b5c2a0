"""Covariance perturbation with Wishart noise (diss-6.3.51-W1): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auditor import Case, Everything, Form, form
from auditor.described.data.small_matrices import laplace_precision
from auditor.described.data.vectors import one_record
from auditor.described.matrices.laplace_covariance_perturbation import right, without_clipping
from reference.errata.matrices import wishart_covariance_perturbation as errata
from reference.matrices.wishart_covariance_perturbation import wishart_covariance_perturbation


def printed_form(function: Callable[..., Any], erratum: str) -> Form:
    """Return a form with Wishart noise, as diss-6.3.52 prints it as well.

    A zero record against e_1, whose matrices are never below e_1 e_1^T/n: Theta_11 is at most n
    under the second data set (Theta^-1 is above S' there).
    """
    return form(
        function,
        one_record(2, [0.0, 0.0], [1.0, 0.0]),
        epsilon=1.0,
        penalty=0.05,
        domain=Everything((2,)),
        statistic=lambda found: float(found.theta[0, 0]),
        violates=dict.fromkeys(("accounting", "privacy_loss", "black_box"), erratum),
    )


def precision() -> Case:
    """Covariance perturbation with Wishart noise: supports that differ, infinite loss."""
    return Case(
        id="diss-6.3.51-W1",
        forms={
            "corrected": right(wishart_covariance_perturbation),
            "printed": printed_form(errata.printed, "diss-6.3.51-W1/E1"),
        },
        no_scaling="it is as diss-6.3.51-L, whose recipes are for Theorem 6.3.5; (6.94) is about "
        "Wishart noise, and checked as Theorem 6.3.4 (utility)",
        no_real_data="it is as diss-6.3.51-L, which is audited on real data",
        mutants={"clipping dropped": without_clipping()},
    )


CASES = {"diss-6.3.51-W1": precision}
SETTINGS = {"diss-6.3.51-W1": laplace_precision}
LEFT_OUT = {"diss-6.3.51-W1": {"loop": "two steps"}}
