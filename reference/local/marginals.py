"""All k-way disjunctions on one report per user (diss-5.1.35, Local Chebyshev Mechanism)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_binary,
    require_count,
    require_in_interval,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

MOST_COEFFICIENTS = 10**5
"""Numbers in one user's message."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the noise of one user's message.

    Attributes
    ----------
    sensitivity : float
        l1 norm by which a user's vector of coefficients moves.
    noise_scale : float
        Laplace scale of every coefficient.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(coefficients: FloatArray, *, epsilon: float) -> Constants:
    """Return the smallest noise: a coefficient is 0 or its value, so their sizes add up.

    Users with all bits 0 and all bits 1 are that far apart. The text has N T/epsilon, with T the
    largest of the N coefficients, which is as private and never less.

    Parameters
    ----------
    coefficients : ndarray of shape (N,)
        Of :func:`monomials`.
    epsilon : float
        Budget of every user.
    """
    sensitivity = math.fsum(np.abs(coefficients))
    return Constants(sensitivity, sensitivity / epsilon)


def step_polynomial(k: int, error: float) -> Polynomial:
    """Return p with p(0) = 0 and |p(x) - 1| <= gamma for x = 1..k (Definition 5.1.14).

    1 - T_t((k + 1 - 2x)/(k - 1))/T_t((k + 1)/(k - 1)) with the least t for which the denominator is
    1/gamma, O(sqrt k log(1/gamma)); where t > k, the polynomial of degree k that is 1 at 1..k.

    Parameters
    ----------
    k : int
        >= 1.
    error : float
        gamma in (0, 1).
    """
    if k == 1:
        return Polynomial([0.0, 1.0])
    end = (k + 1) / (k - 1)
    degree = math.ceil(math.acosh(1 / error) / math.acosh(end))
    if degree > k:
        return 1 - math.prod(
            (Polynomial([1.0, -1 / j]) for j in range(1, k + 1)), start=Polynomial([1.0])
        )
    bump = Chebyshev.basis(degree).convert(kind=Polynomial)
    shape = bump(Polynomial([end, -2 / (k - 1)]))
    found = 1 - shape / shape(0.0)
    found.coef[0] = 0.0  # up to rounding
    return found


def monomials(polynomial: Polynomial, dimension: int) -> tuple[IntArray, FloatArray]:
    """Return the monomials y^a, 0 < |a| <= t, of p(y_1 + ... + y_p), and their coefficients.

    That of y^a is c_m m!/(a_1! ... a_p!) with m = |a|. In p(sum_j x_j y_j) it is multiplied by
    x^a: it is the same or 0.

    Parameters
    ----------
    polynomial : Polynomial
        p, p(0) = 0.
    dimension : int
        p.

    Returns
    -------
    supports : ndarray of shape (N, p)
        1 where a_j > 0: all that matters of a where y and x are bits.
    coefficients : ndarray of shape (N,)
    """
    degree = len(polynomial.coef) - 1
    if math.comb(dimension + degree, degree) > MOST_COEFFICIENTS:
        raise ParameterValueError(
            "accuracy and k",
            f"ask for at most {MOST_COEFFICIENTS} coefficients",
            got=f"those of degree {degree} in {dimension} bits",
        )
    supports, coefficients = [], []
    for m in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(dimension), m):
            powers = Counter(chosen)
            ways = math.factorial(m) // math.prod(map(math.factorial, powers.values()))
            supports.append([int(j in powers) for j in range(dimension)])
            coefficients.append(float(polynomial.coef[m]) * ways)
    return np.array(supports), np.array(coefficients)


def send_coefficients(
    records: IntArray,
    supports: IntArray,
    coefficients: FloatArray,
    *,
    constants: Constants,
    ledger: Ledger,
) -> FloatArray:
    """Release every user's coefficients with Laplace noise: steps 2-5, the users' side."""
    return ledger.laplace(
        coefficients * _covered(supports, records),
        sensitivity=constants.sensitivity,
        scale=constants.noise_scale,
        unit="record",
    )


@checked_arguments
def local_chebyshev(
    data: ArrayLike,
    queries: ArrayLike,
    *,
    epsilon: float,
    accuracy: float,
    k: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate of which share of users at least one of at most k bits is 1, for any such bits.

    A k-way marginal is 1 less the disjunction of the negated bits. Users need not know the queries.

    Parameters
    ----------
    data : array_like of shape (n, p)
        p bits of every user.
    queries : array_like of shape (m, p)
        Public: 1 where a query asks for a bit, at most k in a row.
    epsilon : float
        Budget of every user, > 0.
    accuracy : float
        alpha in (0, 1): the polynomial is within gamma = alpha/2 of a disjunction.
    k : int
        From 1 to p.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (m,)

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.1.10): epsilon-LDP, non-interactive, for every epsilon > 0. The text's
    LDP-AVG is of scalars: of N coefficients each can be given epsilon/N, not epsilon.
    *Utility*: gamma + T N^2 sqrt(log(N/beta))/(sqrt n epsilon) with probability 1 - beta, N the
    number of coefficients and T the largest.

    References
    ----------
    Wang (2020), Algorithm 5.1.35 (l.5181-5195), Lemma 5.1.10 (l.5175), Theorem 5.1.10 (l.5197).
    """
    ledger = open_ledger(ledger)
    records = require_binary("data", data, ndim=2)
    p = records.shape[1]
    require_count("k", k, at_most=p)
    require_in_interval("accuracy", accuracy, 0, 1)
    asked = require_binary("queries", queries, ndim=2)
    if asked.shape[1] != p or asked.sum(axis=1).max() > k:
        raise ParameterValueError("queries", f"have {p} columns and at most k={k} ones in a row")
    supports, coefficients = monomials(step_polynomial(k, accuracy / 2), p)
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, coefficients, epsilon=epsilon
    )

    messages = send_coefficients(  # steps 2-5
        records, supports, coefficients, constants=chosen, ledger=ledger
    )
    answers: FloatArray = _covered(supports, asked) @ messages.mean(axis=0)  # steps 7, 8
    return answers


def _covered(supports: IntArray, bits: IntArray) -> FloatArray:
    """Return the value at each row of bits of every monomial with these supports."""
    covered: FloatArray = (bits @ supports.T == supports.sum(axis=1)).astype(np.float64)
    return covered


ENTRY = Entry(
    id="diss-5.1.35",
    name="Local Chebyshev Mechanism for k-way disjunctions",
    sources=(Source("004", "Algorithm 5.1.35", "5181-5195"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for epsilon > 0 (Theorem 5.1.10)",
    utility_claim="(alpha, beta)-accurate for n = O(max{p^(C sqrt k log(1/alpha)) log(1/beta)/"
    "(epsilon^2 alpha^2), log(1/beta)/epsilon^2, p^(C_1 sqrt k log(1/alpha)) log(1/beta)}) "
    "(Theorem 5.1.10)",
    function=local_chebyshev,
)
