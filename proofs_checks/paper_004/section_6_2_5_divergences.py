"""Section 6.2.7: variation, KL and chi-square in the proof of Theorem 6.2.6."""

from __future__ import annotations

from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols


@statement(
    "004 (6.65)",
    lines="8449",
    kind="lower bound",
    printed="||M^n_+ - M^n_-||_TV^2 <= D_kl(M^n_+ || M^n_-)/2 (Pinsker)",
    refuses={"D_kl/3": {"factor": "3"}, "dividing by q": {"power": 2}},
    unchecked={
        "M, n": "any two laws; the steps have the two outcomes that pooling leaves",
        "D_kl": "the steps have its logarithms",
    },
)
def pinsker(factor: str = "2", power: int = 1) -> Outcome:
    """Pooling outcomes lowers KL: log x >= 1 - 1/x at x = a (b+d)/(b (a+c)) [step "pooled"].

    Pool those where the first law has more than the second: two outcomes are left, of
    probabilities p and q, and TV = |p - q|. KL - 2 (p - q)^2 is 0 at q = p, and its derivative in q
    is (q - p) (1/(q (1-q)) - 4) [step "slope"], where q (1-q) <= 1/4 [step "sign"].
    """
    a, b, c, d, p, q = symbols("a b c d p q")

    def least(first: Any, second: Any) -> Any:
        return first * (1 - second * (a + c) / (first * (b + d)))

    constant = sp.Rational(factor)
    gap = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q)) - constant * (p - q) ** 2
    slope = (q - p) * (1 / (q * (1 - q)) ** power - 2 * constant)
    x = reals("q")
    return derived(
        pooled=identity((least(a, b) + least(c, d), 0)),
        slope=identity((sp.diff(gap, q), slope)),
        sign=for_all(2 * rational(factor) * x * (1 - x) <= 1, x > 0, x < 1),
    )


@statement(
    "004 (6.66)",
    lines="8451, 8459",
    kind="lower bound",
    printed="D_kl(P || Q) <= log(1 + chi^2(P || Q)) <= chi^2(P || Q)",
    refuses={"log(1 + chi^2/2)": {"share": "1/2"}, "chi^2/2": {"half": "1/2"}},
    unchecked={
        "D_kl": "the mean of log x in the steps, x = p/q",
        "Q": "any law; the steps have two outcomes, of probabilities q and 1 - q",
    },
)
def below_chi_square(share: str = "1", half: str = "1") -> Outcome:
    """log x <= x/m - 1 + log m for every m > 0 [step "tangent", x/m = y].

    Its mean under P at x = p/q and m = 1 + chi^2, the mean of x, is log m [step "mean", two
    outcomes]; and log(1 + chi^2) <= chi^2 by the tangent at 1 [step "logarithm"], as
    the derivative of the difference is not negative [step "rises"].
    """
    y, p, q, value = symbols("y p q v")
    chi = (p - q) ** 2 / q + (p - q) ** 2 / (1 - q)
    m = 1 + sp.Rational(share) * chi
    mean = p * (p / q / m - 1) + (1 - p) * ((1 - p) / (1 - q) / m - 1)
    gap = sp.Rational(half) * value - sp.log(1 + value)
    slope = (sp.Rational(half) - 1) + value / (1 + value)
    z = reals("v")
    return derived(
        tangent=identity(
            ((y - 1 - sp.log(y)).subs(y, 1), 0), (sp.diff(y - sp.log(y), y), 1 - 1 / y)
        ),
        mean=identity((mean, 0)),
        logarithm=identity((gap.subs(value, 0), 0), (sp.diff(gap, value), slope)),
        rises=for_all((rational(half) - 1) * (1 + z) + z >= 0, z >= 0),
    )


not_checkable(
    "004 (6.70)",
    lines="8467",
    kind="definition",
    printed="D_chi2(M_+ || M_-) = int (m_+ - m_-)^2/m_-",
    reason="the definition of chi^2 at l.8079, with the densities of the views",
)
twin(
    "004 (6.71)",
    of="004 Lemma 6.2.12",
    lines="8469",
    printed="chi^2(M_+ || M_-) <= int c^2 inf_x q(z|x)^2 (e^epsilon - 1)^2 TV^2/int q(z|x) "
    "dP_{j,a}, c = min{2, e^epsilon}",
    checked='with 1 for c, and a = -1: the steps "moved" and "term" of Lemma 6.2.12',
    special_case_of=(),
    unchecked={
        "M": "the law of a view; the steps have the probabilities of one z, other under M_-",
        "c": "1 in the steps, which is less",
        "x, q": "q(z|x) is from low to high in the steps, at least m",
        "a": "the steps are the same for both signs",
    },
)
twin(
    "004 (6.72)",
    of="004 Lemma 6.2.12",
    lines="8471",
    printed="chi^2(M_+ || M_-) <= c^2 (e^epsilon - 1)^2 TV^2, as int inf_x q(z|x) dz <= 1",
    special_case_of=("004 Lemma 6.2.12",),
    unchecked={
        "M": "the law of a view; the steps have the probabilities of one z, other under M_-",
        "x, z": "one z in the steps; the m, the least over x, add up to 1 at most",
    },
)
twin(
    "004 (6.68)",
    of="004 Lemma 6.2.12",
    lines="8455",
    printed="(chi^2(M_+ || M_-))^n/2 <= (min{4, e^(2 epsilon)} (e^epsilon - 1)^2 TV^2)^n/2",
    checked="what is raised to the power n, with 1 for min{4, e^(2 epsilon)}; that (6.67) before "
    "it is false does not matter to it",
    special_case_of=("004 Lemma 6.2.12",),
    unchecked={
        "M": "the law of a view; the steps have the probabilities of one z, other under M_-",
        "n": "the power of both sides",
    },
)
