(** Laplace and Gaussian noise on the real line with its Lebesgue measure. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Laplace noise *)

Section laplace.
Context {R : realType} (b : R) (b_gt0 : (0 < b)%R).
Local Open Scope ring_scope.

Definition double_exp (x : R) : R := expR (- (`|x| / b)).

Let mg : measurable_fun setT double_exp.
Proof.
apply: (measurable_fun_comp measurable_fun_expR); apply: measurable_funN => //.
rewrite (_ : (fun x => _) = (fun x => b^-1 * `|x|)); last by apply/funext => x; rewrite mulrC.
by apply: measurable_funrM; exact: measurable_fun_normr.
Qed.

Let decay n x : n%:R * (2 * b) <= `|x| -> double_exp x <= expR (- 2 *+ n).
Proof.
move=> H; rewrite ler_expR mulNrn ler_opp2 ler_pdivl_mulr//.
by apply: le_trans H; rewrite -mulr_natl mulrA.
Qed.

Let low x : 0 <= x <= 1 -> expR (- b^-1) <= double_exp x.
Proof.
move=> /andP[x0 x1]; rewrite ler_expR ler_opp2 ger0_norm// ler_pdivr_mulr// mulVf//.
by rewrite gt_eqF.
Qed.

Definition laplace : R -> density (line R) :=
  noise (fun x => expR_ge0 _) mg (mulr_gt0 (ltr0Sn _ 1) b_gt0) decay (expR_gt0 _) low.

Let Z := normaliser double_exp.
Let Z_gt0 : 0 < Z.
Proof.
exact: (normaliser_gt0 (fun x => expR_ge0 _) mg (mulr_gt0 (ltr0Sn _ 1) b_gt0) decay
  (expR_gt0 _) low).
Qed.

Let laplaceE c x : laplace c x = Z^-1 * double_exp (x - c). Proof. by []. Qed.

Lemma measurable_fun_laplace d (T : measurableType d) (c f : T -> R) :
  measurable_fun setT c -> measurable_fun setT f ->
  measurable_fun setT (fun x => laplace (c x) (f x)).
Proof. exact: measurable_fun_noise. Qed.

Lemma laplace_ratio c c' x : laplace c x <= expR (`|c - c'| / b) * laplace c' x.
Proof.
rewrite !laplaceE mulrCA; apply: ler_wpmul2l; first by rewrite invr_ge0 ltW.
rewrite /double_exp -expRD ler_expR -mulrBl -mulNr ler_pmul2r ?invr_gt0//.
rewrite ler_subr_addl ler_subl_addr [leRHS]addrC.
by rewrite (_ : x - c' = (x - c) + (c - c')) ?ler_norm_add// addrA subrK.
Qed.

Theorem laplace_DP D (near : D -> D -> Prop) (q : D -> R) Delta :
  (forall x x', near x x' -> `|q x - q x'| <= Delta) ->
  DP near (fun x => [the measure _ _ of law (laplace (q x))]) (Delta / b) 0.
Proof.
move=> H; apply: densities_DP => x x' o n; apply: (le_trans (laplace_ratio _ (q x') o)).
rewrite ler_wpmul2r ?pdf_ge0// ler_expR ler_pmul2r ?invr_gt0//; exact: H.
Qed.
End laplace.

(** * Gaussian noise *)

Section gaussian.
Context {R : realType} (s : R) (s_gt0 : (0 < s)%R).
Local Open Scope ring_scope.

Let w : R := (2 * s ^+ 2)^-1.
Let w_gt0 : 0 < w. Proof. by rewrite invr_gt0 mulr_gt0 ?ltr0n// exprn_gt0. Qed.

Definition gauss (x : R) : R := expR (- (w * x ^+ 2)).

Let mg : measurable_fun setT gauss.
Proof.
apply: (measurable_fun_comp measurable_fun_expR); apply: measurable_funN => //.
by apply: measurable_funrM; apply: measurable_fun_exprn; exact: measurable_fun_id.
Qed.

Let decay n x : n%:R * (2 * s) <= `|x| -> gauss x <= expR (- 2 *+ n).
Proof.
move=> H; rewrite ler_expR mulNrn ler_opp2 mulrC ler_pdivl_mulr ?mulr_gt0 ?ltr0n ?exprn_gt0//.
rewrite -[x ^+ 2]real_normK ?num_real//.
apply: (@le_trans _ _ ((n%:R * (2 * s)) ^+ 2)).
  rewrite (_ : (n%:R * (2 * s)) ^+ 2 = (n * n)%:R * (4 * s ^+ 2)); last by rewrite natrM; ring.
  rewrite (_ : 2 *+ n * (2 * s ^+ 2) = n%:R * (4 * s ^+ 2)); last by rewrite -mulr_natl; ring.
  rewrite ler_wpmul2r ?mulr_ge0 ?ler0n ?exprn_ge0 ?(ltW s_gt0)//.
  by rewrite ler_nat; case: n {H} => // n; rewrite leq_pmulr.
by rewrite ler_expn2r// nnegrE ?normr_ge0// mulr_ge0 ?ler0n// mulr_ge0 ?ler0n// ltW.
Qed.

Let low x : 0 <= x <= 1 -> expR (- w) <= gauss x.
Proof.
move=> /andP[x0 x1]; rewrite ler_expR ler_opp2 ler_pimulr ?(ltW w_gt0)//.
by rewrite expr_le1.
Qed.

Let sp : 0 < 2 * s. Proof. by rewrite mulr_gt0 ?ltr0n. Qed.

Definition normal : R -> density (line R) :=
  noise (fun x => expR_ge0 _) mg sp decay (expR_gt0 _) low.

Let Z := normaliser gauss.
Let Z_gt0 : 0 < Z.
Proof. exact: (normaliser_gt0 (fun x => expR_ge0 _) mg sp decay (expR_gt0 _) low). Qed.

Lemma gauss_finite : (\int[@leb R]_x (gauss x)%:E < +oo)%E.
Proof. exact: (mass_finite (fun x => expR_ge0 _) mg sp decay). Qed.

Lemma measurable_fun_gauss : measurable_fun setT gauss. Proof. exact: mg. Qed.

Let normalE c x : normal c x = Z^-1 * gauss (x - c). Proof. by []. Qed.

Lemma normal_gt0 c x : 0 < normal c x.
Proof. by rewrite normalE mulr_gt0 ?invr_gt0// expR_gt0. Qed.

Lemma measurable_fun_normal d (T : measurableType d) (c f : T -> R) :
  measurable_fun setT c -> measurable_fun setT f ->
  measurable_fun setT (fun x => normal (c x) (f x)).
Proof. exact: measurable_fun_noise. Qed.

(** p^a q^(1-a) is again a normal density, times a factor. *)
Lemma normal_renyi_term a c c' x :
  renyi_term a (normal c x) (normal c' x) =
  expR (a * (a - 1) * ((c - c') ^+ 2 / (2 * s ^+ 2))) * normal (a * c + (1 - a) * c') x.
Proof.
rewrite /renyi_term gt_eqF ?normal_gt0// !normalE !lnM ?posrE ?invr_gt0 ?expR_gt0//.
rewrite !expK -/w -[Z^-1 in RHS]lnK ?posrE ?invr_gt0// -!expRD; congr expR; ring.
Qed.

Theorem normal_zclose c c' : zclose ((c - c') ^+ 2 / (2 * s ^+ 2)) (normal c) (normal c').
Proof.
split => [x /eqP|a a1]; first by rewrite gt_eqF ?normal_gt0.
rewrite /moment; under eq_integral do rewrite normal_renyi_term EFinM.
rewrite ge0_integralM ?lee_fin ?expR_ge0//; last 2 first.
- exact: (@pdf_EFin _ _ (normal _) setT).
- by move=> x _; rewrite lee_fin ltW// normal_gt0.
by rewrite (pdf_mass (normal _)) mule1.
Qed.
End gaussian.
