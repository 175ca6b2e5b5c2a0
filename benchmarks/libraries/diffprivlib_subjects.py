"""Subjects from diffprivlib 0.6.6, which run in its environment.

Nothing in the library says what neighbouring data sets are. Most of its tools take the number of
records as public and are calibrated to the replacement of one; where another reading is checked,
the name of the subject says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import diffprivlib.mechanisms as mechanisms  # type: ignore[import-not-found]
import numpy as np
from diffprivlib import BudgetAccountant, models, tools

from benchmarks.libraries.subject import Mechanism, Subject

SLOW = 6000
"""Runs a side of what takes a large part of a millisecond."""
FITS = 2000
"""Runs a side of models, of which one fit takes several milliseconds."""
NAN = float("nan")


def randomness(rng: np.random.Generator) -> np.random.RandomState:
    """Return a generator of the old kind, which the library takes, on the same bits."""
    return np.random.RandomState(rng.bit_generator)


# -------------------------------------------------------------------------------- mechanisms


def noisy(kind: str, **parameters: Any) -> Mechanism:
    """Return a mechanism that randomises the value that it is given."""
    make = getattr(mechanisms, kind)

    def run(value: Any, rng: np.random.Generator) -> Any:
        return make(**parameters, random_state=randomness(rng)).randomise(value)

    return run


def chosen(kind: str, **parameters: Any) -> Mechanism:
    """Return a mechanism that chooses a candidate by the utilities that it is given."""
    make = getattr(mechanisms, kind)

    def run(utility: Any, rng: np.random.Generator) -> Any:
        return make(**parameters, utility=list(utility), random_state=randomness(rng)).randomise()

    return run


def the_mechanisms() -> Iterator[Subject]:
    """Yield the mechanisms, each with values at the distance of its sensitivity."""

    def one(
        name: str,
        mechanism: Mechanism,
        pair: tuple[Any, Any],
        words: str = "0 or 1, sensitivity 1",
        **more: Any,
    ) -> Subject:
        return Subject(name, mechanism, pair, words, **more)

    unit: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1.0}
    integer: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1}
    yield one("Laplace", noisy("Laplace", **unit), (0.0, 1.0))
    yield one(
        "Laplace with delta",
        noisy("Laplace", epsilon=0.5, delta=0.1, sensitivity=1.0),
        (0.0, 1.0),
        epsilon=0.5,
        delta=0.1,
    )
    yield one(
        "Laplace at 1e300",
        noisy("Laplace", epsilon=1.0, sensitivity=1e299),
        (1e300, 1.1e300),
        "1e300 or 1.1e300, sensitivity 1e299",
    )
    bounded: dict[str, Any] = {"lower": 0.0, "upper": 2.0}
    for kind, most in (
        ("LaplaceTruncated", None),
        ("LaplaceFolded", None),
        ("LaplaceBoundedDomain", SLOW),
    ):
        yield one(kind, noisy(kind, **unit, **bounded), (0.0, 1.0), samples=most)
    yield one(
        "LaplaceBoundedDomain with delta",
        noisy("LaplaceBoundedDomain", epsilon=0.5, delta=0.1, sensitivity=1.0, **bounded),
        (0.0, 1.0),
        epsilon=0.5,
        delta=0.1,
        samples=SLOW,
    )
    yield one(
        "LaplaceBoundedDomain, sensitivity above its width",
        noisy("LaplaceBoundedDomain", epsilon=1.0, sensitivity=1.5, lower=0.0, upper=1.0),
        (0.0, 1.0),
        "0 or 1, sensitivity 1.5 on [0, 1]",
    )
    yield one(
        "LaplaceBoundedNoise",
        noisy("LaplaceBoundedNoise", epsilon=1.0, delta=0.05, sensitivity=1.0),
        (0.0, 1.0),
        delta=0.05,
    )
    for kind, epsilon, most in (
        ("Gaussian", 1.0, None),
        ("GaussianAnalytic", 1.0, SLOW),
        ("GaussianAnalytic", 3.0, SLOW),
    ):
        yield one(
            f"{kind}, epsilon {epsilon:g}",
            noisy(kind, epsilon=epsilon, delta=0.05, sensitivity=1.0),
            (0.0, 1.0),
            epsilon=epsilon,
            delta=0.05,
            samples=most,
        )
    yield one(
        "GaussianDiscrete",
        noisy("GaussianDiscrete", epsilon=1.0, delta=0.05, sensitivity=2),
        (0, 2),
        "0 or 2, sensitivity 2",
        delta=0.05,
        samples=SLOW,
    )
    yield one("Geometric", noisy("Geometric", **integer), (0, 1))
    yield one(
        "Geometric, sensitivity 3",
        noisy("Geometric", epsilon=1.0, sensitivity=3),
        (0, 3),
        "0 or 3, sensitivity 3",
    )
    yield one(
        "Geometric beyond 2^53",
        noisy("Geometric", **integer),
        (2**60 + 128, 2**60 + 129),
        "2^60 + 128 or 2^60 + 129, sensitivity 1",
        finding="large integers",
    )
    yield one(
        "GeometricTruncated", noisy("GeometricTruncated", **integer, lower=0, upper=3), (0, 1)
    )
    yield one("GeometricFolded", noisy("GeometricFolded", **integer, lower=-0.5, upper=3.5), (0, 1))
    utilities = ([2, 1, 0], [1, 2, 1])
    shown = "utilities 2, 1, 0 or 1, 2, 1"
    yield one("Exponential", chosen("Exponential", **unit), utilities, shown)
    yield one(
        "Exponential, measure",
        chosen("Exponential", **unit, measure=[0.5, 0.0, 5.0]),
        utilities,
        shown,
    )
    monotonic = ([2, 1, 0], [3, 1, 0])
    for kind in ("Exponential", "PermuteAndFlip"):
        yield one(
            f"{kind}, monotonic",
            chosen(kind, **unit, monotonic=True),
            monotonic,
            "utilities 2, 1, 0 or 3, 1, 0",
        )
    yield one("PermuteAndFlip", chosen("PermuteAndFlip", **unit), utilities, shown)
    table = [("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", 2.0)]
    yield one(
        "ExponentialCategorical",
        noisy("ExponentialCategorical", epsilon=1.0, utility_list=table),
        ("a", "c"),
        "a or c",
    )
    yield one(
        "ExponentialHierarchical",
        noisy("ExponentialHierarchical", epsilon=1.0, hierarchy=[["a", "b"], ["c", "d", "e"]]),
        ("a", "e"),
        "a or e",
    )
    yield one("Binary", noisy("Binary", epsilon=1.0, value0="a", value1="b"), ("a", "b"), "a or b")
    yield one(
        "Bingham",
        noisy("Bingham", **unit),
        (np.diag([2.0, 0.0]), np.diag([1.0, 1.0])),
        "X'X for rows e1, e1 or e1, e2",
        samples=SLOW,
    )
    yield one("Snapping", noisy("Snapping", **unit, lower=0.0, upper=10.0), (0.0, 1.0))
    yield one("Staircase", noisy("Staircase", **unit), (0.0, 1.0))
    yield one(
        "Uniform",
        noisy("Uniform", delta=0.1, sensitivity=1.0),
        (0.0, 1.0),
        "0 or 1, sensitivity 1 (its ε = 0 is checked as 1e-6)",
        epsilon=1e-6,
        delta=0.1,
    )


# ------------------------------------------------------------------------------------- tools


def released(tool: Callable[..., Any], **parameters: Any) -> Mechanism:
    """Return a mechanism that applies a tool at epsilon 1 unless said otherwise."""
    parameters = {"epsilon": 1.0, "bounds": (0, 1)} | parameters

    def run(data: Any, rng: np.random.Generator) -> Any:
        # an accountant of its own: the default one would remember every run
        return tool(data, **parameters, random_state=randomness(rng), accountant=BudgetAccountant())

    return run


def counts(tool: Callable[..., Any], **parameters: Any) -> Mechanism:
    """Return a mechanism that releases the counts of a histogram."""

    def run(data: Any, rng: np.random.Generator) -> list[Any]:
        found = tool(
            data,
            epsilon=1.0,
            **parameters,
            random_state=randomness(rng),
            accountant=BudgetAccountant(),
        )
        return [float(count) for count in np.ravel(found[0])]

    return run


def weighted(data: Any, rng: np.random.Generator) -> float:
    """Release a histogram of one bin of (value, weight) records."""
    values, weights = zip(*data, strict=True)
    found = tools.histogram(
        values,
        epsilon=1.0,
        bins=1,
        range=(0, 1),
        weights=weights,
        random_state=randomness(rng),
        accountant=BudgetAccountant(),
    )
    return float(found[0][0])


def by_columns(points: Any, **parameters: Any) -> Any:
    """Call histogram2d with points."""
    return tools.histogram2d(*np.transpose(points), **parameters)


def twenty_answers(data: Any, rng: np.random.Generator) -> list[str]:
    """Ask one bit twenty times at epsilon 0.1."""
    mechanism = mechanisms.Binary(epsilon=0.1, value0="a", value1="b", random_state=randomness(rng))
    return sorted(mechanism.randomise(data) for _ in range(20))


def half(size: int, **changed: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return so many records 0.5, the first of which may be something else."""
    data = np.full(size, 0.5)
    data[0] = changed.get("first", 0.5)
    return data


def the_tools() -> Iterator[Subject]:
    """Yield the tools."""

    def one(
        name: str, mechanism: Mechanism, pair: tuple[Any, Any], words: str, **more: Any
    ) -> Subject:
        return Subject(name, mechanism, pair, words, **({"relation": "replace"} | more))

    zeros, replaced = np.zeros(5), np.array([1.0, 0, 0, 0, 0])
    words = "five zeros, or one of them 1"
    for name in ("mean", "nanmean", "var", "nanvar", "std", "nanstd", "sum", "nansum"):
        most = SLOW if name.endswith(("var", "std")) else None
        yield one(name, released(getattr(tools, name)), (zeros, replaced), words, samples=most)
    yield one(
        "sum of integers",
        released(tools.sum, dtype=int),
        (np.zeros(5, int), np.array([1, 0, 0, 0, 0])),
        words,
    )
    yield one("count_nonzero", _count, (zeros, replaced), words)
    yield one(
        "mean of each column",
        released(tools.mean, axis=0, bounds=([0, 0], [1, 1])),
        (np.zeros((3, 2)), np.array([[1.0, 1.0], [0, 0], [0, 0]])),
        "three rows (0, 0), or one of them (1, 1)",
    )
    for name, quant in (("median", None), ("quantile", 0.9), ("percentile", 10)):
        tool = getattr(tools, name)
        if quant is not None:
            tool = partial(_quantile, tool, quant)
        yield one(
            name,
            released(tool),
            (np.array([0.2, 0.4, 0.6, 0.8]), np.array([1.0, 0.4, 0.6, 0.8])),
            "0.2, 0.4, 0.6, 0.8, or the first 1",
        )
    yield one(
        "median of ties",
        released(tools.median),
        (half(5), half(5, first=0.0)),
        "five times 0.5, or one of them 0",
    )
    yield one(
        "median of 2978 ties",
        released(tools.median),
        (half(2978), half(2978, first=0.2)),
        "2978 times 0.5, or one of them 0.2",
        finding="quantile fails",
    )
    hidden, shown = np.full(100, NAN), np.full(100, NAN)
    hidden[0], shown[0] = 0.0, 1.0
    yield one(
        "nanmean of a column with gaps",
        released(tools.nanmean),
        (hidden, shown),
        "99 NaN and one 0, or one 1",
        finding="gaps",
    )
    flat, spread = hidden.copy(), hidden.copy()
    flat[1], spread[1] = 0.0, 1.0
    yield one(
        "nanvar of a column with gaps",
        released(tools.nanvar),
        (flat, spread),
        "98 NaN, 0 and 0, or 0 and 1",
        finding="gaps",
    )
    for name in ("mean", "sum", "var", "median"):
        yield one(
            f"{name} with a NaN",
            released(getattr(tools, name)),
            (half(5), half(5, first=NAN)),
            "five times 0.5, or one of them NaN",
            finding="NaN",
        )
    yield one(
        "mean without bounds",
        released(tools.mean, bounds=None),
        (half(5), half(5, first=1000.0)),
        "five times 0.5, or one of them 1000",
        finding="no bounds",
    )
    yield one(
        "sum, dtype int8",
        released(tools.sum, dtype=np.int8),
        (np.ones(128), np.r_[0.0, np.ones(127)]),
        "128 ones, or one of them 0",
        finding="overflow",
    )
    step = np.nextafter(1.0, 2.0)
    yield one(
        "sum, bounds 1 and the next double",
        released(tools.sum, bounds=(1.0, step)),
        (np.r_[np.full(1023, step), 1.0, 1.0], np.r_[np.full(1024, step), 1.0]),
        "1025 numbers that are 1 or the next double, one of them replaced",
        finding="float sums",
    )
    edges: dict[str, Any] = {"bins": 2, "range": (0, 1)}
    yield one(
        "histogram, a record added",
        counts(tools.histogram, **edges),
        ([0.1, 0.9], [0.1, 0.9, 0.9]),
        "0.1, 0.9, or a second 0.9 as well",
        relation="add-remove",
    )
    yield one(
        "histogram, a record replaced",
        counts(tools.histogram, **edges),
        ([0.1] * 3, [0.1, 0.1, 0.9]),
        "three times 0.1, or one of them 0.9",
        finding="two relations",
    )
    yield one(
        "sum, a record added",
        released(tools.sum, bounds=(10, 11)),
        (np.full(2, 10.0), np.full(3, 10.0)),
        "two or three times 10, bounds (10, 11)",
        relation="add-remove",
        finding="two relations",
    )
    square: dict[str, Any] = {"bins": 2, "range": [(0, 1), (0, 1)]}
    for name, tool in (("histogramdd", tools.histogramdd), ("histogram2d", by_columns)):
        yield one(
            f"{name}, a record added",
            counts(tool, **square),
            (np.array([[0.1, 0.1]]), np.array([[0.1, 0.1], [0.9, 0.9]])),
            "one point, or two",
            relation="add-remove",
        )
    yield one(
        "histogram with weights, a record added",
        weighted,
        ([(0.5, 10.0)], [(0.5, 10.0), (0.5, 10.0)]),
        "one or two records of weight 10",
        relation="add-remove",
        finding="weights",
    )
    grid = np.linspace(0, 1, 20)
    yield one(
        "histogram, bins chosen by 'auto', a record added",
        counts(tools.histogram, bins="auto", range=(0, 1)),
        (grid[:14], grid[:15]),
        "14 or 15 numbers",
        relation="add-remove",
        finding="bins",
    )
    accountant = BudgetAccountant(slack=1e-2, spent_budget=[(0.1, 0)] * 20)
    epsilon, delta = accountant.total()
    yield one(
        "BudgetAccountant, 20 answers with slack",
        twenty_answers,
        ("a", "b"),
        "a or b, asked 20 times at 0.1",
        epsilon=float(epsilon),
        delta=float(delta),
        relation="any",
    )


def _count(data: Any, rng: np.random.Generator) -> Any:
    return tools.count_nonzero(
        data, epsilon=1.0, random_state=randomness(rng), accountant=BudgetAccountant()
    )


def _quantile(tool: Callable[..., Any], quant: float, data: Any, **parameters: Any) -> Any:
    return tool(data, quant, **parameters)


# ------------------------------------------------------------------------------------ models


def fitted(kind: str, show: Callable[[Any], Any], **parameters: Any) -> Mechanism:
    """Return a mechanism that fits a model of epsilon 1 and shows some of it."""
    make = getattr(models, kind)
    parameters = {"epsilon": 1.0} | parameters

    def run(data: Any, rng: np.random.Generator) -> Any:
        model = make(**parameters, random_state=randomness(rng), accountant=BudgetAccountant())
        parts = data if isinstance(data, tuple) else (data,)
        return show(model.fit(*(np.array(part) for part in parts)))

    return run


def flat(*names: str) -> Callable[[Any], list[float]]:
    """Return what shows attributes of a model as one list of numbers."""

    def show(model: Any) -> list[float]:
        return [float(x) for name in names for x in np.ravel(getattr(model, name))]

    return show


def label(model: Any) -> int:
    """Return the label that a classifier gives to 0.5."""
    return int(model.predict([[0.5]])[0])


def the_models() -> Iterator[Subject]:
    """Yield the models, on tiny data."""

    def one(
        name: str, mechanism: Mechanism, pair: tuple[Any, Any], words: str, **more: Any
    ) -> Subject:
        common: dict[str, Any] = {"relation": "replace", "samples": FITS}
        return Subject(name, mechanism, pair, words, **(common | more))

    unit: dict[str, Any] = {"bounds": (0, 1)}
    bayes = fitted("GaussianNB", flat("class_count_", "theta_", "var_"), **unit)
    yield one(
        "GaussianNB, a value replaced",
        bayes,
        (([[0.0], [0.0], [1.0]], [0, 0, 1]), ([[1.0], [0.0], [1.0]], [0, 0, 1])),
        "x of the first of three records 0, or 1",
    )
    far = [[100.5]] * 10
    yield one(
        "GaussianNB, a label replaced",
        fitted("GaussianNB", flat("class_count_", "theta_"), bounds=(100, 101)),
        ((far, [0] * 5 + [1] * 5), (far, [0] * 4 + [1] * 6)),
        "ten records of x = 100.5, bounds (100, 101): labels five and five, or four and six",
        finding="label moves",
    )
    yield one(
        "GaussianNB, a class of one record",
        fitted("GaussianNB", flat("classes_"), **unit),
        (([[0.5]] * 3, [0, 0, 1]), ([[0.5]] * 3, [0, 0, 0])),
        "labels 0, 0, 1, or 0, 0, 0",
        finding="classes",
    )
    clusters = ([[0.0]] * 9 + [[1.0]], [[0.0]] * 10)
    words = "ten zeros, or one of them 1"
    yield one(
        "KMeans, centres",
        fitted("KMeans", flat("cluster_centers_"), n_clusters=2, **unit),
        clusters,
        words,
        finding="empty cluster",
    )
    yield one(
        "KMeans, one cluster: centre and inertia_",
        fitted("KMeans", flat("cluster_centers_", "inertia_"), n_clusters=1, **unit),
        clusters,
        words,
        finding="inertia",
    )
    line = flat("coef_", "intercept_")
    for name, intercept in (("no intercept", False), ("with an intercept", True)):
        yield one(
            f"LinearRegression, bounds (-1, 1), {name}",
            fitted(
                "LinearRegression",
                line,
                bounds_X=(-1, 1),
                bounds_y=(-1, 1),
                fit_intercept=intercept,
            ),
            (([[1.0], [1.0]], [1.0, 1.0]), ([[1.0], [-1.0]], [1.0, 1.0])),
            "x of the second of two records 1, or -1",
        )
    yield one(
        "LinearRegression, bounds (0, 1)",
        fitted("LinearRegression", line, bounds_X=(0, 1), bounds_y=(0, 1)),
        (([[1.0]], [1.0]), ([[0.1]], [1.0])),
        "one record: x = 1 or 0.1, y = 1",
        finding="lower bound",
    )
    yield one(
        "LinearRegression, x out of bounds, no intercept",
        fitted("LinearRegression", line, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False),
        (([[1.0], [1000.0]], [1.0, 1.0]), ([[1.0], [1.0]], [1.0, 1.0])),
        "x of the second of two records 1000, or 1; bounds (-1, 1)",
        finding="not clipped",
    )
    logit = flat("coef_", "intercept_")
    yield one(
        "LogisticRegression, data_norm 1, no intercept",
        fitted("LogisticRegression", logit, data_norm=1.0, fit_intercept=False),
        (([[0.0], [1.0]], [0, 1]), ([[0.0], [-1.0]], [0, 1])),
        "x of the second of two records 1, or -1",
    )
    yield one(
        "LogisticRegression, data_norm 100, no intercept",
        fitted("LogisticRegression", logit, data_norm=100.0, fit_intercept=False),
        (([[0.0], [100.0]], [0, 1]), ([[0.0], [0.0]], [0, 1])),
        "x of the second of two records 100, or 0",
        finding="data norm",
    )
    axes = ([[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    principal = flat("components_", "explained_variance_", "mean_")
    yield one(
        "PCA, centred",
        fitted("PCA", principal, n_components=1, data_norm=1.0, centered=True),
        axes,
        "rows e1, e1, or e1, e2",
    )
    yield one(
        "PCA, not centred",
        fitted("PCA", principal, n_components=1, data_norm=1.0, **unit),
        axes,
        "rows e1, e1, or e1, e2",
    )
    scale = flat("mean_", "var_")
    yield one(
        "StandardScaler",
        fitted("StandardScaler", scale, **unit),
        ([[0.0], [0.0], [0.0]], [[1.0], [0.0], [0.0]]),
        "three zeros, or one of them 1",
    )
    forest: dict[str, Any] = {"bounds": (0, 1), "classes": [0, 1], "max_depth": 1}
    x = [[0.5]] * 2
    for kind, more in (
        ("DecisionTreeClassifier", {}),
        ("RandomForestClassifier", {"n_estimators": 1}),
    ):
        model = fitted(kind, label, **forest, **more)
        yield one(
            f"{kind}, a record added",
            model,
            ((x, [0, 0]), ([*x, [0.5]], [0, 0, 1])),
            "labels 0, 0, or 0, 0, 1",
            relation="add-remove",
        )
        yield one(
            f"{kind}, a label replaced",
            model,
            ((x, [0, 0]), (x, [0, 1])),
            "labels 0, 0, or 0, 1",
            finding="two relations",
        )


def subjects() -> Iterator[Subject]:
    """Yield all."""
    yield from the_mechanisms()
    yield from the_tools()
    yield from the_models()
