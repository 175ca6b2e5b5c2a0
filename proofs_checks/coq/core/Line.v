(** Noise on the real line with its Lebesgue measure: Laplace, Gaussian. *)
From Touchstone.core Require Import Prelude DP Density ZCDP.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * The Lebesgue integral over the line does not change under translations *)

Section translation.
Context {R : realType}.
Local Notation gitvs :=
  (@measure_salgebraType__canonical__measure_Measurable
    (topology.numFieldTopology.numField_pointedType (Real.numFieldType R)) (@ocitv R)).

Lemma measurable_fun_shift (c : R) : measurable_fun setT (fun x : R => (x - c)%R).
Proof. by apply: measurable_funB; [exact: measurable_fun_id|exact: measurable_fun_cst]. Qed.

Let shift (c : R) : R -> gitvs := fun x => (x - c)%R.
Let mshift c : measurable_fun setT (shift c). Proof. exact: measurable_fun_shift. Qed.

Lemma leb_shift (c : R) (A : set R) : measurable A ->
  leb ((fun x => (x - c)%R) @^-1` A) = leb A.
Proof.
pose mu := [the {measure set gitvs -> \bar R} of
  pushforward [the {measure set R -> \bar R} of @leb R] (mshift c)].
move=> mA; suff H : forall X, ocitv X -> hlength X = mu X.
  exact: (esym (lebesgue_measure_unique H mA)).
move=> X /ocitvP[->|[[a b] /= ab ->]]; first by rewrite hlength0 measure0.
rewrite /= /pushforward (_ : _ @^-1` _ = [set` `](a + c)%R, (b + c)%R]%R]).
  rewrite /= leb_itv !hlength_itv /= !lte_fin ab ltr_add2r ab.
  by rewrite -!EFinD; congr EFin; rewrite opprD addrACA subrr addr0.
by apply/seteqP; split => x /=; rewrite /shift !in_itv /= ltr_subr_addr ler_subl_addr.
Qed.

Lemma integral_shift (c : R) (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x) ->
  \int[@leb R]_x f (x - c)%R = \int[@leb R]_x f x.
Proof.
move=> mf f0.
rewrite -[LHS](integral_pushforward (measurable_fun_shift c) [the measure _ _ of @leb R] mf f0).
by apply: eq_measure_integral => A mA _; exact: leb_shift.
Qed.
End translation.

Definition line (R : realType) : space R :=
  @Space R _ [the measurableType _ of (R : Type)] [the measure _ _ of @leb R] (@leb_sigma_finite R).

(** * A bell-shaped function, its integral, and the noise that it defines *)

Section bell.
Context {R : realType}.
Variables (g : R -> R) (s c0 : R).
Hypotheses (g_ge0 : forall x, (0 <= g x)%R) (mg : measurable_fun setT g) (s_gt0 : (0 < s)%R)
  (decay : forall n x, (n%:R * s <= `|x|)%R -> (g x <= expR (- 2 *+ n))%R)
  (c0_gt0 : (0 < c0)%R) (low : forall x, (0 <= x <= 1)%R -> (c0 <= g x)%R).

Let mass := \int[@leb R]_x (g x)%:E.

Let gE0 x : 0 <= (g x)%:E. Proof. by rewrite lee_fin. Qed.
Let mgE D : measurable_fun D (EFin \o g).
Proof. by apply: measurable_funTS; exact/EFin_measurable_fun. Qed.

Let F n : set R := [set` `[- (n.+1%:R * s), n.+1%:R * s]%R].
Let mF n : measurable (F n). Proof. exact: measurable_itv. Qed.

Let lebF n : leb (F n) = (2 * (n.+1%:R * s))%:E.
Proof.
have p : (0 < n.+1%:R * s)%R by rewrite mulr_gt0.
rewrite leb_itv hlength_itv /= lte_fin (lt_trans _ p) ?oppr_lt0// -EFinD; congr EFin.
by rewrite opprK mulr2n mulrDl mul1r.
Qed.

Let four_le : (4 <= expR 2 :> R)%R.
Proof.
have e1 : (2%:R <= expR 1 :> R)%R by rewrite (natrD _ 1 1) expR_ge1Dx.
have -> : (expR 2 = expR 1 * expR 1 :> R)%R by rewrite -expRD -(natrD _ 1 1).
have -> : (4 = 2 * 2 :> R)%R by rewrite -natrM.
by rewrite ler_pmul.
Qed.

Let w n : R := (4^-1 ^+ n)%R.
Let w_ge0 n : (0 <= w n)%R. Proof. by rewrite /w exprn_ge0// invr_ge0 ler0n. Qed.

Let g_le_w n x : (n%:R * s <= `|x|)%R -> (g x <= w n)%R.
Proof.
move=> /decay/le_trans; apply; rewrite -[X in expR X]mulr_natl expRMm.
apply: ler_expn2r; rewrite ?nnegrE ?expR_ge0 ?invr_ge0 ?ler0n//.
by rewrite expRN lef_pinv ?posrE ?expR_gt0 ?ltr0n.
Qed.

Let le_series x : (g x)%:E <= \sum_(n <oo) ((w n)%:E * (\1_(F n) x)%:E).
Proof.
set n := `|floor (`|x| / s)|%N.
have x0 : (0 <= `|x| / s)%R by rewrite divr_ge0// ltW.
have fE : (n%:R = (floor (`|x| / s))%:~R :> R)%R.
  by rewrite /n natr_absz ger0_norm// floor_ge0.
have nx : (n%:R * s <= `|x|)%R by rewrite -ler_pdivl_mulr// fE floor_le.
have xn : (`|x| < n.+1%:R * s)%R.
  by rewrite -ltr_pdivr_mulr// -natr1 fE lt_succ_floor.
have t0 i : 0 <= (w i)%:E * (\1_(F i) x)%:E.
  by rewrite mule_ge0 ?lee_fin.
apply: (@le_trans _ _ (\sum_(0 <= i < n.+1) (w i)%:E * (\1_(F i) x)%:E)).
  rewrite big_nat_recr//= indicE mem_set; last first.
    by rewrite /F /= in_itv/= -ler_norml ltW.
  by rewrite mule1 -[leLHS]add0e lee_add ?lee_fin ?g_le_w// sume_ge0.
by apply: nneseries_lim_ge => i _.
Qed.

Let w_len n : (w n * (2 * (n.+1%:R * s)) <= 4 * s / (2 ^ n.+1)%:R)%R.
Proof.
have q : (n.+1 * 2 ^ n <= 4 ^ n)%N by rewrite (expnMn 2 2) leq_mul2r ltn_expl// orbT.
rewrite ler_pdivl_mulr ?ltr0n ?expn_gt0// /w exprVn -natrX.
rewrite [leLHS](_ : _ = 4 * s * ((n.+1 * 2 ^ n)%:R / (4 ^ n)%:R))%R; last first.
  by rewrite expnS !natrM; ring.
apply: ler_pimulr; first by rewrite mulr_ge0 ?ler0n// ltW.
by rewrite ler_pdivr_mulr ?ltr0n ?expn_gt0// mul1r ler_nat.
Qed.

Lemma mass_finite : mass < +oo.
Proof.
have mind n : measurable_fun setT (fun x => (w n)%:E * (\1_(F n) x)%:E).
  by apply: measurable_funeM; exact/EFin_measurable_fun/measurable_fun_indic.
have ind0 n x : setT x -> 0 <= (w n)%:E * (\1_(F n) x)%:E.
  by move=> _; rewrite mule_ge0 ?lee_fin.
have L : mass <= \sum_(n <oo) \int[@leb R]_x ((w n)%:E * (\1_(F n) x)%:E).
  rewrite -integral_nneseries//; apply: ge0_le_integral => //.
  - by move=> x _; apply: nneseries_ge0 => n _; exact: ind0.
  - by apply: ge0_emeasurable_fun_sum => n; [move=> x; exact: ind0|exact: mind].
apply: (le_lt_trans L).
have C0 : (0 <= 4 * s)%R by rewrite mulr_ge0 ?ler0n// ltW.
apply: (@le_lt_trans _ _ (\sum_(n <oo) (0 + (4 * s / (2 ^ n.+1)%:R)%:E))).
  apply: lee_nneseries => n _; first by apply: integral_ge0 => x; exact: ind0.
  have m1 : measurable_fun setT (fun x => (\1_(F n) x)%:E : \bar R).
    exact/EFin_measurable_fun/measurable_fun_indic.
  rewrite (ge0_integralM _ measurableT m1) ?lee_fin//; last by move=> x _; rewrite lee_fin.
  rewrite integral_indic// setIT /= lebF add0e -EFinM lee_fin.
  exact: w_len.
apply: (le_lt_trans (@epsilon_trick R (fun=> 0) (4 * s)%R xpredT _ C0)) => //.
by rewrite nneseries0// add0e ltry.
Qed.

Lemma mass_positive : 0 < mass.
Proof.
have mI : measurable ([set` `[0%R, 1%R]%R] : set R) by exact: measurable_itv.
apply: (@lt_le_trans _ _ (\int[@leb R]_(x in [set` `[0%R, 1%R]%R]) cst c0%:E x)).
  by rewrite integral_cst//= leb_itv hlength_itv/= lte_fin ltr01 EFinN sube0 mule1 lte_fin.
apply: (@le_trans _ _ (\int[@leb R]_(x in [set` `[0%R, 1%R]%R]) (g x)%:E)).
  apply: (ge0_le_integral _ mI _ (measurable_fun_cst _)) => [x _|x _||x /=].
  - by rewrite lee_fin ltW.
  - exact: gE0.
  - exact: mgE.
  - by rewrite in_itv/= => x01; rewrite lee_fin low.
exact: subset_integral.
Qed.

Definition normaliser : R := fine mass.

Lemma massE : mass = normaliser%:E.
Proof. by rewrite fineK// ge0_fin_numE ?mass_finite// ltW// mass_positive. Qed.

Lemma normaliser_gt0 : (0 < normaliser)%R.
Proof. by rewrite fine_gt0// mass_finite mass_positive. Qed.

(** The density of c plus noise. *)
Definition noise_pdf (c x : R) : R := (normaliser^-1 * g (x - c))%R.

Lemma noise_ge0 c x : (0 <= noise_pdf c x)%R.
Proof. by rewrite mulr_ge0// invr_ge0 ltW// normaliser_gt0. Qed.

Lemma measurable_fun_noise d (T : measurableType d) (c f : T -> R) :
  measurable_fun setT c -> measurable_fun setT f ->
  measurable_fun setT (fun x => noise_pdf (c x) (f x)).
Proof.
by move=> mc mf; apply: measurable_funrM; apply: (measurable_fun_comp mg);
  exact: measurable_funB.
Qed.

Lemma noise_mass c : \int[@leb R]_x (noise_pdf c x)%:E = 1.
Proof.
under eq_integral do rewrite EFinM.
rewrite ge0_integralM//; last 2 first.
- by apply/EFin_measurable_fun; apply: (measurable_fun_comp mg); exact: measurable_fun_shift.
- by rewrite lee_fin invr_ge0 ltW// normaliser_gt0.
rewrite (@integral_shift R c (EFin \o g))// -/mass massE -EFinM mulVf//.
by rewrite gt_eqF// normaliser_gt0.
Qed.

Lemma noise_measurable c : measurable_fun setT (noise_pdf c).
Proof. by apply: measurable_fun_noise; [exact: measurable_fun_cst|exact: measurable_fun_id]. Qed.

Definition noise (c : R) : density (line R) :=
  @Density R (line R) (noise_pdf c) (noise_ge0 c) (noise_measurable c) (noise_mass c).
End bell.
