"""Uniform convergence over a ball, for sections 3.3, 4.1 and 4.2."""

from __future__ import annotations

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols


def random_signs(power: str = "1/2") -> Outcome:
    """(1/n) E|sum eps_i a_i| <= G/sqrt(n) for |a_i| <= G and fair signs eps_i.

    The sign of one more term averages the mixed product out [step "square"], so that the mean
    square of the sum grows by at most G^2 with each term [step "terms", by induction]; over n^2
    that is at most G^2/n [step "rate"].
    """
    a, b = symbols("sum a", real=True)
    n, most = symbols("n G")
    count, size, before, term = reals("n G before |a|^2")
    return derived(
        square=identity((((a + b) ** 2 + (a - b) ** 2) / 2, a**2 + b**2)),
        terms=for_all(
            before + term <= (count + 1) * size * size,
            *(count >= 0, before <= count * size * size, term <= size * size),
        ),
        rate=identity((n * most**2 / n**2, (most / n ** sp.Rational(power)) ** 2)),
    )


def gradients(constant: str = "28", per: str = "6", net: str = "2", points: int = 2) -> Outcome:
    """With probability 1 - beta, sup over B(r) of ||grad F_n - grad F|| <= G sqrt(C p log n/n).

    C = 28 + 6 log((1 + 2rL/G)/beta), n >= 2, for gradients of norm at most G that are L-Lipschitz.
    At one point the mean of the norm is at most G/sqrt(n) (independence), and a record moves the
    norm by 2G/n: it exceeds the mean by t with probability at most exp(-2 t^2/(n (2G/n)^2))
    (McDiarmid), which is e^-u at t = G sqrt(2u/n) [step "tail"]. A net of B(r) with mesh h has at
    most (1 + 2r/h)^p points [step "points"]; between them both gradients move by L h, at
    h = G/(L sqrt n) by 2G/sqrt(n) in sum [step "mesh"]. So the supremum is at most (3 + sqrt(2u))
    G/sqrt(n) with u = p log(1 + 2rL sqrt(n)/G) + log(1/beta) [step "sum"], and 1 + a sqrt(n) <=
    sqrt(n) (1 + a) makes u <= p (log(n)/2 + log((1+a)/beta)) [step "size"; log(1/beta) <=
    p log(1/beta)].
    (3 + s)^2 <= 18 + 2 s^2 [step "square"]; log n >= log 2 > 0.693 for n >= 2 [step "constant"].
    """
    G, n, u, L, r = symbols("G n u L r")
    t, h = G * sp.sqrt(2 * u / n), G / (L * sp.sqrt(n))
    s, root, a, p, x, k, b = reals("s sqrt_n a p log_n k log_1_beta")
    bound = rational(constant) + rational(per) * (k + b)
    return derived(
        tail=identity((2 * t**2 / (n * (2 * G / n) ** 2), u)),
        mesh=identity((sp.Rational(net) * L * h, 2 * G / sp.sqrt(n))),
        points=identity((2 * r / h, points * r * L * sp.sqrt(n) / G)),
        sum=identity(
            (2 * G / sp.sqrt(n) + G / sp.sqrt(n) + t, (3 + sp.sqrt(2 * u)) * G / sp.sqrt(n))
        ),
        size=for_all(1 + a * root <= root * (1 + a), root >= 1, a >= 0),
        square=for_all((3 + s) * (3 + s) <= 18 + 2 * s * s),
        constant=for_all(
            18 + 4 * p * (x / 2 + k + b) <= bound * p * x,
            *(p >= 1, k >= 0, b >= 0, x >= rational("0.693")),
        ),
    )
