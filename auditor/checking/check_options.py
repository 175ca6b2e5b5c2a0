"""The options of a check: their types, and refusals of impossible ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from auditor.checking.result import CheckResult
from auditor.core.arguments import require_number, require_whole
from auditor.core.errors import InputError
from auditor.core.input_limits import MOST_RUNS
from auditor.core.verdict import Verdict
from auditor.statistics.claims import Claim, TradeOffFunction, claim_of
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP

LEAST_RUNS = 16

DataPair = tuple[Any, Any]
RandomArgument = Literal["rng", "ledger"]
RelationOption = Literal["replace", "add-remove", "replace-label", "any"]
FloatingPoint = Literal["report", "count"]


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check."""

    claim: Claim
    delta: float
    confidence: float
    samples: int
    seed: int
    floating_point: FloatingPoint
    rare: float = 0.0
    group: int = 1
    of_one: str = ""
    """The claim about one record in words, if ``claim`` is about more."""

    def unseen(
        self,
        *,
        pairs: int,
        findings: tuple[Mapping[str, Any], ...],
        questions: tuple[Verdict, ...],
    ) -> CheckResult:
        """Return the result of a check whose runs have shown nothing yet."""
        return CheckResult(
            status="inconclusive",
            claim=self._words(),
            delta=self.delta,
            symbol=self.claim.symbol,
            confidence=self.confidence,
            budget=self.samples,
            pairs=pairs,
            findings=findings,
            questions=questions,
        )

    def _words(self) -> str:
        """Return what is claimed, and of how many records if that is not one."""
        claim = self.claim.describe()
        many = f"{claim} of {self.group} records ({self.of_one} of one)"
        return claim if self.group == 1 else many


def stated_claim(
    epsilon: float | None, delta: float, claim: Guarantee | TradeOffFunction | None
) -> tuple[Claim, Guarantee | TradeOffFunction]:
    """Return what a caller claims: about events, and as it was stated.

    Raises
    ------
    InputError
        If nothing, or too much, or a number out of its range is claimed.
    """
    if (epsilon is None) == (claim is None):
        raise InputError("claim either epsilon (with delta), or claim=... in another currency")
    if epsilon is not None:
        try:
            claim = PureDP(epsilon) if delta == 0 else ApproximateDP(epsilon, delta)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None
    assert claim is not None
    return claim_of(claim), claim


def require_delta(delta: Any) -> float:
    """Return a delta in [0, 1); raise InputError otherwise."""
    return require_number("delta", delta, 0, 1, ends="[)")


def require_samples(samples: Any) -> int:
    """Return a number of runs; raise InputError if it is too small, or would never end."""
    return require_whole("samples", samples, LEAST_RUNS, MOST_RUNS)
