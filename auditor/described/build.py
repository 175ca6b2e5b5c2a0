"""Builders of cases from a description of each form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from auditor.core.case import (
    BlackBox,
    Call,
    Data,
    ExactQuery,
    Form,
    RealData,
    Scaling,
    Trivial,
    Twin,
)
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Domain, differ_in_label, n_records
from auditor.transcript.ledgers import live_ledger
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
    zcdp_rho,
)
from reference.privacy.ledger import Ledger, MutatedLedger, NoiselessLedger

SHOWN = 20
"""Numbers of an array up to which it is shown whole among a form's parameters."""


def form(
    function: Callable[..., Any],
    pair: tuple[Data, Data],
    *arguments: Any,
    statistic: Callable[[Any], float] | None = None,
    no_black_box: str = "",
    seen: tuple[Data, Data] | None = None,
    box: Mapping[str, Any] | None = None,
    replaced: int = 0,
    domain: Domain | None = None,
    no_search: str = "",
    not_attained: str = "",
    claim: Guarantee | None = None,
    model: Model = Model.CENTRAL,
    relation: Relation = Relation.REPLACE_ONE,
    design: Guarantee | None = None,
    by_zcdp: bool = False,
    exact_query: ExactQuery | None = None,
    violates: Mapping[str, str] | None = None,
    **parameters: Any,
) -> Form:
    """Return a form: a function with its parameters on a pair of neighbours.

    Parameters
    ----------
    function : callable
        An algorithm of :mod:`reference`, or the function of one of its printed forms.
    pair : (Data, Data)
        The worst neighbours known; they differ in record ``replaced``.
    *arguments : Any
        What stands between the data and the keywords: model, loss, constraint.
    statistic : callable, optional
        Maps the output to a number that tells the two data sets apart; either may have the larger:
        the black box. Without one, ``no_black_box`` says why; if that is given, none is used.
    seen : (Data, Data), optional
        The black box's own pair, where it is not ``pair``.
    box : mapping, optional
        Parameters in which the black box's run differs, e.g. a single iteration.
    claim : Guarantee, optional
        By default what ``parameters`` say: epsilon and delta, or pure epsilon, in ``model`` and
        for ``relation``.
    by_zcdp : bool
        Whether the design is the rho-zCDP that implies (epsilon, delta).
    replaced, domain, no_search, not_attained, design, exact_query, violates
        As for :class:`~auditor.core.case.Form`.
    **parameters : Any
        Of the function; ``epsilon`` always among them.
    """
    claim = claim or _claim(parameters["epsilon"], parameters.get("delta"), model, relation)
    for data, other in (pair, seen or pair):
        if claim.relation is Relation.REPLACE_LABEL and not differ_in_label(data, other):
            raise ValueError("the neighbours of a replace-label claim differ in more than a label")
    if by_zcdp:
        design = ZCDP(zcdp_rho(parameters["epsilon"], parameters["delta"]), relation=claim.relation)

    run = Call(function, arguments, parameters)
    boxed = run.changed(box) if box else run
    black_box = None
    if statistic is not None and not no_black_box:
        black_box = BlackBox(boxed, claim, seen or pair, statistic)
    shown = {type(value).__name__: _shown(value) for value in arguments}
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=replaced,
        parameters={"n": n_records(pair[0]), **shown, **_each_shown(parameters)},
        domain=domain,
        no_search=no_search,
        not_attained=not_attained,
        design=design,
        violates=violates or {},
        black_box=black_box,
        no_black_box=no_black_box,
        exact_query=exact_query,
    )


def without_truncation(build: Callable[..., Form], second_moment: float = 1.0) -> Form:
    """Return the mutant of a form whose truncation is out of the reach of every record.

    The truncation is that for a second moment 1e18 times as large as the claimed one.
    """
    return scaled_claim(build(second_moment=1e18 * second_moment), 1e-9)


def real_data(
    function: Callable[..., Any],
    *arguments: Any,
    name: str,
    load: Callable[[], Data],
    neighbour: Callable[[Data, np.random.Generator], tuple[Data, int]],
    baseline: Callable[[Data], Any] | None = None,
    error: Callable[[Any, Any], float],
    epsilons: Sequence[float],
    metric: str,
    trivial: Trivial | None = None,
    claim: Callable[[float], Guarantee] | None = None,
    model: Model = Model.CENTRAL,
    **parameters: Any,
) -> RealData:
    """Return the audit of a function with its parameters, all but epsilon, on a real data set.

    Parameters
    ----------
    function, arguments, model, parameters
        As for :func:`form`, without ``epsilon``.
    name, load, neighbour, error, epsilons, metric, trivial
        As for :class:`~auditor.core.case.RealData`.
    baseline : callable, optional
        As there; by default the same without noise, where epsilon matters for the noise alone.
    claim : callable, optional
        As there; by default as for :func:`form`.
    """

    def run(data: Data, epsilon: float, ledger: Ledger) -> Any:
        return function(data, *arguments, epsilon=epsilon, **parameters, ledger=ledger)

    def usual_claim(epsilon: float) -> Guarantee:
        return _claim(epsilon, parameters.get("delta"), model)

    def without_noise(data: Data) -> Any:
        return run(data, 1.0, NoiselessLedger(0))

    return RealData(
        name=name,
        load=load,
        run=run,
        claim=claim or usual_claim,
        neighbour=neighbour,
        baseline=baseline or without_noise,
        error=error,
        epsilons=epsilons,
        metric=metric,
        trivial=trivial,
    )


def along(
    parameter: str,
    values: Sequence[float],
    slope: float,
    *,
    error: Callable[..., float],
    repetitions: int,
    claim: str,
    name: str = "",
    form: str = "corrected",
    erratum: str | None = None,
    inflation: float = 0.5,
    inflates: str = "",
    expensive: bool = False,
    ledger_of: Callable[[np.random.Generator], Ledger] = live_ledger,
    **held: Any,
) -> Scaling:
    """Return the recipe along one parameter of an error, the others held, with its twin.

    The twin's noise is that of every release times (value/first value)^(1/2), whichever way the
    error goes: where it is to fall like 1/n or 1/epsilon it falls like the root, and where it is to
    grow like sqrt(d) or s it grows that much faster. A selection has its epsilon divided by that
    (:meth:`~reference.privacy.mechanisms.Mechanism.rescaled` says what it means for each release).

    Parameters
    ----------
    parameter : str
        Of ``error``; the recipe is called after it unless ``name`` says otherwise.
    slope : float
        The ``claimed_slope`` of :class:`~auditor.core.case.Scaling`.
    error : callable
        ``error(rng, ledger, **{parameter: value}, **held)``: one repetition, on data drawn with
        ``rng``, released through ``ledger``, whose noise is drawn with the same ``rng``.
    values, repetitions, claim, form, erratum, expensive
        As for :class:`~auditor.core.case.Scaling`.
    inflation : float, default 0.5
        The exponent in the twin's noise. A larger one says that the root would pass unnoticed.
    inflates : str, optional
        What the twin multiplies instead of the noise of every release: public noise, noise with
        the constants that follow it, what else the error comes from. ``error`` then takes the
        factor by the name ``factor``.
    ledger_of : callable
        Makes the ledger of ``rng``.
    **held : Any
        Other parameters of ``error``, the same for all values.
    """
    label, first = name or parameter, values[0]

    def one(value: float, rng: np.random.Generator) -> float:
        return error(rng, ledger_of(rng), **{parameter: value}, **held)

    def inflated(value: float, rng: np.random.Generator) -> float:
        factor = (value / first) ** inflation
        if inflates:
            return error(rng, ledger_of(rng), **{parameter: value}, **held, factor=factor)
        ledger = MutatedLedger(ledger_of(rng), lambda _, m, v, s: (m.rescaled(factor), v, s))
        return error(rng, ledger, **{parameter: value}, **held)

    multiplied = inflates or "the noise of every release"
    twin = Twin(f"{multiplied} times ({label}/{first:g})^{inflation:g}", inflated)
    return Scaling(
        name=label,
        values=values,
        error=one,
        claimed_slope=slope,
        repetitions=repetitions,
        claim=claim,
        erratum=erratum,
        form=form,
        twin=None if erratum is not None else twin,
        expensive=expensive,
    )


def averaged(
    error: Callable[..., float], runs: int, mean: Callable[[list[float]], Any] = np.mean
) -> Callable[..., float]:
    """Return the error that is a mean of some of the given one, with the same parameters."""

    def mean_error(*arguments: Any, **parameters: Any) -> float:
        return float(mean([error(*arguments, **parameters) for _ in range(runs)]))

    return mean_error


def root_mean_square(errors: list[float]) -> float:
    """Return the root mean square.

    The mean of log ||noise|| in d coordinates lags behind the log of its root mean square by about
    1/(2d); that of a few runs makes the lag negligible.
    """
    return float(np.sqrt(np.mean(np.square(errors))))


def _claim(
    epsilon: float,
    delta: float | None,
    model: Model,
    relation: Relation = Relation.REPLACE_ONE,
) -> Guarantee:
    if delta is None:
        return PureDP(epsilon, model=model, relation=relation)
    return ApproximateDP(epsilon, delta, model=model, relation=relation)


def _each_shown(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _shown(value) for name, value in parameters.items() if value is not None}


def _shown(value: Any) -> Any:
    """Return a parameter in JSON types: the same text in every process."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        array = np.asarray(value)
        return array.tolist() if array.size <= SHOWN else f"array of shape {array.shape}"
    if is_dataclass(value) and not isinstance(value, type):
        return _each_shown(asdict(value)) or type(value).__name__
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    return type(value).__name__
