"""``conform``: what it makes of ports that are right, wrong, crash, flood, or print the paper."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import auditor
from auditor.cli import touchstone
from auditor.conformance import store
from auditor.conformance.conform import TRIED, Outcome, conform, request
from auditor.conformance.injected import InjectedGenerator
from auditor.conformance.plain import restored
from auditor.conformance.record import replayed
from auditor.core.errors import InputError
from reference.catalogue import entries, entry
from reference.em.clipped_gradient_em import Constants, clipped_gradient_em
from reference.errata.em.models import PrintedMixture
from reference.privacy.ledger import GivenDrawsLedger

PYTHON = sys.executable


def reference_port(inputs: Any, draws: Any, case: tuple[str, str]) -> Any:
    """The reference itself, for algorithms."""
    if case[0] != "algorithms":
        raise NotImplementedError
    return replayed(entry(case[1]).function, inputs, draws)


def statuses(outcomes: list[Outcome]) -> set[str]:
    return {outcome.status for outcome in outcomes}


def test_the_reference_conforms_to_its_own_vectors() -> None:
    outcomes = conform(reference_port, "wang-1")
    assert {(o.kind, o.status) for o in outcomes} == {
        ("algorithms", "passed"),
        ("constants", "not implemented"),
        ("refusals", "not implemented"),
    }


def test_a_wrong_step_is_named_with_the_line_that_computes_it() -> None:
    def port(inputs: Any, draws: Any) -> Any:
        right = replayed(entry("wang-1").function, inputs, draws)
        right["steps"][0]["value"][0] += 1e-6
        return right

    (outcome,) = conform(port, "algorithms/wang-1/middle/1")
    assert outcome.status == "failed"
    assert outcome.why.startswith("steps[0].value[0]: expected")
    file, line = outcome.place.split(":")
    assert file == "reference/em/clipped_gradient_em.py"
    assert "ledger.gaussian" in Path(file).read_text().splitlines()[int(line) - 1]
    assert "clip_rows is left out in clipped_gradient_em" in outcome.catches


def test_a_step_within_the_tolerance_passes() -> None:
    def port(inputs: Any, draws: Any) -> Any:
        right = replayed(entry("wang-1").function, inputs, draws)
        return (np.array(right["result"]) * (1 + 1e-11)).tolist()

    assert statuses(conform(port, "algorithms/wang-1")) == {"passed"}


def test_who_followed_the_print_is_told_which_erratum_it_is() -> None:
    def port(inputs: Any, draws: Any) -> Any:
        (form,) = entry("wang-1").printed_forms
        inputs = {key: value for key, value in inputs.items() if key != "constants"}
        return replayed(form.function, inputs, draws)["result"]

    found = conform(port, "algorithms/wang-1")
    assert statuses(found) == {"failed"}
    assert {outcome.errata for outcome in found} == {("wang-1/E1",)}
    assert "this is what the paper prints: wang-1/E1" in str(found[0])


def test_who_followed_the_print_in_one_place_is_told_with_the_constants_of_the_case() -> None:
    def port(inputs: Any, draws: Any) -> Any:
        given = {key: restored(value) for key, value in inputs.items()}
        given["model"] = PrintedMixture(given["model"].standard_deviation)
        given["constants"] = Constants(**given["constants"])
        return clipped_gradient_em(**given, ledger=GivenDrawsLedger(draws)).tolist()

    (outcome,) = conform(port, "algorithms/wang-1/middle/1")
    assert outcome.status == "failed"
    assert outcome.errata == ("model-gmm/E1",)


@pytest.mark.parametrize(("factor", "named"), [(1, True), (1 + 1e-3, False)])
def test_who_coded_the_printed_noise_is_told_which_erratum_it_is(
    vectors: Any, factor: float, named: bool
) -> None:
    """One constant is the printed one, or near it, and the others are right."""
    cases = {case["id"]: case for case in vectors["constants", "diss-6.2.48"]}
    identifier = "constants/diss-6.2.48/usual/1"
    (printed,) = cases[identifier]["as_printed"]

    def port(inputs: Any, draws: Any) -> Any:
        right = cases[identifier]["result"]
        return {**right, "noise_scale": factor * printed["result"]["noise_scale"]}

    (outcome,) = conform(port, identifier)
    assert outcome.status == "failed"
    assert outcome.errata == (tuple(printed["errata"]) if named else ())


def test_a_port_that_draws_is_given_the_draws() -> None:
    def port(inputs: Any, rng: Any) -> Any:
        value = np.asarray(inputs["value"])
        return value + rng.normal(0.0, inputs["scale"], size=value.shape)

    outcomes = conform(port, "mechanisms/gaussian")
    assert {o.id.split("/")[2] for o in outcomes if o.status == "failed"} == {"huge"}


def test_draws_that_are_left_are_noticed() -> None:
    def port(inputs: Any, rng: Any) -> Any:
        return inputs["value"]

    (outcome,) = conform(port, "mechanisms/gaussian/scalar/2")
    assert outcome.why == "it raised ValueError: 1 draws were not asked for"


def test_the_injected_generator_is_asked_as_numpys() -> None:
    rng = InjectedGenerator([[[1.0, 2.0], [3.0, 4.0]], 0.5, [2, 0], 1, [1, 0]])
    assert rng.standard_normal() == 1.0
    assert rng.normal(10.0, 2.0, size=(1, 2)).tolist() == [[14.0, 16.0]]
    assert rng.laplace(scale=3.0) == 12.0
    assert rng.uniform(2.0, 4.0) == 3.0
    assert rng.choice(5, 2).tolist() == [2, 0]
    assert rng.integers(3) == 1
    assert rng.permutation(["a", "b"]).tolist() == ["b", "a"]
    with pytest.raises(ValueError, match="1 draws are asked for, 0 are left"):
        rng.random()


def program(tmp_path: Path, body: str) -> str:
    path = tmp_path / "port.py"
    lines = [
        "import json, os, sys, time",
        "for line in sys.stdin:",
        "    case = json.loads(line)",
        *(f"    {line}" for line in body.splitlines()),
    ]
    path.write_text("\n".join(lines))
    return f"{PYTHON} {path}"


ONE = "mechanisms/gaussian/scalar/2"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("os._exit(3)", "exit code 3"),
        ("print('no', flush=True)", "the answer is not JSON"),
        ("print('1\\n2', flush=True)", "more than one line"),
        ("print(json.dumps({'error': 'oh'}), flush=True)", "it says: 'oh'"),
        ("print(json.dumps([1]), flush=True)", 'the answer has no "result"'),
        ("print(json.dumps({'result': 'x'}), flush=True)", "result: expected -1.25, got 'x'"),
        ("print(json.dumps({'result': True}), flush=True)", "result: expected -1.25, got True"),
        ("print(json.dumps({'result': 1, 'steps': 2}), flush=True)", "steps: expected"),
        ("time.sleep(9)", "no answer within 0.5 s"),
        ("sys.stdout.write('x' * (1 << 27)); sys.stdout.flush()", "a line of more than 64 MiB"),
    ],
)
def test_a_program_that_fails_fails_its_case_and_no_other(
    tmp_path: Path, body: str, why: str
) -> None:
    good = "print(json.dumps({'result': case['draws'][0] * 2 + 0.25}), flush=True)"
    lines = f"if case['id'] == '{ONE}':\n    {body}\nelse:\n    {good}"
    command = program(tmp_path, lines)
    limit = 0.5 if "sleep" in body else 30.0
    first, other = conform(command, ONE, "mechanisms/laplace/scalar/1", timeout=limit)
    assert first.status == "failed"
    assert why in first.why
    assert other.status == "passed"


@pytest.mark.parametrize("body", ["sys.exit(3)", "print('?', flush=True)"])
def test_a_program_that_answers_nothing_passes_no_trap(tmp_path: Path, body: str) -> None:
    for outcome in conform(program(tmp_path, body), "printed"):
        assert outcome.status == "failed", outcome


def test_a_program_that_ends_on_every_case_is_not_started_for_all(tmp_path: Path) -> None:
    started = tmp_path / "started"
    body = f"open({str(started)!r}, 'a').write('.'); sys.exit(3)"
    outcomes = conform(program(tmp_path, body), "mechanisms")
    files = {(outcome.kind, outcome.of) for outcome in outcomes}
    assert max(TRIED, len(files)) == started.stat().st_size < len(outcomes)
    assert all(outcome.status == "failed" for outcome in outcomes)
    assert "exit code 3" in outcomes[0].why
    assert "was not asked" in outcomes[-1].why


def test_a_program_that_answers_once_is_asked_everything(tmp_path: Path) -> None:
    wrong = "print('{}', flush=True)"
    body = f"{wrong} if case['of'] == 'wishart' else sys.exit(3)"
    outcomes = conform(program(tmp_path, body), "mechanisms")
    assert not any("was not asked" in outcome.why for outcome in outcomes)


def test_a_case_tells_a_program_everything_but_the_answer() -> None:
    case = store.read(store.path_of("algorithms", "wang-1"))[0]
    assert set(request(case)) == {"id", "kind", "of", "inputs", "draws"}
    text = json.dumps(request(case))
    assert str(case["result"][0]) not in text


@pytest.mark.parametrize(
    ("port", "ids", "message"),
    [
        ("no-such-program-anywhere", (), "cannot be started"),
        (lambda inputs: 0, (), "this one takes 1"),
        (lambda inputs, draws: 0, ("wang1",), "did you mean wang-1"),
    ],
)
def test_bad_input(port: Callable[..., Any] | str, ids: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        conform(port, *ids)


def test_on_the_command_line(tmp_path: Path) -> None:
    command = program(
        tmp_path,
        "def noisy(v, d):\n"
        "    return [noisy(*p) for p in zip(v, d)] if isinstance(v, list) else v + 2 * d\n"
        "ours = case['of'] == 'gaussian' and case['kind'] == 'mechanisms'\n"
        "done = {'result': noisy(case['inputs']['value'], case['draws'][0])} if ours else None\n"
        "print(json.dumps(done or {'not implemented': True}), flush=True)",
    )
    junit = tmp_path / "junit.xml"
    asked = ["conform", "--command", command, "--junit", str(junit), "mechanisms"]
    found = CliRunner().invoke(touchstone, asked, standalone_mode=False)
    assert found.return_value == 1
    assert "mechanisms/gaussian/huge/2: failed: result[0]: expected" in found.stdout
    assert "\n3 passed, 2 failed, " in found.stdout
    assert "mechanisms/gaussian" in found.stdout
    others = list((store.FOLDER / "mechanisms").glob("*.json"))[1:]
    assert f"no case was answered of {len(others)} of mechanisms\n" in found.stdout
    assert '<failure message="mechanisms/gaussian/huge/2' in junit.read_text()
    fine = CliRunner().invoke(
        touchstone, [*asked[:3], "mechanisms/gaussian/vector/2"], standalone_mode=False
    )
    assert fine.return_value == 0
    assert "no case was answered" not in fine.stdout
    assert "mechanisms/gaussian" in fine.stdout  # also where all that were asked passed
    nothing = CliRunner().invoke(touchstone, [*asked[:3], "bit"], standalone_mode=False)
    assert nothing.return_value == 4
    assert "no case was answered of mechanisms/bit\n" in nothing.stdout
    as_json = CliRunner().invoke(
        touchstone, [*asked[:3], "--format", "json", "bit"], standalone_mode=False
    )
    said = json.loads(as_json.stdout)
    assert said["outcomes"][0]["status"] == "not implemented"
    schema = Path(auditor.__file__).parent / "templates/conform.schema.json"
    jsonschema.validate(said, json.loads(schema.read_text()))


def test_verify_tells_a_wrong_case(tmp_path: Path) -> None:
    path = store.path_of("mechanisms", "bit", tmp_path)
    path.parent.mkdir()
    text = store.path_of("mechanisms", "bit").read_text()
    path.write_text(text.replace('"result": [0, 1, 0]', '"result": [1, 1, 0]'))
    assert path.read_text() != text
    asked = ["vectors", "verify", "--vectors", str(tmp_path)]
    found = CliRunner().invoke(touchstone, asked, standalone_mode=False)
    assert found.return_value == 1
    assert "1 cases, 2 that do not conform" in found.stdout


@pytest.mark.parametrize(
    ("ids", "written"),
    [
        (("mechanisms/bit", "numbers"), {"mechanisms/bit", "numbers/doubles"}),
        (("wang-1",), {"algorithms/wang-1", "constants/wang-1", "refusals/wang-1"}),
    ],
)
def test_what_is_asked_for_is_generated(
    tmp_path: Path, ids: tuple[str, ...], written: set[str]
) -> None:
    asked = ["vectors", "generate", *ids, "--vectors", str(tmp_path)]
    found = CliRunner().invoke(touchstone, asked, standalone_mode=False)
    assert f"{len(written)} files written to" in found.stdout
    assert {f"{kind}/{of}" for kind, of, _ in store.files(tmp_path)} == written
    assert store.not_in_manifest(tmp_path) == []


def test_vectors_of_an_algorithm_are_printed_as_they_are() -> None:
    asked = ["vectors", "mechanisms/gaussian"]
    found = CliRunner().invoke(touchstone, asked, standalone_mode=False)
    assert found.stdout == store.path_of("mechanisms", "gaussian").read_text()
    one = CliRunner().invoke(touchstone, ["vectors", "show", ONE], standalone_mode=False)
    assert json.loads(one.stdout)["id"] == ONE


def test_a_port_of_the_print_fails_where_only_the_print_takes_such_draws() -> None:
    def printed(inputs: Any, draws: Any, case: tuple[str, str]) -> Any:
        (form,) = entry(case[1]).printed_forms
        return replayed(form.function, inputs, draws)

    (outcome,) = conform(printed, "printed/diss-6.3.51-W1")
    assert outcome.status == "failed"
    assert outcome.errata == ("diss-6.3.51-W1/E1",)
    assert statuses(conform(reference_port, "printed")) == {"passed"}


def test_every_erratum_that_one_would_code_is_shown_by_a_case(vectors: Any) -> None:
    """S1 and S2 with a printed form: beside the right result, or in a case of its own."""
    shown = {
        (case["of"], printed["form"])
        for (kind, _), cases in vectors.items()
        for case in cases
        for printed in (*case.get("as_printed", ()), *([case] if kind == "printed" else ()))
    }
    wanted = {
        (identifier, form.name)
        for identifier, algorithm in entries().items()
        for form in algorithm.printed_forms
        if {e.severity for e in algorithm.errata if e.name in form.errata} & {"S1", "S2"}
    }
    assert wanted - shown == set()
