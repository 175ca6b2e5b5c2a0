"""Fifty errors seeded into true statements of the ledger: which of them the checks refuse.

    python -m benchmarks.seeded_errors

``seeded_errors.json`` has them: the statement, the error in words, and how it is tried. It is one
of the wrong versions under ``refuses``, the check with other ``arguments``, or a ``change`` of the
text of one of its functions, which is compiled and run in its place. An error was ``missed`` if no
step of the check contained it; ``cured`` names the wrong version that was added for it afterwards.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from auditor.statistics.proportions import clopper_pearson
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, find

Row = Mapping[str, Any]
ROWS: tuple[Row, ...] = tuple(
    json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))["errors"]
)


def tried(row: Row) -> Outcome | None:
    """Run the check with the error in it; ``None`` if no step contains it."""
    checked = find(row["key"]).true_check
    assert checked is not None
    rng = np.random.default_rng(0)
    named = row.get("refuses") or row.get("cured")
    if named:
        return checked.run(rng, named)
    if "arguments" in row:
        return Checked(checked.formula, checked.check, {"it": row["arguments"]}).run(rng, "it")
    if "change" not in row:
        return None
    with _changed(row["function"], row["change"], checked.check) as check:
        return Checked(checked.formula, check).run(rng)


@contextmanager
def _changed(
    where: str, changes: Mapping[str, str], check: Callable[..., Outcome]
) -> Iterator[Callable[..., Outcome]]:
    """Put the changed function in its module while the check runs."""
    name, _, function = where.partition(":")
    module = importlib.import_module(name)
    own = check.__name__ == function
    text = inspect.getsource(check if own else getattr(module, function))
    text = text[text.index(f"def {function}(") :]
    for old, new in changes.items():
        if old not in text:
            raise LookupError(f"{where}: {old!r} is not in its text any more")
        text = text.replace(old, new)
    before = vars(module)[function]
    try:
        # in the module itself, whose functions call the changed one
        exec(text, vars(module))
        yield vars(module)[function] if own else check
    finally:
        vars(module)[function] = before


def main() -> None:
    refused, of_kind = Counter[str](), Counter(row["kind"] for row in ROWS)
    for row in ROWS:
        outcome = tried(row)
        found = outcome is not None and outcome.level == "refuted with witness"
        refused["after"] += found
        refused["before"] += found and "cured" not in row
        refused[row["kind"]] += found and "cured" not in row
        print(f"{'refused' if found else 'missed '} {row['key']}: {row['error']}")
    for kind, count in of_kind.items():
        print(f"{kind}: {refused[kind]} of {count}")
    for when in ("before", "after"):
        low, high = clopper_pearson(refused[when], len(ROWS), 0.025)
        of_all = f"{refused[when]} of {len(ROWS)}, {low:.1%} to {high:.1%}"
        print(f"{when} the missed ones were cured: {of_all}")


if __name__ == "__main__":
    main()
