"""The scaling question: does the error fall (or grow) as the theorem says.

A utility claim is error <= C * rate along one parameter. log(error) is regressed on log(parameter)
by least squares with standard errors that allow for unequal variances (HC3), and the slope is
compared with the theorem's: only an error that falls *slower* than claimed contradicts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import statsmodels.api as sm
from scipy import stats

from auditor.core.case import Case, Scaling
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_seeds
from auditor.statistics.combination import bonferroni
from reference._validation import FloatArray

INTERVAL = 0.95
"""Confidence of the slope intervals that are shown; the verdict uses the suite's."""


@dataclass(frozen=True)
class Slope:
    """The fitted exponent of an error.

    Attributes
    ----------
    slope, intercept : float
        Of log(error) on log(value).
    standard_error : float
        HC3.
    interval : (float, float)
        Two-sided, at :data:`INTERVAL`.
    freedom : int
        Residual degrees of freedom.
    """

    slope: float
    intercept: float
    standard_error: float
    interval: tuple[float, float]
    freedom: int

    def p_value(self, claimed: float) -> float:
        """p-value of "the slope is at most ``claimed``"; t distribution, approximate."""
        if self.standard_error == 0:
            return 0.0 if self.slope > claimed else 1.0
        return float(stats.t.sf((self.slope - claimed) / self.standard_error, self.freedom))

    def lower(self, alpha: float) -> float:
        """Return the one-sided lower confidence bound of the slope."""
        return self.slope - float(stats.t.isf(alpha, self.freedom)) * self.standard_error


def fit_slope(values: FloatArray, errors: FloatArray) -> Slope:
    """Fit the slope of log(error) on log(value).

    Parameters
    ----------
    values : ndarray of shape (k,)
        Parameter values, > 0, at least two different ones.
    errors : ndarray of shape (k, r)
        ``r`` repetitions for every value, > 0.

    Returns
    -------
    Slope

    Raises
    ------
    ValueError
        If a value or an error is not a finite number > 0, or all values are equal.
    """
    if not (np.isfinite(values).all() and (values > 0).all()) or np.unique(values).size < 2:
        raise ValueError("scaling values must be finite numbers > 0, at least two different ones")
    if not (np.isfinite(errors).all() and (errors > 0).all()):
        raise ValueError("scaling errors must be finite numbers > 0")
    x = np.repeat(np.log(values), errors.shape[1])
    result = sm.OLS(np.log(errors).ravel(), sm.add_constant(x)).fit(cov_type="HC3")
    intercept, slope = (float(value) for value in result.params)
    error, freedom = float(result.bse[1]), int(result.df_resid)
    margin = float(stats.t.isf((1 - INTERVAL) / 2, freedom)) * error
    return Slope(slope, intercept, error, (slope - margin, slope + margin), freedom)


def measure(recipe: Scaling, context: Context) -> FloatArray:
    """Return the errors of a recipe, shape (values, repetitions).

    Every repetition has its own generator, so that the figures do not depend on their order.
    """
    repetitions = context.effort(recipe.repetitions, full=5 * recipe.repetitions)
    seeds = context.seed_sequence().spawn(len(recipe.values) * repetitions)
    errors = [
        recipe.error(value, np.random.default_rng(seeds[i * repetitions + j]))
        for i, value in enumerate(recipe.values)
        for j in range(repetitions)
    ]
    return np.array(errors, dtype=np.float64).reshape(len(recipe.values), repetitions)


def audit(case: Case, form_name: str, context: Context) -> Verdict:
    """Fit every recipe of one form and compare its slope with the claimed one.

    Returns
    -------
    Verdict
        ``violated`` if some slope exceeds its claim at ``context.alpha`` (all recipes together,
        by Bonferroni); ``not applicable`` if the form has no recipe.

    Raises
    ------
    ValueError
        If the form has both recipes that reproduce an erratum and recipes that should hold: a
        verdict could not be both. Or if a recipe's errors are not finite numbers > 0.
    """
    recipes = [recipe for recipe in case.scaling if recipe.form == form_name]
    if not recipes:
        reason = case.no_scaling if not case.scaling else ""
        reason = reason or f"no scaling claim is audited for form {form_name!r}"
        return Verdict("scaling", "not applicable", reason)
    errata = [recipe.erratum is not None for recipe in recipes]
    if any(errata) and not all(errata):
        raise ValueError(
            f"form {form_name!r} of {case.id} mixes scaling recipes that reproduce an erratum "
            "with recipes that should hold; give the errata a form of their own"
        )
    fits: list[tuple[Scaling, Slope, FloatArray]] = []
    for recipe in recipes:
        errors = measure(recipe, context.at(recipe.name, recipe.claim))
        try:
            slope = fit_slope(np.asarray(recipe.values, dtype=np.float64), errors)
        except ValueError as error:
            raise ValueError(f"scaling of {case.id} in {recipe.name}: {error}") from None
        fits.append((recipe, slope, errors))
    p_values = [slope.p_value(recipe.claimed_slope) for recipe, slope, _ in fits]
    p_value = bonferroni(p_values)
    violated = p_value <= context.alpha
    worst = int(np.argmin(p_values))
    share = context.alpha / len(fits)
    return Verdict(
        "scaling",
        "violated" if violated else "holds",
        "; ".join(_sentence(recipe, slope) for recipe, slope, _ in fits),
        evidence={
            "confidence": 1 - context.alpha,
            "recipes": [_evidence(*fit, share) for fit in fits],
        },
        witness=_witness(*fits[worst], context) if violated else None,
        p_value=p_value,
    )


def _sentence(recipe: Scaling, slope: Slope) -> str:
    low, high = slope.interval
    return (
        f"in {recipe.name} the error has exponent {slope.slope:.3f} "
        f"[{low:.3f}, {high:.3f}], claimed at most {recipe.claimed_slope:.3f}"
    )


def _evidence(recipe: Scaling, slope: Slope, errors: FloatArray, alpha: float) -> dict[str, Any]:
    values = np.asarray(recipe.values, dtype=np.float64)
    logs = np.log(errors)
    quartiles = np.exp(np.quantile(logs, [0.25, 0.5, 0.75], axis=1))
    # the claimed line goes through the centre of the points
    centre = float(logs.mean()) - recipe.claimed_slope * float(np.log(values).mean())
    return {
        "name": recipe.name,
        "claim": recipe.claim,
        "erratum": recipe.erratum,
        "claimed_slope": recipe.claimed_slope,
        "slope": slope.slope,
        "slope_interval": list(slope.interval),
        "slope_lower": slope.lower(alpha),
        "standard_error": slope.standard_error,
        "p_value": slope.p_value(recipe.claimed_slope),
        "repetitions": errors.shape[1],
        "points": {
            "value": values,
            "mean": np.exp(logs.mean(axis=1)),
            "lower_quartile": quartiles[0],
            "median": quartiles[1],
            "upper_quartile": quartiles[2],
        },
        "fitted_line": np.exp(slope.intercept + slope.slope * np.log(values)),
        "claimed_line": np.exp(centre + recipe.claimed_slope * np.log(values)),
    }


def _witness(recipe: Scaling, slope: Slope, errors: FloatArray, context: Context) -> dict[str, Any]:
    return {
        "name": recipe.name,
        "claim": recipe.claim,
        "values": list(recipe.values),
        "repetitions": errors.shape[1],
        "seeds": describe_seeds(context.at(recipe.name, recipe.claim).seed_sequence()),
        "slope": slope.slope,
        "slope_interval": list(slope.interval),
        "claimed_slope": recipe.claimed_slope,
    }
