"""Theorems proved in Coq that settle numbered statements."""

from __future__ import annotations

from collections.abc import Mapping

STATEMENTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "000 (14)": (("Sensitivity.v", "phi_bounded"),),
    "000 (18), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "000 Lemma 17": (("ZCDP.v", "zCDP_to_DP"),),
    "000 Lemma 18": (("Gaussian.v", "gaussian_zCDP"),),
    "002 (23)": (("Sensitivity.v", "weighted_clipped_mean_sensitivity"),),
    "002 (33)": (("Sensitivity.v", "bounded_mean_sensitivity"),),
    "002 Proposition 2.3": (("Laplace.v", "laplace_mechanism"),),
    "002 Proposition 2.5": (("Composition.v", "post_processing_by_function"),),
    "002 Proposition 2.6": (("Composition.v", "basic_composition_of_two"),),
    "003 (4), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "003 Definition 2": (("Laplace.v", "laplace_mechanism"),),
    "003 Definition 3": (
        ("Exponential.v", "exponential_mechanism"),
        ("Exponential.v", "exponential_mechanism_finite"),
    ),
    "003 Lemma 1": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 (3.65)": (("Sensitivity.v", "phi_bounded"),),
    "004 (3.80), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "004 Definition 2.1.2": (("Laplace.v", "laplace_mechanism"),),
    "004 Definition 2.1.2 (density)": (("Laplace.v", "laplace_law"),),
    "004 Definition 2.1.4": (
        ("Exponential.v", "exponential_mechanism"),
        ("Exponential.v", "exponential_mechanism_finite"),
    ),
    "004 Lemma 2.1.1": (("Composition.v", "post_processing_by_kernel"),),
    "004 Lemma 2.1.3": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 Lemma 2.1.4": (
        ("Composition.v", "basic_composition"),
        ("Composition.v", "basic_composition_equal_shares"),
    ),
    "004 Lemma 2.1.8": (("ZCDP.v", "zCDP_composition"),),
    "004 Lemma 2.1.9": (
        ("Gaussian.v", "gaussian_zCDP_without_square_false"),
        ("Gaussian.v", "gaussian_zCDP"),
    ),
    "004 Lemma 2.1.10": (("ZCDP.v", "zCDP_to_DP"),),
    "004 Lemma 3.2.6": (("ZCDP.v", "zCDP_to_DP_half_square"),),
    "004 Lemma 4.2.3": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 Theorem 7.1.1": (
        ("RandomizedResponse.v", "randomized_response_LADP"),
        ("RandomizedResponse.v", "randomized_response_LDP"),
        ("RandomizedResponse.v", "randomized_response_processed"),
    ),
    "004 Theorem 7.2.2": (("RobustGradient.v", "robust_gradient_DP"),),
    "004 chapter 2, conversion: pure to zCDP": (("ZCDP.v", "pure_DP_is_zCDP"),),
    "004 chapter 2, conversion: zCDP budget": (("ZCDP.v", "zCDP_budget_identity"),),
    "004 l.2738 (noise)": (("Gaussian.v", "adaptive_gaussian_DP"),),
    "004 l.2738 (rho)": (("ZCDP.v", "zCDP_budget_identity"),),
}
"""Theorems that settle a numbered statement, by its key: file below ``coq/statements``, name."""
