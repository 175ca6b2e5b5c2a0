"""Experiments of the papers: trends, pages. Seeds are fixed."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner

from auditor.cli import main, touchstone
from auditor.core.context import Context, Tier
from auditor.core.errors import InputError, WorkerKilledError
from auditor.experiments import experiment, kept
from auditor.experiments.experiment import (
    Condition,
    Errors,
    Experiment,
    Met,
    Panel,
    Trend,
    below,
    ends_below,
    experiments,
    falls,
    modules,
    rises,
    run,
    run_all,
    select,
)
from auditor.experiments.kept import KeptFolder, run_what_is_missing
from auditor.experiments.page import SMALLER, read, write_page
from auditor.suite.keys import Sources
from auditor.suite.store import Store
from reference.catalogue import entries, errata

X = (1.0, 2.0, 4.0)


def trial(rng: np.random.Generator) -> Errors:
    return {"falls": 1 / np.array(X) + 0.01 * rng.random(3), "noise": rng.random(3)}


FALLS = Trend("the error falls", 0, falls("falls"))
RISES = Trend("the error rises", 0, rises("falls"))
WANDERS = Trend("the noise falls", 0, falls("noise"))
STANDS = Trend("nothing changes", 0, lambda errors: 0.0)


def test_gains_are_positive_where_the_trend_shows() -> None:
    errors = {"a": np.array([3.0, 9.0, 1.5, 1.0]), "b": np.array([0.0, 0.0, 4.0, 0.5])}
    assert falls("a")(errors) == 2.0
    assert rises("a")(errors) == -2.0
    assert below("b", "a")(errors) == pytest.approx(2.5)
    assert ends_below("a", "b")(errors) == -0.5
    assert ends_below("a", "b", factor=3.0)(errors) == 0.5


def panels(tier: Tier) -> Sequence[Panel]:
    return [Panel(f"{tier} panel", "n", X, trial, log_x=True)]


def an_experiment(*trends: Trend, name: str = "999 Figure 1") -> Experiment:
    return Experiment(name, "toy", "A caption.", "A setting.", panels, trends, 6, 12)


def test_curves_are_medians_and_quartiles_over_repetitions() -> None:
    found = run(an_experiment(FALLS), Context(seed=3))
    assert found["repetitions"] == 6
    (panel,) = found["panels"]
    assert panel["title"] == "quick panel"
    assert panel["x"] == list(X)
    curve = panel["curves"]["noise"]
    context = Context(seed=3).at("999 Figure 1", "0")
    seeds = context.seed_sequence().spawn(6)
    runs = np.array([trial(np.random.default_rng(seed))["noise"] for seed in seeds])
    np.testing.assert_allclose(curve["median"], np.median(runs, axis=0))
    np.testing.assert_allclose(curve["lower_quartile"], np.quantile(runs, 0.25, axis=0))
    np.testing.assert_allclose(curve["upper_quartile"], np.quantile(runs, 0.75, axis=0))
    full = run(an_experiment(FALLS), Context(seed=3, tier="full"))
    assert (full["repetitions"], full["panels"][0]["title"]) == (12, "full panel")


def test_every_panel_has_draws_of_its_own() -> None:
    two = replace(an_experiment(), panels=lambda tier: 2 * panels(tier))
    first, second = (panel["curves"]["noise"]["median"] for panel in run(two, Context())["panels"])
    assert not set(first) & set(second)


def test_a_trend_is_seen_reversed_or_not_clear() -> None:
    found = run(an_experiment(FALLS, RISES, WANDERS, STANDS), Context())["trends"]
    assert [trend["result"] for trend in found] == ["seen", "reversed", "not clear", "not clear"]
    assert [(t["wins"], t["losses"]) for t in found[:2]] == [(6, 0), (0, 6)]
    assert (found[3]["wins"], found[3]["losses"]) == (0, 0)


def test_four_repetitions_are_too_few_and_five_are_enough() -> None:
    for repetitions, result in ((4, "not clear"), (5, "seen")):
        few = replace(an_experiment(FALLS), repetitions=repetitions)
        assert run(few, Context())["trends"][0]["result"] == result


@pytest.mark.parametrize("values", [np.zeros(2), np.array([1.0, np.nan, 2.0])])
def test_a_trial_must_give_an_error_for_every_x(values: Any) -> None:
    broken = replace(
        an_experiment(), panels=lambda tier: [Panel("p", "n", X, lambda rng: {"curve": values})]
    )
    with pytest.raises(ValueError, match="panel 'p': curve needs 3 finite errors"):
        run(broken, Context())


# ------------------------------------------------------------------------ what is catalogued


def test_every_experiment_belongs_to_an_algorithm_a_panel_and_errata_that_exist() -> None:
    for one in (one for own in experiments().values() for one in own.values()):
        assert one.algorithm in entries(), one.name
        assert one.full >= one.repetitions >= 5
        count = len(one.panels("quick"))
        assert all(0 <= trend.panel < count for trend in one.trends)
        assert len(one.panels("full")) == count
        assert {trend.erratum for trend in one.trends} <= {"", *errata()}, one.name


def test_select() -> None:
    assert [e.name for e in select("em", ["002 Figure 2"])] == ["002 Figure 2"]
    assert len(select("em")) == len(experiments()["em"])
    with pytest.raises(InputError, match=r"no experiments for 'xx'; known: .*em"):
        select("xx")
    with pytest.raises(InputError, match="no experiment 'Figure 99' in em; known: "):
        select("em", ["Figure 99"])


def test_the_same_for_any_number_of_workers() -> None:
    # two workers finish repetitions in another order than one
    chosen = select("em", ["000 Figure 5", "004 Figure 7.1"])
    one, two = (run_all(chosen, Context(seed=1), workers=workers) for workers in (1, 2))
    assert json.dumps(one) == json.dumps(two)
    assert one == [run(figure, Context(seed=1)) for figure in chosen]


# ------------------------------------------------------------------------ what is kept

FIRST, SECOND = "000 Figure 2", "004 Figure 7.1"


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Define two quick experiments in the place of all, as if a module of EM did."""
    two = [an_experiment(FALLS, name=name) for name in (FIRST, SECOND)]
    monkeypatch.setattr(experiment, "_defined", lambda: [("auditor.experiments.em", two)])
    for cached in (experiments, modules):
        cached.cache_clear()
    yield
    for cached in (experiments, modules):
        cached.cache_clear()


def kept_run(
    folder: Path, *names: str, seed: int = 1, fresh: bool = False
) -> tuple[list[dict[str, Any]], list[int], list[str]]:
    """Return results, what was told of the progress, and warnings."""
    told: list[int] = []
    warned: list[str] = []
    results = run_what_is_missing(
        select("em", names),
        Context(seed=seed),
        KeptFolder(Store(folder), fresh, warned.append),
        progress=told.append,
    )
    return results, told, warned


@pytest.mark.usefixtures("toys")
def test_an_experiment_is_run_once_for_a_seed_unless_fresh(tmp_path: Path) -> None:
    first, told, _ = kept_run(tmp_path, FIRST)
    assert told == [0, 1]
    assert kept_run(tmp_path, FIRST) == (first, [1], [])
    assert first == run_all(select("em", [FIRST]), Context(seed=1))
    assert kept_run(tmp_path, FIRST, fresh=True)[1] == [0, 1]
    other, told, _ = kept_run(tmp_path, FIRST, seed=2)
    assert told == [0, 1]
    assert other != first
    assert kept_run(tmp_path, FIRST) == (first, [1], [])


@pytest.mark.usefixtures("toys")
def test_what_is_missing_is_added_in_the_order_of_the_family(tmp_path: Path) -> None:
    kept_run(tmp_path, SECOND)
    results, told, _ = kept_run(tmp_path, SECOND, FIRST)
    assert told == [1, 2]
    assert [result["name"] for result in results] == [FIRST, SECOND]


@pytest.mark.usefixtures("toys")
def test_a_result_under_the_name_of_another_is_not_taken(tmp_path: Path) -> None:
    kept_run(tmp_path, FIRST)
    (file,) = tmp_path.iterdir()
    shutil.copy(file, tmp_path / "000-figure-2.quick-2.json")
    shutil.copy(file, tmp_path / "004-figure-7.1.quick-1.json")
    for name, seed in ((FIRST, 2), (SECOND, 1)):
        results, told, warned = kept_run(tmp_path, name, seed=seed)
        assert (results[0]["name"], told, warned) == (name, [0, 1], [])


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("edited", "told"),
    [
        ("reference.em.gradient_em", [0, 1]),
        ("auditor.experiments.experiment", [0, 1]),
        ("auditor.experiments.em_highdim", [1]),
    ],
)
def test_other_code_is_not_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str, told: list[int]
) -> None:
    kept_run(tmp_path, FIRST)
    read = Sources.read

    def read_edited(own: Sources, name: str, path: Path, package: str) -> None:
        read(own, name, path, package)
        if name == edited:
            own._hashes[name] = "other"

    monkeypatch.setattr(Sources, "read", read_edited)
    assert kept_run(tmp_path, FIRST)[1] == told


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt, 130, "interrupted; finished work is kept"),
        (WorkerKilledError, 2, "fewer --workers need less; finished work is kept"),
    ],
)
def test_an_interrupted_run_keeps_what_was_finished(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    error: type[BaseException],
    status: int,
    said: str,
) -> None:
    run_one = experiment._run_one

    def interrupted(name: str, *of: Any) -> tuple[str, int, int, experiment.Errors]:
        if name == SECOND:
            raise error
        return run_one(name, *of)

    command = ["touchstone", "experiments", "em", "--figure", FIRST, "--figure", SECOND]
    command += ["--workers", "1", "--seed", "1"]
    command += ["--results", str(tmp_path), "--docs", str(tmp_path / "docs")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "_run_one", interrupted)
        patch.setattr("sys.argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == status
    assert said in capsys.readouterr().err
    assert kept_run(tmp_path / "experiments", FIRST, SECOND)[1] == [1, 2]


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("content", ["{", '{"key": "", "result": {"name": "000 Figure 2"}}'])
def test_a_broken_result_is_set_aside_and_run_again(tmp_path: Path, content: str) -> None:
    (tmp_path / "000-figure-2.quick-1.json").write_text(content, encoding="utf-8")
    _, told, (line,) = kept_run(tmp_path, FIRST)
    assert told == [0, 1]
    assert "000-figure-2.quick-1.json is broken; kept as 000-figure-2.quick-1.json.broken" in line
    assert (tmp_path / "000-figure-2.quick-1.json.broken").read_text(encoding="utf-8") == content


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with Store(tmp_path).locked(), pytest.raises(InputError, match="another run is writing to"):
        kept_run(tmp_path, FIRST)


def test_every_experiment_has_a_file_and_a_module_of_its_own() -> None:
    names = [name for own in experiments().values() for name in own]
    assert len({kept._file(name, Context()) for name in names}) == len(names)
    for name, module in modules().items():
        assert name in [one.name for one in importlib.import_module(module).EXPERIMENTS]
    assert set(modules()) == set(names)


# ------------------------------------------------------------------------------- drawings


def test_page(tmp_path: Path) -> None:
    marked = replace(RISES, erratum="toy/1", words="it rises")
    results = [run(an_experiment(FALLS, marked, name="003 Figure 1"), Context())]
    page = write_page(results, "toys", tmp_path, Context())
    text = page.read_text(encoding="utf-8")
    assert "| the error falls | quick panel | seen | 6, 0 |" in text
    assert "| it rises | quick panel | **reversed** (erratum toy/1) | 0, 6 |" in text
    assert "## Hu, Ni, Xiao and Wang (2022), Figure 1\n" in text
    assert '`--figure "003 Figure 1"`' in text
    picture = tmp_path / "experiments-toys-003-figure-1.png"
    assert "(toys.json)" in text
    assert read("toys", tmp_path) == {"tier": "quick", "seed": 0, "results": results}
    assert picture.stat().st_size > 1000
    first = picture.read_bytes()
    write_page(results, "toys", tmp_path, Context())
    assert picture.read_bytes() == first
    assert text.count(f"\n{SMALLER}\n") == 1
    full = write_page(results, "toys", tmp_path, Context(tier="full")).read_text(encoding="utf-8")
    assert SMALLER not in full


def test_a_page_keeps_the_other_experiments_of_the_same_runs(tmp_path: Path) -> None:
    one, two, other = (
        run(an_experiment(FALLS, name=f"003 Figure {k}"), Context(seed=seed))
        for k, seed in ((1, 0), (2, 0), (1, 1))
    )
    write_page([one, two], "toys", tmp_path, Context())
    again = {**one, "caption": "Run again"}
    write_page([again], "toys", tmp_path, Context())
    assert read("toys", tmp_path)["results"] == [again, two]
    write_page([other], "toys", tmp_path, Context(seed=1))
    assert read("toys", tmp_path) == {"tier": "quick", "seed": 1, "results": [other]}


def test_conditions_are_asked_once_and_shown(tmp_path: Path) -> None:
    def asked(rng: np.random.Generator) -> list[Condition]:
        return [Condition(f"u = {rng.random():.3f}", "a half", met) for met in get_args(Met)]

    one = replace(an_experiment(FALLS, name="003 Figure 1"), conditions=asked)
    found = run(one, Context(seed=3))
    assert found["conditions"] == run(one, Context(seed=3))["conditions"]
    assert json.loads(json.dumps(found)) == found
    text = write_page([found], "toys", tmp_path, Context()).read_text(encoding="utf-8")
    for condition, shown in zip(
        found["conditions"], ("met", "**not met**", "not known"), strict=True
    ):
        assert f"| {condition['words']} | a half | {shown} |" in text
    without = write_page(
        [run(an_experiment(FALLS, name="003 F"), Context())], "t", tmp_path, Context()
    )
    assert "the theorem assumes" not in without.read_text(encoding="utf-8")


@pytest.mark.usefixtures("toys")
def test_command(tmp_path: Path) -> None:
    results = tmp_path / "results"
    arguments = ["experiments", "em", "--figure", FIRST, "--docs", str(tmp_path)]
    arguments += ["--workers", "1", "--results", str(results)]
    found = CliRunner().invoke(touchstone, arguments)
    assert found.exit_code == 0, found.output
    page = (tmp_path / "em.md").read_text(encoding="utf-8")
    (file,) = (results / "experiments").iterdir()
    before = file.stat().st_mtime_ns
    again = CliRunner().invoke(touchstone, arguments)
    assert (again.exit_code, again.stdout) == (0, found.stdout)
    assert file.stat().st_mtime_ns == before
    assert (tmp_path / "em.md").read_text(encoding="utf-8") == page
    assert CliRunner().invoke(touchstone, [*arguments, "--fresh"]).exit_code == 0
    assert file.stat().st_mtime_ns > before
    file.write_text("{", encoding="utf-8")
    warned = CliRunner().invoke(touchstone, arguments)
    assert (warned.exit_code, warned.stdout) == (0, found.stdout)
    assert f"{file.name} is broken; kept as" in " ".join(warned.stderr.split())


def test_command_warns_of_the_quick_tier_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "run_what_is_missing", lambda *_, **__: [])
    arguments = ["experiments", "em", "--results", str(tmp_path)]
    for tier in ("quick", "full"):
        own = ["--tier", tier, "--docs", str(tmp_path / tier)]
        found = CliRunner().invoke(touchstone, [*arguments, *own])
        assert found.exit_code == 0, found.output
        assert (SMALLER in found.stderr) == (tier == "quick")


def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["touchstone", "experiments", "nothing"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    assert "no experiments for 'nothing'" in capsys.readouterr().err
