"""jax-privacy: ``CanaryScoreAuditor`` on the scores of runs with and without a canary."""

from __future__ import annotations

from jax_privacy.auditing import Bonferroni, CanaryScoreAuditor, MultiSplit, Split
from protocol import Request, serve

TINY = 1e-12
"""Delta for the one-run bounds, which refuse 0: not (epsilon, TINY)-DP, so not epsilon-DP."""


def clopper_pearson(strategy):
    """Return the bound of Jagielski et al. (2020), on both errors."""

    def bound(request: Request) -> float:
        auditor = CanaryScoreAuditor(*request.certifying)
        return auditor.epsilon_clopper_pearson(
            request.alpha, request.delta, one_sided=False, threshold_strategy=strategy(request)
        )

    return bound


def one_run(strategy):
    """Return the bound of Steinke et al. (2023), every run being a canary."""

    def bound(request: Request) -> float:
        auditor = CanaryScoreAuditor(*request.certifying)
        return auditor.epsilon_one_run(
            request.alpha, request.delta or TINY, threshold_strategy=strategy(request)
        )

    return bound


def all_thresholds(request: Request) -> Bonferroni:
    return Bonferroni()


def split(request: Request) -> Split:
    return Split(seed=request.seed)


def splits(request: Request) -> MultiSplit:
    return MultiSplit(seed=request.seed)


serve(
    {
        "clopper-pearson": clopper_pearson(all_thresholds),
        "clopper-pearson, split": clopper_pearson(split),
        "clopper-pearson, 100 splits": clopper_pearson(splits),
        "one run": one_run(all_thresholds),
        "one run, split": one_run(split),
    }
)
