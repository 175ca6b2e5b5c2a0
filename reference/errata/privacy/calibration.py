"""The papers' formulas for the noise, none of them private for every claim. Natural logarithms."""

from __future__ import annotations

import math

from reference._validation import require_delta, require_epsilon, require_positive


def printed_gaussian_scale(epsilon: float, delta: float, *, sensitivity: float) -> float:
    """sqrt(2 log(1.25/delta)) sensitivity/epsilon, for epsilon <= 1.

    Wang (2020), Definition 2.1.3.
    """
    require_epsilon(epsilon)
    require_delta(delta)
    require_positive("sensitivity", sensitivity)
    return math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon


def printed_composed_gaussian_scale(
    epsilon: float, delta: float, *, lipschitz: float, n: int, releases: int, constant: float
) -> float:
    """sqrt(c G^2 T log(1/delta))/(n epsilon), the form (3.3) and (4.3) of Wang (2020).

    ``constant`` is the papers' "some constant c"; c = 2 (1 + sqrt 2)^2 = 11.66 is valid for
    full-batch gradients and epsilon <= log(1/delta), and no c is valid for every epsilon.
    """
    return math.sqrt(constant * releases * math.log(1 / delta)) * lipschitz / (n * epsilon)


def printed_advanced_composition_epsilon(epsilon: float, delta: float, *, releases: int) -> float:
    """epsilon/(2 sqrt(2 T log(2/delta))) per step; the total delta doubles.

    Wang (2020), Lemma 2.1.5.
    """
    return epsilon / (2 * math.sqrt(2 * releases * math.log(2 / delta)))
