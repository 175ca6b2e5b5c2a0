(** Densities whose ratio lies in a short interval: bounded range, pure to zCDP. *)
From mathcomp.analysis Require Import derive realfun.
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Import numFieldNormedType.Exports.

(** * A two-point Hoeffding lemma *)

Section calculus.
Context {R : realType}.

(** A function that vanishes at 0 and whose derivative is >= 0 right of it is >= 0 there. *)
Lemma ge0_of_derivative (f df : R -> R) :
  (forall x, is_derive x 1 f (df x)) -> f 0 = 0 ->
  (forall x, 0 <= x -> 0 <= df x) -> forall x, 0 <= x -> 0 <= f x.
Proof.
move=> d f0 p x x0.
have c : {within `[0, x], continuous f}.
  apply: continuous_subspaceT => y; apply: differentiable_continuous.
  by apply/derivable1_diffP; case: (d y).
have [c0 + e] := MVT_segment x0 (fun y _ => d y) c.
rewrite in_itv /= => /andP[c1 _].
by rewrite f0 !subr0 in e; rewrite e mulr_ge0// p.
Qed.

Lemma expR_ge (x : R) : 1 + x <= expR x.
Proof.
have [x0|x0] := leP 0 x; first exact: expR_ge1Dx.
have c : {within `[x, 0], continuous (@expR R)}.
  by apply: continuous_subspaceT => y; exact: continuous_expR.
have [c0 + e] := MVT_segment (ltW x0) (fun y _ => is_derive_expR y) c.
rewrite in_itv /= => /andP[_ c1]; rewrite expR0 sub0r in e.
rewrite -ler_subr_addl -[leRHS]opprB e mulrN opprK -subr_ge0.
rewrite (_ : _ - x = (1 - expR c0) * - x); last by ring.
by rewrite mulr_ge0 ?oppr_ge0 ?(ltW x0)// subr_ge0 -[leRHS]expR0 ler_expR.
Qed.
End calculus.

Section two_points.
Context {R : realType}.
Variable th : R.
Hypothesis th01 : 0 <= th <= 1.

Let D (h : R) : R := 1 - th + th * expR h.

Let D_gt0 h : 0 < D h.
Proof.
case/andP: th01 => t0 t1; rewrite /D; have [->|n] := eqVneq th 0.
  by rewrite subr0 mul0r addr0.
by rewrite ltr_paddl ?subr_ge0// mulr_gt0 ?expR_gt0// lt0r n.
Qed.

Let u h : R := th * expR h * (D h)^-1.

Let g h : R := th + h / 4 - u h.
Let f h : R := th * h + h ^+ 2 / 8 - ln (D h).

Let dD (h : R) : is_derive h 1 D (th * expR h).
Proof.
rewrite (_ : D = (cst (1 - th) : R -> R) + th \*: (@expR R : R -> R)); last exact/funext.
by apply: is_derive_eq; rewrite add0r.
Qed.

Let du (h : R) : is_derive h 1 u (u h * (1 - u h)).
Proof.
have dV := is_deriveV (lt0r_neq0 (D_gt0 h)) (dD h).
rewrite (_ : u = (th \*: (@expR R : R -> R)) * (fun y => (D y)^-1)); last exact/funext.
apply: is_derive_eq; have n : D h != 0 by rewrite gt_eqF.
change (th * expR h * (- (D h) ^- 2 * (th * expR h)) + (D h)^-1 * (th * expR h) =
  th * expR h * (D h)^-1 * (1 - th * expR h * (D h)^-1)).
by field.
Qed.

Let dg (h : R) : is_derive h 1 g (4^-1 - u h * (1 - u h)).
Proof.
rewrite (_ : g = (cst th : R -> R) + (4^-1 \*: (id : R -> R)) - u); last first.
  by apply/funext => x; rewrite /g /= [x / 4]mulrC.
have duh := du h; apply: is_derive_eq; change (0 + 4^-1 * 1 - u h * (1 - u h) = 4^-1 - u h * (1 - u h)).
by rewrite add0r mulr1.
Qed.

Let df (h : R) : is_derive h 1 f (g h).
Proof.
have dl := is_derive1_comp (is_derive1_ln (D_gt0 h)) (dD h).
rewrite (_ : f = (th \*: (id : R -> R)) + (8^-1 \*: ((id : R -> R) * (id : R -> R)))
   - (@ln R \o D)); last first.
  by apply/funext => x; rewrite /f /= [_ ^+ 2 / 8]mulrC expr2.
apply: is_derive_eq; have n : D h != 0 by rewrite gt_eqF.
change (th * 1 + 8^-1 * (h * 1 + h * 1) - (D h)^-1 * (th * expR h) =
  th + h / 4 - th * expR h * (D h)^-1).
by field.
Qed.

Lemma hoeffding_ge0 h : 0 <= h -> 1 - th + th * expR h <= expR (th * h + h ^+ 2 / 8).
Proof.
move=> h0; have D0 : D 0 = 1 by rewrite /D expR0 mulr1 subrK.
rewrite -/(D h) -[D h]lnK ?posrE// ler_expR -subr_ge0 -/(f h).
apply: (ge0_of_derivative df _ _ h0).
  by rewrite /f D0 ln1 mulr0 expr0n mul0r addr0 subr0.
apply: (ge0_of_derivative dg).
  by rewrite /g /u D0 expR0 invr1 !mulr1 mul0r addr0 subrr.
move=> x _; rewrite (_ : _ - _ = (2^-1 - u x) ^+ 2); last by field.
exact: sqr_ge0.
Qed.
End two_points.

Section hoeffding.
Context {R : realType}.

Lemma hoeffding (th h : R) : 0 <= th <= 1 ->
  1 - th + th * expR h <= expR (th * h + h ^+ 2 / 8).
Proof.
move=> /andP[t0 t1]; have [h0|h0] := leP 0 h; first by apply: hoeffding_ge0; rewrite ?t0.
have := @hoeffding_ge0 R (1 - th) _ (- h) _; rewrite subr_ge0 t1 ger_addl oppr_le0 t0.
rewrite oppr_ge0 (ltW h0) => /(_ isT isT) H.
rewrite (_ : 1 - th + _ = expR h * (1 - (1 - th) + (1 - th) * expR (- h))).
  apply: (le_trans (ler_wpmul2l (expR_ge0 h) H)).
  by rewrite -expRD ler_expR le_eqVlt; apply/orP; left; apply/eqP; field.
rewrite mulrDr mulrCA -expRD subrr expR0; ring.
Qed.

(** A convex power lies below its chord: u^a <= (1 - w) m^a + w M^a at u = (1 - w) m + w M. *)
Lemma bernoulli (a r : R) : 1 < a -> 1 + a * (expR r - 1) <= expR (a * r).
Proof.
move=> a1.
have a0 : 0 < a by rewrite (lt_trans _ a1).
pose A := a^-1 * expR (a * r) + (1 - a^-1).
have A0 : 0 < A.
  by rewrite ltr_paddr ?mulr_gt0 ?invr_gt0 ?expR_gt0// subr_ge0 invf_le1// ltW.
have : expR r <= A.
  rewrite -[A]lnK ?posrE// ler_expR.
  have h1 := expR_ge (a * r - ln A); have h2 := expR_ge (- ln A).
  rewrite expRD expRN lnK ?posrE// in h1; rewrite expRN lnK ?posrE// in h2.
  have i0 : 0 <= a^-1 by rewrite invr_ge0 ltW.
  have j0 : 0 <= 1 - a^-1 by rewrite subr_ge0 invf_le1// ltW.
  have := ler_add (ler_wpmul2l i0 h1) (ler_wpmul2l j0 h2).
  rewrite [leRHS](_ : _ = A / A); last by rewrite /A; ring.
  rewrite divff ?gt_eqF// [leLHS](_ : _ = 1 + (r - ln A)); last by field; rewrite gt_eqF.
  by rewrite ger_addl subr_le0.
move/(ler_wpmul2l (ltW a0)); rewrite -subr_ge0 => H; rewrite -subr_ge0.
rewrite [leRHS](_ : _ = a * A - a * expR r)//; rewrite /A; field.
by rewrite gt_eqF.
Qed.
End hoeffding.

(** * Bounded range *)

Section bounded_range.
Context {R : realType}.

(** u^a at u = e^l, m = e^b <= u <= M = e^(b + c), against the chord from m to M. *)
Lemma chord (a b c l : R) : 1 < a -> 0 < c -> b <= l <= b + c ->
  expR (a * l) * (expR (b + c) - expR b) <=
  (expR (b + c) - expR l) * expR (a * b) + (expR l - expR b) * expR (a * (b + c)).
Proof.
move=> a1 c0 /andP[l1 l2]; set m := expR b; set M := expR (b + c); set v := expR l.
set E := expR (a * l).
have T y : E + E * a * (expR y / v - 1) <= expR (a * y).
  have := ler_wpmul2l (expR_ge0 (a * l)) (bernoulli (y - l) a1).
  rewrite -expRD -mulrDr [l + (y - l)]addrC subrK expRD expRN -/v -/E => /(le_trans _); apply.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
have p1 : 0 <= M - v by rewrite subr_ge0 ler_expR.
have p2 : 0 <= v - m by rewrite subr_ge0 ler_expR.
apply: le_trans (ler_add (ler_wpmul2l p1 (T b)) (ler_wpmul2l p2 (T (b + c)))).
rewrite -/m -/M le_eqVlt; apply/orP; left; apply/eqP; field.
by rewrite gt_eqF// expR_gt0.
Qed.

(** The chord's height at 1, the mean of u. *)
Lemma chord_at_1 (a b c : R) : 1 < a -> 0 < c -> b <= 0 <= b + c ->
  ((expR (b + c) - 1) * expR (a * b) + (1 - expR b) * expR (a * (b + c))) <=
  (expR (b + c) - expR b) * expR (a * (a - 1) * (c ^+ 2 / 8)).
Proof.
move=> a1 c0 /andP[b0 bc0]; set m := expR b; set M := expR (b + c).
have mM : 0 < M - m by rewrite subr_gt0 ltr_expR ltr_addl.
have m1 : 0 <= 1 - m by rewrite subr_ge0 -[leRHS]expR0 ler_expR.
have M1 : 0 <= M - 1 by rewrite subr_ge0 -[leLHS]expR0 ler_expR.
pose th := M * (1 - m) / (M - m).
have thE : 1 - th = m * (M - 1) / (M - m) by rewrite /th; field; rewrite gt_eqF.
have th01 : 0 <= th <= 1.
  rewrite -[th <= 1]subr_ge0 thE !mulr_ge0 ?invr_ge0 ?expR_ge0//; exact: ltW.
have H1 := hoeffding ((a - 1) * c) th01.
(* the mean loss: e^-l has mean 1 *)
have H2 : b + th * c <= c ^+ 2 / 8.
  have := hoeffding (- c) th01.
  rewrite [leLHS](_ : _ = m); last first.
    rewrite thE /th expRN (_ : expR c = M / m); last by rewrite /M expRD mulrAC divff ?mul1r// gt_eqF// expR_gt0.
    by field; rewrite !gt_eqF ?expR_gt0.
  rewrite ler_expR => H; rewrite addrC -ler_subr_addl (le_trans H)//.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
apply: (@le_trans _ _ ((M - m) * (expR ((a - 1) * b) * expR (th * ((a - 1) * c) + ((a - 1) * c) ^+ 2 / 8)))).
  apply: (le_trans _ (ler_wpmul2l (ltW mM) (ler_wpmul2l (expR_ge0 _) H1))).
  have e1 : expR (a * b) = expR ((a - 1) * b) * m by rewrite -expRD; congr expR; ring.
  have e2 : expR (a * (b + c)) = expR ((a - 1) * b) * expR ((a - 1) * c) * M.
    by rewrite -!expRD; congr expR; ring.
  rewrite thE /th e1 e2 le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF//.
rewrite ler_pmul2l// -expRD ler_expR.
have a1' : 0 <= a - 1 by rewrite subr_ge0 ltW.
have := ler_wpmul2l a1' H2; rewrite -subr_ge0 => H; rewrite -subr_ge0; apply: (le_trans H).
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

Variables (X : space R) (p q : density X) (b c : R).
Hypotheses (c_ge0 : 0 <= c)
  (ratio : forall x, expR b * q x <= p x <= expR (b + c) * q x).

Let q0_p0 x : q x = 0 -> p x = 0.
Proof.
by move=> e; apply/eqP; rewrite eq_le pdf_ge0 andbT; have := ratio x; rewrite e !mulr0 => /andP[].
Qed.

(** 1 lies between the bounds, as both densities have mass 1. *)
Let b_le0 : b <= 0 <= b + c.
Proof.
have m1 : (\int[base X]_x ((expR b)%:E * (q x)%:E) = (expR b)%:E)%E.
  rewrite ge0_integralM ?lee_fin ?expR_ge0//; last 2 first.
  - exact: (@pdf_EFin _ _ q setT).
  - by move=> x _; rewrite lee_fin pdf_ge0.
  by rewrite pdf_mass mule1.
have m2 : (\int[base X]_x ((expR (b + c))%:E * (q x)%:E) = (expR (b + c))%:E)%E.
  rewrite ge0_integralM ?lee_fin ?expR_ge0//; last 2 first.
  - exact: (@pdf_EFin _ _ q setT).
  - by move=> x _; rewrite lee_fin pdf_ge0.
  by rewrite pdf_mass mule1.
rewrite -(@ler_expR R b 0) -(@ler_expR R 0 (b + c)) expR0 -!lee_fin -m1 -m2 -(pdf_mass p).
apply/andP; split; apply: ge0_le_integral => //.
- by move=> x _; rewrite mule_ge0 ?lee_fin ?expR_ge0 ?pdf_ge0.
- by apply: measurable_funeM; exact: pdf_EFin.
- by move=> x _; rewrite lee_fin pdf_ge0.
- exact: (@pdf_EFin _ _ p setT).
- by move=> x _; rewrite -EFinM lee_fin; case/andP: (ratio x).
- by move=> x _; rewrite lee_fin pdf_ge0.
- exact: (@pdf_EFin _ _ p setT).
- by move=> x _; rewrite mule_ge0 ?lee_fin ?expR_ge0 ?pdf_ge0.
- by apply: measurable_funeM; exact: pdf_EFin.
- by move=> x _; rewrite -EFinM lee_fin; case/andP: (ratio x).
Qed.

(** Log ratios in an interval of length c: c^2/8-zCDP. *)
Theorem bounded_range_zclose : zclose (c ^+ 2 / 8) p q.
Proof.
have [c0|c0] := eqVneq c 0.
  have b00 : b = 0 by apply/eqP; have := b_le0; rewrite c0 addr0 eq_le.
  have -> : (p : X -> R) = q.
    apply/funext => x; apply/eqP; have := ratio x.
    by rewrite c0 addr0 b00 expR0 mul1r eq_le andbC.
  by rewrite c0 expr0n mul0r; exact: zclose_same.
have {}c0 : 0 < c by rewrite lt0r c0 c_ge0.
split => [x|a a1]; first exact: q0_p0.
set m := expR b; set M := expR (b + c); set k := expR (a * b); set K := expR (a * (b + c)).
have mM : 0 < M - m by rewrite subr_gt0 ltr_expR ltr_addl.
pose A := (M * k - m * K) / (M - m); pose B := (K - k) / (M - m).
have kK : 0 <= B.
  rewrite mulr_ge0 ?invr_ge0 ?(ltW mM)// subr_ge0 ler_expR ler_wpmul2l ?ler_addl//.
  by rewrite ltW// (lt_trans _ a1).
(* pointwise: the term is at most A q + B p *)
have T x : renyi_term a (p x) (q x) <= A * q x + B * p x.
  rewrite /renyi_term; have [p0|p0] := eqVneq (p x) 0.
    have q0 : q x = 0.
      apply/eqP; rewrite eq_le pdf_ge0 andbT; have /andP[+ _] := ratio x.
      by rewrite p0 pmulr_rle0// expR_gt0.
    by rewrite p0 q0 !mulr0 addr0.
  have pp : 0 < p x by rewrite lt0r p0 pdf_ge0.
  have qp : 0 < q x.
    by rewrite lt0r pdf_ge0 andbT; apply: contra_neq p0; exact: q0_p0.
  pose l := ln (p x) - ln (q x).
  have el : expR l = p x / q x by rewrite expRD expRN !lnK ?posrE.
  have lr : b <= l <= b + c.
    by rewrite -!(@ler_expR R _ l) -(@ler_expR R l) el ler_pdivl_mulr// ler_pdivr_mulr// ratio.
  have := chord a1 c0 lr; rewrite -/m -/M -/k -/K -ler_pdivl_mulr// => H.
  rewrite (_ : a * ln (p x) + (1 - a) * ln (q x) = a * l + ln (q x)); last by rewrite /l; ring.
  rewrite expRD lnK ?posrE//; apply: (le_trans (ler_wpmul2r (ltW qp) H)).
  rewrite el /A /B le_eqVlt; apply/orP; left; apply/eqP; field.
  by rewrite !gt_eqF.
have mq := @pdf_EFin _ _ q setT; have mp := @pdf_EFin _ _ p setT.
have A0 : 0 <= - A.
  rewrite /A -mulNr mulr_ge0 ?invr_ge0 ?(ltW mM)// opprB subr_ge0 /m /M /K /k -!expRD ler_expR.
  rewrite -subr_ge0 (_ : _ - _ = (a - 1) * c); last by ring.
  by rewrite mulr_ge0// subr_ge0 ltW.
have mt : measurable_fun setT (EFin \o fun x => renyi_term a (p x) (q x)).
  by apply/EFin_measurable_fun; apply: measurable_fun_renyi_term; exact: pdf_measurable.
have L : (moment a p q + (- A)%:E <= B%:E)%E.
  have -> : (B%:E = \int[base X]_x (B%:E * (p x)%:E))%E.
    by rewrite ge0_integralM// ?pdf_mass ?mule1// => x _; rewrite lee_fin pdf_ge0.
  have -> : ((- A)%:E = \int[base X]_x ((- A)%:E * (q x)%:E))%E.
    by rewrite ge0_integralM// ?pdf_mass ?mule1// => x _; rewrite lee_fin pdf_ge0.
  rewrite /moment -ge0_integralD//; last 3 first.
  - by move=> x _; rewrite lee_fin renyi_term_ge0.
  - by move=> x _; rewrite mule_ge0// lee_fin pdf_ge0.
  - exact: measurable_funeM.
  apply: ge0_le_integral => //.
  - by move=> x _; rewrite adde_ge0 ?mule_ge0 ?lee_fin ?renyi_term_ge0 ?pdf_ge0.
  - by apply: emeasurable_funD => //; exact: measurable_funeM.
  - by move=> x _; rewrite mule_ge0// lee_fin pdf_ge0.
  - exact: measurable_funeM.
  - by move=> x _; rewrite -!EFinM -EFinD lee_fin mulNr -ler_subr_addr opprK addrC.
have {}L : (moment a p q <= (A + B)%:E)%E.
  by move: L; rewrite EFinD EFinN -lee_subr_addr// oppeK addeC.
apply: (le_trans L); rewrite lee_fin /A /B -mulrDl ler_pdivr_mulr// [leRHS]mulrC.
apply: le_trans (chord_at_1 a1 c0 b_le0).
by rewrite -/m -/M -/k -/K le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
End bounded_range.

(** eps-DP both ways is (eps^2/2)-zCDP. *)
Theorem pure_zclose {R : realType} (X : space R) (p q : density X) e : 0 <= e ->
  (forall x, p x <= expR e * q x) -> (forall x, q x <= expR e * p x) ->
  zclose (e ^+ 2 / 2) p q.
Proof.
move=> e0 H1 H2; rewrite (_ : e ^+ 2 / 2 = (e + e) ^+ 2 / 8); last by field.
apply: (@bounded_range_zclose R X p q (- e)) => [|x]; first by rewrite addr_ge0.
by rewrite addrA addNr add0r H1 andbT expRN -ler_pdivl_mull ?invrK ?invr_gt0 ?expR_gt0.
Qed.
