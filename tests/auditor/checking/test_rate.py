"""A rate on its own: what is refuted, what is not, and when nothing can be said."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import auditor
from auditor.checking.rate import SHORTFALLS, _power, _Scaling
from auditor.cli.scaling import scaling
from auditor.core.context import Context
from auditor.statistics.stages import SCREEN
from auditor.suite.store import validate
from reference.privacy import Ledger

pytest_plugins = ["pytester"]

VALUES = [100, 200, 400, 800]


def error(rng: np.random.Generator, n: int) -> float:
    """An error with exponent -1/2 exactly."""
    return float(abs(rng.normal()) / math.sqrt(n))


def exact(rng: np.random.Generator, n: int) -> float:
    """One with hardly any spread."""
    return (1 + 1e-9 * rng.random()) / n


def asked(error: Any = error, **changed: Any) -> auditor.ScalingResult:
    return auditor.check_scaling(
        error, **{"along": "n", "values": VALUES, "claim": -0.5, **changed}
    )


@pytest.fixture(scope="module")
def usual() -> auditor.ScalingResult:
    return asked()


def test_a_true_claim_holds_and_a_false_one_is_refuted() -> None:
    # error probability of either: 1e-6, and far less where the claim is too slow
    held = asked(confidence=1 - 1e-6)
    assert held.status == "holds"
    assert held.slope == pytest.approx(-0.5, abs=0.25)  # six standard deviations
    low, high = held.interval
    assert low < held.slope < high
    assert f"exponent {held.slope:.3f} [{low:.3f}, {high:.3f}], claimed" in held.summary
    refuted = asked(claim=-1, confidence=1 - 1e-6)
    assert refuted.status == "violated"
    assert refuted.p_value <= 1e-6
    assert asked(claim=-0.25).status == "holds"  # it falls faster


def test_an_error_without_spread_is_told_to_the_digit() -> None:
    found = asked(exact, claim=-1, repetitions=5)
    assert found.status == "holds"
    assert found.slope == pytest.approx(-1)
    assert found.power == 1
    assert found.noticeable == 0.02
    for located in (found.median, found.mean):
        assert located == pytest.approx([1 / n for n in VALUES])
    slower = asked(exact, claim=-1.001, repetitions=5)
    assert slower.status == "violated"
    # five errors at each of two values fall on the wrong side of any c: Fisher's tail of 2^-10
    x = 2.0**-10
    assert slower.p_value == pytest.approx(x * (1 - math.log(x)))


def test_copies_of_one_error_are_no_sample() -> None:
    def fixed(rng: np.random.Generator, n: int) -> float:
        return float(abs(np.random.default_rng(n).normal())) / math.sqrt(n)

    for claim in (-0.5, -3, 3):
        found = asked(fixed, claim=claim)
        assert found.status == "inconclusive"
        assert "copies of one" in found.summary


def test_errors_that_are_equal_at_one_value_are_a_sample() -> None:
    def rounded(rng: np.random.Generator, n: int) -> float:
        return float(max(1, round(800 * rng.uniform(0.9, 1.1) / n)))

    found = asked(rounded, claim=-1)
    assert found.lower_quartile[-1] == found.upper_quartile[-1] == 1
    assert found.status == "holds"


def test_noise_from_elsewhere_is_told(usual: auditor.ScalingResult) -> None:
    elsewhere = np.random.default_rng(7)

    def unseeded(rng: np.random.Generator, n: int) -> float:
        return float(abs(elsewhere.normal())) / math.sqrt(n)

    (finding,) = asked(unseeded).findings
    assert finding["kind"] == "not reproducible"
    assert usual.findings == ()


def test_values_may_come_from_a_generator(usual: auditor.ScalingResult) -> None:
    assert asked(values=(value for value in VALUES)) == usual


def test_what_could_not_have_been_noticed_is_inconclusive() -> None:
    few = asked(repetitions=5)
    assert few.status == "inconclusive"
    assert few.power < 0.8
    assert "more repetitions or a wider grid" in few.summary
    assert asked(repetitions=5, notice=3.0).status == "holds"
    assert asked(repetitions=5, claim=-3).status == "violated"  # whatever the power


def test_the_power_is_that_of_the_shortfall() -> None:
    rng = np.random.default_rng(1)
    values = np.array(VALUES, dtype=float)
    errors = np.abs(rng.normal(size=(4, 400))) / np.sqrt(values)[:, None]
    claimed, context = _Scaling("n", values, -0.5, "median"), Context(seed=3)
    powers = [
        _power(errors, -0.5 + short, claimed, 0.01, context)
        for short in (-0.5, 0.0, 0.1, 0.25, 1.0)
    ]
    assert powers[0] == 0
    assert powers[1] < 0.1
    assert powers[1] < powers[2] < powers[3]
    assert powers[4] == 1
    # whatever exponent the errors themselves have
    steeper = errors / values[:, None]
    again = _power(steeper, -0.25, claimed, 0.01, context)
    assert again == pytest.approx(powers[3], abs=0.01)


def test_the_power_is_that_at_the_confidence() -> None:
    assert asked(confidence=1 - 1e-9).power < asked(confidence=0.9).power - 0.1


def test_every_stage_has_draws_of_its_own() -> None:
    seen: list[float] = []

    def draw(rng: np.random.Generator, n: int) -> float:
        seen.append(rng.random())
        return 1 + seen[-1]

    assert asked(draw, claim=-1, functional="mean", confidence=1 - 1e-5, repetitions=9).stages == 3
    assert seen.pop() == seen[0]  # is it reproducible?
    assert len(set(seen)) == len(seen) == 4 * (9 + 36 + 36)


def test_noticeable_is_the_smallest_shortfall_that_would_be(
    usual: auditor.ScalingResult,
) -> None:
    assert usual.noticeable in (0.2, 0.25)
    assert asked(repetitions=100).noticeable > usual.noticeable
    assert asked(repetitions=5, notice=3.0).noticeable in (1.0, math.inf)


def test_means_ask_again_on_fresh_draws_at_a_high_confidence() -> None:
    # 1 - 0.9999 is less than the 1e-4 of two stages, if by rounding alone
    for confidence, stages in ((0.99, 1), (0.999, 2), (0.9999, 3), (0.99999, 3)):
        found = asked(claim=-1, functional="mean", confidence=confidence, repetitions=100)
        repetitions = 100 if stages == 1 else 400
        assert (found.status, found.stages, found.repetitions) == ("violated", stages, repetitions)
        assert found.p_value == pytest.approx(SCREEN**stages)
    at_once = asked(functional="mean", confidence=0.9999)
    assert at_once.stages == 1
    assert at_once.power > 0.8  # of the first stage, at 1%


def test_the_mean_is_another_claim_than_the_median() -> None:
    def spread(rng: np.random.Generator, n: int) -> float:
        # the mean falls like 1/n, the median does not fall at all
        return 1.0 + (rng.random() < 0.4) * 2000 / n

    assert asked(spread, claim=-0.5, functional="median").status == "violated"
    found = asked(spread, claim=-0.5, functional="mean", repetitions=2000)
    assert found.slope < -0.5


def test_the_same_seed_gives_the_same_answer() -> None:
    one, same, other, elsewhere = (
        asked(repetitions=20, seed=seed, along=along)
        for seed, along in ((4, "n"), (4, "n"), (5, "n"), (4, "m"))
    )
    assert one == same
    assert one.median not in (other.median, elsewhere.median)


def test_every_error_has_a_seed_of_its_own_and_values_stay_what_they_are() -> None:
    seen = []

    def draw(rng: np.random.Generator, value: float) -> float:
        seen.append((value, rng.random()))
        return 1 / value

    asked(draw, values=[0.25, 1, 200, 400], repetitions=7)
    assert seen.pop() == seen[0]  # is it reproducible?
    assert len({number for _, number in seen}) == len(seen) == 4 * 7
    assert [value for value, _ in seen[:5]] == [0.25, 1, 200, 400, 0.25]
    assert [type(value) for value, _ in seen[:4]] == [float, int, int, int]


def test_an_error_may_release_through_a_ledger() -> None:
    def private(rng: np.random.Generator, ledger: Ledger, n: int) -> float:
        data = rng.uniform(size=n)
        return abs(ledger.laplace(data.mean(), sensitivity=1 / n, scale=1 / n) - data.mean())

    found = asked(private, claim=-1)
    assert found.status == "holds"
    assert found.lower_quartile[0] < 0.8 * found.median[0]  # noise of its own in every run
    assert asked(private, claim=-1.5).status == "violated"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"values": [1, 2, 3]}, "at least four"),
        ({"values": "100,200"}, "must be numbers"),
        ({"values": [4, 3, 2, 1]}, "increasing"),
        ({"values": [0, 1, 2, 3]}, "> 0"),
        ({"values": [1, 2, 3, math.inf]}, "finite"),
        ({"values": [1, 2, 3, 10**400]}, "values must be numbers"),
        ({"error": lambda rng, n: sys.exit(3)}, "failed at n = 100 with SystemExit"),
        ({"claim": True}, "claim must be an exponent in"),
        ({"notice": 0}, "notice must be an exponent in"),
        ({"seed": 1.0}, "seed must be"),
        ({"repetitions": 4}, "from 5 to 10000000 .5 is the fewest"),
        ({"repetitions": 20.0}, "repetitions must be a whole number"),
        ({"repetitions": 20, "confidence": 1 - 1e-12}, "the fewest with which 4 values"),
        ({"error": lambda n, rng: 1.0}, r"make it \(rng, n\)"),
        ({"error": lambda ledger, rng, n: 1.0}, r"make it \(rng, ledger, value\)"),
        ({"error": lambda rng, n: 0.0}, "finite number > 0, got 0.0 at n = 100"),
        ({"error": lambda rng, n: [1.0]}, "must return one number"),
        ({"error": lambda rng, n: None}, "must return one number"),
        ({"error": lambda rng, n: "1"}, "must return one number"),
        ({"error": lambda rng, n: 1 / 0}, "failed at n = 100 with ZeroDivisionError"),
        ({"error": lambda rng: 1.0}, "failed at n = 100 with TypeError"),
    ],
)
def test_what_makes_no_sense_is_one_line(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(auditor.InputError, match=words) as raised:
        asked(**changed)
    assert "\n" not in str(raised.value)


def test_the_plot_shows_errors_and_claim(tmp_path: Path) -> None:
    found = asked(claim=-1)
    figure = found.plot(tmp_path / "rate.png")
    (axes,) = figure.axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "claim -1.00" in labels
    assert any(label.startswith(f"slope {found.slope:.2f}") for label in labels)
    assert (tmp_path / "rate.png").stat().st_size > 5000
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    claimed = np.asarray(lines["claim -1.00"])
    assert np.diff(np.log(claimed)) == pytest.approx([-math.log(2)] * 3)
    with pytest.raises(auditor.InputError, match="cannot be saved"):
        found.plot(tmp_path / "nowhere" / "rate.png")


# ------------------------------------------------------------------------------- the command


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the search path as it was: a file that is loaded adds its folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))


FILE = "def error(rng, n):\n    return abs(rng.normal()) / n**0.5\n"


def run(folder: Path, *words: str) -> Any:
    (folder / "mine.py").write_text(FILE)
    base = [f"{folder / 'mine.py'}:error", "--along", "n", "--values", "100,200,400,800"]
    return CliRunner().invoke(scaling, [*base, *words])


def test_the_command_ends_as_it_says_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "rate.svg"
    for words, status, said in (
        (["--claim", "-0.5"], 0, "holds"),
        (["--claim", "-1", "--plot", str(picture)], 1, "violated"),
        (["--claim", "-0.5", "--repetitions", "5"], 4, "inconclusive"),
    ):
        found = run(tmp_path, *words)
        assert found.exit_code == status, found.output
        assert said in found.output
    assert "<svg" in picture.read_text()


def test_the_command_prints_json_as_its_schema_says(tmp_path: Path) -> None:
    found = run(
        tmp_path, "--claim", "-0.5", "--format", "json", "--seed", "3", "--repetitions", "10"
    )
    content = json.loads(found.stdout)
    validate(content, "scaling")
    assert content["seed"] == 3
    assert content["repetitions"] == 10
    assert content["noticeable"] == "infinity" or content["noticeable"] in SHORTFALLS


def test_bad_values_are_one_line(tmp_path: Path) -> None:
    found = run(tmp_path, "--claim", "-1", "--values", "100,many")
    assert isinstance(found.exception, auditor.InputError)
    assert "numbers with commas" in str(found.exception)


# -------------------------------------------------------------------------------- the marker

MARKED = """
import pytest

RATE = dict(along="n", values=[100, 200, 400, 800])

@pytest.fixture
def scale():
    return 2.0

@pytest.mark.scaling(**RATE, claim=-0.5)
def test_right(rng, n):
    return abs(rng.normal()) / n**0.5

@pytest.mark.scaling(**RATE, claim=-1)
def test_ledger(scale, ledger, rng, n):
    return abs(ledger.laplace(0.0, sensitivity=1 / n, scale=scale / n))

@pytest.mark.scaling(**RATE, claim=-1)
def test_slow(rng, n):
    return abs(rng.normal()) / n**0.5

@pytest.mark.scaling(**RATE, claim=-0.5, repetitions=5)
def test_few(rng, n):
    return abs(rng.normal()) / n**0.5

@pytest.mark.scaling(**RATE, claim=-0.5, repetitions=5, allow_inconclusive=True)
def test_few_will_do(rng, n):
    return abs(rng.normal()) / n**0.5

@pytest.mark.scaling(**RATE)
def test_nothing_is_claimed(rng, n):
    return 1.0

@pytest.mark.scaling(**RATE, claim=-1, samples=3)
def test_unknown(rng, n):
    return 1.0

@pytest.mark.scaling(**RATE, claim=-1)
def test_no_value(rng):
    return 1.0

@pytest.mark.scaling(**RATE, claim=-1)
@pytest.mark.private(epsilon=1.0, pair=([0], [1]))
def test_both(data, rng, n):
    return 1.0
"""


def test_a_marked_test_is_an_error(pytester: pytest.Pytester, run_pytest: Any) -> None:
    pytester.makepyfile(MARKED)
    found = run_pytest("-p", "no:cacheprovider")
    found.assert_outcomes(passed=3, failed=6)
    found.stdout.fnmatch_lines_random(
        [
            "test_slow: violated: in n the median error has exponent*",
            "test_few: inconclusive: *more repetitions or a wider grid*",
            "test_nothing_is_claimed cannot be checked: scaling(...) needs claim",
            "test_unknown cannot be checked: unknown option 'samples'",
            "test_no_value is marked scaling, but takes no 'rng' or no 'n'",
            "test_both is marked private and scaling; it is one",
        ]
    )


def test_positional_arguments_of_the_marker_are_refused(
    pytester: pytest.Pytester, run_pytest: Any
) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.mark.scaling('n')\ndef test_it(rng, n):\n    return 1.0\n"
    )
    found = run_pytest("-p", "no:cacheprovider")
    assert found.ret != 0
    assert "scaling takes keywords only" in found.stdout.str() + found.stderr.str()
