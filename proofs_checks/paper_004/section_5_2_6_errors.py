"""Section 5.2.6: from the root and least squares to the errors of Theorems 5.2.2, 5.2.3 and 5.2.5.

w = ||w*||_inf, h = max{1, 1/c_Phi}, m = max{1, w}, K = G r kappa_x^3 sqrt(rho_2) rho_inf; rate is
that of section 5.2.6, theme root.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_2_3 import bounded_curvature, sub_gaussian_curvature
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.2.39", "diss-5.2.40"))


def scaled_least_squares(constant: str = "17", norm: int = 1) -> Outcome:
    """||w^ols||_inf <= w (1/c_Phi + 16 K w/sqrt p) <= 17 K w m h for K, p >= 1, by Lemma 5.2.2.

    ||w*/c_Phi - w^ols||_inf <= 16 K w^2/sqrt p [step "triangle"]; 1/c_Phi <= h, w <= m [step
    "17"]; ||w^ols||_2 <= sqrt p times it, one entry more at a time [step "entries"].
    """
    a, w, inverse, K, root, h, m = reals("a w 1/c_Phi K sqrt_p h m")
    squares, p, entry, top = reals("squares p entry top")
    bound = w * (inverse + 16 * K * w / root)
    steps = {
        "triangle": for_all(
            a <= bound,
            *(
                w >= 0,
                inverse > 0,
                K >= 1,
                root >= 1,
                z3.Abs(a - w * inverse) * root <= 16 * K * w * w,
            ),
        ),
        "17": for_all(
            bound <= rational(constant) * K * w * m * h,
            *(w >= 0, inverse > 0, K >= 1, root >= 1, h >= 1, h >= inverse, m >= 1, m >= w),
        ),
        "entries": for_all(
            squares + entry * entry <= (p + 1) ** norm * top * top,
            *(p >= 1, top >= 0, entry >= 0, entry <= top, squares <= p**norm * top * top),
        ),
    }
    return derived(**steps)


def _monomials() -> dict[str, Any]:
    """Return the symbols of the bounds; K is expanded, and a = 17 K w m h bounds ||w^ols||_inf."""
    names = "G r kappa_x rho_2 rho_inf w m h p M c_bar S rate log_m public k L tau c_Phi"
    found = dict(zip(names.split(), symbols(names), strict=True))
    found["K"] = (
        found["G"] * found["r"] * found["kappa_x"] ** 3 * sp.sqrt(found["rho_2"]) * found["rho_inf"]
    )
    found["a"] = 17 * found["K"] * found["w"] * found["m"] * found["h"]
    return found


# --------------------------------------------------------------------------- the decomposition


def decomposed(factor: str = "1") -> Outcome:
    """Two triangle inequalities, entry by entry."""
    out, first, second, true = reals("c^w^ c_bar_Phi_w c_Phi_w w*")
    return derived(
        triangle=for_all(
            z3.Abs(out - true)
            <= rational(factor) * (z3.Abs(out - first) + z3.Abs(first - second))
            + z3.Abs(second - true)
        )
    )


decomposition = statement(
    "004 (5.39)",
    lines="6095-6099",
    kind="approximation",
    printed="||w^glm - w*|| <= ||c^ w^ - c_bar_Phi w^ols|| + ||c_bar_Phi w^ols - c_Phi w^ols|| + "
    "||c_Phi w^ols - w*||, in l_inf",
    refuses={"0.9 of the first two": {"factor": "0.9"}},
)(decomposed)
decomposition.restated(
    "004 (5.59)",
    lines="6237-6239",
    printed="(5.39), for bounded Phi''",
    unchecked={
        "Phi''": "the triangle inequality does not use its bound",
    },
)


@statement(
    "004 (5.40)",
    lines="6101-6115",
    kind="approximation",
    printed="|c_bar_Phi - c_Phi| <= 16 M^-1 c_Phi G^2 r^2 kappa_x^3 sqrt(rho_2) rho_inf w^2/sqrt p",
    checked="the step from M |c_bar_Phi - c_Phi| <= c_Phi G r ||c_Phi w^ols - w*|| and Lemma 5.2.2",
    false="||c_Phi w^ols - w*|| is c_Phi times what Lemma 5.2.2 bounds: c_Phi^2 is needed",
    errata=("diss-5.2.39/E8",),
)
def constant_lost() -> Outcome:
    """c_Phi = 4, as for the logistic loss at w* = 0; all else 1.

    ||c_Phi w^ols - w*|| may be 4 times 16, and M |c_bar_Phi - c_Phi| 4 times that.
    """
    point = {"c_Phi": 4, "M": 1, "G": 1, "r": 1, "kappa_x": 1, "rho": 1, "w": 1, "p": 1}
    return refuted(point, 16 * 16, 16 * 4, "what both inequalities allow, against the bound")


@constant_lost.corrected(
    "c_Phi^2 for c_Phi",
    refuses={
        "c_Phi": {"power": 1},
        "15": {"constant": 15},
        "G r for (G r)^2": {"slopes": 1},
        "without M": {"derivative": 0},
    },
)
def constant_kept(
    power: int = 2, constant: int = 16, slopes: int = 2, derivative: int = 1
) -> Outcome:
    """c_Phi G E|<x, w* - c_Phi w^ols>| <= c_Phi G r e, e = ||w* - c_Phi w^ols||_inf.

    By |<x, u>| <= ||x||_1 ||u||_inf, one entry more at a time [step "Hoelder"]; e <= c_Phi 16 G r
    kappa_x^3 sqrt(rho_2) rho_inf w^2/sqrt p [step "order"].
    """
    s = _monomials()
    bias = 16 * s["K"] * s["w"] ** 2 / sp.sqrt(s["p"])
    found = s["c_Phi"] * s["G"] * s["r"] * s["c_Phi"] * bias / s["M"]
    claimed = constant * s["c_Phi"] ** power * s["K"] / (s["G"] * s["r"]) * s["w"] ** 2
    claimed *= (s["G"] * s["r"]) ** slopes / (sp.sqrt(s["p"]) * s["M"] ** derivative)
    total, entry, length, x, top = reals("total entry length x e")
    return derived(
        Hoelder=for_all(
            z3.Abs(total + x * entry) <= (length + z3.Abs(x)) * top,
            *(z3.Abs(entry) <= top, z3.Abs(total) <= length * top, length >= 0),
        ),
        order=identity((found, claimed)),
    )


@statement(
    "004 (5.41)",
    lines="6117-6121",
    kind="approximation",
    printed="||c_bar_Phi w^ols - c_Phi w^ols|| <= O(M^-1 r^3 kappa_x^6 G^3 rho_2 rho_inf^2 w^3 m "
    "max{1, c_Phi}/sqrt p)",
    checked="(5.40) as corrected times ||w^ols||_inf, with 16 * 17",
    added="K, p >= 1",
    repair="c_Phi max{1, c_Phi} for max{1, c_Phi}, by (5.40) as corrected",
    errata=("diss-5.2.39/E8",),
    refuses={
        "max{1, c_Phi}": {"power": 1},
        "r^2": {"lengths": 2},
        "kappa_x^5": {"moments": 5},
        "w^2": {"sizes": 2},
        "rho_inf": {"conditions": 1},
        "without m": {"larger": 0},
        "16 for 17": {"constant": "16"},
        "max{1, 1/c_Phi}": {"inverse": True},
    },
)
def distance_of_roots(
    lengths: int = 3,
    moments: int = 6,
    sizes: int = 3,
    conditions: int = 2,
    larger: int = 1,
    constant: str = "17",
    power: int = 2,
    *,
    inverse: bool = False,
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`.

    c_Phi max{1, 1/c_Phi} = max{1, c_Phi} [step "constant"].
    """
    s = _monomials()
    found = 16 * s["K"] * s["G"] * s["r"] * s["c_Phi"] ** 2 * s["w"] ** 2
    found /= s["M"] * sp.sqrt(s["p"])
    claimed = 272 * s["r"] ** lengths * s["kappa_x"] ** moments * s["G"] ** 3 * s["rho_2"]
    claimed *= s["rho_inf"] ** conditions * s["w"] ** sizes * s["m"] ** larger
    claimed *= s["c_Phi"] ** power * s["h"]
    c, h, top = reals("c_Phi h top")
    return derived(
        least_squares=scaled_least_squares(constant),
        order=identity((found * s["a"], claimed / (s["M"] * sp.sqrt(s["p"])))),
        constant=for_all(
            c * h == top,
            *(c > 0, h == z3.If(c < 1, 1 / c, 1)),
            top == (h if inverse else z3.If(c > 1, c, 1)),
        ),
    )


@statement(
    "004 l.6245",
    lines="6245",
    kind="approximation",
    printed="the third term of (5.59) is at most 16 c_Phi K w/sqrt p, by Lemma 5.2.2",
    false="w^2, as Lemma 5.2.2 and the proof of Theorem 5.2.3 have it: too small for w > 1",
    errata=("diss-5.2.39/E8",),
)
def bias_unsquared() -> Outcome:
    """w = 1e4 and a constant of 1000, all else 1."""
    return refuted({"w": 1e4, "others": 1, "constant": 1000}, 16 * 10**8, 1000 * 10**4, "bounds")


@bias_unsquared.corrected(
    "16 c_Phi K w^2/sqrt p",
    refuses={"w": {"power": 1}, "15": {"constant": 15}, "without c_Phi": {"scaled": 0}},
)
def bias_squared(power: int = 2, constant: int = 16, scaled: int = 1) -> Outcome:
    """||c_Phi w^ols - w*|| is c_Phi times ||w^ols - w*/c_Phi||, entry by entry."""
    c, entry, true, w, K, root = reals("c_Phi w_ols w* w K sqrt_p")
    return derived(
        scaled=for_all(
            z3.Abs(c * entry - true) * root <= constant * c**scaled * K * w**power,
            *(c > 0, root >= 1, K > 0, w >= 0, z3.Abs(entry - true / c) * root <= 16 * K * w * w),
        )
    )


@statement(
    "004 (5.60)",
    lines="6241-6243",
    kind="approximation",
    printed="||c_bar_Phi w^ols - c_Phi w^ols|| <= O(M^-1 r^2 kappa_x^7 c_Phi G^3 rho_2 rho_inf^2 "
    "w^3 m h/sqrt p)",
    checked="the step from the printed (5.40)",
    false="r^3 kappa_x^6 for r^2 kappa_x^7: too small for r above kappa_x",
    errata=("diss-5.2.39/E8",),
)
def other_powers() -> Outcome:
    """r = 10^4 and all else 1: (5.40) times ||w^ols||_inf = 16 K w against 100 of it."""
    r = 10**4
    point = {"r": r, "kappa_x": 1, "others": 1, "constant": 1000}
    return refuted(point, 16 * 16 * r**3, 1000 * r**2, "(5.41) against (5.60)")


@other_powers.corrected(
    "r^3 kappa_x^6, and c_Phi^2 by (5.40) as corrected",
    refuses={
        "c_Phi": {"power": 1},
        "r^2 kappa_x^7": {"lengths": 2, "moments": 7},
        "w^2": {"sizes": 2},
    },
)
def right_powers(power: int = 2, lengths: int = 3, sizes: int = 3, moments: int = 6) -> Outcome:
    """The corrected (5.40) times 17 K w m h."""
    s = _monomials()
    found = 16 * s["K"] * s["G"] * s["r"] * s["c_Phi"] ** 2 * s["w"] ** 2 / sp.sqrt(s["p"])
    claimed = 272 * s["r"] ** lengths * s["kappa_x"] ** moments * s["c_Phi"] ** power
    claimed *= s["G"] ** 3 * s["rho_2"] * s["rho_inf"] ** 2 * s["w"] ** sizes * s["m"] * s["h"]
    return derived(
        least_squares=scaled_least_squares(),
        order=identity((found * s["a"], claimed / sp.sqrt(s["p"]))),
    )


@statement(
    "004 (5.42)",
    lines="6123-6127",
    kind="approximation",
    printed="||c^ w^ - c_bar_Phi w^ols|| <= |c^| ||w^ - w^ols|| + |c^ - c_bar_Phi| ||w^ols||, with "
    "|c^| <= c_bar, (5.29) and (5.32)",
    checked="the first inequality, in l_inf",
    refuses={
        "0.9 |c^ - c_bar_Phi|": {"factor": "0.9"},
        "|c^|/2": {"share": "1/2"},
        "|c^| <= 1": {"largest": False},
    },
)
def product_of_errors(factor: str = "1", share: str = "1", *, largest: bool = True) -> Outcome:
    """Entry by entry, with |c^| <= c_bar [step "bounded"]; ||.||_inf <= ||.||_2 for (5.29)."""
    c, d, u, w = reals("c^ c_bar_Phi w^ w")
    top, error = reals("c_bar |w^-w|")
    return derived(
        triangle=for_all(
            z3.Abs(c * u - d * w)
            <= rational(share) * z3.Abs(c) * z3.Abs(u - w)
            + rational(factor) * z3.Abs(c - d) * z3.Abs(w)
        ),
        bounded=for_all(
            z3.Abs(c) * error <= (top if largest else 1) * error, error >= 0, z3.Abs(c) <= top
        ),
    )


# ----------------------------------------------------------------------- its three terms


def _first_term(lengths: int, moments: int, powers: int, larger: int, dims: int) -> Outcome:
    """c_bar kappa_x ||w^ols||_2 r rate with ||w^ols||_2 <= sqrt p 17 K w m h, rate without r."""
    s = _monomials()
    found = s["c_bar"] * s["kappa_x"] * sp.sqrt(s["p"]) * s["a"] * s["r"] ** 2 * s["rate"]
    claimed = 17 * s["c_bar"] * s["kappa_x"] ** moments * sp.sqrt(s["rho_2"]) * s["rho_inf"]
    claimed *= s["G"] * s["r"] ** lengths * s["w"] ** powers * s["m"] ** larger * s["h"] * s["rate"]
    return derived(
        least_squares=scaled_least_squares(),
        order=identity((found, claimed * sp.sqrt(s["p"]) ** dims)),
    )


@statement(
    "004 (5.43)",
    lines="6129-6134",
    kind="approximation",
    printed="the first term of (5.42) is O(c_bar p kappa_x^4 sqrt(rho_2) rho_inf G r^3 w m h "
    "sqrt(log(1/delta) log(p^2/xi))/(epsilon sqrt(n) s min{s, 1}))",
    checked="the constant is 17, rate being sqrt(p) times the fraction; r^2 as in its first line",
    added="K, p, r >= 1",
    refuses={
        "r^2": {"lengths": 2},
        "kappa_x^3": {"moments": 3},
        "w^2": {"powers": 2},
        "without m": {"larger": 0},
        "without the second sqrt p": {"dims": 0},
    },
)
def first_term(
    lengths: int = 3, moments: int = 4, powers: int = 1, larger: int = 1, dims: int = 1
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`.

    Here rate = sqrt(p log(1/delta) log(p^2/xi))/(epsilon sqrt(n) s min{s, 1}).
    """
    return _first_term(lengths, moments, powers, larger, dims)


@statement(
    "004 (5.44)",
    lines="6136-6142",
    kind="approximation",
    printed="||w^ols|| M^-1 c_bar k sqrt(p log m/m) <= O(K c_bar w m h k sqrt(p log m/m))",
    false="M^-1 is lost in the first of its lines",
    errata=("004 (5.44)/E1",),
)
def derivative_lost() -> Outcome:
    """M = 10^-6 and all else 1, ||w^ols|| = w, for a constant of 1000."""
    return refuted({"M": 1e-6, "others": 1, "constant": 1000}, 10**6, 1000, "both sides")


@derivative_lost.corrected(
    "with M^-1, the constant being 17",
    refuses={
        "without M^-1": {"derivative": 0},
        "w^2": {"powers": 2},
        "16": {"constant": "16"},
        "sqrt(K)": {"bias": Fraction(1, 2)},
    },
)
def derivative_kept(
    derivative: int = 1, powers: int = 1, constant: str = "17", bias: Fraction = Fraction(1)
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`."""
    s = _monomials()
    unit = s["c_bar"] * s["k"] * sp.sqrt(s["p"] * s["log_m"] / s["public"])
    claimed = 17 * s["K"] ** sp.Rational(bias) * s["w"] ** powers * s["m"] * s["h"] * unit
    return derived(
        least_squares=scaled_least_squares(constant),
        order=identity((s["a"] * unit / s["M"], claimed / s["M"] ** derivative)),
    )


@statement(
    "004 (5.45)",
    lines="6144-6150",
    kind="approximation",
    printed="the third term of (5.42) is O(M^-1 G^3 kappa_x^8 c_bar^2 rho_2 rho_inf^2 S p r^4 w^2 "
    "m^2 h^2 sqrt(log(1/delta) log(p^2/xi))/(epsilon sqrt(n) s min{s, 1}))",
    checked="the constant is 17^2, rate being sqrt(p) times the fraction; r^2 as in its first line",
    added="K, p, r >= 1",
    refuses={
        "kappa_x^7": {"moments": 7},
        "r^3": {"lengths": 3},
        "w": {"powers": 1},
        "h": {"inverses": 1},
        "rho_inf": {"conditions": 1},
        "G^2": {"slopes": 2},
        "without the second sqrt p": {"dims": 0},
    },
)
def third_term(
    moments: int = 8,
    lengths: int = 4,
    powers: int = 2,
    inverses: int = 2,
    conditions: int = 2,
    slopes: int = 3,
    dims: int = 1,
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`, twice.

    Here rate = sqrt(p log(1/delta) log(p^2/xi))/(epsilon sqrt(n) s min{s, 1}).
    """
    s = _monomials()
    found = s["a"] * s["G"] * s["kappa_x"] ** 2 * s["c_bar"] ** 2 * s["S"] / s["M"]
    found *= sp.sqrt(s["p"]) * s["a"] * s["r"] ** 2 * s["rate"]
    claimed = 289 * s["G"] ** slopes * s["kappa_x"] ** moments * s["c_bar"] ** 2 * s["rho_2"]
    claimed *= s["rho_inf"] ** conditions * s["S"] * s["r"] ** lengths * s["w"] ** powers
    claimed *= s["m"] ** 2 * s["h"] ** inverses * s["rate"] * sp.sqrt(s["p"]) ** dims / s["M"]
    return derived(least_squares=scaled_least_squares(), order=identity((found, claimed)))


sub_gaussian_curvature.restated(
    "004 (5.46)",
    lines="6155-6169",
    printed="(5.23) with G, M, c_bar, r, kappa_x, kappa_g written out: every term has a factor w",
)
bounded_curvature.restated(
    "004 (5.61)",
    lines="6247-6249",
    printed="||c^ w^ - c_bar_Phi w^ols|| is at most the first two terms of (5.62), both with w^2",
)
bounded_curvature.restated(
    "004 (5.62)",
    lines="6251-6253",
    printed="(5.20) with G, L, M, c_bar, r, kappa_x written out: every term has a factor w^2",
)


# ------------------------------------------------------------------------ the sizes of n and m


@statement(
    "004 (5.47)",
    lines="6171-6174",
    kind="approximation",
    printed="m >= Omega(k^2 max{p log m/tau^2, epsilon^2 n/(G^2 mu~^2 p r^4 ||w^ols||^2 "
    "log(1/delta) log(p^2/xi))}), for which Lemma 5.2.11 holds",
    checked="that it implies (5.30)",
    false="||Sigma|| is lost from the denominator of the second part: too weak for ||Sigma|| < 1",
    errata=("004 (5.47)/E1",),
)
def covariance_lost() -> Outcome:
    """||Sigma|| = 10^-6 and all else 1, for a constant of 1000: 10^6 is asked for by (5.30)."""
    point = {"||Sigma||": 1e-6, "others": 1, "constant": 1000, "m": 1000}
    return refuted(point, 10**6, 1000, "(5.30) against (5.47)")


@covariance_lost.corrected(
    "(5.30), with the second part over ||Sigma||, implies it for ||Sigma|| <= 1",
    refuses={"for ||Sigma|| <= 2": {"largest": 2}},
)
def covariance_for_small(largest: int = 1) -> Outcome:
    """The other parts are the same."""
    second, size, m = reals("second Sigma m")
    return derived(
        weaker=for_all(m >= second, *(second > 0, size > 0, size <= largest, m * size >= second))
    )


@statement(
    "004 (5.48)",
    lines="6176",
    kind="approximation",
    printed="n >= Omega(max{the n of (5.31), kappa_x^4 ||Sigma||^2 p r^4 log(1/delta)/(epsilon^2 "
    "lambda_min^2)}), for which Lemmas 5.2.9 and 5.2.11 hold",
    checked="the second part: the step from the condition of Lemma 5.2.9",
    false="that condition is too weak for ||Sigma|| < 1",
    special_case_of=("004 Lemma 5.2.9, condition",),
    errata=("diss-5.2.39/E5",),
)
def condition_collected() -> Outcome:
    """The point of Lemma 5.2.9, condition; ||w^ols|| = 10^-8, so that (5.31) asks for n = 1."""
    point = {"Sigma": 1e-8, "p": 1, "r": 1, "epsilon": 1, "||w||": 1e-8, "C": 1e4, "n": 1e4}
    return refuted(point, 100, 2.5e-5, "||E_1|| over lambda_min(X^T X)/2")


@condition_collected.corrected(
    "with 16 c^2 max{kappa_x^4 ||Sigma||^2, r^4 log(1/delta)/epsilon^2} p/lambda_min^2 for it",
    refuses={"4 c^2": {"factor": 4}, "the smaller": {"largest": False}},
)
def larger_condition(factor: int = 16, *, largest: bool = True) -> Outcome:
    """It implies both parts of the corrected condition.

    Here first = c^2 kappa_x^4 ||Sigma||^2 p/lambda_min^2, and
    second = c^2 p r^4 log(1/delta)/(epsilon^2 lambda_min^2).
    """
    n, first, second = reals("n first second")
    chosen = z3.If((first > second) if largest else (first < second), first, second)
    return derived(
        both=for_all(
            z3.And(n >= 4 * first, n >= 16 * second),
            *(n >= factor * chosen, first > 0, second > 0),
        )
    )


@statement(
    "004 (5.49)",
    lines="6178-6180",
    kind="approximation",
    printed="n >= Omega(G^4 c_bar^4 ||Sigma||^2 p^2 r^6 kappa_x^10 rho_2 rho_inf^2 w^2 m^2 h^2 "
    "log(1/delta) log(p^2/xi)/(tau^2 epsilon^2 lambda_min min{lambda_min, 1}))",
    checked="that it implies the n of (5.31), for ||w^ols|| at the bound of Lemma 5.2.2",
    false="||Sigma||^2 stands for ||Sigma||: too weak for ||Sigma|| < 1; nor does it imply the "
    "other part of (5.48) for small w",
    errata=("004 (5.49)/E1",),
)
def square_of_covariance() -> Outcome:
    """||Sigma|| = lambda_min = 10^-6 and all else 1, ||w^ols|| = w = 1, for a constant of 1000."""
    point = {"||Sigma||": 1e-6, "lambda_min": 1e-6, "others": 1, "constant": 1000}
    return refuted(point, 10**6, 1000, "(5.31) against (5.49)")


@square_of_covariance.corrected(
    "with ||Sigma||, and the other part of (5.48) beside it",
    refuses={
        "||Sigma||^2": {"sizes": 2},
        "p": {"dims": 1},
        "kappa_x^8": {"moments": 8},
        "w": {"powers": 1},
        "r^4": {"lengths": 4},
    },
)
def covariance_once(
    sizes: int = 1, dims: int = 2, moments: int = 10, powers: int = 2, lengths: int = 6
) -> Outcome:
    """(5.31) at ||w^ols||_2^2 = p (17 K w m h)^2; rate^2 is the last fraction.

    See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`.
    """
    s = _monomials()
    unit = s["c_bar"] ** 4 * s["rate"] ** 2 / s["tau"] ** 2
    found = s["kappa_x"] ** 4 * s["G"] ** 2 * s["S"] * s["p"] * s["r"] ** 4 * s["p"] * s["a"] ** 2
    claimed = 289 * s["G"] ** 4 * s["S"] ** sizes * s["p"] ** dims * s["r"] ** lengths
    claimed *= s["kappa_x"] ** moments * s["rho_2"] * s["rho_inf"] ** 2 * s["w"] ** powers
    claimed *= s["m"] ** 2 * s["h"] ** 2
    return derived(
        least_squares=scaled_least_squares(), order=identity((found * unit, claimed * unit))
    )


square_of_covariance.restated("004 (5.64)", lines="6259", printed="(5.49) with log(p^3/xi)")

CONDITION = "a condition of the theorem, not a claim; that the proof needs more is (5.49)"
not_checkable(
    "004 (5.19)",
    lines="5730",
    kind="assumption",
    printed="(5.49) with log(p/xi), and G, c_bar, r, kappa_x, tau left out",
    reason=CONDITION,
)
not_checkable(
    "004 (5.22)",
    lines="5750",
    kind="assumption",
    printed="(5.49) with G, c_bar, r, kappa_x, tau left out",
    reason=CONDITION,
)
not_checkable(
    "004 (5.26)",
    lines="5819",
    kind="assumption",
    printed="(5.19) with c_f for c_Phi",
    reason=CONDITION,
)


@statement(
    "004 (5.63)",
    lines="6257",
    kind="approximation",
    printed="m >= Omega(G^4 L^2 r^2 kappa_x^6 ||Sigma|| w^2 m^2 rho_2 rho_inf^2 p^2 h^2/tau^2)",
    checked="that it implies (5.52), ||w^ols|| at the bound of Lemma 5.2.2, with a constant of 289",
    added="K, p >= 1",
    refuses={
        "p": {"dims": 1},
        "kappa_x^4": {"moments": 4},
        "w": {"powers": 1},
        "rho_inf": {"conditions": 1},
        "h": {"inverses": 1},
        "G^2": {"slopes": 2},
    },
)
def public_records(
    dims: int = 2,
    moments: int = 6,
    powers: int = 2,
    conditions: int = 2,
    inverses: int = 2,
    slopes: int = 4,
) -> Outcome:
    """(5.52) at ||w^ols||_2^2 = p (17 K w m h)^2.

    See :func:`proofs_checks.paper_004.section_5_2_6_errors.scaled_least_squares`.
    """
    s = _monomials()
    found = s["G"] ** 2 * s["L"] ** 2 * s["S"] * s["p"] * s["p"] * s["a"] ** 2 / s["tau"] ** 2
    claimed = 289 * s["G"] ** slopes * s["L"] ** 2 * s["r"] ** 2 * s["kappa_x"] ** moments * s["S"]
    claimed *= s["w"] ** powers * s["m"] ** 2 * s["rho_2"] * s["rho_inf"] ** conditions
    claimed *= s["p"] ** dims * s["h"] ** inverses / s["tau"] ** 2
    return derived(least_squares=scaled_least_squares(), order=identity((found, claimed)))


public_records.restated(
    "004 (5.18)",
    lines="5728",
    printed="m >= Omega(||Sigma|| w^2 m^2 rho_2 rho_inf^2 p^2 h^2), (5.63) without its constants",
)
public_records.restated(
    "004 (5.25)",
    lines="5817",
    printed="(5.18) with c_f for c_Phi",
    unchecked={
        "c_f": "takes the place of c_Phi in the steps",
    },
)


@statement(
    "004 (5.21)",
    lines="5748",
    kind="approximation",
    printed="m >= Omega~(epsilon^2 n/mu~^2)",
    checked="that it implies the second part of (5.30), without kappa_g + kappa_x/mu~ and G",
    added="p r^4 ||w^ols||^2 log(1/delta) log(p^2/xi) ||Sigma|| >= 1",
    refuses={"mu~": {"power": 1}, "for 1/2": {"least": "1/2"}, "epsilon": {"budgets": 1}},
)
def public_by_private(power: int = 2, least: str = "1", budgets: int = 2) -> Outcome:
    """1/(what is added) is at most 1; mu for mu~."""
    m, epsilon, n, mu, product = reals("m epsilon n mu product")
    return derived(
        implied=for_all(
            m * mu * mu * product >= epsilon * epsilon * n,
            *(epsilon > 0, n > 0, mu > 0, m > 0, product >= rational(least)),
            m * mu**power >= epsilon**budgets * n,
        )
    )
