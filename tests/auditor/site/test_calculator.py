"""The calculators on the pages of algorithms: what a page computes answers the vectors."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from auditor.conformance import store
from auditor.conformance.compare import difference
from auditor.conformance.constants import RELATIVE
from auditor.site import calculator
from auditor.suite.store import TEMPLATES

CALCULATOR = TEMPLATES / "site/static/calculator.js"


def cases(of: str) -> list[dict[str, Any]]:
    return list(store.read(store.path_of("constants", of)))


def in_node(folder: Path, script: str) -> Any:
    """Return what a script prints that has the site's two scripts."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    path = folder / "asked.js"
    path.write_text(
        f"{calculator.script()}\n"
        f"const {{ numbersIn, replaced, computed }} = require({json.dumps(str(CALCULATOR))});\n"
        "const asked = (of, inputs) =>\n"
        "  computed(globalThis.touchstoneConstants, of, inputs, globalThis.touchstoneDecoded);\n"
        "const special = (key, value) =>\n"
        "  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;\n"
        f"console.log(JSON.stringify(({script})(), special));\n",
        encoding="utf-8",
    )
    ran = subprocess.run(["node", str(path)], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_the_calculator_answers_the_vectors_of_constants(tmp_path: Path) -> None:
    """Each case is typed in: the numbers of a case replace those of the first one."""
    ported = in_node(tmp_path, "() => Object.keys(globalThis.touchstoneConstants)")
    assert len(ported) >= 60
    wanted = {of: [case for case in cases(of) if differs_in_numbers(of, case)]
              for of in ported if store.path_of("constants", of).exists()}  # fmt: skip
    typed = {of: [case["inputs"] for case in own] for of, own in wanted.items()}
    first = {of: calculator.prefilled(of) for of in wanted}
    (tmp_path / "typed.json").write_text(json.dumps([first, typed]), encoding="utf-8")
    answers = in_node(
        tmp_path,
        f"() => {{ const [first, typed] = require({json.dumps(str(tmp_path / 'typed.json'))});"
        "return Object.fromEntries(Object.entries(typed).map(([of, all]) => [of,"
        "  all.map((inputs) => asked(of, numbersIn(inputs).reduce("
        "    (found, { path, value }) => replaced(found, path, value), first[of])))])); }",
    )
    computed = 0
    for of, own in wanted.items():
        for case, found in zip(own, answers[of], strict=True):
            if found is None:
                continue
            computed += 1
            gap = difference(case["result"], found, tolerance=RELATIVE, where=case["id"])
            assert gap is None, gap
    assert computed > 500


def differs_in_numbers(of: str, case: dict[str, Any]) -> bool:
    """Return whether a case has the words of the first one, and other numbers at most."""
    inputs, first = case["inputs"], calculator.prefilled(of)
    assert first is not None
    words = [key for key, value in inputs.items() if isinstance(value, str) and key not in first]
    return not words and set(inputs) == set(first)


def test_where_the_port_has_no_constants_the_calculator_says_nothing(tmp_path: Path) -> None:
    inputs = json.dumps(calculator.prefilled("diss-3.1.2"))
    assert in_node(tmp_path, f"() => [asked('diss-3.1.2', {inputs}), asked('none', {{}})]") == [
        None, None,
    ]  # fmt: skip
    assert calculator.prefilled("diss-2.laplace") is None
