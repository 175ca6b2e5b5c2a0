"""The files of the vectors: made, kept, read and held against the reference."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

import auditor
from auditor.conformance.compare import Difference, difference
from auditor.conformance.kinds import Case, kinds
from auditor.conformance.plain import plain, written
from auditor.core.errors import InputError, one_line
from auditor.core.files import CANNOT_BE_READ, read_json, require_file, why_unreadable
from reference.parameters import PARAMETERS

FOLDER = Path(auditor.__file__).parents[1] / "vectors"
MANIFEST = "manifest.json"
PARAMETERS_FILE = "parameters.json"
COMPARED = ("steps", "result")
OWN = ("id", "inputs", *COMPARED, "catches")
"""Fields that a case keeps to itself; of its inputs those that others do not share."""
TOLD, PRINTED = ("about", "catches", "source", "errata"), "as_printed"
"""Fields that only inform; they may change without a new version of the case."""


class ChangedCaseError(ValueError):
    """A case is not what its id has meant so far."""


def path_of(kind: str, of: str, folder: Path = FOLDER) -> Path:
    """Return the file of the vectors of one algorithm, mechanism or the like."""
    return folder / kind / f"{of}.json"


def read(path: Path) -> list[Case]:
    """Return the cases of a file; none if there is no such file.

    Raises
    ------
    InputError
        If it cannot be read, or is not what the schema of its kind says.
    """
    if not path.exists():
        return []
    kind, of = path.parent.name, path.stem
    try:
        found = read_json(path)
        _require_valid(found, "file")
        found = expanded(found)
        _require_valid(found, kind)
        for part in (found, *found["cases"]):
            if (part["kind"], part["of"]) != (kind, of):
                raise ValueError(f"it has vectors of {part['of'][:80]!r}")
        for case in found["cases"]:
            if not case["id"].startswith(f"{kind}/{of}/"):
                raise ValueError(f"it has a case {case['id'][:80]!r}")
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} is no file of vectors: {why_unreadable(error)}") from None
    cases: list[Case] = found["cases"]
    return cases


def expanded(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file with every case in full.

    What a case does not say itself, of its fields or of its ``inputs``, is what ``shared`` says.
    """
    shared = content.get("shared", {})
    cases = [
        {**shared, **case, "inputs": {**shared.get("inputs", {}), **case.get("inputs", {})}}
        for case in content["cases"]
    ]
    return {"kind": content["kind"], "of": content["of"], "cases": cases}


def shortened(kind: str, of: str, cases: Sequence[Case]) -> dict[str, Any]:
    """Return the content of a file, with what most of its cases say said once."""
    shared = _commonest([{key: case[key] for key in case if key not in OWN} for case in cases])
    shared["inputs"] = _commonest([case["inputs"] for case in cases])
    short = []
    for case in cases:
        said = {"id": case["id"], **_without(case, shared)}
        said["inputs"] = _without(case["inputs"], shared["inputs"])
        short.append(said)
    return {"kind": kind, "of": of, "shared": shared, "cases": short}


def _commonest(cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return of every key that all have the commonest value, if several have it."""
    found = {}
    for key in cases[0]:
        if all(key in case for case in cases):
            text, count = Counter(json.dumps(case[key]) for case in cases).most_common(1)[0]
            if count > 1:
                found[key] = json.loads(text)
    return found


def _without(case: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a case says otherwise; 1 and 1.0 are not the same text."""
    return {
        key: value
        for key, value in case.items()
        if key not in shared or json.dumps(shared[key]) != json.dumps(value)
    }


def _require_valid(content: Any, name: str) -> None:
    """Raise ValueError if a file is not what a schema says."""
    error = best_match(_validator(name).iter_errors(content))
    if error is not None:
        raise ValueError(f"{error.json_path}: {error.message[:100]}")


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of one of the schemas that come with this package."""
    schemas = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((FOLDER / "schemas").glob("*.json"))
    }
    resources = [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    registry: Registry[Any] = Registry().with_resources(resources)
    return jsonschema.Draft202012Validator(schemas[f"{name}.schema.json"], registry=registry)


def generated(kind: str, of: str, folder: Path = FOLDER) -> str:
    """Return the text of a file, made from the reference.

    A case that is there already stays as it is if all that was computed again is within its
    tolerance: processors and libraries may differ in a last digit, and a file must not change
    with the machine that it is made on.

    Raises
    ------
    ChangedCaseError
        If a case differs by more from the one that has its id.
    """
    before = {case["id"]: case for case in read(path_of(kind, of, folder))}
    cases = [_kept(case, before.get(case["id"])) for case in kinds()[kind].cases(of)]
    return written(shortened(kind, of, cases)) + "\n"


def _kept(case: Case, old: Case | None) -> Case:
    if old is None:
        return case
    relative = case["tolerance"]["relative"]
    numbers = {key: item for key, item in case.items() if key not in (*TOLD, PRINTED)}
    found = difference(numbers, old, tolerance=relative, where=case["id"])
    if found is not None:
        raise ChangedCaseError(f"{found}; a case that changes needs a new version")
    # in the order of the new case, so that a file does not tell its history
    kept = {key: case[key] if key in TOLD else old.get(key) for key in case}
    if PRINTED in case:
        printed, before = case[PRINTED], old.get(PRINTED, [])
        if len(printed) != len(before) or difference(printed, before, tolerance=relative):
            kept[PRINTED] = printed
    return kept


def wrong(case: Case) -> Difference | str | None:
    """Return where the reference does not give what a case says, or what it raises, or None."""
    try:
        found = kinds()[case["kind"]].answer(case)
    except Exception as error:  # a file from elsewhere may ask for anything
        return f"the reference raises {one_line(error)}"
    expected = {key: case[key] for key in COMPARED if key in case}
    relative = case["tolerance"]["relative"]
    # one field at a time: a step that is wrong comes before the result that follows from it
    return next(
        (
            gap
            for key, item in expected.items()
            if (gap := difference(item, found.get(key), tolerance=relative, where=key)) is not None
        ),
        None,
    )


def files(folder: Path = FOLDER) -> Iterator[tuple[str, str, Path]]:
    """Yield kind, name and path of the files that are there."""
    for kind in kinds():
        for path in sorted((folder / kind).glob("*.json")):
            yield kind, path.stem, path


def manifest(folder: Path = FOLDER) -> dict[str, Any]:
    """Return what there is: of every file the SHA-256 and the number of its cases."""
    found: dict[str, Any] = {}
    for kind, of, path in files(folder):
        found[f"{kind}/{of}.json"] = {"sha256": _sha256(path), "cases": len(read(path))}
    return {"format": 2, "files": found}


def parameter_table() -> str:
    """Return the text of the file that tells ports what a parameter may be."""
    told = ("meaning", "low", "high", "closed", "whole")
    rows = {name: {key: getattr(row, key) for key in told} for name, row in PARAMETERS.items()}
    return written(plain(rows)) + "\n"


def not_in_manifest(folder: Path = FOLDER) -> list[str]:
    """Return the files that are not what the manifest says, or are not in it.

    Raises
    ------
    InputError
        If a file, or the manifest, cannot be read.
    """
    path = folder / MANIFEST
    try:
        told = read_json(path)
        _require_valid(told, "manifest")
    except FileNotFoundError:
        told = {"files": {}}
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} is no manifest: {why_unreadable(error)}") from None
    said = {name: entry["sha256"] for name, entry in told["files"].items()}
    there = {f"{kind}/{of}.json": _sha256(path) for kind, of, path in files(folder)}
    return sorted(name for name in said | there if said.get(name) != there.get(name))


def require_listed(folder: Path = FOLDER) -> None:
    """Raise InputError unless the files of a folder are those that its manifest lists."""
    wrong = not_in_manifest(folder)
    if not wrong:
        return
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    raise InputError(
        f"{wrong[0]}{more} in {folder} is not what {MANIFEST} lists: what was edited, lost or "
        "added proves nothing; fetch the vectors again, or `touchstone vectors generate`"
    )


def _sha256(path: Path) -> str:
    try:
        require_file(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} is no file of vectors: {why_unreadable(error)}") from None


def find(identifier: str, folder: Path = FOLDER) -> Mapping[str, Any] | None:
    """Return the case of an id, or None."""
    kind, _, rest = identifier.partition("/")
    if kind not in kinds():
        return None
    cases = read(path_of(kind, rest.partition("/")[0], folder))
    return next((case for case in cases if case["id"] == identifier), None)
