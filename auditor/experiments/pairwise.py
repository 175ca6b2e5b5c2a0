"""The experiments on pairs of records: Wang (2020), section 3.3.5 (l.2342-2403).

Printed: the logistic loss on the unit ball, of vectors (AUC) and of semidefinite matrices (metric
learning), epsilon = 0.5, 1.5, 2.5, delta = 1/n, lambda = 1e-3 for the strongly convex forms, n = 40
to 90 for these and 50 to 350 for the others, 3-NN accuracy; NonPrivate is the same path without
noise. Not printed: the scale of the features, alpha of the convex forms, and which output of an
online algorithm is drawn.

Chosen: rows of norm at most 1; alpha = n^(-1/4) online and n^(-1/2) offline, as in the theorems;
the mean of the online outputs, (3.107); lambda = 0.2, because T_1 = ceil(L/lambda) is over 4,000
for the printed one, which has a panel of its own on features of norm 0.09. Printed sizes have
panels, more records others. Breast cancer is scikit-learn's; Gaussian classes stand for the other
data, which need a download. What needs no data is drawn in addition: the start, which is w = 0 or
the identity as a metric, chance, the larger class; and without privacy the best single feature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from auditor.core.context import Tier
from auditor.experiments.convex import breast_cancer, classes
from auditor.experiments.experiment import Errors, Experiment, Panel, Trend, columns
from reference._validation import FloatArray
from reference.constraint_sets import Ball, L2Ball, PositiveSemidefiniteBall
from reference.losses import Records
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex
from reference.pairwise.losses import AUC, MetricLearning, PairwiseLoss, Regularized
from reference.pairwise.offline import off_pair_strongly_convex
from reference.pairwise.offline_convex import off_pair_convex
from reference.pairwise.online import on_pair_strongly_convex
from reference.pairwise.online_convex import on_pair_convex
from reference.privacy.ledger import Ledger, NoiselessLedger

FAMILY = "pairwise"
EPSILONS = (0.5, 1.5, 2.5)
LARGEST = f"epsilon = {EPSILONS[-1]}"
SMALL, SIZES = (40, 60, 90), (50, 150, 250, 350)
"""The printed training sizes of the strongly convex and of the convex forms."""
LAMBDA, PRINTED_LAMBDA, SHORT = 0.2, 1e-3, 0.09
"""SHORT is a norm of features at which T_1 is 34 for the printed lambda."""
NONPRIVATE = "NonPrivate"
SETTING = (
    "The paper's: epsilon, delta = 1/n, the unit ball, the training sizes of the first panels. "
    "Chosen here: rows of norm at most 1, {strength}, {output}more records in the last panels, and "
    "the smallest noise that is certified."
)
MEAN = "the mean of the online outputs, "


def auc(labels: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the area under the ROC curve of every column of scores: how often a pair is right."""
    positive = labels > 0
    n_positive, n_negative = positive.sum(), (~positive).sum()
    ranks: FloatArray = scipy.stats.rankdata(scores, axis=0)
    wins = ranks[positive].sum(axis=0) - n_positive * (n_positive + 1) / 2
    area: FloatArray = wins / (n_positive * n_negative)
    return area


@dataclass(frozen=True)
class Ranking:
    """Order the records by <w, x>, those of the class 1 first: AUC maximisation.

    ``trivial`` names the scores of what needs no pairs, the poorest last.
    """

    feature_bound: float = 1.0
    constraint: ClassVar[Ball] = L2Ball(1.0)
    score_name: ClassVar[str] = "AUC"
    trivial: ClassVar[tuple[str, ...]] = ("best feature", "chance")

    @property
    def loss(self) -> AUC:
        """The logistic loss."""
        return AUC(feature_bound=self.feature_bound)

    def initial(self, width: int) -> FloatArray:
        """Return the start, 0, for features of ``width`` columns."""
        return np.zeros(width)

    def risk(self, records: Records, w: FloatArray) -> float:
        """Return the mean loss of all pairs, (3.101); pairs of one class have the loss log 2."""
        features, labels = records
        scores, n = features @ w, len(labels)
        differences = scores[labels > 0][:, None] - scores[labels < 0]
        same = n * (n - 1) - 2 * differences.size
        return float(
            (2 * np.logaddexp(0.0, -2 * differences).sum() + same * math.log(2)) / (n * (n - 1))
        )

    def score(self, train: Records, test: Records, w: FloatArray) -> float:
        """Return the AUC."""
        del train
        return float(auc(test[1], test[0] @ w))

    def trivial_scores(self, train: Records, test: Records) -> dict[str, float]:
        """Return those of the feature and sign that are best on the training data, and chance."""
        each = auc(train[1], train[0]) - 0.5
        best = int(np.argmax(np.abs(each)))
        scores = np.sign(each[best]) * test[0][:, best]
        return {"best feature": float(auc(test[1], scores)), "chance": 0.5}


@dataclass(frozen=True)
class Metric:
    """Learn a metric in which a record's neighbours are of its class; see :class:`Ranking`."""

    constraint: ClassVar[Ball] = PositiveSemidefiniteBall(1.0)
    score_name: ClassVar[str] = "accuracy"
    trivial: ClassVar[tuple[str, ...]] = ("identity", "larger class")

    @property
    def loss(self) -> MetricLearning:
        """The logistic loss."""
        return MetricLearning()

    def initial(self, width: int) -> FloatArray:
        """Return the start, the identity over its norm."""
        identity: FloatArray = np.eye(width).ravel() / math.sqrt(width)
        return identity

    def risk(self, records: Records, w: FloatArray) -> float:
        """Return (3.101): the mean over all but the n pairs of a record with itself, M = 0."""
        features, labels = records
        products = features @ w.reshape(features.shape[1], -1) @ features.T
        lengths, n = np.diag(products), len(labels)
        squared = lengths[:, None] + lengths - products - products.T
        total = np.logaddexp(0.0, np.outer(labels, labels) * (squared - 1)).sum()
        return float((total - n * math.log1p(math.exp(-1))) / (n * (n - 1)))

    def score(self, train: Records, test: Records, w: FloatArray) -> float:
        """Return the accuracy of the 3 nearest neighbours."""
        from sklearn.neighbors import KNeighborsClassifier

        width = train[0].shape[1]
        values, vectors = np.linalg.eigh(w.reshape(width, width))
        root = vectors * np.sqrt(np.maximum(values, 0.0))  # |root^T x|^2 = x^T W x
        nearest = KNeighborsClassifier(3).fit(train[0] @ root, train[1])
        return float(nearest.score(test[0] @ root, test[1]))

    def trivial_scores(self, train: Records, test: Records) -> dict[str, float]:
        """Return those of the identity and of the class that is larger in the training data."""
        larger = 1.0 if train[1].mean() >= 0 else -1.0
        return {
            "identity": self.score(train, test, self.initial(train[0].shape[1])),
            "larger class": float((test[1] == larger).mean()),
        }


RANKING, METRIC = Ranking(), Metric()
Task = Ranking | Metric
"""A learning problem on pairs of records."""

DrawSplit = Callable[[np.random.Generator, int], tuple[Records, Records]]
"""Training data of n records, and others."""


def cancer(rng: np.random.Generator, n: int, *, length: float = 1.0) -> tuple[Records, Records]:
    """Draw n records of breast cancer, in a random order; the others are the test data."""
    features, labels = breast_cancer()
    order = rng.permutation(len(labels))
    features, labels = length * features[order], labels[order]
    return (features[:n], labels[:n]), (features[n:], labels[n:])


def gaussian(rng: np.random.Generator, n: int, *, width: int) -> tuple[Records, Records]:
    """Draw classes that differ in five coordinates, and 500 records to test on."""
    features, labels = classes(rng, n + 500, width, positive=0.5)
    return (features[:n], labels[:n]), (features[n:], labels[n:])


ALGORITHMS: dict[str, Callable[..., FloatArray]] = {
    "OnPairStrC": on_pair_strongly_convex,
    "OnPairC": on_pair_convex,
    "FBOnPairC": fb_on_pair_convex,
    "OffPairStrC": off_pair_strongly_convex,
    "OffPairC": off_pair_convex,
}


def learn(
    name: str,
    task: Task,
    records: Records,
    *,
    epsilon: float,
    strength: float,
    rng: np.random.Generator,
    **options: Any,
) -> FloatArray:
    """Return the output of an algorithm, of online ones the mean (3.107).

    An infinite epsilon means no noise.
    """
    start = task.initial(records[0].shape[1])
    private = math.isfinite(epsilon)
    loss: PairwiseLoss = task.loss
    if name.endswith("StrC"):
        loss = Regularized(loss, strength, start)
    else:
        options["strength"] = strength
    found = ALGORITHMS[name](
        records,
        loss,
        task.constraint,
        initial=start,
        epsilon=epsilon if private else 1.0,
        delta=1 / len(records[1]),
        ledger=Ledger(rng) if private else NoiselessLedger(rng),
        **options,
    )
    average: FloatArray = found[:-1].mean(axis=0) if found.ndim == 2 else found
    return average


def strength_of(name: str, n: int, ridge: float) -> float:
    """Return lambda, or the alpha that the theorems take for convex losses."""
    if name.endswith("StrC"):
        return ridge
    return float(n ** (-1 / 2 if name == "OffPairC" else -1 / 4))


@dataclass(frozen=True)
class PanelView:
    """Content of a panel: the objective on the training data, or the score on the test data.

    Parameters
    ----------
    title : str
    draw : callable
    task : Task
    measure : {"objective", "score"}
    ridge : float
        lambda of the strongly convex forms.
    sizes : sequence of int
        Training sizes, if they do not depend on the tier.
    more : int
        The smallest of them in the quick tier otherwise.
    """

    title: str
    draw: DrawSplit
    task: Task = RANKING
    measure: Literal["objective", "score"] = "objective"
    ridge: float = LAMBDA
    sizes: Sequence[int] = ()
    more: int = 400

    def sizes_in(self, tier: Tier) -> Sequence[int]:
        """Return the training sizes."""
        first = 5 * self.more if tier == "full" else self.more
        return self.sizes or (first, 2 * first, 4 * first)

    def values(
        self, name: str, records: tuple[Records, Records], rng: np.random.Generator, **options: Any
    ) -> dict[str, float]:
        """Return what every curve shows of an algorithm on one training set."""
        train, test = records
        strength = strength_of(name, len(train[1]), self.ridge)
        start = self.task.initial(train[0].shape[1])
        curves = [(f"epsilon = {e}", e) for e in EPSILONS] + [(NONPRIVATE, math.inf)]
        found = {
            label: learn(
                name, self.task, train, epsilon=epsilon, strength=strength, rng=rng, **options
            )
            for label, epsilon in curves
        }
        if self.measure == "score":
            scores = {label: self.task.score(train, test, w) for label, w in found.items()}
            return scores | self.task.trivial_scores(train, test)
        found |= {"start": start}
        ridge = strength if name.endswith("StrC") else 0.0  # around the start, which is 0 there
        return {
            label: self.task.risk(train, w) + ridge / 2 * float((w - start) @ (w - start))
            for label, w in found.items()
        }

    def trial(self, name: str, sizes: Sequence[int], rng: np.random.Generator) -> Errors:
        """Return the curves over the sizes."""
        return columns([self.values(name, self.draw(rng, n), rng) for n in sizes])

    def buffer_trial(self, sizes: Sequence[int], n: int, rng: np.random.Generator) -> Errors:
        """Return the curves of FBOnPairC over the sizes of the buffer, on one training set."""
        records = self.draw(rng, n)
        return columns([self.values("FBOnPairC", records, rng, buffer_size=s) for s in sizes])


def _panels(name: str, views: Sequence[PanelView], tier: Tier) -> list[Panel]:
    return [
        Panel(
            view.title,
            "n",
            view.sizes_in(tier),
            partial(view.trial, name, view.sizes_in(tier)),
            view.task.score_name if view.measure == "score" else "objective",
            log_x=not view.sizes,
            log_y=False,
        )
        for view in views
    ]


def _buffer_panels(view: PanelView, tier: Tier) -> list[Panel]:
    n = view.sizes_in(tier)[1]
    sizes = (10, n // 10, n // 3, n)
    trial = partial(view.buffer_trial, sizes, n)
    return [Panel(view.title, "s", sizes, trial, "objective", log_x=True, log_y=False)]


def _sign(view: PanelView) -> int:
    """Return 1 where less is better."""
    return 1 if view.measure == "objective" else -1


def improves(view: PanelView) -> Callable[[Errors], float]:
    """Return the gain "better at the last x than at the first", as a mean over epsilon."""

    def gain(errors: Errors) -> float:
        changes = [errors[f"epsilon = {e}"][0] - errors[f"epsilon = {e}"][-1] for e in EPSILONS]
        return _sign(view) * float(np.mean(changes))

    return gain


def better(view: PanelView, first: str, second: str) -> Callable[[Errors], float]:
    """Return the gain "the first is better than the second", as a mean over the panel."""
    return lambda errors: _sign(view) * float((errors[second] - errors[first]).mean())


def closer(trivial: str) -> Callable[[Errors], float]:
    """Return the gain "at the largest epsilon closer to NonPrivate than to what is trivial"."""

    def gain(errors: Errors) -> float:
        private = errors[LARGEST]
        apart = np.abs(private - errors[trivial]) - np.abs(private - errors[NONPRIVATE])
        return float(apart.mean())

    return gain


def _trends(name: str, views: Sequence[PanelView]) -> Iterator[Trend]:
    for index, view in enumerate(views):
        objective = view.measure == "objective"
        what = f"the {'objective' if objective else view.task.score_name} of {name}"
        falls, larger = ("falls", "larger") if objective else ("rises", "smaller")
        yield Trend(f"{what} {falls} with n, on average over epsilon", index, improves(view))
        yield Trend(
            f"{what} is {larger} at epsilon = {EPSILONS[0]} than at {EPSILONS[-1]}",
            index,
            better(view, LARGEST, f"epsilon = {EPSILONS[0]}"),
        )
        trivial = ("start",) if objective else view.task.trivial
        yield Trend(
            f"at {LARGEST} {name} is closer to NonPrivate than to: {trivial[-1]}",
            index,
            closer(trivial[-1]),
        )
        for label in trivial:
            yield Trend(
                f"at {LARGEST} {name} is better than: {label}", index, better(view, LARGEST, label)
            )


def _figure(
    figure: str, algorithm: str, name: str, caption: str, views: Sequence[PanelView]
) -> Experiment:
    strength = "alpha as in the theorems"
    if name.endswith("StrC"):
        strength = f"lambda = {LAMBDA} where it is not the printed {PRINTED_LAMBDA}"
    return Experiment(
        name=f"004 {figure}",
        algorithm=algorithm,
        caption=caption,
        setting=SETTING.format(strength=strength, output=MEAN if "On" in name else ""),
        panels=partial(_panels, name, views),
        trends=tuple(_trends(name, views)),
        repetitions=8,
        full=20,
    )


WIDE = partial(gaussian, width=20)
RANKED = (
    PanelView("stand-in, p = 20", WIDE, sizes=SIZES),
    PanelView("stand-in, p = 27", partial(gaussian, width=27), sizes=SIZES),
    PanelView("stand-in, p = 20, more records", WIDE),
)
MEASURED = (
    PanelView("stand-in, p = 20", WIDE, METRIC, sizes=SIZES),
    PanelView("stand-in, p = 6, more records", partial(gaussian, width=6), METRIC, more=250),
)
TEN = PanelView("stand-in, p = 10, more records", partial(gaussian, width=10))
CANCER = PanelView("breast cancer", cancer, sizes=SMALL)
BUFFERED = PanelView("stand-in, p = 20", WIDE)


def _scored(views: Sequence[PanelView]) -> tuple[PanelView, ...]:
    return tuple(replace(view, measure="score") for view in views)


EXPERIMENTS = (
    _figure(
        "Figure 3.9",
        "diss-3.3.9",
        "OnPairStrC",
        "The objective value of OnPairStrC for AUC maximization.",
        (
            CANCER,
            replace(
                CANCER,
                title=f"breast cancer, lambda = {PRINTED_LAMBDA}",
                draw=partial(cancer, length=SHORT),
                task=Ranking(SHORT),
                ridge=PRINTED_LAMBDA,
            ),
            TEN,
        ),
    ),
    _figure(
        "Figure 3.10",
        "diss-3.3.10",
        "OnPairC",
        "The objective value of OnPairC for AUC maximization.",
        RANKED,
    ),
    _figure(
        "Figure 3.11",
        "diss-3.3.14",
        "OffPairStrC",
        "The objective value of OffPairStrC for AUC maximization.",
        (CANCER, TEN, *_scored([TEN])),
    ),
    _figure(
        "Figure 3.12", "diss-3.3.15", "OffPairC", "The AUC measurement of OffPairC.",
        _scored((RANKED[0], replace(CANCER, sizes=SIZES), RANKED[2])),
    ),
    _figure(
        "Figure 3.13",
        "diss-3.3.10",
        "OnPairC",
        "The objective value of OnPairC for metric learning task under different training sizes.",
        MEASURED,
    ),
    _figure(
        "Figure 3.14",
        "diss-3.3.15",
        "OffPairC",
        "The classification accuracy of OffPairC for metric learning task under different training "
        "sizes.",
        _scored((MEASURED[0], replace(CANCER, task=METRIC, sizes=SIZES), MEASURED[1])),
    ),
    Experiment(
        name="004 Section 3.3 buffer",
        algorithm="diss-3.3.13",
        caption="Not printed: FBOnPairC for AUC maximisation, of which the text says (l.2262) that "
        "the buffer's capacity matters.",
        setting=SETTING.format(
            strength="alpha as in the theorems, n = 800 (4,000 in the full tier)", output=MEAN
        ),
        panels=partial(_buffer_panels, BUFFERED),
        trends=(
            Trend("the objective falls as the buffer grows", 0, improves(BUFFERED)),
            Trend(
                f"at {LARGEST} FBOnPairC is better than: start",
                0,
                better(BUFFERED, LARGEST, "start"),
            ),
        ),
        repetitions=8,
        full=20,
    ),
)  # fmt: skip
