"""The scaling question: does the error fall (or grow) as the theorem says.

A utility claim is error <= C * rate along one parameter. On a finite grid some C always makes that
true, so what is tested is that the rate describes the error between the values: that the median of
error/rate (the mean, where a recipe says so) does not rise along the grid, see
:mod:`auditor.statistics.slopes`. Only an error that falls *slower* than claimed contradicts it.

A test that never says so is no evidence. Every recipe is asked again with its twin, whose noise
does not fall as claimed (:class:`~auditor.core.case.Twin`); one whose twin passes says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auditor.core.case import Case, Scaling
from auditor.core.context import ASKED, Context
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_seeds, restore_seeds
from auditor.statistics.combination import bonferroni
from auditor.statistics.slopes import (
    INTERVAL,
    Slope,
    fit_slope,
    least_repetitions,
    least_squares,
    slope_p_value,
    stages_needed,
)
from auditor.statistics.stages import FRESH, SCREEN, confirm, looks, staged_p_value
from reference._validation import FloatArray

LOOK = 3
"""Repetitions after which the quick tier leaves a claim that nothing speaks against, or twice as
many, and so on."""

PROMISING = 0.5
"""The quick tier goes on only while the p-value of its last look is at most this."""


def measure(recipe: Scaling, seeds: Sequence[np.random.SeedSequence]) -> FloatArray:
    """Return the errors of a recipe; every repetition of every value has its own seed.

    Parameters
    ----------
    recipe : Scaling
    seeds : sequence of numpy.random.SeedSequence
        One for every value, for one repetition after another.

    Returns
    -------
    ndarray of shape (values, repetitions)
    """
    k = len(recipe.values)
    errors = [
        recipe.error(recipe.values[run % k], np.random.default_rng(seed))
        for run, seed in enumerate(seeds)
    ]
    return np.array(errors, dtype=np.float64).reshape(-1, k).T


@dataclass
class _Trial:
    """A recipe, and what its last stage saw.

    ``alpha`` is what its p-value has to reach; ``looks`` the number of tests in the last stage.
    """

    recipe: Scaling
    context: Context
    alpha: float
    stages: int = 0
    looks: int = 1
    errors: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    seeds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """The p-value that one test of the last stage has to reach."""
        return self.alpha / SCREEN ** (self.stages - 1) / self.looks

    @property
    def least(self) -> int:
        """The fewest repetitions with which the screen can fire."""
        return least_repetitions(len(self.recipe.values), SCREEN)

    def p_values(self) -> Iterator[float]:
        """Run one stage after another, as long as they are asked for."""
        recipe, context = self.recipe, self.context
        quick = max(recipe.repetitions, self.least)
        screen = context.effort(quick, full=5 * quick)
        # what a paper printed is expected to fall: it is not left early
        look = context.tier == "quick" and recipe.erratum is None
        yield self._screen(LOOK if look else screen, screen)
        # a screen, and at least one confirmation
        for stage in range(1, max(2, stages_needed(recipe.functional, self.alpha))):
            self.stages += 1
            yield self._confirm(context.at(f"confirm {stage}").seed_sequence(), screen)

    def _screen(self, first: int, repetitions: int) -> float:
        """Return the p-value of the screen, or of the first look that says to leave it.

        With p1 of the first look and p2 of all repetitions, the result is at most t < PROMISING
        only if p2 <= t, and at most t >= PROMISING only if p1 <= t: it is as valid as each of them.
        """
        sequence = self.context.seed_sequence()
        self.stages, self.seeds = 1, describe_seeds(sequence)
        self.errors = np.empty((len(self.recipe.values), 0))
        for seen in looks(repetitions, first):
            self._extend(sequence, seen)
            p_value = self._p_value()
            if p_value > PROMISING:
                break
        return p_value

    def _confirm(self, sequence: np.random.SeedSequence, screen: int) -> float:
        """Return the p-value of FRESH times the screen's repetitions, or of as many as the screen.

        The latter if they are enough; each of the two then counts twice.
        """
        self.seeds = describe_seeds(sequence)
        self.errors = np.empty((len(self.recipe.values), 0))

        def test(repetitions: int) -> float:
            self._extend(sequence, repetitions)
            return self._p_value()

        if self.recipe.functional == "mean":
            # its p-values have a floor, which two tests would miss
            self.looks = 1
            return test(FRESH * screen)
        self.looks = 2
        return confirm(screen, test, self.alpha)[0]

    def fires(self) -> bool:
        """Run the screen of the quick tier until it fires; return whether it does."""
        sequence = self.context.seed_sequence()
        self.errors = np.empty((len(self.recipe.values), 0))
        for repetitions in looks(max(self.recipe.repetitions, self.least), self.least):
            self._extend(sequence, repetitions)
            if self._p_value() <= SCREEN:
                return True
        return False

    def _measure(self, sequence: np.random.SeedSequence, repetitions: int) -> FloatArray:
        return measure(self.recipe, sequence.spawn(len(self.recipe.values) * repetitions))

    def _extend(self, sequence: np.random.SeedSequence, repetitions: int) -> None:
        more = self._measure(sequence, repetitions - self.errors.shape[1])
        self.errors = np.concatenate([self.errors, more], axis=1)

    def _p_value(self) -> float:
        recipe = self.recipe
        return slope_p_value(_values(recipe), self.errors, recipe.claimed_slope, recipe.functional)

    def slope(self) -> float:
        """Return the exponent of the last stage, without its interval."""
        return least_squares(_values(self.recipe), self.errors, self.recipe.functional)[0]

    def fit(self) -> Slope:
        """Fit the exponent to the last stage."""
        return fit_slope(_values(self.recipe), self.errors, self.recipe.functional)


def audit(case: Case, form_name: str, context: Context) -> Verdict:
    """Test every recipe of one form: a screen, and where it fires, again on fresh repetitions.

    Returns
    -------
    Verdict
        ``violated`` if the error of some recipe falls slower than claimed at ``context.alpha``
        (all recipes together, by Bonferroni); else ``inconclusive`` if the twin of some recipe
        passes, see :func:`ask_twin`; ``not applicable`` if the form has no recipe.

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
    share = context.alpha / len(recipes)
    trials = [_Trial(recipe, context.at(recipe.name, recipe.claim), share) for recipe in recipes]
    p_values = []
    for trial in trials:
        with _named(case, trial.recipe):
            p_values.append(staged_p_value(trial.p_values()))
    fits = [trial.fit() for trial in trials]
    p_value = bonferroni(p_values)
    violated = p_value <= context.alpha
    worst = int(np.argmin(p_values))
    answers: list[dict[str, Any] | None] = []
    for trial in trials:
        with _named(case, trial.recipe):
            answers.append(None if violated else ask_twin(trial.recipe, trial.context))
    sentences = [_sentence(*told) for told in zip(recipes, fits, answers, strict=True)]
    blind = [
        _unnoticed(recipe, answer)
        for recipe, answer in zip(recipes, answers, strict=True)
        if answer is not None and answer["noticed"] is False
    ]
    return Verdict(
        "scaling",
        "violated" if violated else "inconclusive" if blind else "holds",
        "; ".join(sentences + blind),
        evidence={
            "confidence": 1 - context.alpha,
            "recipes": [
                _evidence(*found) for found in zip(trials, fits, p_values, answers, strict=True)
            ],
        },
        witness=_witness(trials[worst], fits[worst]) if violated else None,
        p_value=p_value,
    )


@contextmanager
def _named(case: Case, recipe: Scaling) -> Iterator[None]:
    """Say of which recipe an error is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"scaling of {case.id} in {recipe.name}: {error}") from None


def ask_twin(recipe: Scaling, context: Context) -> dict[str, Any] | None:
    """Return whether a recipe's screen fires on its twin, with as many repetitions.

    The repetitions are those of the quick tier, on fresh seeds, up to
    :data:`~auditor.core.context.ASKED` times. The confirmation is not asked: it has up to four
    times as many repetitions, and confirms what fires the screen.

    Parameters
    ----------
    recipe : Scaling
    context : Context
        That of the recipe.

    Returns
    -------
    dict or None
        ``change``, ``noticed`` and what the last ask saw: ``slope``, ``p_value``, ``repetitions``,
        ``asked``; with ``noticed`` ``None`` where the twin is left to the full tier; ``None`` for a
        recipe that reproduces an erratum.
    """
    if recipe.erratum is not None:
        return None
    if recipe.twin is None:
        return {"change": "", "noticed": False}
    if recipe.expensive and context.tier == "quick":
        return {"change": recipe.twin.change, "noticed": None}
    twin = replace(recipe, error=recipe.twin.error)
    for asked in range(1, ASKED + 1):
        trial = _Trial(twin, context.at("twin").asking(asked), context.alpha)
        noticed = trial.fires()
        if noticed:
            break
    return {
        "change": recipe.twin.change,
        "noticed": noticed,
        "slope": trial.slope(),
        "p_value": trial._p_value(),
        "repetitions": trial.errors.shape[1],
        "asked": asked,
    }


def reproduce(case: Case, form_name: str, witness: Mapping[str, Any]) -> bool:
    """Run the last stage of a witness of :func:`audit` again; return whether it still rejects.

    Raises
    ------
    ValueError
        If the form has no recipe of the witness's name.
    """
    named = [r for r in case.scaling if (r.form, r.name) == (form_name, witness["name"])]
    recipes = [recipe for recipe in named if recipe.claim == witness["claim"]] or named
    if not recipes:
        raise ValueError(f"form {form_name!r} has no scaling recipe to run the witness on")
    recipe = replace(recipes[0], values=tuple(witness["values"]))
    seeds = restore_seeds(witness["seeds"], len(recipe.values) * witness["repetitions"])
    errors = measure(recipe, seeds)
    claimed, functional = witness["claimed_slope"], witness["functional"]
    p_value = slope_p_value(_values(recipe), errors, claimed, functional)
    return bool(p_value <= witness["level"])


def _values(recipe: Scaling) -> FloatArray:
    return np.asarray(recipe.values, dtype=np.float64)


def _sentence(recipe: Scaling, slope: Slope, answer: Mapping[str, Any] | None) -> str:
    low, high = slope.interval
    sentence = (
        f"in {recipe.name} the {recipe.functional} error has exponent {slope.slope:.3f} "
        f"[{low:.3f}, {high:.3f}], claimed at most {recipe.claimed_slope:.3f}"
    )
    left = answer is not None and answer["noticed"] is None
    return sentence + (" (asked about its twin in the full tier)" if left else "")


def _unnoticed(recipe: Scaling, answer: Mapping[str, Any]) -> str:
    """Say what a recipe cannot see, and what would settle it."""
    if recipe.twin is None:
        return f"in {recipe.name} there is no twin that shows whether the test would notice"
    return (
        f"in {recipe.name} the test does not notice its twin, {answer['change']} (exponent "
        f"{answer['slope']:.3f}, p = {answer['p_value']:.2g} the last of {answer['asked']} times); "
        "more repetitions, a wider grid, or an error of which more is noise would tell them apart"
    )


def _evidence(
    trial: _Trial, slope: Slope, p_value: float, twin: dict[str, Any] | None
) -> dict[str, Any]:
    recipe, values = trial.recipe, _values(trial.recipe)
    quartiles = np.quantile(trial.errors, [0.25, 0.5, 0.75], axis=1)
    # the claimed line goes through the centre of the fitted one
    fitted = slope.intercept + slope.slope * np.log(values)
    steps = np.log(values) - np.log(values).mean()
    return {
        "name": recipe.name,
        "claim": recipe.claim,
        "erratum": recipe.erratum,
        "functional": recipe.functional,
        "claimed_slope": recipe.claimed_slope,
        "slope": slope.slope,
        "slope_interval": list(slope.interval),
        "slope_confidence": INTERVAL,
        "p_value": p_value,
        "stages": trial.stages,
        "repetitions": trial.errors.shape[1],
        "points": {
            "value": values,
            "mean": trial.errors.mean(axis=1),
            "lower_quartile": quartiles[0],
            "median": quartiles[1],
            "upper_quartile": quartiles[2],
        },
        "fitted_line": np.exp(fitted),
        "claimed_line": np.exp(fitted.mean() + recipe.claimed_slope * steps),
        "twin": twin,
    }


def _witness(trial: _Trial, slope: Slope) -> dict[str, Any]:
    recipe = trial.recipe
    return {
        "name": recipe.name,
        "claim": recipe.claim,
        "functional": recipe.functional,
        "values": list(recipe.values),
        "repetitions": trial.errors.shape[1],
        "seeds": trial.seeds,
        "slope": slope.slope,
        "slope_interval": list(slope.interval),
        "claimed_slope": recipe.claimed_slope,
        "level": trial.level,
    }
