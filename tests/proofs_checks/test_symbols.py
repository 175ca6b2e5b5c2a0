"""Symbols of formulas: how they are read, and which of them no step of a check contains."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.suite.proofs import as_json
from proofs_checks.formulas import outside, symbols
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Report, Statement
from proofs_checks.symbols import (
    IN_NO_STEP,
    INSIDE,
    Count,
    absent,
    but_for,
    count,
    explained,
    legend,
    legends,
    table,
)
from proofs_checks.vocabulary import derived, for_all, reals


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("that sum is at most (2^h - 1)^p", ["h", "p"]),
        ("eta sqrt(2s + s*) sqrt(log p) b C/sqrt n", ["eta", "s", "s*", "p", "b", "C", "n"]),
        ("kappa_x^4 lambda_min min{lambda_min, 1}", ["kappa_x", "4", "lambda_min"]),
        ("lambda_1 lambda_{k+1}/(lambda_k)", ["lambda_1", "lambda_{k+1}", "lambda_k"]),
        ("|a_0| <= M, |a_k| <= 2M v^-k", ["a_0", "M", "a_k", "v", "k"]),
        ("||Sigma^{1/2} (w_1 - w_2)||", ["Sigma", "w_1", "w_2"]),
        ("Omega(min{1, p/(n (e^(kappa+2rho) - 1))})", ["p", "n", "kappa", "rho"]),
        ("s-hat >= 4 s*, ||w^ols||, x~_T, L~(v)", ["s-hat", "4", "s*", "w^ols", "x~_T", "L~", "v"]),
        ("delta' for a beta* in E exp(t X) <= 1.25", ["delta'", "beta*", "t", "X", "1.25"]),
        ("by (5.37), Lemma 5.1.4 and Theorem 6.3.6: m >= 51 chi", ["m", "51", "chi"]),
        ("x x^T and ||A||_F, A^T", ["x", "A", "T"]),
        ("(epsilon, delta)-DP with probability 1 - xi", ["epsilon", "delta", "xi"]),
        ("sum_{j<=d} x_j, max_(k <= T) c", ["d", "x_j", "k", "T", "c"]),
        ("a factor sqrt d, and a = 3", ["d", "a", "3"]),
        ("d log n = o(1), O(n)", ["d", "n"]),
        ("eps and bC", ["eps", "b", "C"]),
        ("n for a 2 gamma-packing, as [51] and Zhang (2021)", ["n", "gamma"]),
        ("by (7.6)-(7.8) TV^2 <= KL/2 in step t's part (Pajor, 1998)", ["TV", "KL", "t"]),
        ("EM's step, w.h.p. (Kamath et al., 2019)", []),
        ("n = 2019 of the mixture's Z'", ["n", "2019", "Z'"]),
        ("[257]: the theorem's n of DP-FW-L2 and DP-STR is NP-hard", ["n"]),
        ("Tr(A) <= p and ||x|| in l_inf, and there is a p_k", ["A", "p", "x", "p_k"]),
    ],
)
def test_symbols_of_a_formula(formula: str, found: list[str]) -> None:
    assert [symbol.printed for symbol in symbols(formula)] == found


@pytest.mark.parametrize(
    ("text", "name", "parts"),
    [
        ("Let L = log(1/delta) be at least 1.", "L", {"delta"}),
        ("so, l for log n, as before", "l", {"n"}),
        ("u^2 = 2 ln(2/delta') here", "u", {"delta'"}),
        ("[step x, d = root^2]", "d", set()),
        ("W is sigma^2 + tau", "W", {"sigma", "tau"}),
        ("with r = C-hat s-hat.", "r", {"C_hat", "s_hat"}),
        ("r <= 1 and noise = G sqrt(p)/(n eps).", "noise", {"G", "p", "n", "epsilon"}),
    ],
)
def test_legends_are_read(text: str, name: str, parts: set[str]) -> None:
    assert {line.name: line.parts for line in legends(text)}.get(name, frozenset()) == parts


def test_a_claim_is_no_legend() -> None:
    assert not list(legends("it holds for k <= T"))
    assert not list(legends("2 L = x and E L = y"))


def test_the_legend_has_the_symbols_that_the_formula_has_not() -> None:
    x, log_n, total, x_k = reals("x log_n total x_k")

    def check() -> Outcome:
        """Sum up; here log_n = ln(n) + 1, and total for sum_k x_k."""
        return derived(sum=for_all(x * log_n <= total + 1, x * log_n <= total, x_k >= 0))

    assert legend(stated("x log n <= sum_k x_k", check), check()) == {
        "log_n": "ln(n) + 1",
        "total": "",
    }
    assert "x" in legend(stated("n", check), check())


def shown(*formulas: str) -> Outcome:
    steps = {
        f"s{number}": Outcome(True, "proved (symbolic)", "by sympy, n p", shows=formula)
        for number, formula in enumerate(formulas)
    }
    return derived(**steps)


def stated(printed: str, check: Any, **more: Any) -> Statement:
    checked = Checked(printed, check)
    return Statement("004", "(1)", "1", "1", "utility", printed, "true", of_printed=checked, **more)


def bare() -> Outcome:
    """Nothing is defined here."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("printed", "step", "missing"),
    [
        ("the sum is at most (2^h - 1)^p", "row <= 2**h - 1", ["p"]),
        ("n >= G^2/(lambda_min min{lambda_min, 1})", "G*u <= n", ["lambda_min"]),
        ("n >= G kappa_x^4", "G*u <= n", ["kappa_x", "4"]),
        ("B <= sqrt(2s + s*) b C", "b**2*C**2 <= B", ["s", "s*"]),
        ("|a_0| <= M, |a_k| <= M", "a <= M", ["a_0"]),
        ("G ||Sigma^{1/2} u||", "G*||u|| >= 0", ["Sigma"]),
        ("lambda_1/(lambda_k - lambda)^2", "1 + lambda <= lambda**2", ["lambda_1", "lambda_k"]),
        ("O(d^(3/2)/(n epsilon^2))", "norm*epsilon**2 <= 117*d**(3/2)", ["n"]),
        ("Omega(p/n)", "r*delta**2 <= n", ["p"]),
        ("p/(n (e^(kappa+2rho) - 1))", "n*e_2 <= p", ["kappa", "rho"]),
    ],
)
def test_a_factor_that_no_step_contains_is_absent(
    printed: str, step: str, missing: list[str]
) -> None:
    assert list(absent(stated(printed, bare), shown("0 <= 1", step))) == missing


def test_a_step_contains_what_it_spells() -> None:
    statement = stated("sqrt(log d) s* A 2.4 x_i T", bare)
    step = "log_d**(1/2) + s_star*A_to_T <= 12/5*x"
    assert absent(statement, shown(step)) == {}
    assert absent(stated("alpha^1.75", bare), shown("alpha^(7 / 4) = 1")) == {}
    assert absent(stated("sqrt(8 s*)", bare), shown("8*sqrt_s* + 1")) == {}
    assert absent(stated("n^1.5", bare), shown("n^(3 / 2)")) == {}
    assert list(absent(statement, shown("log_d + s**2"))) == ["s*", "A", "2.4", "x_i", "T"]


def defined() -> Outcome:
    """With L = log(1/delta) and noise = G/n."""
    q = 1  # sigma^2/rho
    raise NotImplementedError(q)


def test_a_definition_of_what_a_step_contains_counts() -> None:
    statement = stated("G log(1/delta)/n + sigma/rho", defined)
    assert absent(statement, shown("L*noise <= q")) == {}
    assert list(absent(statement, shown("L <= 1"))) == ["G", "n", "sigma", "rho"]
    # a name for what is in the steps
    assert absent(stated("L <= delta", defined), shown("delta <= 1")) == {}


def test_figures_count_by_the_code_that_computes_them() -> None:
    def searched(worst: float, bound: float) -> Outcome:
        return Outcome(True, "checked by search", f"{worst} against {bound}")

    def check() -> Outcome:
        kappa, rho = 1.0, 2.0
        bound = kappa * 3
        unused = rho
        return searched(unused and 0.5, bound)

    found = searched(0.5, 3.0)
    assert list(absent(stated("kappa + rho + tau", check), found)) == ["tau"]


def test_what_is_absent_lowers_the_label_and_has_a_reason() -> None:
    statement = stated("p + q <= n", bare, unchecked={"p": "one coordinate"})
    outcome = shown("n >= 0")
    written = as_json(Report(statement, outcome, None))
    assert written["absent"] == {"p": "one coordinate", "q": IN_NO_STEP}
    assert written["printed"]["evidence"] == "derived, step checked, but for p, q"
    assert explained(written["absent"]) == "p: one coordinate; q: in no step"
    whole = as_json(Report(stated("n", bare), outcome, None))
    assert whole["printed"]["evidence"] == "derived, step checked"
    assert but_for("abcdefgh") == ", but for a, b, c, d, e, f and 2 more"


def test_of_what_is_false_the_corrected_formula_counts() -> None:
    corrected = Checked("p <= n", bare)
    statement = stated("q <= n", bare, of_corrected=corrected)
    statement.expected = "false"
    assert list(absent(statement, shown("n >= 0"))) == ["p"]


def test_what_did_not_run_has_no_absent_symbols() -> None:
    statement = stated("p <= n", bare)
    assert absent(statement, Outcome(False, "not run here", "needs z3")) == {}


@pytest.mark.parametrize(
    ("formula", "left"),
    [
        ("||x - y||_2 <= L |b|", "L"),
        ("<grad f(x), x - y> <= F(y) - F(x_{k+1}) + q(beta; beta*) c", "F q c"),
        ("E F(x) <= P(||N|| > t)", "F t"),
        ("C(1 + k) sqrt(T) O(M) log(n)", "C k T M n"),  # a product, and no names of objects
        ("||x||^2 <= x p", "x p"),  # outside of the norm, too
    ],
)
def test_what_stands_only_inside_norms_and_functions(formula: str, left: str) -> None:
    assert outside(formula) == frozenset(left.split())


def test_a_symbol_that_stands_only_inside_a_norm_says_so() -> None:
    statement = stated("||x|| <= C q", defined, unchecked={"q": "why"})
    assert absent(statement, shown("a >= 0")) == {"x": INSIDE, "C": IN_NO_STEP, "q": "why"}
    found = count(statement, shown("a >= 0"))
    assert (found.inside, found.reasoned, found.unchecked) == (1, 1, 1)


def test_counts_add_up() -> None:
    statement = stated("p + q + L <= delta n", defined, unchecked={"p": "why"})
    found = count(statement, shown("n*delta >= 0"))
    assert found == Count(1, 0, 5, 2, 0, 1, 0, 1, 1)
    assert found.total == sum((found.shown, found.computed, found.defined)) + 2
    lines = table({"004": found, "002": Count(1, 1, 1, 1)}).splitlines()
    assert lines[-1].split(" | ")[1:4] == ["2", "1", "6"]
