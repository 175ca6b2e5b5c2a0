"""The files of the vectors: made, kept, read and held against the reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import auditor
from auditor.conformance.compare import Difference, difference
from auditor.conformance.kinds import Case, kinds
from auditor.conformance.plain import written

FOLDER = Path(auditor.__file__).parents[1] / "vectors"
MANIFEST = "manifest.json"
COMPARED = ("steps", "result")
TOLD, PRINTED = ("about", "catches", "source", "errata"), "as_printed"
"""What a case tells beside what it asks for; it may change without a new version."""


class ChangedCaseError(ValueError):
    """A case is not what its id has meant so far."""


def path_of(kind: str, of: str, folder: Path = FOLDER) -> Path:
    """Return the file of the vectors of one algorithm, mechanism or the like."""
    return folder / kind / f"{of}.json"


def read(path: Path) -> list[Case]:
    """Return the cases of a file; none if there is no such file."""
    if not path.exists():
        return []
    found: list[Case] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


def generated(kind: str, of: str, folder: Path = FOLDER) -> str:
    """Return the text of a file, made from the reference.

    A case that is there already stays as it is where all that was computed anew is within its
    tolerance: processors and libraries may differ in a last digit, and a file must not change
    with the machine that it is made on.

    Raises
    ------
    ChangedCaseError
        If a case differs by more from the one that has its id.
    """
    before = {case["id"]: case for case in read(path_of(kind, of, folder))}
    cases = [_kept(case, before.get(case["id"])) for case in kinds()[kind].cases(of)]
    return written({"kind": kind, "of": of, "cases": cases}) + "\n"


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


def wrong(case: Case) -> Difference | None:
    """Return where the reference does not give what a case says, or None."""
    found = kinds()[case["kind"]].answer(case)
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
        content = path.read_bytes()
        found[f"{kind}/{of}.json"] = {
            "sha256": hashlib.sha256(content).hexdigest(),
            "cases": len(json.loads(content)["cases"]),
        }
    return {"format": 1, "files": found}


def not_in_manifest(folder: Path = FOLDER) -> list[str]:
    """Return the files that are not what the manifest says, or are not in it."""
    path = folder / MANIFEST
    told = json.loads(path.read_text(encoding="utf-8"))["files"] if path.exists() else {}
    there = manifest(folder)["files"]
    return sorted(name for name in told | there if told.get(name) != there.get(name))


def find(identifier: str, folder: Path = FOLDER) -> Mapping[str, Any] | None:
    """Return the case of an id, or None."""
    kind, _, rest = identifier.partition("/")
    cases = read(path_of(kind, rest.partition("/")[0], folder))
    return next((case for case in cases if case["id"] == identifier), None)
