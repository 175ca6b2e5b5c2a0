"""Cases of an audit: the contract between the questions, the suite and the algorithms.

A case names the algorithm, the forms in which it is run (``"corrected"``, and what the paper
printed that does not hold), and the recipes of its scaling and real-data audits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from reference.privacy.guarantees import Guarantee
from reference.privacy.ledger import Ledger

if TYPE_CHECKING:  # they load slowly
    from auditor.core.neighbours import Domain
    from auditor.core.rates import Functional

Data = Any
"""An array whose axis 0 is the records, or a tuple of such arrays of equal length."""

Run = Callable[[Data, Ledger], Any]
"""Runs one algorithm with its parameters fixed; deterministic given the ledger's draws."""

ExactQuery = Callable[[Data, Any, int], Any]
"""``exact_query(data, transcript, release_index)``: the released value with mpmath numbers."""


@dataclass(frozen=True, eq=False)
class Call:
    """A call of an algorithm with all its arguments but data and ledger: a run.

    Attributes
    ----------
    function : callable
    arguments : tuple
        What stands between the data and the keywords.
    parameters : mapping
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parameters: Mapping[str, Any]

    def __call__(self, data: Data, ledger: Ledger) -> Any:
        """Run the algorithm."""
        return self.function(data, *self.arguments, **self.parameters, ledger=ledger)

    def changed(self, changes: Mapping[str, Any]) -> Call:
        """Return the call with other values of some parameters."""
        return Call(self.function, self.arguments, {**self.parameters, **changes})


@dataclass(frozen=True)
class BlackBox:
    """A small configuration whose output alone is audited.

    Parameters
    ----------
    run : callable
        As :data:`Run`.
    claim : Guarantee
        What the form claims in this configuration.
    pair : (Data, Data)
    statistic : callable
        Maps the output to a float that tells the two data sets apart; either may have the larger.
    """

    run: Run
    claim: Guarantee
    pair: tuple[Data, Data]
    statistic: Callable[[Any], float]


@dataclass(frozen=True)
class Form:
    """One way of running an algorithm, with what it claims there.

    Parameters
    ----------
    run : callable
        As :data:`Run`.
    claim : Guarantee
        The claim at these parameters. ``claim.model`` decides what a unit is.
    pair : (Data, Data)
        The worst neighbours known (from the card), equal but for record ``replaced``.
    replaced : int
        Index of the record in which the pair differs.
    parameters : mapping
        JSON-able parameters, for the report and for witnesses.
    domain : Domain or None
        Where a record may lie, boundary and huge values included; the sensitivity search puts
        the replaced record anywhere in it. ``None`` with a ``no_search`` reason.
    no_search : str
        Why there is no search.
    not_attained : str
        Why the pair moves no release by 0.97 of its claimed sensitivity, if it does not.
    design : Guarantee or None
        The intermediate guarantee by which the source calibrates its noise (such as the rho-zCDP
        that the (epsilon, delta) claim is derived from); the accounting must meet it as well,
        so that slack in the claim hides nothing.
    violates : mapping
        question -> name of the erratum that it must reproduce; empty for a form that should hold.
        It is an error of the suite if a listed question is not violated, or another one is.
    black_box : BlackBox or None
        ``None`` with a ``no_black_box`` reason.
    no_black_box : str
    exact_query : callable or None
        Re-evaluates a released value with mpmath for the witness check, where it can be.
    loss_samples : int
        Most runs per direction of the privacy-loss audit in the quick tier, which stops at 128
        where nothing is in sight; the full tier takes ten times as many.
    """

    run: Run
    claim: Guarantee
    pair: tuple[Data, Data]
    replaced: int
    parameters: Mapping[str, Any]
    domain: Domain | None = None
    no_search: str = ""
    not_attained: str = ""
    design: Guarantee | None = None
    violates: Mapping[str, str] = field(default_factory=dict)
    black_box: BlackBox | None = None
    no_black_box: str = ""
    exact_query: ExactQuery | None = None
    loss_samples: int = 1000


@dataclass(frozen=True)
class Twin:
    """A twin of a recipe that it must notice: an error of which a part does not fall as claimed.

    Parameters
    ----------
    change : str
        What is changed, for the report.
    error : callable
        As that of :class:`Scaling`.
    """

    change: str
    error: Callable[[float, np.random.Generator], float]


@dataclass(frozen=True)
class Scaling:
    """A claim "error <= C * rate" along one parameter.

    What is tested is that the error follows the rate between the values: its median (or mean) is a
    power of the value with at most the claimed exponent. A theorem "with probability 1 - beta"
    bounds a quantile, so also the median if beta <= 1/2. One in expectation bounds the mean, and by
    Markov's inequality the median: it is at most twice the mean, 2 C * rate. Either way the median
    obeys the rate with a free constant, and its test is exact where one of means cannot be; hence
    the default. It presumes that the *shape* of the error keeps along the values: of errors whose
    mean follows a rate while their spread shrinks, the median grows towards the mean, and only
    ``"mean"`` is the theorem's.

    Parameters
    ----------
    name : str
        What varies, e.g. ``"n"``.
    values : sequence of float
        At least four values of it.
    error : callable
        ``error(value, rng) -> float``: one repetition.
    claimed_slope : float
        Slope of log error on log value that the theorem allows (error may fall faster).
    repetitions : int
        Repetitions per value in the quick tier, if a first look at three does not settle it; the
        full tier takes 5x. Never fewer than a test can fire with: 5 for four or five values, 4 for
        six, 3 for eight.
    claim : str
        The theorem and its rate, for the report.
    erratum : str or None
        If the claim is false, the name of the erratum this recipe reproduces.
    form : str
        The form it belongs to.
    functional : {"median", "mean"}
        What of the error the claim is about.
    twin : Twin or None
        What the same test must notice; ``None`` only with an ``erratum``, which is noticed itself.
    expensive : bool
        Whether the twin runs in the full tier only: it takes more than half a CPU second.
    """

    name: str
    values: Sequence[float]
    error: Callable[[float, np.random.Generator], float]
    claimed_slope: float
    repetitions: int
    claim: str
    erratum: str | None = None
    form: str = "corrected"
    functional: Functional = "median"
    twin: Twin | None = None
    expensive: bool = False


@dataclass(frozen=True)
class Trivial:
    """An estimate that reads no data, and the epsilon that it takes to beat it on a data set.

    Parameters
    ----------
    name : str
        E.g. ``"the zero matrix"``.
    error : callable
        ``error(baseline) -> float``: its error, in the data set's metric.
    beaten_at : float
        One of the data set's epsilons: there the error of the algorithm is most often below.
    """

    name: str
    error: Callable[[Any], float]
    beaten_at: float


@dataclass(frozen=True)
class RealData:
    """An audit on a data set that ships with an installed package.

    Parameters
    ----------
    name : str
        Data set and package, e.g. ``"fair (statsmodels)"``.
    load : callable
        Returns the :data:`Data`.
    run : callable
        ``run(data, epsilon, ledger)``.
    claim : callable
        ``claim(epsilon) -> Guarantee``.
    neighbour : callable
        ``neighbour(data, rng) -> (data', replaced)``: one row replaced.
    baseline : callable
        ``baseline(data)``: the non-private fit.
    error : callable
        ``error(private, baseline) -> float``.
    epsilons : sequence of float
    metric : str
        What ``error`` is, for the axis.
    trivial : Trivial, optional
        What the algorithm must beat to be of use.

    Raises
    ------
    ValueError
        If the trivial estimate is to be beaten at an epsilon that is not asked about.
    """

    name: str
    load: Callable[[], Data]
    run: Callable[[Data, float, Ledger], Any]
    claim: Callable[[float], Guarantee]
    neighbour: Callable[[Data, np.random.Generator], tuple[Data, int]]
    baseline: Callable[[Data], Any]
    error: Callable[[Any, Any], float]
    epsilons: Sequence[float]
    metric: str
    trivial: Trivial | None = None

    def __post_init__(self) -> None:
        if self.trivial is not None and self.trivial.beaten_at not in self.epsilons:
            raise ValueError(
                f"{self.name}: {self.trivial.name} is to be beaten at epsilon = "
                f"{self.trivial.beaten_at:g}, which is none of {tuple(self.epsilons)}"
            )


@dataclass(frozen=True)
class Case:
    """Everything the suite needs to audit one algorithm.

    Parameters
    ----------
    id : str
        Id in :mod:`reference.catalogue`.
    forms : mapping
        ``"corrected"`` first; ``"printed"``, ``"printed-2"``, ... for errata.
    scaling : tuple of Scaling
        Empty with a ``no_scaling`` reason.
    no_scaling : str
    real_data : tuple of RealData
        Empty with a ``no_real_data`` reason.
    no_real_data : str
    mutants : mapping
        name -> Form: broken twins of the corrected form that the generic mutations cannot make,
        e.g. clipping dropped. Each must be flagged by some question.
    no_clipping : str
        If there is no clipping to drop, why.
    """

    id: str
    forms: Mapping[str, Form]
    scaling: tuple[Scaling, ...] = ()
    no_scaling: str = ""
    real_data: tuple[RealData, ...] = ()
    no_real_data: str = ""
    mutants: Mapping[str, Form] = field(default_factory=dict)
    no_clipping: str = ""


CaseBuilder = Callable[[], Case]
