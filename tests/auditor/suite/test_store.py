"""Results on disk: round trips, atomic writes, keys, broken files."""

import dataclasses
import json
import os
from pathlib import Path

import pytest

from auditor.core.errors import InputError
from auditor.core.verdict import Verdict
from auditor.suite import store as store_module
from auditor.suite.store import (
    BrokenResultError,
    FormResult,
    Result,
    Settings,
    Store,
    code_hash,
    dump,
    key,
)


def a_result(identifier: str = "wang-1", settings: Settings | None = None) -> Result:
    settings = settings or Settings(tests=7)
    verdict = Verdict(
        "accounting",
        "violated",
        "epsilon 2 > 1",
        evidence={"epsilon": 2.0, "infinite": float("inf")},
        witness={"data": [[1.0]]},
        p_value=1e-9,
        findings=({"kind": "floating point"},),
    )
    form = FormResult(
        "(1, 0.01)-DP",
        1.0,
        0.01,
        None,
        {"n": 10},
        {"accounting": (1, 3)},
        {"accounting": Verdict.from_json(verdict.to_json())},
    )
    return Result(identifier, key(identifier, settings), settings, {"printed": form})


def test_a_result_reads_back_as_it_was_written(tmp_path: Path) -> None:
    result = a_result()
    store = Store(tmp_path)
    store.save(result)
    assert store.load("wang-1") == result
    assert store.load_current("wang-1", result.key) == result
    assert store.load("wang-2") is None
    assert store.load_all() == {"wang-1": result}


def test_another_key_is_not_current(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(a_result())
    assert store.load_current("wang-1", "0" * 64) is None


def test_the_key_depends_on_every_setting_and_on_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    base = Settings()
    others = [
        Settings(tier="full"),
        Settings(seed=1),
        Settings(confidence=0.95),
        Settings(tests=2),
    ]
    keys = {key("wang-1", settings) for settings in (base, *others)} | {key("wang-2", base)}
    assert len(keys) == 6
    before = key("wang-1", base)
    monkeypatch.setattr(store_module, "code_hash", lambda: "other code")
    assert key("wang-1", base) != before


def test_the_code_hash_sees_algorithms_and_questions_but_not_presentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("reference", "auditor"):
        (tmp_path / name).mkdir()
        package = getattr(store_module, name)
        monkeypatch.setattr(package, "__path__", [str(tmp_path / name)])

    def hashed() -> str:
        return code_hash.__wrapped__()

    (tmp_path / "reference" / "algorithm.py").write_text("x = 1\n")
    first = hashed()
    (tmp_path / "auditor" / "report.py").write_text("x = 1\n")
    assert hashed() == first
    (tmp_path / "auditor" / "scaling.py").write_text("x = 1\n")
    second = hashed()
    assert second != first
    (tmp_path / "reference" / "algorithm.py").write_text("x = 2\n")
    assert hashed() not in (first, second)
    monkeypatch.setattr(store_module.metadata, "version", lambda name: "0")
    third = hashed()
    monkeypatch.setattr(store_module.metadata, "version", lambda name: "1")
    assert hashed() != third


def test_a_result_of_another_configuration_is_kept_and_found_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    full = a_result(settings=Settings(tier="full", tests=7))
    quick = a_result()
    store.save(full)
    store.save(quick)
    assert store.load("wang-1") == quick
    assert store.load_current("wang-1", full.key) == full
    assert store.load("wang-1") == full  # the latest again
    assert store.load_current("wang-1", quick.key) == quick


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": "touchstone-result/1"}',
        '{"format": "something else"}',
        "\x00\xff",
    ],
)
def test_a_broken_file_is_named_with_the_remedy(tmp_path: Path, content: str) -> None:
    path = tmp_path / "wang-1.json"
    path.write_text(content, encoding="latin-1")
    store = Store(tmp_path)
    with pytest.raises(BrokenResultError, match="run `touchstone audit wang-1`") as caught:
        store.load("wang-1")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_under_another_name_or_with_another_status_is_broken(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_json("wang-2.json", a_result("wang-1").to_json())
    with pytest.raises(BrokenResultError, match="it is about wang-1"):
        store.load("wang-2")
    stored = a_result().to_json()
    stored["forms"]["printed"]["verdicts"]["accounting"]["status"] = "fine"
    store.write_json("wang-1.json", stored)
    with pytest.raises(BrokenResultError, match="status"):
        store.load("wang-1")


def test_setting_aside_never_overwrites(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for text in ("one", "two", "three"):
        (tmp_path / "a.json").write_text(text)
        store.set_aside(tmp_path / "a.json")
    kept = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert kept == {
        "a.json.broken": "one",
        "a.json.broken-2": "two",
        "a.json.broken-3": "three",
    }


def test_saving_over_a_broken_file_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "wang-1.json").write_text("{")
    store = Store(tmp_path)
    store.save(a_result())
    assert store.load("wang-1") == a_result()
    assert (tmp_path / "wang-1.json.broken").read_text() == "{"


def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write results to .*--results"):
        Store(tmp_path / "file" / "results").require_writable()


def test_the_text_depends_only_on_the_content() -> None:
    result = a_result()
    assert dump(result.to_json()) == dump(Result.from_json(result.to_json()).to_json())
    with pytest.raises(ValueError):
        dump({"x": float("nan")})


def test_a_write_that_fails_half_way_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    store.write_json("x.json", ["old"])

    def full_disk(descriptor: int) -> None:
        assert json.loads((tmp_path / "x.json").read_text()) == ["old"]
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        store.write_json("x.json", ["new"] * 10_000)
    assert json.loads((tmp_path / "x.json").read_text()) == ["old"]
    monkeypatch.undo()
    assert store.write_json("x.json", ["new"]) == tmp_path / "x.json"
    assert json.loads((tmp_path / "x.json").read_text()) == ["new"]


def test_settings_are_frozen_and_make_the_context() -> None:
    settings = Settings(tier="full", seed=3, confidence=0.9, tests=5)
    context = settings.context()
    assert (context.tier, context.seed, context.confidence, context.tests) == ("full", 3, 0.9, 5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.seed = 4  # type: ignore[misc]
