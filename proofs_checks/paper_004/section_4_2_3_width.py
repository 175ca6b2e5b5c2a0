"""Section 4.2.3: DP-FW-L2 over a symmetric set, and the lower bound of Theorem 4.2.12.

a = ln(1/delta), M~ = M ||C||_2^2, W = ||C||_2^2 + G_C^2; the set has diameter 2 in its own norm.
"""

from __future__ import annotations

from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_4_1_1 import valid_constant
from proofs_checks.paper_004.section_4_1_2_methods import signs_of_gradients
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

twin(
    "004 Theorem 4.2.13",
    of="004 Theorem 4.1.4",
    lines="3621",
    printed="constants c_1, c_2: DP-FW-L2 is (epsilon, delta)-DP for 0 < epsilon < c_1 T and "
    "delta < 1 with sigma^2 = c_2 L^2 T ln(1/delta)/(n^2 epsilon^2)",
    algorithms=("diss-4.1.17",),
)


@statement(
    "004 Theorem 4.2.5, privacy",
    lines="3313-3315",
    algorithms=("diss-4.2.21",),
    kind="privacy",
    printed="constants c_1, c_2: DP-FW-L2 is (epsilon, delta)-DP for 0 < epsilon < c_1 T with "
    "sigma^2 = c_2 C_sigma^2 (B+1)^2 T ln(1/delta)/(n epsilon)^2 (robust: c_2 C_psi^2 T ...)",
    false="as Theorem 4.1.4: no c_2 serves every epsilon",
    special_case_of="004 Theorem 4.1.4",
    errata=("diss-4.1.16/E3",),
)
def linear_model_at_large_epsilon() -> Outcome:
    """d = 1, robust regression, psi' = C_psi beyond 1/2, Y = 2: x = 0 but for one x = 1, y = -+2.

    Its gradient is +-C_psi on [-1, 1]: the records of Theorem 4.1.4.
    """
    general = signs_of_gradients.of_printed
    assert general is not None
    return general.check()


@linear_model_at_large_epsilon.corrected(
    "c_2 = 8(1+sqrt 2)^2 (robust: 2(1+sqrt 2)^2) and epsilon <= ln(1/delta)",
    refuses={
        "c_2 = 2(1+sqrt 2)^2": {"factor": 2},
        "epsilon <= 1.1 ln(1/delta)": {"most": "1.1"},
    },
)
def linear_model_privacy(factor: int = 8, most: str = "1") -> Outcome:
    """Theorem 4.2.13 with L = 2 C_sigma(B+1) ((4.50), corrected) or C_psi [step "Lipschitz"]."""
    w, size, bound = symbols("w C B")
    noise = 2 * (1 + w) ** 2 * (2 * size * (bound + 1)) ** 2
    return derived(
        private=valid_constant(most=most),
        Lipschitz=identity((noise, factor * (1 + w) ** 2 * size**2 * (bound + 1) ** 2)),
    )


@statement(
    "004 Theorem 4.2.6, sensitivity",
    lines="3337",
    algorithms=("diss-4.2.22",),
    kind="sensitivity",
    printed="Delta = O(C_sigma(B+1)/n), robust: O(C_psi/n)",
    checked="4 C_sigma(B+1)/n and 2 C_psi/n",
    refuses={"2 C_sigma(B+1)/n": {"factor": 2}, "C_psi/n": {"robust": 1}},
)
def score_sensitivity(factor: int = 4, robust: int = 2) -> Outcome:
    """A vertex +-e_j scores an entry of the mean gradient: |g - h|/n, |g|, |h| at most L.

    L = 2 C_sigma(B+1) (l.3790, corrected) or C_psi.
    """
    g, h, size, bound = reals("g h C B")

    def within(most: Any) -> tuple[Any, ...]:
        return (g <= most, -g <= most, h <= most, -h <= most, size >= 1, bound > 0)

    return derived(
        linear=for_all(g - h <= factor * size * (bound + 1), *within(2 * size * (bound + 1))),
        robust=for_all(g - h <= robust * size, *within(size)),
    )


@statement(
    "004 (4.47)",
    lines="3621-3627, 3649-3661",
    algorithms=("diss-4.1.17",),
    kind="utility",
    printed="E gap_R <= O(||C||_2 (W ln(1/delta))^{1/4}/sqrt(n epsilon)), gamma = O(sqrt(W "
    "ln(1/delta))/(||C||_2 sqrt(n epsilon))), T = O(n epsilon/sqrt(W ln(1/delta)))",
    checked="with gamma = (W ln(1/delta))^{1/4}/(||C||_2 sqrt(n epsilon)), as its proof has it",
    added="||C||_2 of order 1, or else its power differs (1/||C||_2 in the noise term)",
    refuses={"gamma as printed": {"root": "1/2"}, "M~ gamma^2 D^2/2": {"smooth": "1/2"}},
)
def frank_wolfe_gap(root: str = "1/4", smooth: str = "1") -> Outcome:
    """gamma gap <= drop + ||eps||_*^2/(2 M~) + M~ gamma^2 D^2, by (4.48) and (4.49).

    Young's inequality gamma e d <= M~ gamma^2 d^2/2 + e^2/(2 M~), e = ||eps||_*, d <= D [step
    "Young"]. With E e^2 <= sigma^2 W (Lemma 4.1.1) and D = 2: drop/(gamma T), M~ gamma D^2 and
    sigma^2 W/(2 M~ gamma) are all ||C||_2, or 1/||C||_2, times the rate [step "rate"].
    """
    e, d, size, gamma, diameter = reals("e d M gamma D")
    left = 2 * size * gamma * e * d + size * size * gamma * gamma * diameter * diameter
    W, a, n, epsilon, width, M, L, c = symbols("W a n epsilon C M L c")
    step = (W * a) ** sp.Rational(root) / (width * sp.sqrt(n * epsilon))
    rounds = n * epsilon / sp.sqrt(W * a)
    rate = (W * a) ** sp.Rational(1, 4) / sp.sqrt(n * epsilon)
    sigma = c * L**2 * rounds * a / (n * epsilon) ** 2
    return derived(
        Young=for_all(
            left <= 2 * rational(smooth) * size * size * gamma * gamma * diameter**2 + e * e,
            *(size > 0, gamma > 0, e >= 0, d >= 0, d <= diameter),
        ),
        rate=identity(
            (1 / (step * rounds), width * rate),
            (M * width**2 * step * 4, 4 * M * width * rate),
            (sigma * W / (2 * M * width**2 * step), c * L**2 / (2 * M * width) * rate),
        ),
    )


not_checkable(
    "004 Theorem 4.2.12",
    lines="3581-3593",
    kind="lower bound",
    printed="every epsilon-DP algorithm errs by Omega(min{1, d/(n epsilon)}) w.p. 1/2 on some D, "
    "l(w, z) = -<w, z> - lambda/2 ||w||^2, C = B(r)",
    reason="cited from Bassily et al. (2014), for linear losses; only the reduction is here",
)


@statement(
    "004 Theorem 4.2.12, reduction",
    lines="3581",
    kind="identity",
    printed="L^r(w, D) = -<w, mean z> is linear",
    refuses={"r = lambda/4 ||w||^2": {"share": "1/4"}},
)
def reduction(share: str = "1/2") -> Outcome:
    """The regulariser cancels; per record and coordinate."""
    w, z, ridge = sp.symbols("w z lambda", real=True)
    loss = -w * z - ridge / 2 * w**2
    return identity((loss + sp.Rational(share) * ridge * w**2, -w * z))
