"""Results on disk: round trips, atomic writes, keys, broken files."""

import dataclasses
import hashlib
import json
import os
import signal
from pathlib import Path

import pytest

from auditor.core.errors import InputError
from auditor.core.verdict import Verdict
from auditor.suite.store import BrokenResultError, FormResult, Result, Settings, Store, dump


def a_result(identifier: str = "wang-1", settings: Settings | None = None) -> Result:
    settings = settings or Settings()
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
        {"accounting": ("wang-1/E1", "wang-1/E3")},
        3,
        {"accounting": Verdict.from_json(verdict.to_json())},
        {"accounting": a_key(identifier, settings)},
    )
    return Result(identifier, settings, {"printed": form})


def a_key(identifier: str, settings: Settings) -> str:
    return hashlib.sha256(f"{identifier} {settings}".encode()).hexdigest()


def test_a_result_reads_back_as_it_was_written(tmp_path: Path) -> None:
    result = a_result()
    store = Store(tmp_path)
    store.save(result)
    assert store.load("wang-1") == result
    assert store.load("wang-2") is None
    assert store.load_all(["wang-1", "wang-2"]) == {"wang-1": result}
    assert store.load_all(["wang-2"]) == {}


def test_every_verdict_is_found_by_its_key_those_of_earlier_configurations_too(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    full, quick = a_result(settings=Settings(tier="full")), a_result()
    assert store.verdicts("wang-1") == {}
    store.save(full)
    store.save(quick)
    assert store.load("wang-1") == quick
    found = store.verdicts("wang-1")
    keys = [a_key("wang-1", result.settings) for result in (full, quick)]
    assert found == dict.fromkeys(keys, quick.forms["printed"].verdicts["accounting"])
    (earlier,) = (tmp_path / "earlier").iterdir()
    assert earlier.name == "wang-1.full-0-0.99999.json"
    earlier.write_text("{")
    assert set(store.verdicts("wang-1")) == {keys[1]}


def test_what_was_edited_is_broken(tmp_path: Path) -> None:
    store = Store(tmp_path)
    path = store.save(a_result())
    text = path.read_text()
    for old, new in (("epsilon 2 > 1", "epsilon 1 < 2"), ('"n": 10', '"n": 11')):
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        with pytest.raises(BrokenResultError, match="not what was written"):
            store.load("wang-1")
    path.write_text(json.dumps(json.loads(text)))  # the same content, laid out otherwise
    assert store.load("wang-1") == a_result()


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": "touchstone-result/3"}',
        '{"format": "something else"}',
        "\x00\xff",
        DEEP,
    ],
)
def test_a_broken_file_is_named_with_the_remedy(tmp_path: Path, content: str) -> None:
    path = tmp_path / "wang-1.json"
    path.write_text(content, encoding="latin-1")
    store, lines = Store(tmp_path), list[str]()
    with pytest.raises(BrokenResultError, match="run `touchstone audit wang-1`") as caught:
        store.load("wang-1")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ("nested too deeply" in str(caught.value)) == (content == DEEP)
    # what an audit can do without is set aside, and what is saved over it keeps it
    path.rename(tmp_path / "proofs.json")
    with pytest.raises(InputError, match=r"proofs\.json is broken"):
        store.read_json("proofs.json", "proofs")
    assert store.read_beside("proofs.json", "proofs", lines.append) is None
    assert lines == [f"{tmp_path}/proofs.json is broken; kept as proofs.json.broken"]
    assert store.read_beside("proofs.json", "proofs", lines.append) is None
    assert len(lines) == 1
    (tmp_path / "proofs.json.broken").rename(path)
    store.save(a_result())
    assert store.load("wang-1") == a_result()
    assert (tmp_path / "wang-1.json.broken").read_text(encoding="latin-1") == content


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


def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write .*results .*--results"):
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
    with pytest.raises(
        InputError, match=r"cannot write .*x\.json .*no space.*finished work is kept"
    ):
        store.write_json("x.json", ["new"] * 10_000)
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert json.loads((tmp_path / "x.json").read_text()) == ["old"]
    monkeypatch.undo()
    assert store.write_json("x.json", ["new"]) == tmp_path / "x.json"
    assert json.loads((tmp_path / "x.json").read_text()) == ["new"]


def test_settings_are_frozen_and_make_the_context() -> None:
    settings = Settings(tier="full", seed=3, confidence=0.9)
    context = settings.context(5)
    assert (context.tier, context.seed, context.confidence, context.tests) == ("full", 3, 0.9, 5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.seed = 4  # type: ignore[misc]


def test_what_is_no_file_is_broken_and_not_waited_for(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def expired(*_: object) -> None:
        raise TimeoutError("it waits for somebody to write")

    os.mkfifo(tmp_path / "wang-1.json")
    os.mkfifo(tmp_path / "proofs.json")
    store = Store(tmp_path)
    before = signal.signal(signal.SIGALRM, expired)
    request.addfinalizer(lambda: signal.signal(signal.SIGALRM, before))
    request.addfinalizer(lambda: signal.alarm(0))
    signal.alarm(60)
    for read in (
        lambda: store.load("wang-1"),
        lambda: store.read_json("proofs.json", ""),
        lambda: store.load_all(["wang-1"]),
        lambda: store.verdicts("wang-1"),
    ):
        with pytest.raises(InputError, match="it is no regular file"):
            read()
