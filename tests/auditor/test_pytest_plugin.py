"""The pytest plugin, run by pytest on small test files."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import auditor.checking.engine
from auditor.core.errors import InputError
from auditor.pytest_plugin import assert_private

pytest_plugins = ["pytester"]

HEAD = """
import numpy as np
import pytest

D, D2 = np.zeros(20), np.zeros(20)
D2[3] = 1.0

def noisy_mean(data, rng, scale=1.0, size=None):
    return np.clip(data, 0, 1).mean() + rng.laplace(scale=scale / len(data), size=size)
"""
QUICK = "epsilon=1.0, pair=(D, D2), samples=2000"
D, D2 = np.zeros(20), np.zeros(20)
D2[3] = 1.0


@pytest.fixture
def run(pytester: pytest.Pytester, run_pytest: Any) -> Any:
    """Run pytest on a file with this body."""

    def run_body(body: str, *arguments: str, plugin: bool = True) -> pytest.RunResult:
        pytester.makepyfile(test_it=HEAD + body)
        loaded = ["-p", "auditor.pytest_plugin"] if plugin else []
        return pytester.runpytest_inprocess(*loaded, "--strict-markers", "-q", *arguments)

    return run_body


def findings(result: pytest.RunResult) -> list[str]:
    """Return the lines of one failure's report, the last of which says how to run it again."""
    lines = result.outlines
    last = next(i for i, line in enumerate(lines) if line.startswith("  again: "))
    start = max(i for i in range(last) if not lines[i].startswith("  "))
    return lines[start + 1 : last + 1]


def text(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines)


# ---------------------------------------------------------------------------- marked tests


def test_a_right_mechanism_passes_and_a_wrong_one_fails_with_its_witness(run: Any) -> None:
    # false alarm of the right one: 1%, and the seed is fixed; the wrong one has epsilon 5
    result = run(f"""
@pytest.mark.private({QUICK})
def test_right(data, rng):
    return noisy_mean(data, rng)

@pytest.mark.private({QUICK})
def test_wrong(data, rng):
    return noisy_mean(data, rng, scale=0.2)
""")
    result.assert_outcomes(passed=1, failed=1)
    assert "hidden" not in text(result)
    result.stdout.re_match_lines(
        [
            r"test_wrong is not private: 1-DP is refuted \(at least 2\.\d times .*\)",
            r"  event: output [><]=? \S+: \d+ of \d+ runs on D'?, \d+ of \d+ on D'?",
            r"  certified: epsilon >= [1-5]\.\d+ with confidence 0\.99",
            r"  runs: \d+ of 2000 runs on each data set.*",
            r"  D  = array\(\[0\., 0\., 0\., 0\., .*\]\)",
            r"  D' = array\(\[0\., 0\., 0\., 1\., .*\]\)",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(
        ["  again: pytest 'test_it.py::test_wrong' --private-seed=0 --private-samples=2000"]
    )


def test_the_witness_is_the_same_when_run_again(run: Any) -> None:
    body = f"""
@pytest.mark.private({QUICK}, seed=5)
def test_wrong(data, rng):
    return noisy_mean(data, rng, scale=0.2)
"""
    first = findings(run(body))
    command = first[-1].split("pytest ")[1].replace("'", "").split()
    assert first == findings(run(body, *command))
    assert first != findings(run(body, "--private-seed=6"))


def test_fixtures_parameters_and_classes_work_with_marked_tests(run: Any) -> None:
    result = run(f"""
@pytest.fixture
def scale():
    return 1.0

@pytest.fixture
def data():
    raise AssertionError("not for marked tests")

@pytest.fixture(autouse=True)
def always(monkeypatch):
    monkeypatch.setenv("SET", "yes")

def test_unmarked_tests_keep_their_fixtures(scale):
    assert scale == 1.0

@pytest.mark.private({QUICK})
@pytest.mark.parametrize("shift", [0.0, 10.0])
def test_shifted(data, tmp_path, rng, shift, scale, always=3):
    import os
    assert tmp_path.is_dir() and always == 3 and os.environ["SET"] == "yes"
    return noisy_mean(data, rng, scale) + shift

@pytest.mark.private(pair=(D, D2), samples=2000)
class TestClass:
    @pytest.mark.private(epsilon=1.0)
    def test_method(self, data, rng, scale):
        assert isinstance(self, TestClass)
        return noisy_mean(data, rng, scale)

    @pytest.mark.private(epsilon=0.3)
    def test_wrong_method(self, rng, data):
        return noisy_mean(data, rng, scale=0.5)

class TestHeir(TestClass):
    pass

@pytest.mark.private({QUICK})
@pytest.mark.parametrize(
    "scale",
    [1.0, 0.2, pytest.param(0.2, marks=pytest.mark.private(epsilon=5.0, samples=20_000))],
    ids=["right", "wrong", "claims less"],
)
def test_parameters_with_claims(data, rng, scale):
    return noisy_mean(data, rng, scale)
""")
    result.assert_outcomes(passed=7, failed=3)
    failed = {line.split(" ")[1] for line in result.outlines if line.startswith("FAILED")}
    assert failed == {
        "test_it.py::TestClass::test_wrong_method",
        "test_it.py::TestHeir::test_wrong_method",
        "test_it.py::test_parameters_with_claims[wrong]",
    }


def test_a_marked_module_whose_tests_may_be_expected_to_fail_or_skipped(run: Any) -> None:
    run(f"""
pytestmark = pytest.mark.private({QUICK})

def test_right(data, rng):
    return noisy_mean(data, rng)

@pytest.mark.private(epsilon=0.1)
def test_wrong(data, rng):
    return noisy_mean(data, rng, scale=0.3)

@pytest.mark.xfail(strict=True)
def test_known(data, rng):
    return noisy_mean(data, rng, scale=0.1)

@pytest.mark.skip
def test_skipped(data, rng):
    raise AssertionError
""").assert_outcomes(passed=1, failed=1, xfailed=1, skipped=1)


def test_batches_and_ledgers(run: Any) -> None:
    result = run(f"""
@pytest.mark.private({QUICK}, batched=True)
def test_batch(data, rng, size):
    return noisy_mean(data, rng, size=size)

@pytest.mark.private({QUICK}, batched=True)
def test_wrong_batch(data, rng, size):
    return noisy_mean(data, rng, scale=0.2, size=size)

# without batches, size is a name like any other
@pytest.mark.private({QUICK})
@pytest.mark.parametrize("size", [2])
def test_size(data, rng, size):
    return noisy_mean(data, rng, scale=size, size=size)

@pytest.mark.private({QUICK})
def test_ledger(data, ledger):
    return ledger.laplace(data.mean(), sensitivity=1 / len(data), scale=1 / len(data))

@pytest.mark.private(epsilon=1.0, pair=(D, D2), samples=200)
def test_wrong_ledger(data, ledger):
    return ledger.laplace(data.mean(), sensitivity=1 / len(data), scale=0.8 / len(data))
""")
    result.assert_outcomes(passed=3, failed=2)
    # 200 runs do not show it, but the releases do
    assert "test_wrong_ledger is not private: 1-DP is refuted" in text(result)
    assert "declares sensitivity 0.05, scale 0.04, which costs epsilon 1.25" in text(result)


def test_the_pair_is_searched_in_a_domain(run: Any) -> None:
    result = run("""
from auditor.core.neighbours import Box

@pytest.mark.private(epsilon=1.0, domain=Box((), -9.0, 1.0), n=3, samples=4000)
def test_clipped_on_one_side(data, rng):
    return np.minimum(data, 1).sum() + rng.laplace(scale=2.0)
""")
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([r"  D  = array\(\[.*\]\)", r"  D' = array\(\[.*\]\)"])


@pytest.mark.parametrize(("body", "status"), [("", 3), ("def test_plain():\n    assert 0\n", 1)])
def test_a_check_that_fails_itself_has_a_status_of_its_own(
    run: Any, monkeypatch: pytest.MonkeyPatch, body: str, status: int
) -> None:
    monkeypatch.setattr(auditor.checking.engine, "examine_outputs", lambda *_: 1 / 0)
    result = run(
        f"""
@pytest.mark.private({QUICK})
def test_marked(data, rng):
    return noisy_mean(data, rng)

def test_called(assert_private):
    assert_private(noisy_mean, {QUICK})

{body}"""
    )
    assert result.ret == status
    assert text(result).count("InternalError: the check itself failed with ZeroDivisionError") == 2


def test_large_data_sets_are_cut(run: Any) -> None:
    result = run("""
LARGE = [0.0] * 500
@pytest.mark.private(epsilon=1.0, pair=(LARGE, LARGE[:77] + [1.0] + LARGE[78:]), samples=2000)
def test_wrong(data, rng):
    return sum(data) + rng.laplace(scale=0.1)
""")
    result.assert_outcomes(failed=1)
    assert max(map(len, result.outlines)) < 400
    result.stdout.fnmatch_lines(["  they are replace-one neighbours and differ in record 77"])


def test_too_few_samples_fail_unless_they_are_allowed_to(run: Any) -> None:
    result = run("""
@pytest.mark.private(epsilon=8.0, pair=(D, D2), samples=50)
def test_too_few(data, rng):
    return noisy_mean(data, rng)

@pytest.mark.private(epsilon=8.0, pair=(D, D2), samples=50, allow_inconclusive=True)
def test_allowed(data, rng):
    return noisy_mean(data, rng)

@pytest.mark.private(epsilon=1.0, pair=(D, D2), samples=2000, allow_inconclusive=True)
def test_violated_all_the_same(data, rng):
    return noisy_mean(data, rng, scale=0.1)
""")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.re_match_lines(
        [
            r"test_too_few may or may not be private: .*too few.*",
            r"  to settle: give samples=\d+ or more",
            r"  allow_inconclusive=True lets it pass",
        ]
    )


# --------------------------------------------------------------------------------- options


def test_seed_and_samples(run: Any, pytester: pytest.Pytester) -> None:
    body = """
@pytest.mark.private(epsilon=1.0, pair=(D, D2))
def test_silent(data, rng):
    return noisy_mean(data, rng, scale=0.05)

@pytest.mark.private(epsilon=1.0, pair=(D, D2), seed=1, samples=1000)
def test_says(data, rng):
    return noisy_mean(data, rng, scale=0.05)

def test_fixture(assert_private):
    assert_private(lambda data, rng: 0.0 + data[3], epsilon=1.0, pair=(D, D2))
"""

    def used(*arguments: str) -> list[str]:
        lines = [line for line in run(body, *arguments).outlines if "again: " in line]
        lines.sort(key=lambda line: line[:1] == "E")  # of the fixture last
        return [line.replace("--private-", "").replace(")", "") for line in lines]

    def check(lines: list[str], *expected: tuple[int, int]) -> None:
        assert len(lines) == 3
        for line, (seed, samples) in zip(lines, expected, strict=True):
            assert f"seed={seed}" in line
            assert line.endswith(f"samples={samples}")

    check(used(), (0, 100_000), (1, 1000), (0, 100_000))
    override = ("--private-seed=7", "--private-samples=3000")
    check(used(*override), (7, 3000), (7, 3000), (7, 3000))
    pytester.makeini("[pytest]\nprivate_seed = 4\nprivate_samples = 2000\n")
    check(used(), (4, 2000), (1, 1000), (4, 2000))
    check(used("--private-seed=0"), (0, 2000), (0, 1000), (0, 2000))
    pytester.makeini("[pytest]\nprivate_seed = four\n")
    result = run(body)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: private_seed must be a whole number, got 'four'"])


def test_a_time_limit_for_all_checks(run: Any) -> None:
    body = """
import time

@pytest.mark.private(epsilon=1.0, pair=([0.0], [1.0]))
def test_slow(data, rng):
    time.sleep(1000)
    return data[0] + rng.laplace()
"""
    result = run(body, "--private-timeout=2.5")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_slow may or may not be private: the timeout of 2.5 s was*"])


def test_a_session_inside_leaves_the_options_of_this_one_alone(run: Any) -> None:
    from auditor import pytest_plugin

    before = list(pytest_plugin._sessions)
    run("def test_nothing(): pass", "--private-seed=7").assert_outcomes(passed=1)
    assert before == pytest_plugin._sessions


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("mark", "function", "message"),
    [
        ("epsilon=1.0", "(data, rng): return 1", "cannot be checked: give either pair="),
        ("pair=(D, D2)", "(data, rng): return 1", "cannot be checked: claim either epsilon"),
        ("epsilon=-1, pair=(D, D2)", "(data, rng): return 1", "cannot be checked: epsilon must"),
        ("epsilon=1.0, pair=(D, D)", "(data, rng): return 1", "cannot be checked: D and D' are eq"),
        ("epsilom=1.0, pair=(D, D2)", "(data, rng): return 1", "unknown option 'epsilom'; known:"),
        ("mechanism=1", "(data, rng): return 1", "unknown option 'mechanism'"),
        (QUICK, "(data, rng): noisy_mean(data, rng)", "returns nothing that varies; it must ret"),
        (f"{QUICK}, workers=2", "(data, rng): pass", "nothing that"),
        (QUICK, "(data, rng): 1 / 0", "cannot be checked: "),
        (QUICK, "(): return 1", "takes no argument 'data'"),
        (QUICK, "(data, rng, ledger): return 1", "takes both 'rng' and 'ledger'"),
    ],
)
def test_marks_that_make_no_sense(run: Any, mark: str, function: str, message: str) -> None:
    result = run(f"\n@pytest.mark.private({mark})\ndef test_bad{function}\n")
    result.assert_outcomes(failed=1)
    assert message in text(result)
    assert "Traceback" not in text(result)


def test_coroutines_and_property_tests_are_no_mechanisms(run: Any) -> None:
    result = run(f"""
from hypothesis import given, strategies as st

@pytest.mark.private({QUICK})
async def test_async(data, rng):
    return noisy_mean(data, rng)

@pytest.mark.private({QUICK})
@given(st.data())
def test_property(data):
    pass

class TestUnit(__import__("unittest").TestCase):
    @pytest.mark.private({QUICK})
    def test_method(self, data, rng):
        return None
""")
    result.assert_outcomes(failed=3)
    assert "is asynchronous; it must return" in text(result)
    assert "is a property test; call assert_private inside of it" in text(result)


def test_what_shows_nothing_does_not_pass(run: Any) -> None:
    result = run(f"""
@pytest.mark.private({QUICK})
def test_returns_a_coroutine(data, rng):
    async def later():
        return data.sum()
    return later()

@pytest.mark.private({QUICK})
def test_returns_an_iterator(data, rng):
    return map(float, data)

@pytest.mark.private({QUICK})
def test_always_the_same(data, rng):
    return 1.0

@pytest.mark.private({QUICK}, batched=True)
def test_the_same_for_every_seed(data, rng, size):
    return np.random.default_rng(0).laplace(size=size)

@pytest.mark.private({QUICK})
def test_hardly_ever_runs(data, rng):
    if rng.random() < 0.95:
        raise ValueError("no luck")
    return noisy_mean(data, rng)
""")
    result.assert_outcomes(failed=5)
    shown = text(result)
    assert "test_returns_a_coroutine cannot be checked: the mechanism returned a coroutine" in shown
    assert "test_returns_an_iterator cannot be checked: the mechanism returned a map" in shown
    assert "test_always_the_same may or may not be private: nothing can be said" in shown
    assert "the same outputs come back for every seed" in shown
    assert "gave no output on either data set (ValueError: no luck" in shown


def test_positional_claims_are_refused_and_nothing_passes_without_the_plugin(run: Any) -> None:
    result = run("\n@pytest.mark.private(1.0)\ndef test_bad(data, rng): return 1\n")
    assert result.ret != pytest.ExitCode.OK
    assert "private takes keywords only, as in private(epsilon=1.0), got 1.0" in text(result)
    marked = f"\n@pytest.mark.private({QUICK})\ndef test_right(data, rng): return 1\n"
    assert run(marked, plugin=False).ret != pytest.ExitCode.OK


# ---------------------------------------------------------------------------- assert_private


def right(data: Any, rng: np.random.Generator) -> float:
    return float(data.mean() + rng.laplace(scale=1 / len(data)))


def wrong(data: Any, rng: np.random.Generator) -> float:
    return float(data.mean() + rng.laplace(scale=0.1 / len(data)))


def test_assert_private() -> None:
    # 1% error probability, the seed is fixed
    assert assert_private(right, pair=(D, D2), epsilon=1.0, samples=2000).status == "holds"
    result = auditor.check(wrong, pair=(D, D2), epsilon=1.0, samples=2000, seed=3)
    with pytest.raises(AssertionError) as caught:
        assert_private(wrong, pair=(D, D2), epsilon=1.0, samples=2000, seed=3)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("wrong is not private: 1-DP is refuted (at least 4.")
    assert lines[-1] == "  again: assert_private(..., seed=3, samples=2000)"
    likely, unlikely = result.direction.split(" against ")
    (k, n), (m, size) = result.first, result.second
    assert f"{k} of {n} runs on {likely}, {m} of {size} on {unlikely}" in str(caught.value)
    assert result.bounds() in str(caught.value)
    with pytest.raises(AssertionError, match=r"(?s)may or may not be private.*give samples="):
        assert_private(right, pair=(D, D2), epsilon=8.0, samples=50)
    allowed = assert_private(right, pair=(D, D2), epsilon=8.0, samples=50, allow_inconclusive=True)
    assert allowed.status == "inconclusive"
    with pytest.raises(InputError, match="equal"):
        assert_private(right, pair=(D, D), epsilon=1.0)
    with pytest.raises(InputError, match="unknown option 'sample'"):
        assert_private(right, pair=(D, D2), epsilon=1.0, sample=3)


def test_the_fixture_points_at_the_line_of_the_test(run: Any) -> None:
    result = run("""
def test_wrong(assert_private):
    assert_private(
        lambda data, rng: noisy_mean(data, rng, 0.1), pair=(D, D2), epsilon=1.0, samples=2000
    )
""")
    result.assert_outcomes(failed=1)
    assert any(line.startswith(">") and "assert_private(" in line for line in result.outlines)
    assert "pytest_plugin" not in text(result)


def test_the_plugin_loads_nothing_that_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "test_unrelated.py").write_text(
        "import sys\n"
        "def test_unrelated():\n"
        "    heavy = {'numpy', 'scipy', 'pandas', 'sklearn', 'auditor.checking', 'reference'}\n"
        "    assert not heavy & set(sys.modules)\n"
        "    assert 'auditor.pytest_plugin' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "auditor.pytest_plugin", "--strict-markers"],
        cwd=tmp_path,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


ROOT = Path(auditor.__file__).parents[1]
