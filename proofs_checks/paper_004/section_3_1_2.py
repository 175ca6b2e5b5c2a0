"""Section 3.1.2: Minkowski norms and Gaussian widths."""

from __future__ import annotations

import math

from mpmath import mp

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    symbols,
)

not_checkable(
    "004 l.586 (lower bound)",
    lines="586",
    kind="lower bound",
    printed="excess risk Omega(min{1, sqrt(p)/(n epsilon)}), F^r not strongly convex [29]",
    reason="cited without proof or constant",
)

twin(
    "004 Definition 3.1.3",
    of="004 Definition 4.1.2",
    lines="596",
    printed="||v||_C = min{r: v in r C}, dual max_C |<w, v>|",
)

twin(
    "004 Definition 3.1.4",
    of="004 Definition 4.1.3",
    lines="598-600",
    printed="G_C = E sup_C <b, w>; O(sqrt(log p)) for the l1 ball",
)


@statement(
    "004 l.600 (sparse vectors)",
    lines="600",
    kind="concentration",
    printed="C the s-sparse unit vectors: G_C = O(sqrt(s log(p/s)))",
    checked="G_C^2 <= (6 + 4/ln 2) s log(p/s)",
    added="s <= p/2 (at s = p the logarithm is 0, and C is the sphere)",
    refuses={
        "5 + 4/ln 2": {"constant": "5"},
        "2^(s/4) for the second factor": {"power": "1/4"},
        "s <= 2p/3": {"least": "1/2"},
        "sqrt(log(p/s))": {"count": 0},
    },
    unchecked={
        "C": "by the supports of its vectors; the steps have a moment of ||b_S||^2",
        "G_C": "its square is at most the left side of the last step",
    },
)
def width_of_sparse(
    constant: str = "6", power: str = "1/2", least: str = "1", count: int = 1
) -> Outcome:
    """G_C^2 <= E max_S ||b_S||^2 over the supports S of size s.

    exp(t E max) <= binomial(p, s) (1 - 2t)^(-s/2) by Jensen's inequality and the sum over S; at
    t = 1/4 the second factor is 2^(s/2) [step "moment"]. binomial(p, s) <= p^s/s! <= (e p/s)^s,
    because s^s/s! is one term of e^s [step "binomial", at points]. So G_C^2 <= 4 s (1 + ell) +
    2 s ln 2 with ell = ln(p/s) >= ln 2 [step "logarithm"].
    """
    t, s = symbols("t s")
    ell, two, factor, size = reals("ell log_2 factor s")
    moment = ((1 - 2 * t) ** (-s / 2)).subs(t, sp.Rational(1, 4))

    def binomials() -> list[tuple[dict[str, int], mp.mpf, mp.mpf]]:
        sizes = [(p, k) for p in (2, 7, 50, 1000) for k in (1, 2, 5, 25, 50) if 2 * k <= p]
        return [({"p": p, "s": k}, mp.mpf(math.comb(p, k)), (mp.e * p / k) ** k) for p, k in sizes]

    return derived(
        moment=identity((moment, 2 ** (s * sp.Rational(power)))),
        binomial=precisely(binomials),
        logarithm=for_all(
            4 * size * (1 + ell) + 2 * size * two <= factor * size**count * ell,
            *(
                size >= 1,
                two > 0,
                ell >= rational(least) * two,
                factor * two == rational(constant) * two + 4,
            ),
        ),
    )


twin(
    "004 Lemma 3.1.6",
    of="004 Lemma 4.1.4",
    lines="941-945",
    printed="||v||_2 <= ||C||_2 ||v||_C, C symmetric",
)

twin(
    "004 Lemma 3.1.7",
    of="004 Lemma 4.1.1",
    lines="947",
    printed="E(max_C <w, v>)^2 = O(G_C^2 + ||C||_2^2), v ~ N(0, I)",
)
