"""How the crowdsourcing family (dissertation 7.1) is audited."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from auditor.core.case import BlackBox, Case, Data, Form, Scaling
from auditor.core.neighbours import Integers
from reference._validation import FloatArray, IntArray
from reference.crowdsourcing.dawid_skene import (
    CrowdEstimate,
    majority_vote,
    private_dawid_skene,
    sample_crowd,
)
from reference.privacy.guarantees import Model, PureDP
from reference.privacy.ledger import Ledger

# --------------------------------------------------------------------------- diss-7.1.54

_MARGIN = 0.05


def _estimate(
    answers: Data, epsilon: float, ledger: Ledger, initial: IntArray | None = None
) -> CrowdEstimate:
    return private_dawid_skene(
        answers,
        epsilon=epsilon,
        n_iterations=2,
        margin=_MARGIN,
        initial=initial,
        ledger=ledger,
    )


def _answers(m: int) -> tuple[FloatArray, FloatArray]:
    """Three workers, m tasks; worker 0's answer to task 0 decides its majority."""
    data = np.zeros((3, m))
    data[:, 0] = (1.0, 1.0, 0.0)
    data[1, 1:] = 1.0
    other = data.copy()
    other[0, 0] = 0.0
    return data, other


def _dawid_skene(epsilon: float) -> Form:
    claim = PureDP(epsilon, model=Model.LOCAL_ATTRIBUTE)
    pair = _answers(4)

    def run(answers: Data, ledger: Ledger) -> CrowdEstimate:
        return _estimate(answers, epsilon, ledger)

    # one worker, one task: the label is the flipped answer, so the loss is all of epsilon
    single = BlackBox(
        run, claim, (np.ones((1, 1)), np.zeros((1, 1))), lambda estimate: float(estimate.labels[0])
    )
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={"n": 3, "m": 4, "epsilon": epsilon, "T": 2, "lambda": _MARGIN},
        domain=Integers((4,)),
        black_box=single,
    )


def _raw_start(form: Form) -> Form:
    """Return the form that starts from the majority vote of the raw answers.

    Every release is as before; only the returned value betrays the data.
    """
    epsilon = form.parameters["epsilon"]

    def run(answers: Data, ledger: Ledger) -> CrowdEstimate:
        return _estimate(answers, epsilon, ledger, initial=majority_vote(answers))

    return Form(
        run=run,
        claim=form.claim,
        pair=form.pair,
        replaced=0,
        parameters=form.parameters,
        domain=form.domain,
        no_black_box="a mutant",
    )


_TASKS = (1e3, 2e3, 4e3, 8e3)


def _ability_rate(m: float) -> float:
    """sqrt(log m/m), the rate of Theorem 7.1.3."""
    return math.sqrt(math.log(m) / m)


def _ability_error(m: float, rng: np.random.Generator) -> float:
    """max_i |p_hat_i - p*_i| from a start with sqrt(log m/m) of the labels wrong.

    120 good workers: the theorem needs n v >= log m, else wrong labels set a floor.
    """
    abilities = rng.uniform(0.8, 0.95, size=120)
    truth, answers = sample_crowd(abilities, int(m), rng)
    start = truth.copy()
    wrong = int(m * _ability_rate(m))
    start[:wrong] = 1 - start[:wrong]
    estimate = private_dawid_skene(
        answers, epsilon=1.0, n_iterations=2, margin=_MARGIN, initial=start, ledger=Ledger(rng)
    )
    return float(np.max(np.abs(estimate.abilities - abilities)))


_WISDOM = math.tanh(0.5) ** 2 * 0.8**2
"""v of workers with ability .9 at epsilon = 1: (7.13)."""


def _workers(bound: float) -> int:
    return round(2 * math.log(bound) / _WISDOM)


def _label_error(bound: float, rng: np.random.Generator) -> float:
    """Share of wrong labels with n = 2 log(bound)/v workers of ability .9."""
    truth, answers = sample_crowd(np.full(_workers(bound), 0.9), 10_000, rng)
    estimate = private_dawid_skene(
        answers, epsilon=1.0, n_iterations=5, margin=_MARGIN, ledger=Ledger(rng)
    )
    return float(np.mean(estimate.labels != truth))


def dawid_skene() -> Case:
    """Private Dawid-Skene: local attribute DP, everything after the flips is post-processing."""
    corrected = _dawid_skene(1.0)
    return Case(
        id="diss-7.1.54",
        forms={"corrected": corrected},
        scaling=(
            Scaling(
                name="m",
                values=_TASKS,
                error=_ability_error,
                # -.44: the logarithm counts
                claimed_slope=math.log(_ability_rate(_TASKS[-1]) / _ability_rate(_TASKS[0]))
                / math.log(_TASKS[-1] / _TASKS[0]),
                repetitions=6,
                claim="Theorem 7.1.3: max_i |p_hat_i - p*_i| <= 6 sqrt(log m/(m epsilon^2))",
            ),
            Scaling(
                name="exp(n v/2)",
                values=tuple(math.exp(n * _WISDOM / 2) for n in (10, 20, 30, 40)),
                error=_label_error,
                claimed_slope=-1.0,
                repetitions=6,
                claim="Theorem 7.1.2: share of wrong labels <= 2 exp(-n v/2)",
            ),
        ),
        mutants={"raw majority initialisation": _raw_start(corrected)},
        no_clipping="answers are 0 or 1: there is nothing to clip",
    )


CASES: dict[str, Callable[[], Case]] = {"diss-7.1.54": dawid_skene}
