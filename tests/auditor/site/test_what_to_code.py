"""The numbers to code: formulas that are read from the code."""

from __future__ import annotations

import ast
import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.conformance import store
from auditor.conformance.compare import difference
from auditor.conformance.constants import RELATIVE, USUAL
from auditor.conformance.plain import plain, restored
from auditor.site.coded.mathematics import latex, mathml, simplified, symbol
from auditor.site.coded.releases import found_in
from auditor.site.coded.symbols import described, symbol_of
from auditor.site.coded.what_to_code import WhatToCode, lines_of, what_to_code
from reference.catalogue import entries, entry

FILES = sorted(store.FOLDER.glob("constants/*.json"))


def cases(of: str) -> list[dict[str, Any]]:
    return list(store.read(store.path_of("constants", of)))


def evaluated(formula: ast.expr, names: dict[str, Any]) -> Any:
    """Return the number that a formula has."""
    called: dict[str, Any] = {}

    class Functions(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            if not hasattr(node, "function"):
                return node
            name = f"_called_{len(called)}"
            called[name] = node.function
            return ast.Name(name)

    tree = ast.Expression(Functions().visit(simplified(copy.deepcopy(formula))))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Tuple):
            node.ctx = ast.Load()
    for part in ast.walk(tree):
        if isinstance(part, ast.comprehension):
            part.target.ctx = ast.Store()  # type: ignore[attr-defined]
    written = ast.fix_missing_locations(tree)
    known = {"math": math, "np": np, "pi": math.pi, "log": math.log, "exp": math.exp,
             "sqrt": math.sqrt}  # fmt: skip
    return eval(compile(written, "<formula>", "eval"), {**known, **called, **names})


@pytest.mark.parametrize("of", [path.stem for path in FILES])
def test_the_formulas_are_those_of_the_code(of: str) -> None:
    """Each constant of a vector is what its formula gives, as it is shown."""
    found = found_in(entry(of).function)
    # the vectors have the arguments of the function that computes the constants
    given = {key: ast.Name(key) if isinstance(value, ast.BinOp) else value
             for key, value in found.fixed[0].given.items()}  # fmt: skip
    found = replace(found, fixed=(replace(found.fixed[0], given=given), *found.fixed[1:]))
    lines, fields = lines_of(entry(of), found, ())
    assert fields
    (fixed, *more) = found.fixed
    prefix = f"{fixed.name}_" if more and fixed.name != "chosen" else ""
    usual = [case for case in cases(of) if case["id"].split("/")[2] == USUAL]
    others = [case for case in cases(of) if not set(case["inputs"]) - set(usual[0]["inputs"])]
    for case in others[:6]:
        names = {key: restored(value) for key, value in case["inputs"].items()}
        names.update({
            given.id: names[key] for key, given in fixed.given.items()
            if key in names and isinstance(given, ast.Name)
        })  # fmt: skip
        for name, formula in lines.items():
            if name.startswith(prefix) and name not in case["inputs"]:
                names[name] = evaluated(formula, names)
        result = {name: names[f"{prefix}{name}"] for name in case["result"]}
        gap = difference(case["result"], plain(result), tolerance=RELATIVE, where=case["id"])
        assert gap is None, gap


@pytest.fixture(scope="module")
def pages() -> dict[str, WhatToCode]:
    return {of: what_to_code(one) for of, one in entries().items()}


def test_every_algorithm_says_what_it_releases(pages: dict[str, WhatToCode]) -> None:
    bare = [of for of, page in pages.items() if not page.releases]
    assert bare == []
    noiseless = [of for of, page in pages.items() if not all(row.noise for row in page.releases)]
    assert noiseless == []
    assert {path.stem for path in FILES} <= {of for of, page in pages.items() if page.equations}


def test_every_symbol_has_one_meaning(pages: dict[str, WhatToCode]) -> None:
    for of, page in pages.items():
        marks = [definition.symbol for definition in page.definitions]
        assert len(marks) == len(set(marks)), of
        assert all(definition.text for definition in page.definitions), of


def test_the_page_of_wang_2_has_its_noise(pages: dict[str, WhatToCode]) -> None:
    page = pages["wang-2"]
    (release,) = page.releases
    assert "N(0, scale^2)" in release.words
    assert (release.sensitivity, release.times) == (mathml(r"\Delta"), mathml("T"))
    assert mathml(r"\text{scale} = \sigma") == release.noise
    sigma = r"\sigma = \frac{\Delta}{\mu\left(\varepsilon, \delta\right)}"
    assert page.equations[-1] == mathml(sigma, large=True)
    texts = {definition.name: definition.text for definition in page.definitions}
    assert texts["second_moment"].startswith("tau > 0, public: a bound on the second moment")
    assert "Phi(mu/2 - epsilon/mu)" in texts["gaussian_dp_mu"]
    assert page.factory == "reference.em.split_gradient_em.constants_for"


def test_releases_in_loops_are_counted(pages: dict[str, WhatToCode]) -> None:
    times = {of: [row.times for row in pages[of].releases] for of in pages}
    assert times["diss-3.1.2"] == [mathml(r"T \, m")]
    sum_ = r"\sum_{\text{epoch}=1}^{T} 2^{\text{epoch}} \, m"
    assert times["diss-3.1.3"] == [mathml(sum_)]
    assert times["diss-3.2.7"] == [f"{mathml('T')}, one for each of: partial derivatives"]
    assert times["diss-2.gaussian"] == ["once"]
    assert times["diss-5.1.30"] == ["once, by each user"]
    assert len(times["diss-4.3.28"]) == 2  # a gradient and a Hessian


@pytest.mark.parametrize(
    ("code", "set_"),
    [
        ("4 * math.sqrt(2) / 3 * s / n", r"\frac{4 \sqrt{2} \, s}{3 n}"),
        ("n // T", r"\left\lfloor \frac{n}{T} \right\rfloor"),
        ("-math.log(delta)", r"\log\left(\frac{1}{\delta}\right)"),
        ("math.sqrt(-3 * s * math.log(delta))",
         r"\sqrt{3 s \, \log\left(\frac{1}{\delta}\right)}"),
        ("x * math.sqrt(1) / 1", "x"),
        ("math.sqrt(rho ** 2)", r"\rho"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("a - (b + c)", r"a - \left(b + c\right)"),
        ("(a + b) * c", r"\left(a + b\right) \, c"),
        ("(a + b) ** 2", r"\left(a + b\right)^{2}"),
        ("a / (b / c)", r"\frac{a \, c}{b}"),
        ("a ** (1 / 4)", "a^{1/4}"),
        ("1e-300", "10^{-300}"),
        ("2.5 if b == n else 1", r"\begin{cases} 2.5 & \text{if } b = n \\ "
         r"1 & \text{otherwise} \end{cases}"),
        ("math.hypot(a, 2)", r"\sqrt{a^{2} + 2^{2}}"),
        ("math.fsum(1 / t for t in range(m + 1, n + 1))", r"\sum_{t=m + 1}^{n} \frac{1}{t}"),
        ("math.exp(-epsilon)", r"e^{-\varepsilon}"),
        ("math.exp(x / y)", r"\exp\left(\frac{x}{y}\right)"),
        ("noise_scale", r"\text{noise scale}"),
        ("tilde_epsilon", r"\tilde{\varepsilon}"),
        ("N0", "N_{0}"),
    ],
)  # fmt: skip
def test_code_is_set_as_mathematics(code: str, set_: str) -> None:
    assert latex(ast.parse(code, mode="eval").body, {}) == set_
    assert mathml(set_).startswith("<math ")
    assert "<mrow>" in mathml(set_)


def test_a_symbol_is_what_the_docstring_begins_with() -> None:
    def f(a: float, b: float, lower: float, upper: float, bound: float) -> None:
        """Do nothing.

        Parameters
        ----------
        a : float
            tau > 0, public.
        b : float
            A bound on the loss.
        lower, upper : float
            a < b, bounds on the mean.
        bound : float
            > 0.

        Returns
        -------
        c : None
            sigma.
        """

    assert symbol_of("a", [f]) == "tau"
    assert symbol_of("b", [f]) == ""
    assert [symbol_of(name, [f]) for name in ("lower", "upper")] == ["a", "b"]
    assert symbol_of("epsilon", [f]) == "epsilon"
    assert "c" not in described(f)
    assert symbol("Delta_pair") == r"\Delta_{\text{pair}}"
