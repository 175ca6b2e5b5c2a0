"""The files of vectors: complete, as their schemas say, read as written, kept as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.conformance import store
from auditor.conformance.kinds import NAMES, kinds
from auditor.conformance.mutants import FLAGS
from auditor.conformance.plain import plain, restored, written
from auditor.conformance.store import ChangedCaseError
from auditor.core.errors import InputError
from reference.constraint_sets import L2Ball
from reference.local.links import LOGISTIC

SCHEMAS = store.FOLDER / "schemas"
MOST_BYTES = 5_000_000


@pytest.mark.parametrize("kind", NAMES)
def test_there_is_a_file_for_everything_and_nothing_else(kind: str, vectors: Any) -> None:
    assert {of for name, of in vectors if name == kind} == set(kinds()[kind].names())


@pytest.mark.parametrize("kind", NAMES)
def test_a_schema_refuses_a_case_without_a_reason_for_its_tolerance(
    kind: str, tmp_path: Path
) -> None:
    path = next(path for name, _, path in store.files() if name == kind)
    content = store.expanded(json.loads(path.read_text()))
    del content["cases"][0]["tolerance"]["because"]
    (tmp_path / kind).mkdir()
    other = tmp_path / kind / path.name
    other.write_text(json.dumps({**content, "shared": {}}))
    with pytest.raises(InputError, match="because"):
        store.read(other)


def test_flags_are_those_of_the_schema() -> None:
    common = json.loads((SCHEMAS / "common.schema.json").read_text())
    flag = common["$defs"]["catches"]["items"]["properties"]["flag"]
    assert flag["enum"] == list(FLAGS)


def test_the_readme_says_what_becomes_of_every_kind_of_draw() -> None:
    text = (store.FOLDER / "README.md").read_text(encoding="utf-8")
    table = text.split("## Steps and draws")[1].split("\n## ")[0]
    first = "\n".join(re.findall(r"^\| (`[^|]*) \|", table, flags=re.MULTILINE))
    common = json.loads((SCHEMAS / "common.schema.json").read_text())
    kinds_of_steps = common["$defs"]["step"]["properties"]["kind"]["enum"]
    assert set(re.findall(r"`([a-z0-9 ]+)`", first)) == set(kinds_of_steps)


def test_the_manifest_is_of_these_files() -> None:
    assert store.not_in_manifest() == []
    assert sum(path.stat().st_size for path in store.FOLDER.rglob("*")) < MOST_BYTES


def test_what_cases_share_is_said_once_and_nothing_is_lost(vectors: Any) -> None:
    for (kind, of), cases in vectors.items():
        text = written(store.shortened(kind, of, cases)) + "\n"
        assert store.expanded(json.loads(text))["cases"] == cases
        assert len(text) <= len(written({"kind": kind, "of": of, "cases": cases})) + 1000


def test_numbers_that_are_equal_but_not_written_alike_stay_as_they_are() -> None:
    cases = [{"id": str(k), "inputs": {"x": x}} for k, x in enumerate((1, 1, 1.0))]
    found = store.expanded(store.shortened("kind", "of", cases))["cases"]
    assert [type(case["inputs"]["x"]) for case in found] == [int, int, float]
    lone = [{"id": "0", "inputs": {"x": 1}}, {"id": "1", "inputs": {}}]
    assert store.expanded(store.shortened("kind", "of", lone))["cases"] == lone


def test_ports_are_told_what_parameters_may_be() -> None:
    path = store.FOLDER / store.PARAMETERS_FILE
    assert path.read_text(encoding="utf-8") == store.parameter_table()


def test_ids_are_said_once(vectors: Any) -> None:
    ids = [case["id"] for cases in vectors.values() for case in cases]
    assert len(ids) == len(set(ids))


def test_the_manifest_notices_a_changed_file(tmp_path: Path) -> None:
    path = store.path_of("mechanisms", "bit", tmp_path)
    path.parent.mkdir()
    path.write_bytes(store.path_of("mechanisms", "bit").read_bytes())
    (tmp_path / store.MANIFEST).write_text(written(store.manifest(tmp_path)))
    assert store.not_in_manifest(tmp_path) == []
    path.write_text(path.read_text() + "\n")
    assert store.not_in_manifest(tmp_path) == ["mechanisms/bit.json"]
    path.unlink()
    assert store.not_in_manifest(tmp_path) == ["mechanisms/bit.json"]
    with pytest.raises(InputError, match=r"^mechanisms/bit\.json in .* is not what"):
        store.require_listed(tmp_path)
    path.with_name("other.json").write_text("{}")
    with pytest.raises(InputError, match=r"^mechanisms/bit\.json and 1 more in .* is not what"):
        store.require_listed(tmp_path)


def changed(tmp_path: Path, factor: float) -> str:
    """The file of the Laplace mechanism, generated where one number of it has been changed."""
    path = store.path_of("mechanisms", "laplace", tmp_path)
    path.parent.mkdir()
    content = json.loads(store.path_of("mechanisms", "laplace").read_text())
    content["cases"][0]["result"] *= factor
    path.write_text(written(content) + "\n")
    return store.generated("mechanisms", "laplace", tmp_path)


def test_a_last_digit_of_another_machine_is_kept(tmp_path: Path) -> None:
    assert json.loads(changed(tmp_path, 1 + 2**-52))["cases"][0]["result"] != -1.25


def test_a_case_that_changes_needs_a_new_version(tmp_path: Path) -> None:
    with pytest.raises(ChangedCaseError, match=r"mechanisms/laplace/scalar/1.*result"):
        changed(tmp_path, 1.001)


def test_what_printed_forms_give_may_be_added_and_keeps_its_last_digit(tmp_path: Path) -> None:
    path = store.path_of("algorithms", "wang-1", tmp_path)
    path.parent.mkdir()
    content = json.loads(store.path_of("algorithms", "wang-1").read_text())
    first, second = content["cases"][:2]
    wanted = first.pop("as_printed")
    second["as_printed"][0]["result"][0] *= 1 + 2**-51
    kept = second["as_printed"]
    path.write_text(written(content) + "\n")
    found = json.loads(store.generated("algorithms", "wang-1", tmp_path))["cases"]
    assert found[0]["as_printed"] == wanted
    assert found[1]["as_printed"] == kept


@pytest.mark.parametrize(
    "value",
    [0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), 3, None, "text", True],
)
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    read = restored(json.loads(written(plain(value, typed=True))))
    assert read == value
    assert type(read) is type(value)


def test_nan_arrays_objects_and_names_are_read_as_written() -> None:
    array = np.array([[1.5, np.nan], [np.inf, -2.0]])
    read = restored(json.loads(written(plain(array))))
    np.testing.assert_array_equal(read, array)
    for value in (L2Ball(0.5), LOGISTIC):
        assert restored(json.loads(written(plain(value, typed=True)))) == value


def test_what_has_no_name_is_refused() -> None:
    with pytest.raises(TypeError, match="no place"):
        plain(lambda x: x, typed=True)
