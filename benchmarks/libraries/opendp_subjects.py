"""Subjects from OpenDP 0.16.0, which run in its environment.

Every claim is what the measurement's own privacy map says for the distance of the pair. The
library draws its noise from the operating system, so that its runs cannot be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import opendp.prelude as dp  # type: ignore[import-not-found]

from benchmarks.libraries.subject import Mechanism, RelationName, Subject

dp.enable_features("contrib", "idealized-numerics")

RUNS = 8000
"""Runs a side: each takes a tenth of a millisecond or more."""

MEASURES = {"pure": dp.max_divergence(), "zCDP": dp.zero_concentrated_divergence()}


def measured(measurement: Any) -> Mechanism:
    """Return a measurement as a mechanism; what it returns may be a queryable of answers."""

    def run(data: Any, rng: np.random.Generator) -> Any:
        return plain(measurement(data))

    return run


def plain(release: Any) -> Any:
    """Return a release; of a dictionary its text, in an order that says nothing."""
    return str(sorted(release.items())) if isinstance(release, dict) else release


def claimed(loss: Any) -> dict[str, Any]:
    """Return what a privacy map says of pure or approximate differential privacy."""
    if isinstance(loss, tuple):
        return {"epsilon": loss[0], "delta": loss[1]}
    return {"epsilon": loss}


def one(
    name: str,
    measurement: Any,
    pair: tuple[Any, Any],
    words: str,
    *,
    distance: Any = 1,
    relation: RelationName = "any",
    concentrated: bool = False,
    finding: str = "",
) -> Subject:
    """Return a subject whose claim is read from the measurement's map."""
    loss = measurement.map(distance)
    claim = {"rho": loss} if concentrated else claimed(loss)
    return Subject(
        name,
        measured(measurement),
        pair,
        words,
        relation=relation,
        samples=RUNS,
        finding=finding,
        **claim,
    )


# ------------------------------------------------------------------------------------- spaces


def scalar(kind: str) -> tuple[Any, Any]:
    """Return the space of one number."""
    return atom(kind), dp.absolute_distance(T=kind)


def atom(kind: str) -> Any:
    """Return the domain of numbers that are not NaN."""
    return dp.atom_domain(T=kind, nan=False) if kind == "f64" else dp.atom_domain(T=kind)


def vector(kind: str, metric: Any) -> tuple[Any, Any]:
    """Return the space of vectors."""
    return dp.vector_domain(atom(kind)), metric


def records(kind: str) -> tuple[Any, Any]:
    """Return the space of data sets of numbers, where a record is added or removed."""
    return dp.vector_domain(atom(kind)), dp.symmetric_distance()


# ------------------------------------------------------------------------------ measurements


def additive() -> Iterator[Subject]:
    """Yield noise that is added."""
    m = dp.m
    step = "0 or 1"
    for kind in ("f64", "i64"):
        zero, unit = (0.0, 1.0) if kind == "f64" else (0, 1)
        space = scalar(kind)
        yield one(
            f"laplace, {kind}",
            m.make_laplace(*space, scale=1.0),
            (zero, unit),
            step,
            distance=unit,
        )
        yield one(
            f"gaussian, {kind}",
            m.make_gaussian(*space, scale=1.0),
            (zero, unit),
            step,
            distance=unit,
            concentrated=True,
        )
        yield one(
            f"laplace, vector of {kind}",
            m.make_laplace(*vector(kind, dp.l1_distance(T=kind)), scale=1.0),
            ([zero, zero], [unit, zero]),
            "(0, 0) or (1, 0)",
            distance=unit,
        )
        yield one(
            f"gaussian, vector of {kind}",
            m.make_gaussian(*vector(kind, dp.l2_distance(T="f64")), scale=5.0),
            ([zero, zero], [3 * unit, 4 * unit]),
            "(0, 0) or (3, 4)",
            distance=5.0,
            concentrated=True,
        )
    integers, floats = scalar("i64"), scalar("f64")
    largest = 2**63 - 1
    yield one(
        "laplace at the largest integer",
        m.make_laplace(*integers, scale=1.0),
        (largest, largest - 1),
        "2^63 - 1 or 2^63 - 2",
    )
    yield one(
        "laplace beyond 2^53",
        m.make_laplace(*integers, scale=1.0),
        (2**60 + 128, 2**60 + 129),
        "2^60 + 128 or 2^60 + 129",
    )
    yield one(
        "laplace at 1e300",
        m.make_laplace(*floats, scale=1e299),
        (1e300, 1.1e300),
        "1e300 or 1.1e300",
        distance=1.1e300 - 1e300,
    )
    yield one(
        "laplace of a sum that doubles cannot hold",
        m.make_laplace(*floats, scale=0.1),
        (0.0, 0.1 + 0.2),
        "0 or 0.1 + 0.2",
        distance=0.1 + 0.2,
    )
    yield one(
        "laplace on a coarse grid",
        m.make_laplace(*floats, scale=1.0, k=0),
        (0.4, 0.6),
        "0.4 or 0.6, outputs whole numbers (k = 0)",
        distance=0.6 - 0.4,
    )
    yield one(
        "geometric with bounds",
        m.make_geometric(*integers, scale=1.0, bounds=(0, 3)),
        (0, 1),
        step,
    )
    yield one(
        "canonical noise",
        m.make_canonical_noise(*floats, d_in=1.0, d_out=(1.0, 0.01)),
        (0.0, 1.0),
        step,
        distance=1.0,
    )


def choices() -> Iterator[Subject]:
    """Yield randomised responses and selections."""
    m = dp.m
    yield one(
        "randomized response of a bit",
        m.make_randomized_response_bool(0.75),
        (True, False),
        "true or false",
    )
    letters = m.make_randomized_response(["a", "b", "c"], prob=0.5)
    yield one("randomized response", letters, ("a", "b"), "a or b")
    yield one("randomized response, a value that is no category", letters, ("a", "z"), "a or z")
    bits = m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5
    )
    yield one("randomized response of bits", bits, (b"\x01", b"\x02"), "one bit or another")
    yield one(
        "randomized response of bits, one or two bytes",
        bits,
        (b"\x01", b"\x01\x00"),
        "bytes 1, or 1 and 0",
        finding="bit lengths",
    )
    scores = ([0.0, 1.0, 1.0], [1.0, 0.0, 1.0])
    words = "scores 0, 1, 1 or 1, 0, 1"
    for name, measure in MEASURES.items():
        space = vector("f64", dp.linf_distance(T="f64"))
        rho = name == "zCDP"
        yield one(
            f"noisy max, {name}",
            m.make_noisy_max(*space, measure, scale=2.0),
            scores,
            words,
            distance=1.0,
            concentrated=rho,
        )
        yield one(
            f"noisy top 2, {name}",
            m.make_noisy_top_k(*space, measure, k=2, scale=4.0),
            scores,
            words,
            distance=1.0,
            concentrated=rho,
        )
    yield one(
        "noisy max, zCDP, two scores",
        m.make_noisy_max(*vector("f64", dp.linf_distance(T="f64")), MEASURES["zCDP"], scale=1.0),
        ([0.0, 0.0], [1.0, -1.0]),
        "scores 0, 0 or 1, -1",
        distance=1.0,
        concentrated=True,
    )
    monotonic = vector("f64", dp.linf_distance(T="f64", monotonic=True))
    yield one(
        "noisy max, monotonic",
        m.make_noisy_max(*monotonic, MEASURES["pure"], scale=1.0),
        ([0.0, 1.0, 0.0], [1.0, 1.0, 0.0]),
        "scores 0, 1, 0 or 1, 1, 0",
        distance=1.0,
    )
    large = 2.0**53
    yield one(
        "noisy max beyond 2^53",
        m.make_noisy_max(*vector("f64", dp.linf_distance(T="f64")), MEASURES["pure"], scale=4.0),
        ([large, large, large], [large + 2, large, large - 2]),
        "scores 2^53 three times, or the first more and the last less by 2",
        distance=2.0,
    )


def thresholds() -> Iterator[Subject]:
    """Yield releases of keys and counts."""
    signed = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64"))
    yield one(
        "laplace, threshold 3",
        dp.m.make_laplace_threshold(
            signed, dp.l01inf_distance(dp.absolute_distance(T="i64")), scale=1.0, threshold=3
        ),
        ({"a": 1}, {}),
        "one key with count 1, or none",
        distance=(1, 1, 1),
        finding="threshold",
    )
    unsigned = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="u32"))
    projection = dp.m.make_alp_queryable(
        unsigned,
        dp.l01inf_distance(dp.absolute_distance(T="u32")),
        scale=1.0,
        total_limit=4,
        value_limit=4,
    )

    def ask(data: Any, rng: np.random.Generator) -> list[float]:
        answers = projection(data)
        return [answers("a"), answers("b")]

    yield Subject(
        "approximate laplace projection, two answers",
        ask,
        ({"a": 1}, {"a": 2}),
        "count 1 or 2",
        epsilon=projection.map((1, 1, 1)),
        samples=RUNS,
    )


# ----------------------------------------------------------------------------- chains


def chains() -> Iterator[Subject]:
    """Yield transformations with noise, where a record is added."""
    t, m = dp.t, dp.m
    floats, integers = records("f64"), records("i64")

    def chained(
        name: str, measurement: Any, pair: tuple[Any, Any], words: str, **more: Any
    ) -> Subject:
        return one(name, measurement, pair, words, **({"relation": "add-remove"} | more))

    # a record that is added to a data set of a fixed size replaces an imputed one
    three = floats >> t.then_clamp((0.0, 1.0)) >> t.then_resize(3, constant=0.0)
    pair, words = ([0.0, 0.0], [0.0, 0.0, 1.0]), "two zeros, or a 1 as well, resized to 3"
    for name, statistic in (
        ("sum", t.then_sum()),
        ("mean", t.then_mean()),
        ("variance", t.then_variance()),
    ):
        noisy = three >> statistic >> m.then_laplace(scale=0.5)
        yield chained(f"{name} of floats", noisy, pair, words)
    pair, words = ([], [7]), "no record, or 7 clamped to 2"
    total = integers >> t.then_clamp((-1, 2)) >> t.then_sum() >> m.then_laplace(scale=2.0)
    yield chained("sum of integers", total, pair, words)
    half = 2**62
    limit = integers >> t.then_clamp((0, half)) >> t.then_sum() >> m.then_laplace(scale=float(half))
    yield chained(
        "sum of integers, of which one overflows",
        limit,
        ([half], [half, half]),
        "2^62 once or twice, sums 2^62 and 2^63 - 1 (saturated)",
    )
    signed = (
        integers >> t.then_clamp((-half, half)) >> t.then_sum() >> m.then_laplace(scale=float(half))
    )
    yield chained(
        "sum of integers of both signs, of which one overflows",
        signed,
        ([half, -half, -half], [half, half, -half, -half]),
        "2^62 once or twice, -2^62 twice, sums -2^62 and -1 (saturated)",
    )
    count = integers >> t.then_count() >> m.then_laplace(scale=1.0)
    yield chained("count", count, ([], [1]), "no record, or one")
    distinct = integers >> t.then_count_distinct() >> m.then_laplace(scale=1.0)
    yield chained("count of distinct records", distinct, ([1], [1, 2]), "1, or 1 and 2")
    categories = (
        integers
        >> t.then_count_by_categories([0, 1], null_category=True)
        >> m.then_laplace(scale=1.0)
    )
    yield chained("counts of categories", categories, ([0], [0, 1]), "0, or 0 and 1")
    yield chained("counts of categories, another value", categories, ([0], [0, 9]), "0, or 0 and 9")
    keys = integers >> t.then_count_by() >> m.then_laplace_threshold(scale=1.0, threshold=3)
    yield chained(
        "counts of keys above 3", keys, ([], [5]), "no record, or one", finding="threshold"
    )
    quantile = m.make_private_quantile(
        *floats, MEASURES["pure"], candidates=[0.0, 0.25, 0.5, 0.75, 1.0], alpha=0.5, scale=2.0
    )
    yield chained("quantile", quantile, ([0.3, 0.6], [0.3, 0.6, 0.9]), "0.3, 0.6, or 0.9 as well")
    yield chained("quantile of nothing", quantile, ([], [0.9]), "no record, or 0.9")


def combined() -> Iterator[Subject]:
    """Yield combinators."""
    c, m = dp.c, dp.m
    space = scalar("i64")
    step = "0 or 1"
    laplace, gaussian = m.make_laplace(*space, scale=2.0), m.make_gaussian(*space, scale=2.0)
    yield one("composition of two", c.make_composition([laplace, laplace]), (0, 1), step)
    yield one(
        "composition of two, zCDP",
        c.make_composition([gaussian, gaussian]),
        (0, 1),
        step,
        concentrated=True,
    )
    yield one("pure as zCDP", c.make_pureDP_to_zCDP(laplace), (0, 1), step, concentrated=True)
    fixed = c.make_fix_delta(c.make_zCDP_to_approxDP(gaussian), 0.05)
    yield one("zCDP as approximate", fixed, (0, 1), step)
    adaptive = c.make_adaptive_composition(*space, MEASURES["pure"], d_in=1, d_mids=[0.5, 0.5])
    odometer = c.make_fully_adaptive_composition(*space, MEASURES["pure"])
    guarded = c.make_privacy_filter(odometer, d_in=1, d_out=1.0)
    for name, interactive in (("adaptive composition", adaptive), ("privacy filter", guarded)):

        def ask(data: Any, rng: np.random.Generator, of: Any = interactive) -> list[int]:
            answers = of(data)
            return [answers(laplace), answers(laplace)]

        yield Subject(
            f"{name}, two answers", ask, (0, 1), step, epsilon=interactive.map(1), samples=RUNS
        )


def subjects() -> Iterator[Subject]:
    """Yield all."""
    yield from additive()
    yield from choices()
    yield from thresholds()
    yield from chains()
    yield from combined()
