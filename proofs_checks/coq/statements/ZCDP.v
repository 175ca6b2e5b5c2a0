(** Zero-concentrated differential privacy: composition, what it says of every event, and that
    pure privacy is concentrated.

    rho-zCDP ([zCDP] in core/ZCDP.v; 004 Definition 2.1.5 (l.410-414), 000 Definition 12 (l.620))
    bounds, for every a > 1, the integral of p^a q^(1-a) by e^(a (a-1) rho): so the Renyi
    divergence of order a (004 footnote 1, l.422) by rho a; no outcome is impossible under q
    only. *)
From Touchstone.core Require Import Everything.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Composition *)

(** 004 Lemma 2.1.8 (l.418).
    Printed: two mechanisms that are rho_1- and rho_2-zCDP compose to one that is
    (rho_1 + rho_2)-zCDP. It is used for T mechanisms, each chosen in the light of all earlier
    outcomes (000 l.634; 004 l.1768, l.4410, l.9978), and so it is proved here.
    Proved: with rho t for step t, after t outcomes, t = 0, ..., T-1, each with outcomes of its
    own kind. A step is a density that is measurable in past and outcome together. *)
Theorem zCDP_composition {R : realType} (O : nat -> space R) D (near : D -> D -> Prop)
    (M : D -> forall t, step (transcript O t) (O t)) (rho : nat -> R) (T : nat) :
  (forall x x' t past, near x x' -> zclose (rho t) (M x t past) (M x' t past)) ->
  zCDP near (fun x => run (M x) T) (\sum_(t < T) rho t).
Proof. exact: run_zCDP. Qed.

(** * Conversion to (epsilon, delta) *)

Section conversion.
Context {R : realType} (X : space R).
Implicit Types (p q : density X) (rho epsilon delta : R).

Lemma close_of_one_le p q epsilon delta : 1 <= delta -> close epsilon delta (law p) (law q).
Proof.
move=> d1 A mA; have := probability_le1 (law_probability p) mA => /= /le_trans; apply.
by rewrite -[leLHS]add0e lee_add ?lee_fin// mule_ge0 ?lee_fin ?expR_ge0//; exact: measure_ge0.
Qed.

Lemma ln_inverse_gt0 delta : 0 < delta -> delta < 1 -> 0 < ln delta^-1.
Proof. by move=> d0 d1; rewrite ln_gt0// invf_gt1. Qed.

(** rho = 0: whatever the gap, some order of the divergence is too large for it. *)
Lemma zclose0_close p q delta : 0 < delta < 1 -> zclose 0 p q -> close 0 delta (law p) (law q).
Proof.
move=> /andP[d0 d1] H A mA.
have fin r : law r A \is a fin_num := probability_fin (law_probability r) mA.
have le1 := probability_le1 (law_probability q) mA.
rewrite expR0 mul1e -(fineK (fin p)) -(fineK (fin q)) -EFinD lee_fin; apply/ler_addgt0Pr => g g0.
pose e := ln (1 + g); have e0 : 0 < e by rewrite ln_gt0// ltr_addl.
have l0 := ln_inverse_gt0 d0 d1; set l := ln delta^-1 in l0.
have a1 : 1 < 1 + l / e by rewrite ltr_addl divr_gt0.
have := zclose_tail e H a1 mA; rewrite (_ : (1 + l / e - 1) * _ = - l); last by field; rewrite gt_eqF.
rewrite /l lnV ?posrE// opprK !lnK ?posrE ?addr_gt0// -/(e) -(fineK (fin p)) -(fineK (fin q)).
rewrite -EFinM -EFinD lee_fin => /le_trans; apply.
rewrite mulrDl mul1r addrAC ler_add2l ler_pimulr ?(ltW g0)//.
by rewrite -lee_fin (fineK (fin q)).
Qed.

Variables (D : Type) (near : D -> D -> Prop) (M : D -> density X).
Local Notation output := (fun x => [the measure _ _ of law (M x)]).

(** 004 Lemma 2.1.10 (l.426), 000 Lemma 17 (l.628), 004 Lemma 7.2.18 (l.9968).
    Printed: if M is rho-zCDP, it is (rho + 2 sqrt(rho log(1/delta)), delta)-DP for all
    delta > 0.
    Proved: the same, for every measurable event. For delta > 1, where the printed square root
    has no meaning (here it is 0), nothing is said that is not trivial. *)
Theorem zCDP_to_DP rho delta : 0 <= rho -> 0 < delta ->
  zCDP near M rho -> DP near output (rho + 2 * Num.sqrt (rho * ln delta^-1)) delta.
Proof.
rewrite le_eqVlt => r0 d0 H x x' n; have [d1|d1] := leP 1 delta; first exact: close_of_one_le.
have d01 : 0 < delta < 1 by rewrite d0.
case/orP: r0 => [/eqP r0|r0]; last exact: (zclose_close r0 d01 (H _ _ n)).
by rewrite -r0 mul0r sqrtr0 mulr0 addr0; apply: zclose0_close; rewrite // r0; exact: H.
Qed.

Lemma ln_inverse_ge0 delta : 0 < delta <= 1 -> 0 <= ln delta^-1.
Proof. by move=> /andP[d0 d1]; rewrite ln_ge0// invf_ge1. Qed.

(** 004 Lemma 3.2.6 (l.1764).
    Printed: if M is epsilon^2/2-zCDP, it is
    (epsilon^2/2 + epsilon sqrt(2 log(1/delta)), delta)-DP for all delta > 0.
    Proved: the same, for epsilon >= 0 and delta <= 1. *)
Theorem zCDP_to_DP_half_square epsilon delta : 0 <= epsilon -> 0 < delta <= 1 ->
  zCDP near M (epsilon ^+ 2 / 2) ->
  DP near output (epsilon ^+ 2 / 2 + epsilon * Num.sqrt (2 * ln delta^-1)) delta.
Proof.
move=> e0 d01 H; have l0 := ln_inverse_ge0 d01; case/andP: (d01) => d0 _.
rewrite (_ : epsilon * _ = 2 * Num.sqrt (epsilon ^+ 2 / 2 * ln delta^-1)).
  by apply: zCDP_to_DP => //; rewrite mulr_ge0 ?sqr_ge0.
rewrite (_ : epsilon ^+ 2 / 2 * _ = (epsilon / 2) ^+ 2 * (2 * ln delta^-1)); last by field.
by rewrite [in RHS]sqrtrM ?sqr_ge0// sqrtr_sqr ger0_norm ?divr_ge0// mulrA; congr (_ * _); field.
Qed.
End conversion.

(** 004 l.2738, 000 l.630, 004 l.9970.
    Printed: rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2 satisfies
    rho + 2 sqrt(rho log(1/delta)) = epsilon, so that rho-zCDP gives (epsilon, delta)-DP.
    Proved: the same, for epsilon >= 0 and 0 < delta <= 1. *)
Definition zCDP_budget {R : realType} (epsilon delta : R) : R :=
  (Num.sqrt (ln delta^-1 + epsilon) - Num.sqrt (ln delta^-1)) ^+ 2.

Theorem zCDP_budget_identity {R : realType} (epsilon delta : R) :
  0 <= epsilon -> 0 < delta <= 1 ->
  zCDP_budget epsilon delta + 2 * Num.sqrt (zCDP_budget epsilon delta * ln delta^-1) = epsilon.
Proof.
move=> e0 d01; rewrite /zCDP_budget; have l0 := ln_inverse_ge0 d01; set l := ln _ in l0 *.
have ab : Num.sqrt l <= Num.sqrt (l + epsilon) by rewrite ler_wsqrtr// ler_addl.
rewrite sqrtrM ?sqr_ge0// sqrtr_sqr ger0_norm ?subr_ge0//.
have := sqr_sqrtr l0; have := sqr_sqrtr (addr_ge0 l0 e0).
move: (Num.sqrt _) (Num.sqrt l) => a b Ea Eb.
transitivity (a ^+ 2 - b ^+ 2); [ring|by rewrite Ea Eb addrC addKr].
Qed.

Theorem zCDP_budget_suffices {R : realType} (X : space R) D (near : D -> D -> Prop)
    (M : D -> density X) (epsilon delta : R) :
  0 <= epsilon -> 0 < delta <= 1 ->
  zCDP near M (zCDP_budget epsilon delta) ->
  DP near (fun x => [the measure _ _ of law (M x)]) epsilon delta.
Proof.
move=> e0 d01 H; rewrite -{1}(zCDP_budget_identity e0 d01).
by case/andP: (d01) => d0 _; apply: zCDP_to_DP => //; exact: sqr_ge0.
Qed.

(** * Pure privacy is concentrated *)

(** The conversion of [reference.privacy.guarantees], not printed in the papers (Bun and Steinke
    2016, Proposition 1.4): an epsilon-DP mechanism is epsilon^2/2-zCDP.
    Proved: the same, for mechanisms with densities. That the densities of neighbours are within
    a factor e^epsilon is what epsilon-DP says of them. *)
Theorem pure_DP_is_zCDP {R : realType} (X : space R) D (near : D -> D -> Prop)
    (M : D -> density X) (epsilon : R) :
  0 <= epsilon ->
  (forall x x' o, near x x' ->
    M x o <= expR epsilon * M x' o /\ M x' o <= expR epsilon * M x o) ->
  zCDP near M (epsilon ^+ 2 / 2).
Proof.
move=> e0 H x x' n; have := pure_zclose e0 (fun o => (H x x' o n).1) (fun o => (H x x' o n).2).
by move: (epsilon ^+ 2 / 2).
Qed.
