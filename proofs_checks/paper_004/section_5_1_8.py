"""Section 5.1.8: the parameters of SIGM."""

from __future__ import annotations

from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import definition, identity, symbols

for _number, _line, _printed in (
    ("(5.10)", "5593", "alpha_i = (1/a) ((i+p)/p)^(p-1)"),
    ("(5.11)", "5595", "beta_i = beta + (b sigma/R) (i+p+1)^((2p-1)/2)"),
    ("(5.13)", "5619", "y_0 = argmin beta_0 d(x) + alpha_0 <G(x_0), x - x_0>"),
    ("(5.14)", "5624", "z_k = argmin beta_k d(x) + sum_{i<=k} alpha_i <G(x_i), x - x_i>"),
    ("(5.15)", "5631", "x^_{k+1} = argmin beta_k V(x, z_k) + alpha_{k+1} <G(x_{k+1}), x - z_k>"),
):
    not_checkable(
        f"004 {_number}", lines=_line, kind="definition", printed=_printed, reason="notation"
    )


@statement(
    "004 (5.12)",
    lines="5597",
    kind="definition",
    printed="B_i = a alpha_i^2 = (1/a) ((i+p)/p)^(2p-2)",
    refuses={"alpha_i^2": {"factor": 0}, "(1/a) ((i+p)/p)^(p-1)": {"two": 1}},
)
def weights(factor: int = 1, two: int = 2) -> Outcome:
    """By (5.10)."""
    a, i, p = symbols("a i p")
    ratio = (i + p) / p
    alpha = ratio ** (p - 1) / a
    return definition(identity((a**factor * alpha**2, ratio ** (two * (p - 1)) / a)))


not_checkable(
    "004 Lemma 5.1.16",
    lines="5601-5605",
    kind="optimisation",
    printed="E f(y_k) - min f <= Theta(beta R^2/k^p + sigma R/sqrt k + k^(p-1) gamma)",
    reason="cited; its proof is not in the text",
)
