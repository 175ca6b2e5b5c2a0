"""Formulas are typeset as they are meant, and prose stays as it is."""

from __future__ import annotations

import pytest

from auditor.site.formulas.scripts import GREEK, pieces
from proofs_checks.statement import statements
from reference.catalogue import errata


def shown(text: str) -> str:
    """Return a text with its scripts marked: _[...] and ^[...]."""
    marks = {"line": "{}", "sub": "_[{}]", "sup": "^[{}]"}
    return "".join(marks[piece.place].format(piece.text) for piece in pieces(text))


@pytest.mark.parametrize(
    ("text", "typeset"),
    [
        ("sum_{i<=n} x_i^2 <= sigma^2", "∑_[i≤n] x_[i]^[2] ≤ σ^[2]"),
        ("e^epsilon P(M in S) + delta", "e^[ε] P(M in S) + δ"),
        ("||grad F(w)||_2 >= sqrt(d)", "‖∇F(w)‖_[2] ≥ √(d)"),
        ("sqrt 2", "√2"),
        ("xi^2 t^2/2", "ξ^[2] t^[2]/2"),
        ("log^(3/2) n", "log^[3/2] n"),
        ("L^(1/4)", "L^[1/4]"),
        ("e^(-kappa(t)/2) x", "e^[-κ(t)/2] x"),
        ("10^-3", "10^[-3]"),
        ("chi^2_n", "χ^[2]_[n]"),
        ("||x||_inf^2", "‖x‖_[∞]^[2]"),
        ("||x||_psi2", "‖x‖_[ψ2]"),
        ("lambda_min(X^T X)", "λ_[min](X^[T] X)"),
        ("beta*_j - beta^{t-1}", "β*_[j] - β^[t-1]"),
        ("M_+ || M_-", "M_[+] ‖ M_[-]"),
        ("<beta, y>/sigma", "⟨β, y⟩/σ"),
        ("a < b, c > d", "a < b, c > d"),
        ("O~(d) => n -> infinity", "Õ(d) ⇒ n → ∞"),
        ("(n^2)_i", "(n^[2])_[i]"),
    ],
)
def test_formulas(text: str, typeset: str) -> None:
    assert shown(text) == typeset.replace("Õ", "O\u0303")


@pytest.mark.parametrize(
    "text",
    [
        "step_epsilon and n_iterations of reference.em.split_gradient_em",
        "a sum over all records, a prod of some, the grading",
        "1e-3, E2, wang-2/E2, l.4114, (5.49)",
        "deltas, mutation, epic, picks, nuance, taus",
        "",
    ],
)
def test_prose_stays(text: str) -> None:
    assert shown(text) == text


BACK = {sign: name for name, sign in GREEK.items()} | {
    "√": "sqrt", "∞": "inf", "∑": "sum", "∏": "prod", "∇": "grad",
}  # fmt: skip


def test_no_letter_is_lost_or_moved() -> None:
    texts = [s.printed for s in statements()] + [e.truth for e in errata().values()]
    for text in texts:
        typeset = "".join(piece.text for piece in pieces(text))
        back = "".join(BACK.get(sign, sign) for sign in typeset)
        meant = text.replace("nabla", "grad").replace("infinity", "inf").replace("Inf", "inf")
        back = back.replace("nabla", "grad").replace("infinity", "inf")
        letters = [[c for c in words if c.isascii() and c.isalnum()] for words in (back, meant)]
        assert letters[0] == letters[1], text


def test_every_script_is_short_or_in_brackets() -> None:
    for item in statements():
        for piece in pieces(item.printed):
            if piece.place != "line":
                assert len(piece.text) <= 60, (item.key, piece)
                assert piece.text
