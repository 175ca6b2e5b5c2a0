"""Results of a check."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from decimal import ROUND_FLOOR, Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from auditor.core import verdict as verdicts
from auditor.core.errors import InputError, one_line
from auditor.core.pair_names import DIRECTIONS
from auditor.core.verdict import CheckStatus, Verdict, jsonable
from auditor.runs.wire import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TIMES = 1.5
"""Smallest ratio of an excess to the claim that is given as a multiple, not in percent."""


def rounded_down(value: float, above: float = 0.0, *, digits: int = 4) -> str:
    """Return a lower bound with so many digits, or more, that it still shows what it is above.

    Examples
    --------
    >>> rounded_down(1.23456), rounded_down(1.00023456, above=1.0)
    ('1.234', '1.00023')
    """
    if 0 < above < value:
        digits = min(17, max(digits, 2 + math.ceil(-math.log10((value - above) / value))))
    floor = Context(prec=digits, rounding=ROUND_FLOOR).create_decimal_from_float(value)
    return f"{float(floor):.{digits}g}"


class Told:
    """An answer with a headline, and facts by what they are about."""

    headline: str
    facts: Mapping[str, str]

    @property
    def summary(self) -> str:
        """The headline and the facts in one sentence."""
        return ": ".join(filter(None, (self.headline, "; ".join(self.facts.values()))))


COLOURS = {"holds": "#12543a", "violated": "#b3261e", "inconclusive": "#6b4c00"}
"""Colours of an answer in a notebook."""


class Pictured:
    """An answer that can be drawn, and that a notebook shows."""

    status: CheckStatus
    if TYPE_CHECKING:

        @property
        def summary(self) -> str:
            """One sentence with the figures."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the figures behind the answer.

        Of a check: how often the event happened on either data set, and what that certifies. Of a
        rate: the errors, the fitted line and the claimed one, on doubly logarithmic axes.

        Parameters
        ----------
        path : str or Path, optional
            Where to save it; the ending says as what (.png, .svg, .pdf).

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            If it cannot be saved there.
        """
        figure = self._figure()
        if path is not None:
            try:
                figure.savefig(path)
            except (OSError, ValueError) as error:
                raise InputError(f"the plot cannot be saved: {one_line(error)}") from None
        return figure

    def _figure(self) -> Figure:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        colour, summary = COLOURS[self.status], html.escape(self.summary)
        return f'<p><b style="color: {colour}">{self.status}</b> {summary}</p>'


def _require_fields(answer: type, sent: Any, types: Mapping[str, tuple[type, ...]]) -> None:
    """Raise Malformed unless another process has sent the fields of an answer, of their types."""
    require(type(sent) is dict and sent.keys() == {item.name for item in fields(answer)})
    for name, allowed in types.items():
        require(type(sent[name]) in allowed)
    require(all(type(finding) is dict for finding in sent.get("findings", ())))


def _require_told(answer: type, sent: Any, types: Mapping[str, tuple[type, ...]]) -> None:
    """Raise Malformed unless an answer with headline, facts and status has its fields."""
    _require_fields(answer, sent, {**types, "headline": (str,), "facts": (dict,)})
    require(sent["status"] in get_args(CheckStatus))
    require(all(type(word) is str for fact in sent["facts"].items() for word in fact))


_MAPPING_OR_NONE = (dict, type(None))


def received_verdict(sent: Any) -> Verdict:
    """Return a verdict of which another process has sent the fields; or raise Malformed."""
    types = {"summary": (str,), "evidence": (dict,), "witness": _MAPPING_OR_NONE}
    numbers = {"p_value": (int, float, type(None))}
    _require_fields(Verdict, sent, {**types, **numbers, "findings": (list, tuple)})
    require(sent["question"] in verdicts.QUESTIONS)
    require(sent["status"] in get_args(verdicts.VerdictStatus))
    return Verdict(**{**sent, "findings": tuple(sent["findings"])})


@dataclass(frozen=True, kw_only=True)
class CheckResult(Told, Pictured):
    """The answer of :func:`auditor.check`.

    Attributes
    ----------
    status : {"holds", "violated", "inconclusive"}
        ``"holds"``: nothing tried contradicts the claim (never a proof); ``"violated"``: with a
        witness; ``"inconclusive"``: the facts say what would settle it.
    headline : str
        The verdict in words.
    facts : mapping of str to str
        The figures behind it, each by what it is about (``"event"``, ``"certified"``, ``"runs"``).
    claim : str
    epsilon_lower : float
        Certified lower bound, at ``confidence``, of the epsilon that the mechanism has at
        ``delta``.
    delta : float
    level_lower : float
        The same in the currency of the claim (``symbol``: epsilon, mu, rho, ...).
    symbol : str
    confidence : float
        Of everything this check says, all looks and events together.
    p_value : float
        Of "the claim holds", valid whenever the check stopped.
    samples : int
        Runs on each data set that were used, of ``budget``.
    budget : int
    looks : int
        How often the runs so far were looked at; each is paid for.
    event : str
        The event that tells the two data sets apart best.
    direction : str
        On which data set it is the likelier.
    first, second : (int, int)
        Certifying runs in the event, and certifying runs, on the likelier side and the other.
    power : float
        Probability, at least, with which this check flags a mechanism like this one, its privacy
        losses multiplied until it is 10% over the claim.
    rarest : float
        Probability of the rarest event that would have been chosen and noticed, with probability
        0.9, if it were impossible on the other data set. Of events that are looked for: those of
        the scores and screens in ``docs/how-to/events.md``.
    noticeable : float
        Share over the claim at which a mechanism like this one, its privacy losses multiplied,
        would be flagged with probability 0.8 at least: 0.01, 0.011, 0.012, 0.013, 0.015, ... or 10
        (24 steps a factor of ten), or infinity. Over the claim is its best event of 1% of the
        runs or more; of a trade-off function, the best test that errs in so many; of a claim about
        divergences, the divergence of all outputs together.
    pairs : int
        Pairs of data sets that were tried.
    claimed : float
        The level that was claimed, in the currency of the claim.
    confirmation : mapping or None
        If the runs spoke against the claim, but not overwhelmingly: what fresh ones said, with
        ``first`` and ``second`` (like those above), ``p_value`` and ``confirmed``.
    findings : tuple of mappings
        Things of another kind worth knowing, each with ``kind`` and ``statement``.
    witness : mapping or None
        JSON-able; what :func:`auditor.rerun` needs to show a violation again.
    questions : tuple of Verdict
        For a mechanism that releases through a ledger: the answers release by release.
    """

    status: CheckStatus
    headline: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    claim: str
    epsilon_lower: float = 0.0
    delta: float
    level_lower: float = 0.0
    symbol: str
    confidence: float
    p_value: float = 1.0
    samples: int = 0
    budget: int
    looks: int = 0
    event: str = "no event"
    direction: str = DIRECTIONS[0]
    first: tuple[int, int] = (0, 0)
    second: tuple[int, int] = (0, 0)
    power: float = 0.0
    rarest: float = 1.0
    noticeable: float = math.inf
    pairs: int = 1
    claimed: float = math.nan
    confirmation: Mapping[str, Any] | None = None
    findings: tuple[Mapping[str, Any], ...] = ()
    witness: Mapping[str, Any] | None = None
    questions: tuple[Verdict, ...] = ()

    def bounds(self) -> str:
        """Return what is certified in words, with the digits that tell it from the claim."""
        at = f" at delta {self.delta:g}" if self.delta else ""
        level = f"{self.symbol} >= {rounded_down(self.level_lower, self.claimed)}"
        if self.symbol != "epsilon":
            level += f", epsilon >= {rounded_down(self.epsilon_lower)}"
        return f"{level}{at} with confidence {self.confidence:g}"

    def excess(self) -> str:
        """Return by how much the claim is certainly exceeded, in words; "" if it is not."""
        if not 0 < self.claimed < self.level_lower:
            return ""
        ratio = self.level_lower / self.claimed
        if ratio >= TIMES:
            return f"at least {rounded_down(ratio, digits=2)} times the claim"
        return f"at least {rounded_down(100 * (ratio - 1), digits=2)}% over the claim"

    def _figure(self) -> Figure:
        from auditor.figures import check_figure  # loads slowly

        return check_figure(vars(self))

    def sent(self) -> dict[str, Any]:
        """Return the fields as plain data, for another process."""
        return {**vars(self), "questions": [asdict(verdict) for verdict in self.questions]}

    @classmethod
    def received(cls, sent: Any) -> CheckResult:
        """Return what was :meth:`sent`; or raise Malformed."""
        texts = dict.fromkeys(("claim", "symbol", "event", "direction"), (str,))
        lists = {"questions": (list,), "findings": (tuple,)}
        _require_told(cls, sent, {**texts, "witness": _MAPPING_OR_NONE, **lists})
        questions = tuple(map(received_verdict, sent["questions"]))
        return cls(**{**sent, "questions": questions})

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; the witness keeps every digit."""
        plain: dict[str, Any] = jsonable(
            {**asdict(self), "summary": self.summary, "witness": None, "questions": ()}
        )
        plain["witness"] = jsonable(self.witness, digits=17)
        plain["questions"] = {v.question: v.to_json() for v in self.questions}
        return plain


@dataclass(frozen=True)
class Measurement:
    """The answer of :func:`auditor.measure`.

    Attributes
    ----------
    epsilon_lower : float
        Certified lower bound, at ``confidence``, of epsilon at ``delta``.
    delta, confidence : float
    event : str
        The event that certifies it.
    direction : str
        On which data set it is the likelier.
    first, second : (int, int)
        Certifying runs in the event, and certifying runs, on the likelier side and the other.
    samples, trained : int
        Runs on each data set; the first ``trained`` of them chose the event.
    events : int
        How many they chose, thresholds on one score. Each had an equal part of the error
        probability, 1 - ``confidence``, and ``event`` certified most.
    findings : tuple of mappings
        Things worth knowing about the mechanism, each with ``kind`` and ``statement``.
    """

    epsilon_lower: float
    delta: float
    confidence: float
    event: str
    direction: str
    first: tuple[int, int]
    second: tuple[int, int]
    samples: int
    trained: int
    events: int
    findings: tuple[Mapping[str, Any], ...] = ()

    @property
    def summary(self) -> str:
        """Return one sentence with the figures."""
        (k, n), (m, size) = self.first, self.second
        likely, unlikely = self.direction.split(" against ")
        at = f" at delta {self.delta:g}" if self.delta else ""
        chose = "the event" if self.events == 1 else f"{self.events} events, this the best of them"
        return (
            f"epsilon >= {rounded_down(self.epsilon_lower)}{at} with confidence "
            f"{self.confidence:g}: {self.event}: {k} of {n} runs on {likely}, {m} of {size} on "
            f"{unlikely} ({self.samples} runs on each data set, of which {self.trained} chose "
            f"{chose})"
        )

    def sent(self) -> dict[str, Any]:
        """Return the fields as plain data, for another process."""
        return dict(vars(self))

    @classmethod
    def received(cls, sent: Any) -> Measurement:
        """Return what was :meth:`sent`; or raise Malformed."""
        types = {
            str: ("event", "direction"),
            float: ("epsilon_lower", "delta", "confidence"),
            int: ("samples", "trained", "events"),
            tuple: ("first", "second", "findings"),
        }
        _require_fields(cls, sent, {name: (kind,) for kind in types for name in types[kind]})
        require(all(type(count) is int for count in (*sent["first"], *sent["second"])))
        return cls(**sent)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        plain: dict[str, Any] = jsonable({**asdict(self), "summary": self.summary})
        return plain


@dataclass(frozen=True)
class IndependenceResult(Told):
    """The answer of :func:`auditor.check_independence`.

    Attributes
    ----------
    status : {"holds", "violated", "inconclusive"}
        ``"holds"``: nothing tried contradicts it (never a proof).
    headline : str
    facts : mapping of str to str
    p_value : float
        Of "the parts of an output are independent".
    confidence : float
    samples : int
        Runs that were used, and as many outputs whose parts come from different runs.
    findings : tuple of mappings
    """

    status: CheckStatus
    headline: str
    facts: Mapping[str, str]
    p_value: float
    confidence: float
    samples: int
    findings: tuple[Mapping[str, Any], ...] = ()

    def sent(self) -> dict[str, Any]:
        """Return the fields as plain data, for another process."""
        return dict(vars(self))

    @classmethod
    def received(cls, sent: Any) -> IndependenceResult:
        """Return what was :meth:`sent`; or raise Malformed."""
        numbers = dict.fromkeys(("p_value", "confidence"), (float, int))
        _require_told(cls, sent, {**numbers, "samples": (int,), "findings": (tuple,)})
        return cls(**sent)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        plain: dict[str, Any] = jsonable({**asdict(self), "summary": self.summary})
        return plain


@dataclass(frozen=True)
class EpsilonsResult(Told):
    """The answer of :func:`auditor.check_epsilons`.

    Attributes
    ----------
    status : {"holds", "violated", "inconclusive"}
        ``"violated"`` if the claim is at any epsilon; ``"holds"`` if it does at all.
    headline : str
    facts : mapping of str to str
        With ``"noise"`` if nothing told the outputs at the smallest epsilon from those at the
        largest: a remark, no verdict.
    results : mapping of float to CheckResult
        By epsilon.
    confidence : float
        Of all together.
    """

    status: CheckStatus
    headline: str
    facts: Mapping[str, str]
    results: Mapping[float, CheckResult]
    confidence: float

    def sent(self) -> dict[str, Any]:
        """Return the fields as plain data, for another process."""
        results = {epsilon: result.sent() for epsilon, result in self.results.items()}
        return {**vars(self), "results": results}

    @classmethod
    def received(cls, sent: Any) -> EpsilonsResult:
        """Return what was :meth:`sent`; or raise Malformed."""
        _require_told(cls, sent, {"results": (dict,), "confidence": (float, int)})
        require(all(type(epsilon) is float for epsilon in sent["results"]))
        results = {
            epsilon: CheckResult.received(result) for epsilon, result in sent["results"].items()
        }
        return cls(**{**sent, "results": results})

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; the result of every epsilon is that of a check."""
        results = [{"epsilon": e, **result.to_json()} for e, result in self.results.items()]
        told = {"headline": self.headline, "facts": dict(self.facts), "summary": self.summary}
        return {
            "status": self.status,
            **told,
            "confidence": self.confidence,
            "results": results,
        }


@dataclass(frozen=True)
class Rerun:
    """The answer of :func:`auditor.rerun`.

    Attributes
    ----------
    shown : bool
        Whether the fresh counts alone refute the claim.
    event, direction : str
    first, second : (int, int)
        Fresh runs in the event, and fresh runs, on the likelier side and the other.
    p_value : float
    level_lower : float
        Certified lower bound of the claim's level from the fresh counts.
    """

    shown: bool
    event: str
    direction: str
    first: tuple[int, int]
    second: tuple[int, int]
    p_value: float
    level_lower: float
