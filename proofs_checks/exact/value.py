"""The cost of the rounding of the value itself, before any noise is added."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_checks.basics import post_processed
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    symbols,
)
from reference.basic.sums import rounded_sum
from reference.privacy.exact.noise import UNIT


@statement(
    "exact Proposition 1",
    kind="privacy",
    printed="R(v + X) costs (1 + s) epsilon with Laplace noise of scale Delta/epsilon, and "
    "(1 + s) mu and (1 + s)^2 mu^2/2-zCDP with Gaussian noise of scale Delta/mu, if v moves by "
    "(1 + s) Delta",
    refuses={
        "Laplace noise costs epsilon, whatever s": {"share": 0},
        "zCDP grows like 1 + s": {"power": 1},
        "R adds a tenth to delta": {"factor": "0.9"},
    },
    unchecked={
        "R, v": "R is any function of the sum; the steps have the distance of two values v",
        "X": "by its densities: exp(-|x|/scale), and the curve of two normal laws",
    },
)
def moved_further(share: int = 1, power: int = 2, factor: str = "1") -> Outcome:
    """Follow the distance of two values through the guarantees.

    Densities of Laplace noise at two values that are (1 + s) Delta apart have a ratio of the
    exponential of that distance over the scale Delta/epsilon at most: with loss the logarithm, in
    one coordinate after another, before and at are the distances of the others and of this one
    [step "laplace"]. Gaussian noise at a distance gives Gaussian DP of the distance over the scale,
    and its square over 2 in zCDP [step "gaussian"]. R sees the sum alone: post-processing [step
    "rounding"], see :func:`proofs_checks.basics.post_processed`.
    """
    before, at, loss, s, change, epsilon = reals("before at loss s Delta epsilon")
    d, e, mu = symbols("s Delta mu")
    distance, scale = (1 + d) * e, e / mu
    return derived(
        laplace=for_all(
            loss * change <= (1 + share * s) * epsilon * change,
            *(before >= 0, at >= 0, s >= 0, change > 0, epsilon > 0),
            before + at <= (1 + s) * change,
            loss * change <= (before + at) * epsilon,
        ),
        gaussian=identity(
            (distance / scale, (1 + d) * mu),
            ((distance / scale) ** 2 / 2, (1 + d) ** power * mu**2 / 2),
        ),
        rounding=post_processed(factor),
    )


def _means(times: Fraction) -> Outcome:
    """Compare moves of means that the code makes, of records at the ends, with the bound."""

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        rng = np.random.default_rng(0)
        for n in (2, 3, 7, 100, 999):
            for bound in (1.0, 0.7, 3.1e-5):
                records = rng.uniform(-bound, bound, (n, 1))
                records[: n // 2] = bound
                ends = []
                for last in (bound, -bound):
                    records[-1] = last
                    ends.append(Fraction(float(rounded_sum(records, bound=bound)[0] / n)))
                unit = times * Fraction(UNIT)
                most = 2 * Fraction(bound) / n * (1 + n * unit * (1 + unit))
                yield {"n": n, "bound": bound}, abs(ends[0] - ends[1]), most

    return exactly(cases(), note="means of records at the ends, by the code")


@statement(
    "exact Proposition 2",
    kind="sensitivity",
    printed="|v(D) - v(D')| <= (2 b/n) (1 + n u (1 + u)) for means v of n terms in [-b, b] whose "
    "sum is rounded once",
    refuses={
        "the rounding costs a quarter of it": {"times": "1/4"},
        "a sum that is rounded n = 10 times": {"roundings": 10},
    },
    unchecked={
        "v": "in the step q (1 + a) (1 + c), rounded at the sum and at the division",
        "b": "in the step the unit of the means",
        "D, D'": "in the step the means q and q2 of real numbers, which are 2 b/n apart at most",
    },
)
def rounded_mean(times: str = "1", roundings: int = 1) -> Outcome:
    """Bound how far two means are apart that are rounded at the sum and at the division.

    In units of b the means of real numbers are q and q2 in [-1, 1], gap = 2/n apart at most, so
    that gap n = 2. With u = 2^-52 a mean is q (1 + a) (1 + c), a and c at most u/2: two of them are
    gap + 2 u (1 + u) apart at most, which is (2/n) (1 + n u (1 + u)) [step "means"]. The means that
    the code makes of records at the ends of their range are within it [step "code"].
    """
    q, q2, a, a2, c, c2, gap, u, n = reals("q q2 a a2 c c2 gap u n")
    one, two = q * (1 + a) * (1 + c), q2 * (1 + a2) * (1 + c2)
    share = rational(times)
    small = [2 * x <= roundings * u for x in (a, a2)] + [2 * x >= -roundings * u for x in (a, a2)]
    small += [2 * x <= u for x in (c, c2)] + [2 * x >= -u for x in (c, c2)]
    most = gap * (1 + n * share * u * (1 + u))
    return derived(
        means=for_all(
            z3.And(one - two <= most, two - one <= most),
            *(u == rational(Fraction(UNIT)), gap * n == 2, n >= 1, *small),
            *(q <= 1, q >= -1, q2 <= 1, q2 >= -1, q - q2 <= gap, q2 - q <= gap),
        ),
        code=_means(Fraction(times)),
    )
