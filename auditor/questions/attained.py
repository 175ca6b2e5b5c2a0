"""Lower bounds on what declared releases cost.

A transcript declares releases: their kinds, claimed sensitivities and scales. The accountant
(:mod:`reference.privacy.accounting`) bounds from above what any algorithm making them can spend.
Here is the bound from below: for every kind of release, two values exactly as far apart as the
declared sensitivity allows (:mod:`auditor.mechanisms`), and the composition of those worst cases.
Some algorithm that makes exactly these releases spends at least that much, so a claim below it
cannot follow from them.

For Gaussian releases, and for pure DP, the two bounds agree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from scipy.special import expit

from auditor.mechanisms import kind_of
from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import sampling_probability
from reference.privacy.accounting import record_profiles
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Release, Transcript

TILTS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Log-odds by which a selection between two candidates is taken off balance; the worst counts."""

ROUNDING = 1e-12
"""Absolute slack: the composed distributions drop tails of up to 1e-15 each."""

_SINGLE_POINTS = 200_000
_COMPOSED_POINTS = 1_000_000
_BIAS = 0.01
"""Total loss that may be rounded away, where the numbers of points allow it."""


def lower_delta(
    transcript: Transcript,
    epsilon: float,
    *,
    times: Callable[[Release], int] = lambda _: 1,
    enough: float = 1.0,
) -> float:
    """Return a delta(epsilon) that some algorithm making these releases exceeds or attains.

    Parameters
    ----------
    transcript : Transcript
        Recorded.
    epsilon : float
        >= 0.
    times : callable, optional
        How often a record bears each release (the attributes of a record, say).
    enough : float, default 1
        Stop looking for a better bound above this one.

    Returns
    -------
    float
        A valid lower bound, not always the best; 0 if nothing is known.
    """
    releases = transcript.releases
    profiles = record_profiles([(i, release.claim.records) for i, release in enumerate(releases)])
    worst = 0.0
    for profile in profiles:
        borne = [releases[i] for i in profile for _ in range(times(releases[i]))]
        for outside in (False, True) if any(r.claim.sample for r in borne) else (False,):
            tilts = TILTS if any(kind_of(release).tilted for release in borne) else TILTS[:1]
            for tilt in tilts:
                worst = max(worst, _composed_delta(_attained(borne, tilt, outside), epsilon))
                if worst > enough:
                    return worst
    return worst


def lower_pure(transcript: Transcript, *, times: Callable[[Release], int] = lambda _: 1) -> float:
    """Return the pure epsilon of the worst algorithm making these releases, possibly infinite.

    The supremum of the privacy loss is attained or approached by every kind on its own, and an
    adaptive algorithm may attain all of them together: the sum is exact.
    """
    releases = transcript.releases
    profiles = record_profiles([(i, release.claim.records) for i, release in enumerate(releases)])
    return max(
        (math.fsum(times(releases[i]) * kind_of(releases[i]).pure() for i in p) for p in profiles),
        default=0.0,
    )


# ------------------------------------------------------------------- releases together


def _attained(releases: Sequence[Release], tilt: float, outside: bool) -> Counter[Attained]:
    """Return the pairs that the releases attain; those of a kind together.

    With ``outside`` the sampled releases count by their background part instead.
    """
    found: Counter[Attained] = Counter()
    gaussian = 0.0
    sampled: dict[int, list[Release]] = {}
    for release in releases:
        mu = release.mechanism.cost(release.claim.sensitivity).gaussian
        if release.claim.sample is not None and not outside:
            sampled.setdefault(release.claim.sample.position, []).append(release)
        elif release.claim.sample is not None:
            if mu is not None and release.claim.background_sensitivity > 0:
                gaussian += (
                    mu * release.claim.background_sensitivity / release.claim.sensitivity
                ) ** 2
        elif mu is not None:
            gaussian += mu**2
        else:
            kind = kind_of(release)
            found[kind.pair(tilt)] += kind.answers()
    if gaussian > 0:
        found.update([Attained("gaussian", math.sqrt(gaussian))])
    for group in sampled.values():
        found.update([_sampled_pair(group)])
    return found


def _sampled_pair(group: Sequence[Release]) -> Attained:
    """Return the pair of a sample: apart inside it only, by what the background leaves.

    The releases of one subsample see the record together or not at all.
    """
    sample = group[0].claim.sample
    assert sample is not None
    q = sampling_probability(sample)
    square, laplace = 0.0, 0.0
    for release in group:
        inside = release.claim.sensitivity - release.claim.background_sensitivity
        if inside <= 0:
            continue
        cost = release.mechanism.cost(inside)
        if cost.gaussian is not None:
            square += cost.gaussian**2
        elif cost.laplace is not None:
            laplace = max(laplace, cost.laplace)
    if square > 0:
        return Attained("gaussian", math.sqrt(square), q)
    return Attained("laplace", laplace, q)


# ---------------------------------------------------------------------------- composition


def _composed_delta(pairs: Counter[Attained], epsilon: float) -> float:
    """Return a lower bound on delta(epsilon) of the composed pairs, in the worse direction."""
    pairs = Counter({pair: n for pair, n in pairs.items() if pair.size or pair.kind == "outcomes"})
    if not pairs:
        return 0.0
    if len(pairs) == 1:
        ((pair, count),) = pairs.items()
        if pair.kind == "gaussian" and pair.probability == 1:
            return gaussian_dp_delta(pair.size * math.sqrt(count), epsilon)
    # above these sizes delta is one in all digits; a smaller distance is attained as well
    most = {"gaussian": math.sqrt(2 * epsilon) + 8}
    capped: Counter[Attained] = Counter()
    for pair, count in pairs.items():
        size = min(pair.size, most.get(pair.kind, epsilon + 40))
        capped[replace(pair, size=size)] += count
    interval = _interval(capped)
    composed = None
    for pair, count in sorted(capped.items(), key=lambda item: repr(item[0])):
        single = _distribution(pair, interval)
        if single is None:
            continue
        repeated = single.self_compose(count)
        composed = repeated if composed is None else composed.compose(repeated)
    if composed is None:
        return 0.0
    return max(0.0, float(composed.get_delta_for_epsilon(epsilon)) - ROUNDING)


def _interval(pairs: Counter[Attained]) -> float:
    """Return the grid of the loss: coarse where that harms little, or where finer is too much."""
    odds = [pair.size for pair in pairs if pair.kind == "odds"]
    rounded = sum(count for pair, count in pairs.items() if pair.kind != "odds")
    wanted = [min(odds) / 200] if odds else []  # equal log-odds lie on the grid
    wanted += [_BIAS / rounded] if rounded else []
    return max(
        min(wanted),
        max(_largest_loss(pair) for pair in pairs) / _SINGLE_POINTS,
        sum(count * _largest_loss(pair) for pair, count in pairs.items()) / _COMPOSED_POINTS,
    )


def _largest_loss(pair: Attained) -> float:
    """Return roughly the largest loss that matters, for the choice of a grid."""
    if pair.kind == "gaussian":
        return pair.size**2 / 2 + 8 * pair.size
    if pair.kind == "outcomes":
        losses = [abs(a - b) for a, b in zip(pair.first, pair.second, strict=True)]
        return max([loss for loss in losses if math.isfinite(loss)], default=1.0)
    return pair.size


@lru_cache(maxsize=512)
def _distribution(pair: Attained, interval: float) -> Any:
    """Return the loss distribution of one pair, rounded downwards; ``None`` if it vanishes."""
    from dp_accounting.pld import privacy_loss_distribution as pld  # loads slowly

    if pair.kind in ("gaussian", "laplace"):
        build = (
            pld.from_gaussian_mechanism if pair.kind == "gaussian" else pld.from_laplace_mechanism
        )
        return build(
            1 / pair.size,
            pessimistic_estimate=False,
            value_discretization_interval=interval,
            sampling_prob=pair.probability,
            use_connect_dots=False,
        )
    if pair.kind == "odds":
        # smaller log-odds on the grid instead of losses rounded down: no error in the loss
        steps = math.floor(pair.size / interval * (1 + 1e-12))
        if steps == 0:
            return None
        free = 1 - pair.probability
        masses = {
            steps: free * float(expit(steps * interval)),
            0: pair.probability,
            -steps: free * float(expit(-steps * interval)),
        }
        return pld.PrivacyLossDistribution.create_from_rounded_probability(
            masses, 0.0, interval, pessimistic_estimate=False
        )
    return pld.from_two_probability_mass_functions(
        dict(enumerate(pair.second)),
        dict(enumerate(pair.first)),
        pessimistic_estimate=False,
        value_discretization_interval=interval,
        symmetric=False,
    )
