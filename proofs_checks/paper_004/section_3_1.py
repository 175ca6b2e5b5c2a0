"""Sections 3.1 to 3.1.3: DP-SVRG, its privacy and its error.

K = T m noisy gradients, kappa = L/mu.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import dp_accounting
import numpy as np
from dp_accounting.rdp import rdp_privacy_accountant
from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3 import random_records
from proofs_checks.statement import not_checkable as never
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.convex.svrg import constants_for, dp_svrg
from reference.losses import Logistic
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge

ALGORITHM = ("diss-3.1.1",)
statement = partial(any_statement, algorithms=ALGORITHM)

never(
    "004 Definition 3.1.1",
    lines="516-532",
    kind="definition",
    printed="DP-ERM: minimise F^r(x, D) = mean f(x, z_i) + r(x)",
    reason="a definition of the problem, nothing to check",
    algorithms=ALGORITHM,
)

never(
    "004 (3.1)",
    lines="518",
    kind="definition",
    printed="F^r(x, D) = mean f(x, z_i) + r(x) over C",
    reason="a display of Definition 3.1.1, nothing to check",
    algorithms=ALGORITHM,
)

never(
    "004 (3.2)",
    lines="606",
    kind="definition",
    printed="min over R^p of F^r(x, D) = mean f(x, z_i) + r(x)",
    reason="a display of Definition 3.1.1, nothing to check",
    algorithms=ALGORITHM,
)

never(
    "004 l.566 (lower bound)",
    lines="566",
    kind="lower bound",
    printed="excess risk Omega(min{1, p/(n^2 epsilon^2)}) [29]",
    reason="cited without proof or constant",
    algorithms=ALGORITHM,
)

never(
    "004 Definition 3.1.2",
    lines="572",
    kind="definition",
    printed="gradient complexity = number of calls of (f, grad f)",
    reason="a definition of cost, nothing to check",
    algorithms=ALGORITHM,
)

never(
    "004 Assumption 3.1.1",
    lines="576",
    kind="assumption",
    printed="f(., z) is differentiable, L-smooth and G-Lipschitz",
    reason="an assumption on the user's loss; Definitions 3.0.1 and 3.0.2 check it for the losses "
    "of the code",
    algorithms=ALGORITHM,
)


# ----------------------------------------------------------------------------------- privacy


def certified_epsilon(n: int, queries: int, sigma: float, delta: float) -> float:
    """Certify K queries with b = 1: sampled part 4G, background 2G/n, at G = 1.

    Same argument as :func:`reference.privacy.accounting.renyi_accountant`, for numbers of
    releases that no list could hold.
    """
    share = 0.9
    accountant = rdp_privacy_accountant.RdpAccountant(
        orders=(*range(2, 17), 24, 32, 48, 64, 96, 128, 320),
        neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE,
    )
    sampled = dp_accounting.GaussianDpEvent(sigma * math.sqrt(share) / 4)
    accountant.compose(dp_accounting.SampledWithoutReplacementDpEvent(n, 1, sampled), queries)
    rho = queries * (2 / n) ** 2 / (2 * sigma**2 * (1 - share))
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    return float(accountant.get_epsilon(delta))


@statement(
    "004 Theorem 3.1.1",
    lines="656-660",
    kind="privacy",
    printed="for 0 < epsilon <= c_1 T m/n^2, DP-SVRG is (epsilon, delta)-DP with (3.3), some c",
    checked="with c_1 = 1 and c = 250",
    refuses={
        "epsilon for epsilon^2 in (3.3)": {"power": 1},
        "without ln(1/delta) in (3.3)": {"logarithm": 0},
    },
    unchecked={
        "T, m": "enter by their product, the number of queries: n^2 epsilon and 100 times that",
        "c_1, c": "1 and 250 in the code of the figures",
    },
)
def private_in_range(power: int = 2, logarithm: int = 1) -> Outcome:
    """Certify by Renyi accounting with sampling, at T m = n^2 epsilon and at 100 times that."""
    worst, cases = 0.0, ((10**3, 1e-3), (10**5, 1e-6))
    for (n, delta), epsilon, multiple in itertools.product(cases, (0.1, 1.0), (1, 100)):
        queries = round(n**2 * epsilon * multiple)
        scale = 250 * queries * math.log(1 / delta) ** logarithm
        sigma = math.sqrt(scale / (n**2 * epsilon**power))
        worst = max(worst, certified_epsilon(n, queries, sigma, delta) / epsilon)
    what = "certified epsilon over the claim, n = 1e3 and 1e5, epsilon .1 and 1"
    return searched(worst, 1, tried=8, what=what)


@dataclass(frozen=True)
class Event:
    """Bounds on the probability that the output exceeds its noiseless value by a threshold.

    Attributes
    ----------
    threshold : number
    with_record, without : number
        A lower bound of the probability under D, an upper one under D'.
    """

    threshold: Any
    with_record: Any
    without: Any

    def certified(self, delta: float) -> float:
        """Lower bound log((P - delta)/P') of epsilon; minus infinity if P <= delta."""
        if self.with_record <= delta:
            return -math.inf
        return float(mp.log((self.with_record - delta) / self.without))


def visible_record(n: int, n_inner: int, sigma: float, *, step_size: float) -> Event:
    """Bound the effect of a sampled record on the output of one epoch, in closed form.

    p = 1, G = L = mu = 1, r = x^2/2, x_0 = 3, f_i = 0 for i < n; f_n is Huber's with its kink at
    1.5 under D and 0 under D'. With w = 1 + eta, x_t = (x_{t-1} - eta v_t)/w: v_s counts -a_s/m
    times in the output, the mean of x_1 ... x_m, a_s = 1 - w^-(m-s+1) <= 1. Under D', v_t = u_t,
    and the output is Gaussian of deviation at most sigma/sqrt(m).
    Under D, v_t = 1/n + u_t until n is drawn, and x_t <= 3/w^t + W_t with W_t Gaussian of variance
    at most eta sigma^2/2. From t = ``settled`` on 3/w^t <= 1/4, so that x_t <= 1/2 if W_t <= 1/4,
    where f_n has slope -1 against 1 at the snapshot. If n is first drawn after these steps and
    before as many last ones, that v_t is -2 + 1/n + u_t and a_t >= 11/12; what it adds to later
    v_t is never positive. So the output has the same noise but lies higher by at least
    11/(6m) - 1/n; the threshold is half of that.
    """
    growth, missed = mp.mpf(1 + step_size), 1 - mp.mpf(1) / n
    settled = math.ceil(mp.log(12) / mp.log(growth))
    drawn = missed**settled - missed ** (n_inner - settled)
    high = n_inner * mp.ncdf(-1 / (4 * sigma * mp.sqrt(mp.mpf(step_size) / 2)))
    threshold = (mp.mpf(11) / (6 * n_inner) - mp.mpf(1) / n) / 2
    above = mp.ncdf(-threshold * mp.sqrt(n_inner) / sigma)
    return Event(threshold, drawn * (1 - above) - high, above)


@statement(
    "004 (3.3)",
    lines="660, 666-668, 834",
    kind="privacy",
    printed="sigma^2 = c G^2 T m ln(1/delta)/(n^2 epsilon^2), as Theorem 3.1.2 (T m of order kappa "
    "log n) and the experiments use it",
    false="outside epsilon <= c_1 T m/n^2 a drawn record is plainly visible",
    errata=("diss-3.1.1/E2",),
)
def published_noise() -> Outcome:
    """See :func:`visible_record`, m = 400 and eta = 1/48 as in (3.5); a larger n defeats any c."""
    epsilon, delta, inner, found = 1.0, 1e-4, 400, {}
    for c, n in ((1, 2 * 10**4), (8, 2 * 10**4), (64, 5 * 10**4), (1000, 2 * 10**5)):
        sigma = math.sqrt(c * inner * math.log(1 / delta)) / (n * epsilon)
        event = visible_record(n, inner, sigma, step_size=1 / 48)
        found[f"c = {c}, n = {n:g}"] = event.certified(delta)
    point = {
        "T": 1,
        "m": inner,
        "epsilon": epsilon,
        "delta": delta,
        "eta": "1/48",
        "r": "x^2/2",
        "x_0": 3.0,
        "record of D": "Huber at 1.5",
        "record of D'": "0",
        "event": "the output is more than (11/(6m) - 1/n)/2 above its noiseless value",
        "epsilon at least": found,
    }
    return refuted(point, min(found.values()), epsilon, "epsilon of an event against the claim")


@published_noise.corrected(
    "batch n with sigma^2 = 2 K G^2/(n^2 rho(epsilon, delta)), or batch b with amplification "
    "accounted by Renyi DP",
    refuses={
        "K G^2/(n^2 rho)": {"factor": 1},
        "gradients move by 1.9 G/n": {"distance": "1.9"},
    },
    unchecked={"b": "7 in the step on smaller batches, by what the ledger certifies"},
)
def full_batch_noise(rng: np.random.Generator, factor: int = 2, distance: str = "2") -> Outcome:
    """At batch n the release is the mean gradient with noise.

    It moves by ||g - g'||/n <= 2 G/n [step "sensitivity", along the direction of g - g'], so that K
    releases are rho-zCDP, rho = K (2G/n)^2/(2 sigma^2) [step "budget"], and rho(epsilon, delta)
    inverts Lemma 2.1.10. Smaller batches: what the code's ledger certifies [step "sampled"].
    """
    g, h, lipschitz = reals("g h G")
    K, size, n, rho = symbols("K G n rho")
    sigma_squared = factor * K * size**2 / (n**2 * rho)
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 3}
    ledger = Ledger(0)
    dp_svrg(
        random_records(rng, 40, 3),
        Logistic(),
        Ridge(0.5),
        initial=np.zeros(3),
        constants=constants_for(Logistic(), n=40, batch_size=7, **claim),
        ledger=ledger,
        **claim,
    )
    spent = ledger.spent(delta=1e-2).epsilon
    bounded = (z3.Abs(g) <= lipschitz, z3.Abs(h) <= lipschitz)
    return derived(
        sensitivity=for_all(z3.Abs(g - h) <= rational(distance) * lipschitz, *bounded),
        budget=identity((K * (2 * size / n) ** 2 / (2 * sigma_squared), rho)),
        sampled=searched(spent, 1, tried=1, what="certified epsilon, batches of 7 of 40, K = 6"),
    )


@statement(
    "004 Remark 3.1.1",
    lines="662",
    kind="remark",
    printed="the constraint on epsilon is removed by amplifying sigma by O(ln(T/delta))",
    false="no logarithm bridges n^2 epsilon/(T m) when delta << T m/n",
    errata=("diss-3.1.1/E3",),
)
def amplified_noise() -> Outcome:
    """T = 1, m = 400, delta = 1/n^2: sigma -> 0 as n grows, but the record is drawn w.p. m/n."""
    epsilon, inner, found = 1.0, 400, {}
    for c, n in ((8, 10**6), (64, 10**7), (1000, 10**8)):
        delta = 1 / n**2
        sigma = math.sqrt(c * inner * math.log(1 / delta)) / (n * epsilon) * math.log(1 / delta)
        event = visible_record(n, inner, sigma, step_size=1 / 48)
        found[f"c = {c}, n = {n:g}"] = event.certified(delta)
    point = {
        "T": 1,
        "m": inner,
        "epsilon": epsilon,
        "delta": "1/n^2",
        "event": "of the output, as for (3.3)",
        "epsilon at least": found,
    }
    return refuted(point, min(found.values()), epsilon, "epsilon of an event against the claim")


# ------------------------------------------------------------------------------------- utility


@statement(
    "004 Theorem 3.1.2",
    lines="666-676, 1068-1084",
    kind="utility",
    printed="E gap(x~_T) = O~(p log(n) G^2 ln(1/delta)/(n^2 epsilon^2 mu)) after T = "
    "O(log(n^2 epsilon^2 mu/(p G^2 ln(1/delta)))) epochs: gap <= A^T gap_0 + sigma^2 p/L",
    added="eta < 1/(24L), which (3.5) implies; T also grows with log gap_0",
    refuses={
        "a tenth of sigma^2 p/L": {"floor": "1/10"},
        "a fifth of sigma^2 p/L": {"floor": "1/5"},
        "without the factor T": {"epochs": 0},
        "half as many epochs": {"halvings": "1/2"},
        "A^T gap_0/2": {"start": "1/2"},
        "eta < 1/(10L)": {"largest": "4/5"},
        "n epsilon^2 for n^2 epsilon^2": {"square": 1},
    },
    unchecked={"x~_T": "the last snapshot, of whose gap the steps have the recursion"},
)
def error(
    floor: str = "1",
    epochs: int = 1,
    halvings: str = "1",
    start: str = "1",
    largest: str = "1/3",
    square: int = 2,
) -> Outcome:
    """(3.28) is gap_s <= A gap_{s-1} + B, B = 2 eta sigma^2 p/(1 - 8 L eta).

    By induction gap_T <= A^T gap_0 + B/(1 - A) [steps "begins", "induction"], and A < 1/2 makes
    B/(1 - A) at most sigma^2 p/L [steps "ratio", "floor"; 1/4 of it is enough]. With (3.3) and
    m = k L/mu the floor is c k times T p G^2 ln(1/delta)/(n^2 epsilon^2 mu) [step "substituted"].
    T is the log n of the rate: 2^-T gap_0 is at most one such term from T = log_2(gap_0/term) on
    [step "epochs"].

    Here log_inverse = ln(1/delta).
    """
    A, B, power = symbols("A B A_to_T")
    p, size, T, k, c, log_inverse, n, epsilon, mu, smoothness = symbols(
        "p G T k c log_inverse n epsilon mu L"
    )
    variance = c * size**2 * T * (k * smoothness / mu) * log_inverse / (n * epsilon) ** 2
    term = p * size**2 * log_inverse / (n**square * epsilon**2 * mu)
    eta, sigma = symbols("eta sigma")
    constant = 2 * eta * sigma**2 * p / (1 - 8 * smoothness * eta)
    share = 8 * smoothness * eta
    gap, small = symbols("gap term")
    rounds = sp.Rational(halvings) * sp.log(gap / small, 2)
    step, ratio, a = reals("step ratio a")  # step = 8 L eta, ratio = L B/(sigma^2 p)
    total, first, limit = reals("total gap_0 limit")
    return derived(
        begins=for_all(first <= rational(start) * first + limit, first >= 0, limit > 0),
        induction=identity(
            (A * (power * gap + B / (1 - A)) + B, A * power * gap + B / (1 - A)),
        ),
        ratio=identity((4 * constant * smoothness / (sigma**2 * p) * (1 - share), share)),
        floor=for_all(
            total <= rational(floor),
            *(
                step > 0,
                step < rational(largest),
                4 * ratio * (1 - step) == step,
                a >= 0,
                2 * a < 1,
            ),
            total * (1 - a) == ratio,
        ),
        substituted=identity((variance * p / smoothness, c * k * T**epochs * term)),
        epochs=identity((sp.Integer(2) ** -rounds * gap, small)),
    )


error.restated(
    "004 (3.4)",
    lines="666-668",
    printed="E F^r(x~_T) - F^r(x*) <= O~(p log(n) G^2 log(1/delta)/(n^2 epsilon^2 mu))",
    unchecked={"F, r, x~_T": "the steps have the gap F^r(x~_T) - F^r(x*) and its recursion"},
)


@statement(
    "004 (3.5)",
    lines="672",
    kind="optimisation",
    printed="1/(eta(1-8 eta L) mu m) + 8 L eta(m+1)/(m(1-8 L eta)) < 1/2, to be met by eta = "
    "Theta(1/L) <= 1/(12L) and a sufficiently large m = Theta(L/mu)",
    checked="it can be met: at eta = 1/(48L) exactly from m = 192 kappa + 2/3 on; by no eta from "
    "1/(24L) on, and by none with m <= 192 kappa",
    repair="eta < 1/(24L)",
    refuses={
        "190 kappa + 2/3": {"fewest": "190"},
        "192 kappa": {"more": "0"},
        "no eta from 1/(32L) on": {"largest": "4"},
        "none with m <= 193 kappa": {"needed": "193"},
        "m for m+1": {"extra": 0},
        "1/(eta mu m)": {"kept": 0},
        "at eta = 1/(47L)": {"inverse": 47},
    },
    unchecked={"12": "too weak a condition: the last step excludes every eta from 1/(24L) on"},
    errata=("diss-3.1.1/E4",),
)
def feasible(
    fewest: str = "192",
    more: str = "2/3",
    largest: str = "3",
    needed: str = "192",
    extra: int = 1,
    kept: int = 1,
    inverse: int = 48,
) -> Outcome:
    """Multiplied by m, (3.5) reads 8 kappa/(a (1-a)) + a (m+1)/(1-a) < m/2, a = 8 L eta.

    [step "printed"]. At a = 1/6 it is compared with the claim [step "exact"]. For any a it needs
    a < 1/3, and m > 16 kappa/(a (1-3a)) >= 192 kappa [step "any step"].
    """
    kappa, m, a = reals("kappa m a")
    at_sixth = 8 * kappa * rational("36/5") + rational("1/5") * (m + 1) < m / 2
    holds = 8 * kappa + a * a * (m + 1) < a * (1 - a) * m / 2
    enough = m > rational(fewest) * kappa + rational(more)
    L, mu, eta, steps = symbols("L mu eta m")
    left = 1 / (eta * (1 - 8 * eta * L) ** kept * mu * steps)
    left += 8 * L * eta * (steps + extra) / (steps * (1 - 8 * L * eta))
    sixth = 8 * L / mu * sp.Rational(36, 5) + sp.Rational(1, 5) * (steps + 1)
    share = 8 * L * eta
    whole = 8 * L / mu / (share * (1 - share)) + share * (steps + 1) / (1 - share)
    return derived(
        printed=identity(
            (steps * left, whole), ((steps * left).subs(eta, 1 / (inverse * L)), sixth)
        ),
        exact=for_all(at_sixth == enough, kappa >= 1, m > 0),
        any_step=for_all(
            z3.And(rational(largest) * a < 1, m > rational(needed) * kappa),
            *(kappa >= 1, m > 0, a > 0, a < 1, holds),
        ),
    )
