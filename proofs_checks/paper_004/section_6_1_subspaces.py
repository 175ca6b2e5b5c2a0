"""Section 6.1.4: sparse subspaces, the Fantope, and when its penalised optimum has the support."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.random_matrices import curvature_ratio, symmetric
from proofs_checks.paper_004.section_6_1_sparse import (
    entry_tail_near_the_mean,
    largest_entry_with_two,
    sparse_core,
)
from proofs_checks.statement import not_checkable, twin
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.matrices.fantope import project_on_fantope
from reference.matrices.sparse_local_pca import penalised_projection
from reference.matrices.subspaces import principal_subspace, sin_theta_squared

statement = partial(any_statement, algorithms=("diss-6.1.47",))

# ------------------------------------------------------------------ notions and problems

twin(
    "004 (6.2)",
    of="004 Theorem 6.1.2 (utility)",
    lines="7387",
    printed="||sin Theta||_F^2 = O(lambda_1^2 k p log(1/delta)/((lambda_k - lambda_{k+1})^2 n "
    "epsilon^2))",
    special_case_of=("004 Theorem 6.1.2 (utility)",),
    algorithms=("diss-6.1.46",),
)


@statement(
    "004 (6.3)",
    lines="7414-7418",
    kind="definition",
    printed="||A||_{p,q} is the l_q norm of the l_p norms of the rows; ||A O||_{2,0} = ||A||_{2,0} "
    "for orthogonal O",
    refuses={"rows keep their l_1 norm": {"power": 1}},
    unchecked={
        "l_q, l_p": "any norms; the step has the l_2 norm of a row, which decides ||A O||_{2,0}",
    },
)
def norm_of_rows(power: int = 2) -> Outcome:
    """Every row keeps its l_2 norm; a rotation of the plane."""
    a, b, t = sp.symbols("a b t", real=True)
    turned = (a * sp.cos(t) - b * sp.sin(t), a * sp.sin(t) + b * sp.cos(t))
    return definition(
        identity((sum(abs(x) ** power for x in turned), abs(a) ** power + abs(b) ** power))
    )


not_checkable(
    "004 Definition 6.1.1",
    lines="7420-7422",
    kind="definition",
    printed="M_0(s) = {col(U), U in R^(p x k) orthogonal, ||U||_{2,0} <= s}, k <= s <= p",
    reason="fixes the sparse subspaces; the number of rows does not depend on U, see (6.3)",
)
not_checkable(
    "004 (6.4)",
    lines="7436-7440",
    kind="definition",
    printed="max <S, U U^T> subject to U^T U = I_k and ||U||_{2,0} <= s",
    reason="states a problem",
)
for _number, _lines, _of in (("(6.5)", "7440-7444", "S~"), ("(6.9)", "7816-7820", "S")):
    not_checkable(
        f"004 {_number}",
        lines=_lines,
        kind="definition",
        printed=f"X^ = argmax <{_of}, X> - lambda ||X||_{{1,1}} over 0 <= X <= I, tr X = k",
        reason="states a problem; of its set see l.7444",
        algorithms=("diss-6.1.47",),
    )


@statement(
    "004 l.7444",
    lines="7440, 7444",
    kind="identity",
    printed="the Fantope, 0 <= X <= I and tr X = k, is the convex hull of the constraints in (6.4)",
    false="of the U U^T without the constraint ||U||_{2,0} <= s",
    errata=("diss-6.1.47/E8",),
)
def hull_of_sparse_subspaces() -> Outcome:
    """p = 2, k = s = 1: the hull of e_1 e_1^T and e_2 e_2^T has no entries beside the diagonal."""
    point = {"X": [[0.5, 0.5], [0.5, 0.5]], "k": 1, "s": 1}
    return refuted(point, Fraction(1, 2), 0, "entry of X, and largest of the hull")


@hull_of_sparse_subspaces.corrected(
    "it is the convex hull of {U U^T: U^T U = I_k}",
    refuses={"X <= 11 I/10": {"largest": "11/10"}},
    unchecked={
        "U": "the steps have the weights of the U U^T, and draw some",
    },
)
def hull_of_subspaces(rng: np.random.Generator, largest: str = "1") -> Outcome:
    """In eigenvectors of X: weights in [0, 1] that add up to k, against sets of k eigenvectors.

    Three eigenvectors and k = 2 [step "weights"]: w is the mean of 1 - e_i with coefficients
    1 - w_i. For others: the vertices of that polytope have entries 0 and 1 (cited). Drawn means of
    U U^T are their own projections on the Fantope [step "code"].
    """
    w = reals("w_1 w_2 w_3")
    top = rational(largest)
    inside = [z3.And(x >= 0, x <= top) for x in w]
    shares = [1 - x for x in w]
    mean = [sum(share for j, share in enumerate(shares) if j != i) for i in range(3)]
    weights = z3.And(
        sum(shares) == 1,
        *(share >= 0 for share in shares),
        *(m == x for m, x in zip(mean, w, strict=True)),
    )
    worst = 0.0
    for _ in range(30):
        p = int(rng.integers(2, 7))
        k = int(rng.integers(1, p))
        bases = [principal_subspace(symmetric(p, rng), k) for _ in range(3)]
        parts = rng.dirichlet(np.ones(3))
        mixed = sum(part * u @ u.T for part, u in zip(parts, bases, strict=True))
        worst = max(worst, float(np.abs(project_on_fantope(np.asarray(mixed), k) - mixed).max()))
    return derived(
        weights=for_all(weights, sum(w) == 2, *inside),
        code=searched(worst, 1e-12, tried=30, what="distance of a mean from the Fantope"),
    )


@statement(
    "004 Definition 6.1.2",
    lines="7489-7491",
    kind="definition",
    printed="LCC: 8 s/(lambda_k - lambda_{k+1}) ||Sigma_{J^c J}||_{2,infinity} <= 1 - alpha, alpha "
    "in (0, 1]",
    checked="(6.7) satisfies it with alpha = 1, and a matrix whose rows outside J have norm gap/(16"
    " s) with alpha = 1/2",
    refuses={"4 s for 8 s": {"eight": 4}, "(6.7) without V V^T": {"spikes": 0}},
    unchecked={
        "alpha": "1 and 1/2 in the step",
    },
)
def limited_correlation(eight: int = 8, spikes: int = 1) -> Outcome:
    """V V^T vanishes outside J x J, J the support of V; the gap of (6.7) is positive.

    Here gap = lambda_k - lambda_{k+1}.
    """
    a, b, size, p, s, gap = symbols("a b lambda p s gap")
    scale = 1 / (5 * p * (size + 1))
    v = sp.Matrix([a, b, 0])
    sigma = scale * (size * spikes * v * v.T + sp.eye(3))
    between = sigma[0, 0] * (a**2 + b**2) - scale * (a**2 + b**2)
    return definition(
        identity(
            (sigma[2, 0] ** 2 + sigma[2, 1] ** 2, 0),
            (between, scale * size * a**2 * (a**2 + b**2)),
            (eight * s / gap * gap / (16 * s), 1 - sp.Rational(1, 2)),
        )
    )


# ---------------------------------------------------- from matrices to their subspaces


@statement(
    "004 Lemma 6.1.14",
    lines="7762-7766",
    kind="optimisation",
    printed="(lambda_k - lambda_{k+1})/2 ||E - F||_F^2 <= <A, E - F> for 0 <= F <= I, tr F = k",
    refuses={
        "the gap for half of it": {"share": "1"},
        "for tr F = k + 1": {"more": 1},
    },
)
def curvature(rng: np.random.Generator, share: str = "1/2", more: int = 0) -> Outcome:
    """Let f_i = u_i^T F u_i be in [0, 1] for the eigenvectors u_i of A; they add up to k.

    <A, E - F> is the sum of lambda_i (1 - f_i) over i <= k less that of lambda_i f_i over i > k.
    The terms are at least lambda_k (1 - f_i) and at most lambda_{k+1} f_i [step "terms"], and both
    sums of weights are o = k - <E, F>, so it is at least gap times o [step "sums"]. And ||E - F||^2
    = k + ||F||^2 - 2 <E, F> with ||F||^2 <= tr F = k [step "square"]. Drawn F agree [step "code"].
    """
    eigenvalue, weight, other, f = reals("lambda_i lambda_k lambda_{k+1} f")
    out, into, gain, gap, k, overlap, square, apart = reals(
        "o i gain gap k <E,F> ||F||^2 ||E-F||^2"
    )
    worst = max(curvature_ratio(rng) for _ in range(300))
    return derived(
        terms=for_all(
            z3.And(
                z3.Implies(eigenvalue >= weight, eigenvalue * (1 - f) >= weight * (1 - f)),
                z3.Implies(eigenvalue <= other, eigenvalue * f <= other * f),
            ),
            *(f >= 0, f <= 1, weight > other),
        ),
        sums=for_all(
            gain >= gap * (k - overlap),
            *(gap > 0, weight == other + gap, out == k - overlap, into == k + more - overlap),
            *(out >= 0, into >= 0, gain >= weight * out - other * into),
        ),
        square=for_all(
            rational(share) * gap * apart <= gain,
            *(gap > 0, apart == k + square - 2 * overlap, square <= k + more, overlap <= k),
            gain >= gap * (k - overlap),
        ),
        code=searched(worst, 2 * float(Fraction(share)), tried=300, what="ratio to the gain"),
    )


curvature_check = curvature.of_printed.check  # type: ignore[union-attr]


@statement(
    "004 Lemma 6.1.12",
    lines="7750-7752",
    kind="approximation",
    printed="||sin Theta(V_{A,k}, V_{B,k})||_F <= sqrt 2 ||A - B||_F/max{gap_k(A), gap_k(B)}",
    refuses={
        "sqrt(3/2) for sqrt 2": {"square": "3/2"},
        "the sum of the gaps": {"largest": False},
        "||A - B||_F^2": {"power": 2},
    },
)
def between_subspaces(
    rng: np.random.Generator, square: str = "2", largest: bool = True, power: int = 1
) -> Outcome:
    """Let E and F project on the two subspaces, d = ||E - F||_F = sqrt 2 ||sin||_F, A with its gap.

    gap/2 d^2 <= <A, E - F> [step "curvature", Lemma 6.1.14], and <B, E - F> <= 0, as F is best for
    B. So gap/2 d^2 <= <A - B, E - F> <= ||A - B||_F d [step "divided"], and the same with A and B
    exchanged: take the larger gap [step "gaps"]. Drawn pairs agree [step "code"].
    """
    gap, other, top, d, error, sine = reals("gap_A gap_B gap d ||A-B|| sine")
    taken = z3.If(gap >= other, gap, other) if largest else gap + other
    bound = rational(square) * error ** (2 * power)
    worst, tried = 0.0, 200
    for _ in range(tried):
        p = int(rng.integers(2, 7))
        k = int(rng.integers(1, p))
        one = symmetric(p, rng)
        two = one + 10.0 ** rng.uniform(-3, 0.5) * symmetric(p, rng)
        gaps = [float(x[p - k] - x[p - k - 1]) for x in map(np.linalg.eigvalsh, (one, two))]
        bases = [principal_subspace(matrix, k) for matrix in (one, two)]
        distance = float(np.linalg.norm(one - two))
        worst = max(worst, sin_theta_squared(*bases) * (max(gaps) / distance) ** 2)
    return derived(
        curvature=curvature_check(rng),
        divided=for_all(
            sine**2 * gap**2 <= bound,
            *(gap > 0, d > 0, error > 0, sine >= 0, d**2 == 2 * sine**2),
            gap * d**2 <= 2 * error * d,
        ),
        gaps=for_all(
            sine**2 * taken**2 <= top,
            *(gap > 0, other > 0, sine >= 0, sine**2 * gap**2 <= top, sine**2 * other**2 <= top),
        ),
        code=searched(worst, 2, tried=tried, what="sin^2 gap^2/||A - B||_F^2, drawn pairs"),
    )


@statement(
    "004 Lemma 6.1.13",
    lines="7756-7758",
    kind="approximation",
    printed="||sin Theta(V^_k, V_k)||_F^2 <= 2 ||X^ - V_k V_k^T||_F^2",
    special_case_of="004 Lemma 6.1.12",
    refuses={
        "3/2 ||X^ - V_k V_k^T||_F^2": {"square": "3/2"},
        "gap 2 of V_k V_k^T": {"eigenvalue": 2},
    },
)
def from_the_fantope(rng: np.random.Generator, square: str = "2", eigenvalue: int = 1) -> Outcome:
    """Lemma 6.1.12 with A = X^ and B = V_k V_k^T [step "subspaces"], whose gap is 1 - 0.

    So that of the two is at least 1 [step "gap"].
    """
    gap, other, taken, sine, error = reals("gap_A gap_B gap sine ||A-B||")
    lemma = between_subspaces.of_printed.check  # type: ignore[union-attr]
    return derived(
        subspaces=lemma(rng, square),
        gap=for_all(
            sine**2 * eigenvalue**2 <= rational(square) * error**2,
            *(gap >= 0, other == 1, taken >= gap, taken >= other, sine >= 0, error >= 0),
            sine**2 * taken**2 <= 2 * error**2,
        ),
    )


# --------------------------------------------------------------------- support recovery


@statement(
    "004 Lemma 6.1.17",
    lines="7822-7834",
    kind="optimisation",
    printed="||S - Sigma||_inf,inf/lambda + 8 s/gap ||Sigma_{J^c J}||_{2,inf} <= 1 and 4 lambda s "
    "(1 + 8 lambda_1/gap) <= gap: X^ is unique with support in J; and its support is J if min_J "
    "sqrt((V V^T)_jj) >= 4 lambda s/gap, or if min_{J x J} Sigma_ij >= 2 lambda and "
    "rank(sign(Sigma_JJ)) = 1",
    false="the last: at Sigma_12 = 2 lambda the penalty and the error can remove all of it",
    errata=("004 Lemma 6.1.17/E1",),
)
def support_at_the_edge() -> Outcome:
    """p = s = 2, k = 1, Sigma = v v^T + 3/100 w w^T with v the rational point of t = 1/100.

    All conditions hold, lambda = Sigma_12/2 and S_12 = Sigma_12 - lambda. <S, X> - lambda ||X|| is
    (S_11 - lambda) X_11 + (S_22 - lambda) X_22 + 2 lambda (X_12 - |X_12|), and S_11 > S_22: the
    optimum is e_1 e_1^T alone.
    """
    t, low = Fraction(1, 100), Fraction(3, 100)
    v = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
    first, second = v[0] ** 2 + low * v[1] ** 2, v[1] ** 2 + low * v[0] ** 2
    off = (1 - low) * v[0] * v[1]
    penalty, gap = off / 2, 1 - low
    assert second >= off
    assert 8 * penalty * (1 + 8 / gap) <= gap
    assert first > second
    point = {"Sigma_11": float(first), "Sigma_12": float(off), "Sigma_22": float(second)}
    return refuted({**point, "S_12": float(penalty)}, 2, 1, "size of J, and of the support")


@support_at_the_edge.corrected(
    "with min_{J x J} |Sigma_ij| > 2 lambda in the last condition",
    refuses={
        ">= 2 lambda": {"strict": False},
        "3 s/gap for 8 s/gap": {"row": 3},
        "4 lambda s (1 + lambda_1/gap) <= gap": {"eight": 1},
        "min sqrt((V V^T)_jj) >= 2 lambda s/gap": {"signal": "1/2"},
    },
)
def support(
    rng: np.random.Generator,
    strict: bool = True,
    row: int = 8,
    eight: int = 8,
    signal: str = "1",
) -> Outcome:
    """Let Y be the optimum among the matrices supported in J x J, W = S - Sigma, D = Y - V V^T.

    Sigma is a covariance and J, of at most s coordinates, the support of its V.

    Lemma 6.1.15 in J: ||D||_F <= d = 4 lambda s/gap [step "core"], which is 1/9 at most, and
    lambda_1 d <= gap/8 [step "near"]. With dual variables |z_ij| <= 1 let M be S - lambda Z: in
    J x J as they are there, M_JJ - Sigma_JJ of norm 2 lambda s at most, so that its k-th gap is
    positive [step "inside"] and Y projects on its top k eigenvectors; Sigma outside; between,
    Sigma_{J^c J} (I - Y), which Y annihilates: there lambda z = W + Sigma_{J^c J} D, since Sigma V
    V^T is supported in J x J, and its entries are at most lambda [step "dual", r the largest row].

    Y commutes with M, and ||M - Sigma||_2 <= 2 lambda s + lambda_1 d =: m <= gap/5 [step "moved"].
    A unit vector of Y is d close to V V^T: v^T Sigma v >= lambda_k (1 - d^2); one orthogonal to it
    has u^T Sigma u <= lambda_{k+1} + lambda_1 d^2. So Y has the top k eigenvectors of M, and no
    other matrix of the Fantope attains <M, Y> [step "gap"]: Y is the one optimum.

    If Y_jj = 0 then row and column j of V V^T are in D: d^2 >= 2 q - q^2, q = (V V^T)_jj, against q
    >= d^2 [step "signal"]. If all |Sigma_ij| > 2 lambda, M_JJ has the signs of Sigma_JJ [step
    "signs"], so up to the signs of coordinates it is positive, and so is its first eigenvector
    (Perron and Frobenius, cited), which Y contains. Drawn problems agree [step "code"].
    """
    penalty, s, gap, top, kth, next_ = reals("lambda s gap lambda_1 lambda_k lambda_{k+1}")
    d, m, w, r, q, sigma, z, a = reals("d m |w| r q Sigma_ij z alpha")
    shape = (gap > 0, kth == next_ + gap, next_ >= 0, top >= kth, penalty > 0, s >= 1)
    second = 4 * penalty * s * (gap + eight * top) <= gap * gap
    distance = d * gap == 4 * penalty * s
    near = (d >= 0, 9 * d <= 1, 8 * top * d <= gap)
    above = sigma > 2 * penalty if strict else sigma >= 2 * penalty
    return derived(
        core=sparse_core(rng),
        near=for_all(z3.And(9 * d <= 1, 8 * top * d <= gap), *shape, second, distance, d >= 0),
        inside=for_all(gap - 4 * penalty * s > 0, *shape, distance, *near),
        dual=for_all(
            w + r * d <= penalty,
            *(*shape, distance, d >= 0, w >= 0, r >= 0, w <= penalty * a, a <= 1),
            row * s * r <= gap * (1 - a),
        ),
        moved=for_all(5 * m <= gap, *shape, distance, *near, m <= 2 * penalty * s + top * d),
        gap=for_all(
            kth * (1 - d * d) - m > next_ + top * d * d + m, *shape, *near, m >= 0, 5 * m <= gap
        ),
        signal=for_all(
            2 * q - q * q > d * d, *near, d > 0, q <= 1, q >= rational(signal) ** 2 * d * d, gap > 0
        ),
        signs=for_all(sigma + w - penalty * z > 0, penalty > 0, w >= -penalty, z <= 1, above),
        code=_supports(rng),
    )


def _spiked(rng: np.random.Generator, penalty: float) -> tuple[FloatArray, FloatArray, int]:
    """Draw Sigma, an error of at most ``penalty`` and k: J is the first four of seven coordinates.

    Sigma is 1 and 1/2 on the columns of V, whose last row may be too small to be seen, and small
    outside J.
    """
    k = int(rng.integers(1, 3))
    rows = rng.standard_normal((4, k))
    rows[3] *= 10 ** rng.uniform(-4, 0)
    v = np.zeros((7, k))
    v[:4] = np.linalg.qr(rows)[0]
    sigma = v @ np.diag([1.0, 0.5][:k]) @ v.T
    sigma[4:, 4:] += np.diag(rng.uniform(0, 0.01, size=3))
    error = rng.uniform(-penalty, penalty, size=(7, 7))
    return sigma, np.triu(error) + np.triu(error, 1).T, k


def _supports(rng: np.random.Generator) -> Outcome:
    """Solve (6.9) where both conditions hold: entries found outside J, and missed in it."""
    wrong, tried, penalty = 0, 30, 0.001
    for _ in range(tried):
        sigma, error, k = _spiked(rng, penalty)
        found = penalised_projection(sigma + error, rank=k, penalty=penalty, tolerance=1e-9)
        seen = np.diag(found.sparse) > 1e-9
        values = np.linalg.eigvalsh(sigma)[::-1]
        signal = np.sqrt(np.sum(principal_subspace(sigma, k) ** 2, axis=1))
        visible = signal >= 4 * penalty * 4 / (values[k - 1] - values[k])
        wrong += int(seen[4:].sum()) + int((visible & ~seen)[:4].sum())
    return searched(wrong, 0, tried=tried, what="entries outside J, or missed in it")


@statement(
    "004 Theorem 6.1.5",
    lines="7495-7503, proof 7814-7836",
    kind="utility",
    printed="under LCC and (6.6), with lambda = O(sqrt(log(1/delta)) sqrt(log p/n)/(alpha "
    "epsilon)), with probability 1 - 2/p^2 - p^-c: X^ is unique, supp(diag X^) in J, and = J under "
    "either condition",
    false="by (6.6): for records of small norm it asks for one record, whose noise hides the rest",
    errata=("diss-6.1.47/E3",),
)
def support_of_one_record() -> Outcome:
    """X_1 = +-sqrt a, the other coordinates +-sqrt(a/2), independent: J = {1}, LCC with alpha = 1.

    S has the diagonal of Sigma. If another entry of the diagonal of S~ is larger than the first,
    e_j e_j^T is better than e_1 e_1^T whatever lambda is, and nothing else has its support in J.
    With a = 10^-9 (6.6) is satisfied by n = 1 with a constant of 10^6; the probability of the
    support tends to 1/p. Refutes c = .01; p grows with 1/c.
    """
    p, epsilon, delta, constant, a = 1000, 1, 0.1, 10**6, mp.mpf("1e-9")
    with mp.workdps(30):
        gap, size = a / 2, mp.log(1 / mp.mpf(delta)) * mp.log(p)
        assert constant * a**2 * size * (8 * a + gap) / (epsilon**2 * gap**2) <= 1
        shift = gap / mp.sqrt(2 * mp.log(mp.mpf("1.25") / delta))
        points = [-8, -2, 0, 2, 3, 4, 6, 9]
        kept = mp.quad(lambda x: mp.npdf(x) * mp.ncdf(x + shift) ** (p - 1), points)
        allowed = mp.mpf(2) / p**2 + mp.mpf(p) ** mp.mpf("-0.01")
        point = {"p": p, "n": 1, "k": 1, "s": 1, "lambda_1": 1e-9, "epsilon": 1, "delta": delta}
        return refuted(point, float(1 - kept), float(allowed), "probability of other supports")


@support_of_one_record.corrected(
    "for n >= 16 s^2 y^2 log p (8 lambda_1 + gap)^2/(alpha^2 gap^4) and lambda = y sqrt(log p/n)/"
    "alpha, y = A lambda_1 + sqrt(8 L)/epsilon, L = 2 ln(1.25/delta), with probability 1 - 2/p^2 - "
    "4 p^(2-A^2/8); both conditions as in Lemma 6.1.17, the second with > 2 lambda",
    refuses={
        "(8 lambda_1 + gap)/gap^2": {"power": 1},
        "15 s^2": {"sixteen": 15},
        "without alpha in lambda": {"alphas": 0},
        "sqrt(6 L)": {"logs": 3},
        "A lambda_1^2": {"eigenvalue": 2},
        "3 s/gap in LCC": {"row": 3},
    },
)
def support_recovered(
    rng: np.random.Generator,
    power: int = 2,
    sixteen: int = 16,
    alphas: int = 1,
    logs: int = 4,
    eigenvalue: int = 1,
    row: int = 8,
) -> Outcome:
    """||S~ - Sigma||_inf,inf <= y sqrt(log p/n) = alpha lambda but for two events.

    Here L = 2 ln(1.25/delta).

    An entry of Z above sqrt(8 L log p/n)/epsilon has 2 p^2 p^-4 [steps "entry", "union"], one of
    S - Sigma above A lambda_1 sqrt(log p/n) 4 p^2 p^(-A^2/8) [step "sample"; n large enough for
    Lemma 6.1.16]. So the first condition of Lemma 6.1.17 [step "lemma"] is alpha plus
    what LCC bounds by 1 - alpha [step "first"], and the second holds at the least n with equality
    [step "second"].
    """
    s, p, n, epsilon, size, gap, top, big, alpha = symbols("s p n epsilon L gap lambda_1 A alpha")
    noise = sp.sqrt(2 * logs * size * sp.log(p) / n) / epsilon
    sample = big * top**eigenvalue * sp.sqrt(sp.log(p) / n)
    level = big * top + sp.sqrt(8 * size) / epsilon
    penalty = level * sp.sqrt(sp.log(p) / n) / alpha**alphas
    least = sixteen * s**2 * level**2 * sp.log(p) * (8 * top + gap) ** power
    least /= alpha**2 * gap ** (2 * power)
    failure = 2 * p**2 * sp.exp(-(noise**2) * n * epsilon**2 / (2 * size))
    missed = 4 * p**2 * sp.exp(-n * sample**2 / (8 * top**2))
    asked: Any = (4 * penalty * s * (1 + 8 * top / gap)) ** 2
    return derived(
        lemma=support(rng, row=row),
        entry=largest_entry_with_two(),
        sample=entry_tail_near_the_mean(),
        union=identity(
            (sp.simplify(failure), 2 / p**2), (sp.simplify(missed), 4 * p ** (2 - big**2 / 8))
        ),
        first=identity(((big * top + sp.sqrt(8 * size) / epsilon) * sp.sqrt(sp.log(p) / n) /
                        penalty, alpha)),
        second=identity((sp.simplify(asked.subs(n, least)), gap**2)),
    )  # fmt: skip
