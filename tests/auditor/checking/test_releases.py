"""Auditing release by release: every question catches its own mistake and names the release."""

import inspect
import json
import math
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from auditor.checking import culprits, releases
from auditor.checking.culprits import blame
from auditor.checking.release_runs import form_of
from auditor.checking.releases import audit_releases, reproduce
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.neighbours import Ball, Box, Choice, Counts, Table
from auditor.core.verdict import Verdict
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
)
from reference.privacy.ledger import Ledger, RecordingLedger

D = np.zeros(20)
D2 = np.concatenate([[0.0, 0.0, 1.0], np.zeros(17)])
PAIR = (D, D2)
ONE = PureDP(1.0)
QUESTIONS = ("accounting", "sensitivity", "control_flow", "privacy_loss", "samplers")


def ask(
    mechanism: Callable[..., Any], pair: Any = PAIR, claim: Any = ONE, **options: Any
) -> tuple[Verdict, ...]:
    # few runs: under a pure claim a single one tells
    return audit_releases(
        mechanism,
        pair,
        claim,
        context=Context(seed=4, confidence=0.9999),
        **{"samples": 60, **options},
    )


def statuses(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    return {verdict.question: verdict.status for verdict in verdicts}


def violated(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {verdict.question for verdict in verdicts if verdict.status == "violated"}


def verdict_on(question: str, verdicts: tuple[Verdict, ...]) -> Verdict:
    return next(verdict for verdict in verdicts if verdict.question == question)


def findings(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    found = verdict_on("control_flow", verdicts).findings
    return {finding["kind"]: finding["statement"] for finding in found}


def line_of(function: Callable[..., Any], text: str) -> str:
    """Return the place of the only line of a function that contains a text."""
    lines, start = inspect.getsourcelines(function)
    (index,) = [i for i, line in enumerate(lines) if text in line]
    return f"test_releases.py:{start + index}"


# ---------------------------------------------------------------------- mechanisms, right and wrong


def right(data: Any, ledger: Any) -> Any:
    first = ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.1)
    return first, ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.1)


def halved(data: Any, ledger: Any) -> Any:
    ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.1)
    return ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.05)  # here


def understated(data: Any, ledger: Any) -> Any:
    ledger.laplace(0.0, sensitivity=1.0, scale=2.0)
    return ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.02, scale=0.04)  # here


def branches(data: Any, ledger: Any) -> Any:
    found = ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.1)
    if data.max() > 0.5:
        ledger.laplace(0.0, sensitivity=0.1, scale=1.0)  # here
    return found


def raises_on_outliers(data: Any, ledger: Any) -> Any:
    if data.max() > 0.5:
        raise ValueError("an outlier")
    return ledger.laplace(data.mean(), sensitivity=0.05, scale=0.05)  # here


def table(data: Any, ledger: Any) -> Any:
    noisy = ledger.laplace(data.mean(), sensitivity=0.05, scale=0.05)
    return pd.DataFrame({"mean": [noisy], "n": [len(data)]})


def test_a_right_mechanism_holds() -> None:
    # false alarms: 0.01%, by the samplers alone, and the seed is fixed
    verdicts = ask(right)
    assert statuses(verdicts) == dict.fromkeys(QUESTIONS, "holds")
    assert blame(verdicts) is None
    assert findings(verdicts) == {}
    # they share the error probability; a bound on the loss may also err when it is confirmed
    for question, alpha in (("privacy_loss", 1e-4), ("samplers", 0.5e-4)):
        confidence = verdict_on(question, verdicts).evidence["confidence"]
        assert confidence == pytest.approx(1 - alpha, abs=1e-9)


def costliest_in_the_middle(data: Any, ledger: Any) -> None:
    for scale in (1.0, 0.4, 1.0):
        ledger.laplace(data.mean(), sensitivity=0.1, scale=scale)  # here


def sampled_mean(data: Any, ledger: Any) -> Any:
    sample = ledger.subsample(len(data), 5)
    chosen = np.asarray([data[int(i)] for i in sample.indices], dtype=float)
    return ledger.laplace(chosen.mean(), sensitivity=0.2, scale=0.2, sample=sample)  # here


COSTLY = {"accounting", "privacy_loss"}


@pytest.mark.parametrize(
    ("mechanism", "claim", "questions", "release", "said"),
    [
        (halved, ONE, COSTLY, 1, "scale 0.05, which costs epsilon 1; the claim"),
        (understated, ONE, {"sensitivity", "privacy_loss"}, 1, "changes by 0.05 .* is 0.02"),
        (branches, ONE, {"control_flow"}, 1, "an extra laplace release|the run ended after 1 of 2"),
        (raises_on_outliers, ONE, {"control_flow"}, 0, "ValueError is raised"),
        (
            costliest_in_the_middle,
            PureDP(0.4),
            {"accounting"},  # the pair moves half as far as is declared
            1,
            "costs epsilon 0.25; the claim allows 0.4 for all 3 releases, which cost 0.45",
        ),
        (sampled_mean, PureDP(0.3), COSTLY, 0, "the claim allows 0.3"),
    ],
)
def test_the_release_to_blame(
    mechanism: Any, claim: PureDP, questions: set[str], release: int, said: str
) -> None:
    verdicts = ask(mechanism, claim=claim)
    assert violated(verdicts) == questions
    sentence = str(blame(verdicts))
    for question in questions:
        verdict = verdict_on(question, verdicts)
        found = verdict.evidence["blame"]
        assert found["release"] == release
        assert found["kind"] in ("laplace", None)
        assert line_of(mechanism, "# here") in found["site"]
        assert found["statement"] in verdict.summary
    named = re.match(r"release (\d+) \((?:laplace, )?(.*?)\)", sentence)
    assert named is not None
    assert named.groups() == (str(release), line_of(mechanism, "# here"))
    assert re.search(said, sentence)
    assert "tells most" not in sentence  # the privacy loss follows from the other causes


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (
            lambda data, ledger: {"mean": right(data, ledger), "largest": data.max()},
            r"result\['largest'\]",
        ),
        (
            lambda data, ledger: sys.exit(3) if data.max() > 0.5 else right(data, ledger),
            "SystemExit",
        ),
        (lambda data, ledger: data.mean() + np.random.default_rng().laplace(), "result: "),
        (lambda data, ledger: ({} if data.max() > 0.5 else [])[0], "KeyError"),
        (lambda data, ledger: 1 // int(1 - data.max()), "ZeroDivisionError"),
        (lambda data, ledger: data.mean(), "result: 0.0, then 0.05|0.05, then 0.0"),
        (lambda data, ledger: table(data, ledger)["mean"] + data.mean(), "result"),
    ],
)
def test_what_leaves_past_the_ledger(mechanism: Any, said: str) -> None:
    verdicts = ask(mechanism)
    assert violated(verdicts) == {"control_flow"}
    assert re.search(said, str(blame(verdicts)))


def test_privacy_loss_is_traced_to_the_release_that_tells_most() -> None:
    def two_sums(data: Any, ledger: Any) -> None:
        ledger.gaussian(data.sum(), sensitivity=1.0, scale=10.0)
        ledger.gaussian(data.sum(), sensitivity=1.0, scale=0.5)

    loss = verdict_on("privacy_loss", ask(two_sums, claim=ApproximateDP(1.0, 1e-3)))
    assert loss.evidence["blame"]["release"] == 1
    assert "scale 0.5 tells most: it changes by 1 between the data sets" in loss.summary


@pytest.mark.parametrize("mechanism", [halved, understated, branches, raises_on_outliers])
def test_witnesses_show_the_violation_again(mechanism: Any) -> None:
    for verdict in ask(mechanism):
        if verdict.status != "violated":
            continue
        stored = Verdict.from_json(json.loads(json.dumps(verdict.to_json())))
        assert reproduce(mechanism, PAIR, ONE, stored)
        assert not reproduce(right, PAIR, ONE, stored)


# ----------------------------------------------------------------------------- what it may be given


def summed(kind: type, statistic: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a mechanism that takes data sets of a type, and has epsilon 1."""

    def mechanism(data: Any, ledger: Any) -> Any:
        assert type(data) is kind
        return ledger.laplace(statistic(data), sensitivity=1.0, scale=1.0)

    return mechanism


count_of = summed(dict, len)
yes_votes = summed(list, lambda data: data.count("yes"))


def largest_of_pairs(data: Any) -> Any:
    assert all(type(record) is tuple for record in data)
    return sum(max(x, y) for x, y in data)


def weights_and_labels(data: Any, ledger: Any) -> Any:
    assert isinstance(data, tuple)
    return ledger.gaussian(data[0].T @ data[1], sensitivity=math.sqrt(8), scale=math.sqrt(8))


ROWS = (np.ones((6, 2)), np.ones(6))
OTHER_ROWS = (np.ones((6, 2)), np.array([1.0, 1, 1, -1, 1, 1]))


@pytest.mark.parametrize(
    ("mechanism", "pair", "claim"),
    [
        (summed(list, sum), ([0, 1, 0], [0, 0, 0]), ONE),
        (summed(list, sum), ([0.0, 1.0, 0.5], [0.0, 0.5]), ONE),
        (summed(int, int), (3, 4), ONE),
        (summed(list, largest_of_pairs), ([(0, 1), (1, 1)], [(0, 0), (1, 1)]), ONE),
        (weights_and_labels, (ROWS, OTHER_ROWS), GaussianDP(1.0)),
        (count_of, ({"a": 1, "b": 2}, {"a": 1}), ONE),
        (yes_votes, (["yes", "no", "no"], ["yes", "yes", "no"]), ONE),
    ],
)
def test_data_sets_of_any_type(mechanism: Any, pair: Any, claim: Guarantee) -> None:
    assert statuses(ask(mechanism, pair, claim)) == dict.fromkeys(QUESTIONS, "holds")
    worse = ask(mechanism, pair, type(claim)(0.5))  # type: ignore[call-arg]
    assert "accounting" in violated(worse)


def test_one_more_or_one_less_record() -> None:
    parameters = verdict_on("accounting", ask(halved, (D, D[1:]))).witness
    assert parameters is not None
    assert parameters["parameters"]["n"] == 20
    assert "add/remove-one" in ask(count_of, ({"a": 1, "b": 2}, {"a": 1}))[0].summary


@pytest.mark.parametrize(
    ("exact", "too_little"),
    [
        (ApproximateDP(1.0, 0.12694), ApproximateDP(1.0, 0.12)),
        (ZCDP(0.5), ZCDP(0.45)),
        (GaussianDP(1.0), GaussianDP(0.9)),
        (RenyiDP(3.0, 1.5), RenyiDP(3.0, 1.3)),
    ],
)
def test_every_currency(exact: Guarantee, too_little: Guarantee) -> None:
    def mean(data: Any, ledger: Any) -> Any:
        return ledger.gaussian(data.mean(), sensitivity=0.05, scale=0.05)

    # one release of mu = 1; its delta at epsilon 1 is 0.126937
    assert set(statuses(ask(mean, claim=exact)).values()) == {"holds"}
    verdicts = ask(mean, claim=too_little)
    assert "accounting" in violated(verdicts)
    parameter = {"ApproximateDP": "delta", "ZCDP": "rho", "GaussianDP": "mu"}
    costs = f"costs {parameter.get(type(too_little).__name__, 'divergence')} "
    assert costs in str(blame(verdicts))


def test_a_trade_off_function() -> None:
    found = ask(right, claim=lambda x: np.maximum(0.0, 1 - np.e * x))
    assert statuses(found) == {
        **dict.fromkeys(QUESTIONS, "holds"),
        "accounting": "not applicable",
        "privacy_loss": "not applicable",
    }
    assert "trade-off" in verdict_on("accounting", found).summary
    assert "sensitivity" in violated(ask(understated, claim=lambda x: 1 - x))


def unclipped(data: Any, ledger: Any) -> Any:
    return ledger.laplace(data.mean(), sensitivity=0.05, scale=0.05)


def test_a_domain_is_searched() -> None:
    assert "sensitivity" not in violated(ask(unclipped))
    found = verdict_on("sensitivity", ask(unclipped, domain=Box((), -2.0, 1.0)))
    assert found.status == "violated"
    # the mean of twenty values in [-2, 1] moves by 3/20
    assert found.evidence["blame"]["statement"].startswith("release 0 (laplace, test_releases.py:")
    assert found.evidence["where"]["distance"] == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("mechanism", "pair", "domain", "why"),
    [
        (right, PAIR, Ball(3, 1.0), r"float64 of shape \(\), those of the domain .* \(3,\)"),
        (right, (np.zeros(3, int), np.array([0, 1, 0])), Box((), 0, 1), "hold int64 .* float64"),
        (count_of, ({"a": 1, "b": 2}, {"a": 1}), Box((), 0.0, 1.0), "are no arrays of records"),
        # record 7 of a domain of counts is the eighth cell, not the number 7
        (right, (np.zeros(20, int), np.eye(20, dtype=int)[2]), Counts(20, 9), "not the list"),
        (right, PAIR, Table(np.array([5.0, 2.0])), "not the list of its records"),
        (yes_votes, (["yes", "no"], ["no", "no"]), Choice(((1, 2), "a")), "no arrays"),
    ],
)
def test_a_domain_that_cannot_be_searched(mechanism: Any, pair: Any, domain: Any, why: str) -> None:
    found = verdict_on("sensitivity", ask(mechanism, pair, PureDP(9.0), domain=domain))
    assert found.evidence["search_ratio"] is None
    assert re.search(why, found.evidence["no_search"])


def test_no_pair_and_nothing_to_reproduce() -> None:
    with pytest.raises(InputError, match="two data sets"):
        ask(right, (D,))
    with pytest.raises(InputError, match="'holds': it has no witness"):
        reproduce(right, PAIR, ONE, ask(right)[0])


# --------------------------------------------------------------------------------- subsamples


def test_a_subsample_of_records() -> None:
    # amplified: log(1 + (e - 1)/4) = 0.358 for a quarter of twenty records
    amplified = PureDP(math.log1p(math.expm1(1) / 4))
    assert violated(ask(sampled_mean, claim=amplified)) == set()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_loss_is_traced_whether_or_not_the_record_was_drawn(seed: int) -> None:
    def dull_first(data: Any, ledger: Any) -> Any:
        ledger.laplace(0.0, sensitivity=1e-9, scale=1.0)
        return sampled_mean(data, ledger)

    # in the run of largest loss the record is in the sample or not, by chance
    verdicts = audit_releases(dull_first, PAIR, PureDP(0.3), context=Context(seed=seed), samples=20)
    assert verdict_on("privacy_loss", verdicts).evidence["blame"]["release"] == 1


def test_the_record_that_differs_is_found_in_any_list() -> None:
    def votes(data: Any, ledger: Any) -> Any:
        sample = ledger.subsample(len(data), 1)
        yes = sum(data[int(i)] == "yes" for i in sample.indices)
        return ledger.laplace(yes, sensitivity=0.5, scale=2.0, sample=sample)

    # only a replay that puts record 2 into the sample shows that a vote counts for 1, not 0.5;
    # by chance it is in one of six samples with probability 1%
    pair = (["no"] * 600, ["no", "no", "yes"] + ["no"] * 597)
    assert "sensitivity" in violated(ask(votes, pair))
    assert "sensitivity" not in violated(ask(votes, pair, replaced=4))


# ------------------------------------------------------------------------------- bad mechanisms


@pytest.mark.parametrize("releases_before", [False, True])
def test_a_mechanism_that_always_raises_shows_nothing(releases_before: bool) -> None:
    def broken(data: Any, ledger: Any) -> Any:
        if releases_before:
            right(data, ledger)
        raise KeyError("no such column")  # here

    verdicts = ask(broken)
    for question in ("control_flow",) if releases_before else QUESTIONS:
        verdict = verdict_on(question, verdicts)
        assert verdict.status == "inconclusive"
        assert verdict.summary.startswith("every run raised, first KeyError: 'no such column'")
        assert line_of(broken, "# here") in verdict.summary
    assert set(findings(verdicts)) == {"raised"}


def test_misuse_of_the_ledger_is_named() -> None:
    def misuse(data: Any, ledger: Any) -> Any:
        return ledger.laplace(data.mean(), sensitivity=0.05, scale=0.0)  # here

    summary = ask(misuse)[0].summary
    assert "scale must be a finite number > 0" in summary
    assert summary.endswith(line_of(misuse, "# here"))


def raises_where_negative(data: Any, ledger: Any) -> Any:
    found = ledger.laplace(data.mean(), sensitivity=0.05, scale=0.05)
    if found < 0:
        raise ArithmeticError("negative")
    return found


def lazily(data: Any, ledger: Any) -> Any:
    for scale in (0.1, 0.1):
        yield ledger.laplace(data.mean(), sensitivity=0.05, scale=scale)


@pytest.mark.parametrize("mechanism", [raises_where_negative, lazily, table])
def test_what_depends_on_releases_alone_is_no_leak(mechanism: Any) -> None:
    verdicts = ask(mechanism)
    assert set(statuses(verdicts).values()) == {"holds"}
    if mechanism is raises_where_negative:
        assert "raised, first ArithmeticError: negative" in findings(verdicts)["raised"]
    assert "accounting" in violated(ask(mechanism, claim=PureDP(0.9)))


def test_nothing_released() -> None:
    verdicts = ask(lambda data, ledger: 0.5)
    assert statuses(verdicts) == {
        **dict.fromkeys(QUESTIONS, "not applicable"),
        "control_flow": "holds",
    }
    assert "nothing was released" in findings(verdicts)["nothing released"]


def test_a_mechanism_that_changes_its_input() -> None:
    def clips_in_place(data: Any, ledger: Any) -> Any:
        data += 1.0
        return right(data, ledger)

    before = D2.copy()
    verdicts = ask(clips_in_place)
    np.testing.assert_array_equal(D2, before)
    assert "mutated input" in findings(verdicts)
    assert "mutated input" not in findings(ask(right))


def test_outputs_that_cannot_be_compared() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("compare me not")

        __hash__ = None  # type: ignore[assignment]

    verdicts = ask(lambda data, ledger: (right(data, ledger), Odd())[1])
    assert verdict_on("control_flow", verdicts).status == "inconclusive"
    assert "RuntimeError: compare me not" in verdict_on("control_flow", verdicts).summary
    assert violated(verdicts) == set()


def test_a_violation_that_cannot_be_traced_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*asked: Any) -> None:
        raise RuntimeError("lost")

    monkeypatch.setitem(culprits._TRACES, "accounting", fails)
    found = verdict_on("accounting", ask(halved))
    assert found.status == "violated"
    assert found.summary.endswith("the release to blame was not found (RuntimeError: lost)")
    assert "spend epsilon 1.5" in str(blame((found,)))


def test_runs_with_the_primitives_own_noise_quote_no_records() -> None:
    def raises(data: Any, ledger: Ledger) -> float:
        raise KeyError(str(data))

    class Instrument:
        native = staticmethod(raises)
        findings = ()

    mechanism: Any = Instrument()
    pair = (["Alice"], ["Carol"])
    form = form_of(raises, pair, PureDP(1.0))
    found = releases._native_samplers(mechanism, pair, form, Context(), None)
    assert "every run raised, first KeyError (its text" in found.summary
    assert "Alice" not in found.summary


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
def test_how_large_noise_is_that_is_not_as_declared(law: str) -> None:
    ledger = RecordingLedger(0)
    getattr(ledger, law)(np.zeros(20_000), sensitivity=1.0, scale=3.0)
    (release,) = ledger.transcript.releases
    doubled = release._replace(output=2 * np.asarray(release.output))
    found = re.search(
        "its noise has (.*) times the declared scale", culprits._found_scale([doubled])
    )
    assert found is not None
    assert float(found[1]) == pytest.approx(2, abs=0.08)  # the mean of 20,000, six deviations
