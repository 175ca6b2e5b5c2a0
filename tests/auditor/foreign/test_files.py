"""Vectors, ports, witnesses and data of others are refused in one line, or used without harm."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import auditor
from auditor.checking.loading import load_pair
from auditor.checking.request import Request
from auditor.cli import touchstone
from auditor.conformance import store as vectors
from auditor.conformance.conform import conform
from auditor.conformance.plain import named, written
from auditor.core.errors import InputError
from auditor.core.files import CANNOT_BE_READ, DEEPEST, parse_json
from reference.local.links import LOGISTIC

# -------------------------------------------------------------------------------- vectors, ports

OURS = (("mechanisms", "bit"), ("accounting", "tight"), ("refusals", "wang-1"))


def copied(folder: Path, *which: tuple[str, str]) -> dict[Path, Any]:
    """Copy some vectors into a folder; return its files and their contents."""
    found = {}
    for kind, of in which:
        path = vectors.path_of(kind, of, folder)
        path.parent.mkdir(parents=True)
        content = json.loads(vectors.path_of(kind, of).read_text())
        content["cases"] = content["cases"][:2]
        path.write_text(json.dumps(content))
        found[path] = content
    (folder / vectors.MANIFEST).write_text(written(vectors.manifest(folder)))
    return found


def listed(folder: Path) -> None:
    """Write the manifest that a forger would."""
    files = {f"{k}/{o}.json": {"sha256": vectors._sha256(p), "cases": 1}
             for k, o, p in vectors.files(folder)}  # fmt: skip
    (folder / vectors.MANIFEST).write_text(json.dumps({"format": 2, "files": files}))


def test_vectors_that_the_manifest_does_not_list_are_not_put(forger: Any, inside: Path) -> None:
    contents = copied(inside / "v", *OURS)
    assert len(conform(lambda inputs, draws: 0, folder=inside / "v")) == 5
    path, content = next(iter(contents.items()))
    edited = json.dumps(forger.replaced(content, ("cases", 0, "result"), [1, 1, 1]))
    lost = inside / "v" / vectors.MANIFEST
    manifest = lost.read_text()
    asked = ["conform", "--command", "true", "--vectors", "v"]
    for change in (
        lambda: path.write_text(edited),
        lambda: path.unlink(),
        lambda: path.with_name("more.json").write_text(edited),
        lambda: lost.write_text("{}"),
        lambda: lost.unlink(),
    ):
        path.write_text(json.dumps(content))
        lost.write_text(manifest)
        change()
        with pytest.raises(InputError, match=r"manifest"):
            conform(lambda inputs, draws: 0, folder=inside / "v")
        assert forger.status(*asked) == 2


@pytest.mark.parametrize("one", OURS, ids="/".join)
def test_vectors_of_others_are_refused_in_one_line_or_put(
    forger: Any, inside: Path, one: tuple[str, str]
) -> None:
    ((path, content),) = copied(inside / "v", one).items()
    for changed, _ in forger.hostile(content, 60, seed=10):
        path.write_text(json.dumps(changed))
        listed(inside / "v")
        try:
            outcomes = conform(lambda inputs, draws: 0, folder=inside / "v")
        except InputError as error:
            forger.require_one_line(error)
        else:
            assert len(outcomes) == len(content["cases"])
    for text in forger.raw_texts(content, 11):
        path.write_text(text)
        listed(inside / "v")
        for command in (["conform", "--command", "true"], ["vectors", "verify"]):
            assert forger.status(*command, "--vectors", "v") == 2


def test_a_manifest_of_others_is_refused(forger: Any, inside: Path) -> None:
    copied(inside / "v", OURS[0])
    for text in (*forger.raw_texts({"format": 2, "files": {}}, 12), '{"format": 2, "files": []}'):
        (inside / "v" / vectors.MANIFEST).write_text(text)
        assert forger.status("conform", "--command", "true", "--vectors", "v") == 2


def test_a_vector_names_what_is_the_reference_alone() -> None:
    assert named("local.links.LOGISTIC") is LOGISTIC
    for name in ("catalogue.importlib", "catalogue.import_module", "os.system", "pwned_module.run"):
        with pytest.raises(KeyError):
            named(name)


PORT = """
import json, sys
answers = json.load(open("answers.json"))
for line in sys.stdin.buffer:
    answer = answers.pop(0).encode("utf-8", "surrogateescape")
    if answer == b"endless":
        while True:
            sys.stdout.buffer.write(b"1" * 65536)
    json.dump(answers, open("answers.json", "w"))
    if answer == b"dies":
        sys.exit("\\0\\33[2J \\uffff <pwned>")
    sys.stdout.buffer.write(answer + b"\\n")
    sys.stdout.flush()
"""


def test_answers_of_ports_are_failures_and_lose_nothing(forger: Any, inside: Path) -> None:
    answers = [f'{{"result": {token}}}' for token in forger.raw]
    answers += [f'{{"result": {json.dumps(text)}}}' for text in forger.texts]
    answers += [
        "[" * 200_000,
        '{"result": "\udcff"}',
        "",
        "dies",
        "endless",
        '{"error": "\\u0000\\uffff"}',
    ]
    content = json.loads(vectors.path_of("mechanisms", "gaussian").read_text())
    (case, *_) = content["cases"]
    content["cases"] = [
        {**case, "id": f"mechanisms/gaussian/case-{i}/1"} for i in range(len(answers))
    ]
    path = vectors.path_of("mechanisms", "gaussian", inside / "v")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content))
    listed(inside / "v")
    (inside / "port.py").write_text(PORT)
    (inside / "answers.json").write_text(json.dumps(answers))
    outcomes = conform([sys.executable, "port.py"], folder=inside / "v", timeout=5)
    assert len(outcomes) == len(answers)
    for found in outcomes:
        assert found.status == "failed"
        assert len(str(found).splitlines()) == 1, str(found)
    (inside / "answers.json").write_text(json.dumps(answers))
    command = f"{sys.executable} port.py"
    asked = [
        "conform",
        "--command",
        command,
        "--vectors",
        "v",
        "--junit",
        "j.xml",
        "--timeout",
        "5",
    ]
    assert forger.status(*asked) == 1
    assert len(ElementTree.parse("j.xml").findall("testcase/failure")) == len(answers)


def test_functions_that_answer_anything_are_failures(inside: Path) -> None:
    copied(inside / "v", *OURS)
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for answer in (10**400, object(), deep, {1: 2}, "\ud800", float("nan"), {"result": 10**5000}):
        (found, *_) = conform(lambda inputs, draws, a=answer: a, folder=inside / "v")
        assert found.status == "failed"


def test_a_line_that_never_ends_is_no_answer_in_time(inside: Path) -> None:
    (inside / "drip.py").write_text(
        "import sys, time\nfor _ in range(300):\n    sys.stdout.write('1'); sys.stdout.flush()\n"
        "    time.sleep(0.01)\nprint()\n"
    )
    (found, *_) = conform([sys.executable, "drip.py"], "numbers/doubles/tiny/1", timeout=0.5)
    assert found.why.startswith("no answer within 0.5 s")


# ------------------------------------------------------------------------------------- witnesses


def a_witness(**request: Any) -> dict[str, Any]:
    asked = {
        "target": None, "command": "touch pwned", "pair_file": "pair.json", "pair_from": None,
        "domain": None, "kind": None, "claims": {}, "relation": None, "folder": ".",
        "options": {
            "epsilon": 1.0, "delta": 0.0, "batched": False, "workers": 1, "call_timeout": None
        },
        **request,
    }  # fmt: skip
    array = {"array": [0.0, 1.0], "dtype": "float64"}
    witness = {
        "D": array, "D'": array, "samples": 10, "budget": 10, "seed": 0, "alpha": 0.01,
        "claim": {"kind": "EpsilonDelta", "epsilon": 1.0, "delta": 0.0}, "plans": [10],
    }  # fmt: skip
    question = {
        "question": "accounting", "status": "violated", "summary": "s", "evidence": {},
        "witness": {"a": 1}, "p_value": None, "findings": [],
    }  # fmt: skip
    return {
        "format": "touchstone-witness/1", "request": asked, "summary": "s", "witness": witness,
        "questions": [question],
    }  # fmt: skip


def test_no_witness_runs_before_somebody_says_so(
    forger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: Any, **__: Any) -> None:
        pytest.fail("a witness was run")

    monkeypatch.setattr("auditor.checking.witness_file.run_safely", run)
    names: tuple[dict[str, Any], ...] = (
        {},
        {"command": None, "target": "pwned_module:run"},
        {"command": "true", "pair_file": None, "pair_from": "pwned_module:run"},
        {"command": "true", "pair_file": None, "domain": "pwned_module:run"},
        {"command": "true", "claims": {"trade_off": "pwned_module:run"}},
        {"command": "true", "options": {"epsilon": 1}},
    )
    for name in names:
        Path("w.json").write_text(json.dumps(a_witness(**name)))
        assert forger.status("rerun", "w.json") == 2
    for content, what in forger.hostile(a_witness(), 100, seed=13):
        Path("w.json").write_text(json.dumps(content))
        assert forger.status("rerun", "w.json") == 2, what
    for text in forger.raw_texts(a_witness(), 14):
        Path("w.json").write_text(text)
        assert forger.status("rerun", "w.json") == 2


def test_all_that_a_witness_runs_is_shown(monkeypatch: pytest.MonkeyPatch, inside: Path) -> None:
    hidden = "true" + " " * 500 + "\n; touch pwned \x1b[8m"
    shown = a_witness(command=hidden, claims={"trade_off": "pwned_module:run"})
    Path("w.json").write_text(json.dumps(shown))
    with pytest.raises(InputError) as refused:
        invoke("rerun", "w.json")
    said = str(refused.value)
    assert "true ; touch pwned \\x1b[8m; pwned_module:run" in said
    assert str(inside) in said
    assert "--yes" in said
    # at a terminal the user is asked, and no is the answer that an empty line gives
    monkeypatch.setattr("auditor.cli.rerun._is_asked", lambda: True)
    for answer in ("n\n", "\n"):
        with pytest.raises(InputError, match="was not run"):
            invoke("rerun", "w.json", given=answer)
    ran: list[Any] = []
    monkeypatch.setattr(
        "auditor.checking.witness_file.show_again", lambda *a, **_: ran.append(a) or []
    )
    invoke("rerun", "w.json", given="y\n")
    invoke("rerun", "w.json", "--yes")
    assert len(ran) == 2


def invoke(*arguments: str, given: str = "") -> None:
    ran = CliRunner().invoke(touchstone, arguments, input=given, standalone_mode=False)
    if ran.exception is not None:
        raise ran.exception


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("change", ["claim", "data", "release"])
def test_a_witness_that_makes_no_sense_is_bad_input(forger: Any, change: str) -> None:
    witness = a_witness(command="true")
    if change == "claim":
        witness["witness"]["claim"] = {"kind": "EpsilonDelta", "epsilon": "text", "more": 1}
    elif change == "data":
        witness["witness"]["D"] = {"array": [[1], 2], "dtype": "pwned"}
    else:
        witness["witness"] = None
    Path("pair.json").write_text("[[0], [1]]")
    Path("w.json").write_text(json.dumps(witness))
    assert forger.status("rerun", "--yes", "w.json", "--timeout", "20") == 2


def test_a_witness_given_to_python_runs_the_mechanism_alone(forger: Any) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        return float(np.sum(data) + rng.laplace())

    witness = a_witness()["witness"]
    parts = [path for path in forger.places(witness) if path[0] in ("D", "D'", "claim")]
    for path in parts:
        for new in (*forger.texts[:2], "pwned_module:run", None, [], {}):
            changed = forger.replaced(witness, path, new)
            try:
                auditor.rerun(mechanism, changed, samples=20)
            except InputError:
                continue


# ------------------------------------------------------------------------------------- other files


def test_json_from_elsewhere_is_finite_flat_and_text(forger: Any) -> None:
    for token in forger.raw:
        with pytest.raises(CANNOT_BE_READ):
            parse_json(token)
        with pytest.raises(CANNOT_BE_READ):
            parse_json(f'{{"a": [{token}]}}')
    for token in (b"\xff", "\x00", '{"a": 1', "1 2", "\ufeff1"):
        with pytest.raises(CANNOT_BE_READ):
            parse_json(token)
    whole = '{"a": [1, -2.5, null, true, "\\ud83d\\ude00", ' + "9" * 300 + "]}"
    assert parse_json(whole) == json.loads(whole)
    deepest = "[" * DEEPEST + "]" * DEEPEST
    assert parse_json(deepest) == json.loads(deepest)


def test_a_pair_of_others_is_data(forger: Any, inside: Path) -> None:
    pickled = inside / "pair.npy"
    np.save(pickled, np.array([Acts(), Acts()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="no array"):
        load_pair(Request(pair_file=str(pickled)))
    for token in forger.raw:
        Path("pair.json").write_text(f"[[1], [{token}]]")
        with pytest.raises(InputError, match=r"pair\.json cannot be read"):
            load_pair(Request(pair_file="pair.json"))


class Acts:
    """An object whose pickle writes a file."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return open, ("pwned", "w")
