"""opendp-smartnoise: the histogram test of its stochastic evaluator, inverted by bisection."""

from __future__ import annotations

from opendp.smartnoise.evaluation.evaluator._dp_evaluator import DPEvaluator
from opendp.smartnoise.evaluation.params._eval_params import EvaluatorParams
from opendp.smartnoise.evaluation.params._privacy_params import PrivacyParams
from opendp.smartnoise.evaluation.privacyalgorithm._base import PrivacyAlgorithm
from opendp.smartnoise.evaluation.report._report import Report
from protocol import Request, serve

LARGEST, TOLERANCE = 10.0, 0.01


class Recorded(PrivacyAlgorithm):
    """An algorithm whose data sets are its recorded outputs."""

    def prepare(self, algorithm, privacy_params, eval_params):
        """Do nothing: there is nothing to run."""

    def release(self, dataset):
        return Report({"output": dataset})

    def actual_release(self, dataset):
        return Report({"output": 0.0})


def refuted(request: Request, epsilon: float) -> bool:
    """Return whether the evaluator finds that outputs are not (epsilon, delta)-DP."""
    found = DPEvaluator().evaluate(
        *request.certifying,
        Recorded(),
        None,
        PrivacyParams(epsilon=epsilon, delta=request.delta),
        EvaluatorParams(repeat_count=len(request.certifying[0]), alpha=request.alpha),
    )
    return not found["output"].dp_res


def largest_refuted(request: Request) -> float:
    """Return the largest epsilon, to within TOLERANCE, that is refuted."""
    low, high = 0.0, LARGEST
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        if refuted(request, middle):
            low = middle
        else:
            high = middle
    return low


serve({"histogram test": largest_refuted})
