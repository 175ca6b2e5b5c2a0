"""Errata in the sources of diss-4.2.20 (Algorithm 4.2.20)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-4.2.20/E1",
        severity="S1",
        kind="utility",
        origin="mathematical",
        statement="Theorem 4.2.3 and (4.20): constants polynomial in beta, so an excess risk of "
        "order (n epsilon)^-tau",
        truth="with several minima the constants grow like exp(beta times the barrier), and the "
        "rate is that of Theorem 4.2.2, 1/log n",
        witness="0.025 w^2 + 0.5 (1 + cos 2w) + 0.3/(1 + e^{4w}): sup |psi|/(1 + w^2) = 5.1, 222, "
        "9.5e3, 4.3e5 at beta = 5, 10, 15, 20",
        reproduced_by="proofs:004 Theorem 4.2.3",
    ),
    Erratum(
        name="diss-4.2.20/E2",
        severity="S2",
        kind="utility",
        origin="misprint",
        statement="step 4 (l.3219): w_k = w_{k-1} - eta grad L-hat + noise, without r",
        truth="grad L-hat^r, as in (4.15) and in all proofs",
        witness="constant loss: a random walk, E||w_T||^2 = 2 d eta T/beta, no stationary law",
        reproduced_by="proofs:004 Algorithm 4.2.20, line 4",
        elsewhere="L-hat^r in (4.15), l.3198, and (4.16), l.3202",
        sign="exponent",
    ),
    Erratum(
        name="diss-4.2.20/E3",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="l.3130: the Poincare inequality is chi^2(mu||pi) <= c E(sqrt(dmu/dpi))",
        truth="c E(dmu/dpi)",
        witness="pi = N(0, 1), mu = N(1, 1): 1.718 against 0.25; E(dmu/dpi) = 2.718",
        reproduced_by="proofs:004 l.3130 (Poincare)",
        elsewhere="Nowhere else; the logarithmic Sobolev inequality of l.3140 has the root, where "
        "it is right",
        sign="root",
    ),
    Erratum(
        name="diss-4.2.20/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(4.14): dW = -grad F dt + sqrt 2 dB has the invariant measure e^{-beta F}",
        truth="e^{-F}; noise sqrt(2/beta), as in (4.16), makes it e^{-beta F}",
        witness="F = w^2/2, beta = 4: variance 1 against 1/4",
        reproduced_by="proofs:004 (4.14)",
        elsewhere="sqrt(2 beta^-1) in (4.16), l.3202; e^(-F') with sqrt 2 in l.3419-3423",
    ),
    Erratum(
        name="diss-4.2.20/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(4.31): the remainder is (1/6) int_0^1 s^2 psi^(3)(s w_t + (1-s) w_{t+1}) h^3 "
        "ds",
        truth="1/2 for 1/6; absorbed by the constants of the proof",
        witness="psi = w^3, from 0 to 1: 1 against 1/3",
        reproduced_by="proofs:004 (4.31)",
    ),
    Erratum(
        name="diss-4.2.20/E6",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(4.32): the cross term is sqrt(2 eta') eta' grad F' zeta",
        truth="sqrt(2 eta') eta' grad F' psi'' zeta; its mean is 0",
        witness="psi = w^2, grad F' = zeta = 1, eta' = 1/2: 3/4 for 1/4",
        reproduced_by="proofs:004 (4.32)",
        elsewhere="Nowhere else; (4.31), l.3435, has the Hessian",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
