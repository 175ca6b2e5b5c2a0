(** The exponential mechanism: privacy over any range, utility over a finite one. *)
From Touchstone.core Require Import Everything.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section selection.
Context {R : realType} (A : space R) (epsilon Delta : R).
Implicit Types u v : A -> R.

(** The weight of candidate r with score u r, and the sum of all weights. *)
Definition weight u (r : A) : R := expR (epsilon * u r / (2 * Delta)).
Definition weights u : \bar R := (\int[base A]_r (weight u r)%:E)%E.

Lemma measurable_fun_weight u : measurable_fun setT u -> measurable_fun setT (weight u).
Proof.
move=> mu; apply: (measurable_fun_comp measurable_fun_expR).
rewrite (_ : (fun r => _) = fun r => (epsilon / (2 * Delta)) * u r); first exact: measurable_funrM.
by apply/funext => r; rewrite mulrAC.
Qed.

(** A score for which "with probability proportional to the weight" has a meaning. *)
Definition selectable u := measurable_fun setT u /\ (0 < weights u < +oo)%E.

Variables (u : A -> R) (ok : selectable u).

Let Z : R := fine (weights u).

Lemma weightsE : weights u = Z%:E.
Proof. by have [_ /andP[p f]] := ok; rewrite fineK// ge0_fin_numE ?ltW. Qed.

Lemma weights_gt0 : 0 < Z.
Proof. by have [_ /andP[p _]] := ok; rewrite -lte_fin -weightsE. Qed.

Let selection_ge0 r : 0 <= weight u r / Z.
Proof. by rewrite divr_ge0 ?expR_ge0// ltW// weights_gt0. Qed.

Let selection_measurable : measurable_fun setT (fun r => weight u r / Z).
Proof.
rewrite (_ : (fun r => _) = fun r => Z^-1 * weight u r); last by apply/funext => r; rewrite mulrC.
by apply: measurable_funrM; apply: measurable_fun_weight; case: ok.
Qed.

Let selection_mass : (\int[base A]_r (weight u r / Z)%:E = 1)%E.
Proof.
under eq_integral do rewrite mulrC EFinM.
rewrite ge0_integralM//.
- by rewrite -/(weights u) weightsE -EFinM mulVf// gt_eqF// weights_gt0.
- by apply/EFin_measurable_fun; apply: measurable_fun_weight; case: ok.
- by move=> r _; rewrite lee_fin expR_ge0.
- by rewrite lee_fin invr_ge0 ltW// weights_gt0.
Qed.

(** The density that is proportional to the weight. *)
Definition selection : density A := Density selection_ge0 selection_measurable selection_mass.
End selection.

Section privacy.
Context {R : realType} (A : space R) (epsilon Delta : R).
Hypotheses (epsilon_gt0 : 0 < epsilon) (Delta_gt0 : 0 < Delta).

Lemma weight_ratio (u v : A -> R) r : `|u r - v r| <= Delta ->
  weight epsilon Delta u r <= expR (epsilon / 2) * weight epsilon Delta v r.
Proof.
move=> H; rewrite /weight -expRD ler_expR -subr_ge0.
rewrite (_ : _ - _ = epsilon / (2 * Delta) * (Delta - (u r - v r))).
  rewrite mulr_ge0 ?divr_ge0 ?mulr_ge0 ?ler0n ?(ltW epsilon_gt0) ?(ltW Delta_gt0)//.
  by rewrite subr_ge0 (le_trans (ler_norm _)).
by field; rewrite gt_eqF.
Qed.

Lemma weights_ratio (u v : A -> R) : measurable_fun setT u -> measurable_fun setT v ->
  (forall r, `|u r - v r| <= Delta) ->
  (weights epsilon Delta u <= (expR (epsilon / 2))%:E * weights epsilon Delta v)%E.
Proof.
move=> mu mv H; have m (w : A -> R) : measurable_fun setT w ->
    measurable_fun setT (fun r => (weight epsilon Delta w r)%:E : \bar R).
  by move=> mw; apply/EFin_measurable_fun; exact: measurable_fun_weight.
have ge0 (w : A -> R) r : (0 <= (weight epsilon Delta w r)%:E)%E by rewrite lee_fin expR_ge0.
rewrite /weights -(ge0_integralM _ measurableT (m v mv)) ?lee_fin ?expR_ge0//.
apply: (ge0_le_integral _ measurableT) => // [|r _||r _].
- exact: m.
- by rewrite mule_ge0 ?lee_fin ?expR_ge0.
- by apply: measurable_funeM; exact: m.
- by rewrite -EFinM lee_fin weight_ratio.
Qed.

Variables (D : Type) (near : D -> D -> Prop) (u : D -> A -> R).

(** 004 Definition 2.1.4 (l.382), 003 Definition 3 (l.119).
    Printed: selecting r with probability proportional to exp(epsilon u(D, r)/(2 Delta)), where
    Delta bounds |u(D, r) - u(D', r)|, preserves epsilon-DP.
    Proved: the same, for every range and every measure on it of which the weights have a positive
    finite integral. That they have one is not printed; it is what "probability proportional to"
    needs. *)
Theorem exponential_mechanism (ok : forall x, selectable epsilon Delta (u x)) :
  (forall x x' r, near x x' -> `|u x r - u x' r| <= Delta) ->
  DP near (fun x => [the measure _ _ of law (selection (ok x))]) epsilon 0.
Proof.
move=> H; apply: densities_DP => x x' r n; pose Z y := fine (weights epsilon Delta (u y)).
change (weight epsilon Delta (u x) r / Z x <=
  expR epsilon * (weight epsilon Delta (u x') r / Z x')).
have Z0 y : 0 < Z y := weights_gt0 (ok y).
have ZE y : weights epsilon Delta (u y) = (Z y)%:E := weightsE (ok y).
clearbody Z; have A1 := weight_ratio (H x x' r n).
have A2 : Z x' <= expR (epsilon / 2) * Z x.
  rewrite -lee_fin EFinM -!ZE; apply: weights_ratio => [||s]; first by case: (ok x').
    by case: (ok x).
  by rewrite distrC; exact: H.
have E : expR epsilon = expR (epsilon / 2) * expR (epsilon / 2) by rewrite -expRD; congr expR; field.
rewrite ler_pdivr_mulr// mulrAC mulrA ler_pdivl_mulr//.
have := ler_pmul (expR_ge0 _) (ltW (Z0 x')) A1 A2; rewrite E => /le_trans; apply.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
End privacy.

(** * Finitely many candidates, 0 to k *)

Section finite.
Context {R : realType} (k : nat) (epsilon Delta : R).
Hypotheses (epsilon_gt0 : 0 < epsilon) (Delta_gt0 : 0 < Delta).
Local Notation range := (@candidates R k).
Implicit Types u : nat -> R.

Let measurable_any (f : nat -> R) : measurable_fun setT f. Proof. by []. Qed.

Lemma weights_finite u :
  weights (A := range) epsilon Delta u = (\sum_(i < k.+1) weight (A := range) epsilon Delta u i)%:E.
Proof. by rewrite /weights integral_candidates// => i; exact: expR_ge0. Qed.

Lemma selectable_finite u : selectable (A := range) epsilon Delta u.
Proof.
split=> //; rewrite weights_finite ltry andbT lte_fin big_ord_recl ltr_spaddl ?expR_gt0//.
by apply: sumr_ge0 => i _; exact: expR_ge0.
Qed.

(** One of the candidates 0 to k, by its score. *)
Definition select u : density range := selection (selectable_finite u).

(** The same over any finite set of candidates, where nothing is left to assume. *)
Theorem exponential_mechanism_finite D (near : D -> D -> Prop) (u : D -> nat -> R) :
  (forall x x' r, near x x' -> `|u x r - u x' r| <= Delta) ->
  DP near (fun x => [the measure _ _ of law (select (u x))]) epsilon 0.
Proof.
exact: (exponential_mechanism epsilon_gt0 Delta_gt0 (fun x => selectable_finite (u x))).
Qed.

(** 004 Lemma 2.1.3 (l.384-388), 004 Lemma 4.2.3 (l.3557), 003 Lemma 1 (l.123-127).
    Printed: Pr{u(M) <= OPT - (2 Delta/epsilon)(ln|R| + t)} <= e^-t.
    Proved: the same, for a finite range of k + 1 candidates, with the score of any candidate
    [best] in it for OPT: so it holds for the highest one. *)
Theorem exponential_mechanism_utility u (t : R) (best : 'I_k.+1) :
  (law (select u) [set r | u r <= u best - 2 * Delta / epsilon * (ln k.+1%:R + t)]%R <=
  (expR (- t))%:E)%E.
Proof.
set level := u best - _; set W := weight (A := range) epsilon Delta u.
pose Z := \sum_(i < k.+1) W i; pose each := expR (- t) / k.+1%:R.
have WZ : W best <= Z.
  by rewrite /Z (bigD1 best)//= ler_addl; apply: sumr_ge0 => i _; exact: expR_ge0.
have Z0 : 0 < Z by apply: lt_le_trans WZ; exact: expR_gt0.
have sE r : select u r = W r / Z by rewrite /= weights_finite.
rewrite /law integral_mkcond.
have -> : (fun r => (select u r)%:E) \_ [set r | u r <= level] =
    fun r => (if u r <= level then W r / Z else 0)%:E.
  apply/funext => r; rewrite /patch sE.
  have -> : (r \in [set r | u r <= level]) = (u r <= level) by apply/idP/idP; rewrite in_setE.
  by case: ifP.
rewrite integral_candidates => [|r]; last by case: ifP => // _; rewrite divr_ge0 ?expR_ge0 ?ltW.
rewrite lee_fin (@le_trans _ _ (\sum_(i < k.+1) each))//; last first.
  by rewrite sumr_const card_ord -mulr_natr /each divfK// pnatr_eq0.
apply: ler_sum => i _; case: ifP => [le|_]; last by rewrite divr_ge0 ?expR_ge0.
rewrite ler_pdivr_mulr// (le_trans _ (ler_wpmul2l _ WZ)) ?divr_ge0 ?expR_ge0//.
have -> : each = expR (- t - ln k.+1%:R) by rewrite /each expRD (expRN (ln _)) lnK ?posrE ?ltr0n.
rewrite /W /weight -expRD ler_expR.
have -> : - t - ln k.+1%:R + epsilon * u best / (2 * Delta) = epsilon / (2 * Delta) * level.
  by rewrite /level; field; rewrite !gt_eqF.
by rewrite mulrAC ler_pmul2l// divr_gt0// mulr_gt0.
Qed.
End finite.
