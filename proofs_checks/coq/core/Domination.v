(** Dominating pairs: p and q are at most as far apart, at every level, as two reference laws a
    and b. Adaptive composition; the exact (e, delta). *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section excess.
Context {R : realType}.
Implicit Types X Y Z W : space R.

(** By how much u p exceeds v q, in total. *)
Definition gap X (u v : R) (p q : X -> R) : \bar R :=
  (\int[base X]_x (Num.max (u * p x - v * q x) 0)%:E)%E.

(** p exceeds t q by no more than a exceeds t b, for every t. *)
Definition dominated X Z (p q : X -> R) (a b : Z -> R) :=
  forall t, 0 <= t -> (gap 1 t p q <= gap 1 t a b)%E.

Lemma measurable_fun_gap d0 (T : measurableType d0) (f g : T -> R) :
  measurable_fun setT f -> measurable_fun setT g ->
  measurable_fun setT (fun x => Num.max (f x - g x) 0).
Proof.
move=> mf mg; apply: (@measurable_fun_max _ _ _ setT (fun x => f x - g x) (cst 0)).
  exact: measurable_funB.
exact: measurable_fun_cst.
Qed.

Lemma gap_ge0 X u v (p q : X -> R) : (0 <= gap u v p q)%E.
Proof. by apply: integral_ge0 => x _; rewrite lee_fin le_maxr lexx orbT. Qed.

Lemma gapM X c u v (p q : X -> R) : 0 <= c -> measurable_fun setT p -> measurable_fun setT q ->
  gap (c * u) (c * v) p q = (c%:E * gap u v p q)%E.
Proof.
move=> c0 mp mq; rewrite /gap -ge0_integralM//.
- apply: eq_integral => x _; rewrite -EFinM; congr EFin.
  by rewrite maxr_pmulr// mulr0 mulrBr !mulrA.
- by apply/EFin_measurable_fun; apply: measurable_fun_gap; exact: measurable_funrM.
- by move=> x _; rewrite lee_fin le_maxr lexx orbT.
Qed.

Lemma dominated_gap X Z u v (p q : X -> R) (a b : Z -> R) : 0 <= u -> 0 <= v ->
  measurable_fun setT p -> measurable_fun setT q ->
  measurable_fun setT a -> measurable_fun setT b ->
  (forall x, 0 <= q x) -> dominated p q a b -> (gap u v p q <= gap u v a b)%E.
Proof.
move=> u0 v0 mp mq ma mb q0 H; rewrite le_eqVlt in u0; case/orP: u0 => [/eqP <-|u0].
  rewrite [leLHS](_ : _ = 0%E) ?gap_ge0// /gap.
  rewrite (eq_integral (cst 0%E)) ?integral0// => x _ /=; congr EFin.
  by apply/max_idPr; rewrite mul0r sub0r oppr_le0 mulr_ge0.
have e X' (f g : X' -> R) : measurable_fun setT f -> measurable_fun setT g ->
    gap u v f g = (u%:E * gap 1 (v / u) f g)%E.
  move=> mf mg; have := gapM 1 (v / u) (ltW u0) mf mg.
  by rewrite mulr1 mulrCA divff ?mulr1// gt_eqF.
by rewrite !e// lee_pmul2l ?lte_fin//; apply: H; rewrite divr_ge0// ltW.
Qed.

Lemma dominated_trans X Y Z (p q : X -> R) (a b : Y -> R) (c d : Z -> R) :
  dominated p q a b -> dominated a b c d -> dominated p q c d.
Proof. by move=> H1 H2 t t0; apply: (le_trans (H1 t t0)); exact: H2. Qed.

(** * The next outcome, which does not depend on the past *)

Definition always X Y (p : density Y) : step X Y.
Proof.
refine (@Step R X Y (fun _ y => p y) _ _ _).
- by move=> x y; exact: pdf_ge0.
- by apply: (measurable_fun_comp (@pdf_measurable _ _ p)); exact: measurable_fun_snd.
- by move=> x; exact: (pdf_mass p).
Defined.

Lemma measurable_next X Y (k : step X Y) x : measurable_fun setT (k x).
Proof. exact: (measurable_fun_prod1 x (@next_measurable _ _ _ k)). Qed.

(** * Adaptive composition *)

Theorem dominated_both X Y Z W (p q : density X) (k l : step X Y) (a b : density Z)
    (c d : density W) :
  dominated p q a b -> (forall x, dominated (k x) (l x) c d) ->
  dominated (both p k) (both q l) (both a (always Z c)) (both b (always Z d)).
Proof.
move=> H1 H2 t t0.
pose f (z : prod X W) : R := Num.max (p z.1 * c z.2 - t * (q z.1 * d z.2)) 0.
have mf : measurable_fun setT f.
  apply: measurable_fun_gap; last apply: measurable_funrM;
    exact: (@pdf_measurable _ _ (both _ (always X _))).
have f0 z : (0 <= (f z)%:E)%E by rewrite lee_fin le_maxr lexx orbT.
have mfE : measurable_fun setT (EFin \o f) by exact/EFin_measurable_fun.
have mg U V (r s : density U) (i j : step U V) : measurable_fun setT (fun z : prod U V =>
    (Num.max (1 * both r i z - t * both s j z) 0)%:E).
  apply/EFin_measurable_fun; apply: measurable_fun_gap; apply: measurable_funrM;
    exact: pdf_measurable.
have g0 U V (r s : density U) (i j : step U V) (z : prod U V) :
    (0 <= (Num.max (1 * both r i z - t * both s j z) 0)%:E)%E.
  by rewrite lee_fin le_maxr lexx orbT.
apply: (@le_trans _ _ (\int[base X]_x \int[base W]_w (f (x, w))%:E)%E).
  rewrite /gap [leLHS]fubini_tonelli1; [|exact: mg|exact: g0].
  apply: (ge0_le_integral _ measurableT) => [x _||x _||x _].
  - by apply: integral_ge0 => y _; exact: g0.
  - apply: measurable_fun_fubini_tonelli_F; [exact: base_sigma_finite|exact: mg|exact: g0].
  - by apply: integral_ge0 => y _; exact: f0.
  - apply: (measurable_fun_fubini_tonelli_F (base_sigma_finite W) (EFin \o f)) => //.
  - rewrite /fubini_F.
    apply: (@le_trans _ _ (gap (p x) (t * q x) (k x) (l x))).
      rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_integral => y _.
      by rewrite /= /both_pdf /= mul1r mulrA.
    apply: (@le_trans _ _ (gap (p x) (t * q x) c d)).
      apply: dominated_gap => //; try exact: measurable_next; try exact: pdf_measurable.
      + exact: pdf_ge0.
      + by rewrite mulr_ge0// pdf_ge0.
      + by move=> y; exact: next_ge0.
    rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_integral => w _.
    by rewrite /f /= mulrA.
rewrite [leLHS](_ : _ = (\int[base W]_w \int[base X]_x (f (x, w))%:E)%E); last first.
  rewrite -(fubini_tonelli1 (base_sigma_finite W) (EFin \o f) mfE f0).
  exact: (fubini_tonelli2 (base_sigma_finite X) (base_sigma_finite W) (EFin \o f) mfE f0).
rewrite /gap [leRHS](fubini_tonelli2 (base_sigma_finite Z) (base_sigma_finite W) _
  (@mg _ _ _ _ _ _) (@g0 _ _ _ _ _ _)).
apply: (ge0_le_integral _ measurableT) => [w _||w _||w _].
- by apply: integral_ge0 => y _; exact: f0.
- by apply: (measurable_fun_fubini_tonelli_G (base_sigma_finite X) (EFin \o f)).
- by apply: integral_ge0 => y _; exact: g0.
- by apply: measurable_fun_fubini_tonelli_G; [exact: base_sigma_finite|exact: mg|exact: g0].
- rewrite /fubini_G.
  apply: (@le_trans _ _ (gap (c w) (t * d w) p q)).
    rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_integral => x _.
    by rewrite /f /= (mulrC (p x)) (mulrC (q x)) mulrA.
  apply: (@le_trans _ _ (gap (c w) (t * d w) a b)).
    apply: dominated_gap => //; try exact: pdf_measurable.
    + exact: pdf_ge0.
    + by rewrite mulr_ge0// pdf_ge0.
    + by move=> y; exact: pdf_ge0.
  rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_integral => z _.
  by rewrite /= /both_pdf /= mul1r (mulrC (a z)) (mulrC (b z)) mulrA.
Qed.

(** * Two equal laws; the exact (e, delta) *)

Lemma gap_same X (p : density X) t : 0 <= t -> gap 1 t p p = (Num.max (1 - t) 0)%:E.
Proof.
move=> t0; rewrite /gap (eq_integral (fun x => (Num.max (1 - t) 0)%:E * (p x)%:E)%E).
  rewrite ge0_integralM//; last 3 first.
  - exact: (@pdf_EFin _ _ p setT).
  - by move=> x _; rewrite lee_fin pdf_ge0.
  - by rewrite lee_fin le_maxr lexx orbT.
  by rewrite (pdf_mass p) mule1.
by move=> x _; rewrite -EFinM maxr_pmull ?pdf_ge0// mul0r mulrBl.
Qed.

Lemma gap_event X (p q : density X) t A : 0 <= t -> measurable A ->
  (law p A <= t%:E * law q A + gap 1 t p q)%E.
Proof.
move=> t0 mA; rewrite /law.
have g0 x : (0 <= (Num.max (1 * p x - t * q x) 0)%:E)%E by rewrite lee_fin le_maxr lexx orbT.
have mg B : measurable_fun B (fun x => (Num.max (1 * p x - t * q x) 0)%:E).
  apply: measurable_funTS; apply/EFin_measurable_fun; apply: measurable_fun_gap;
    apply: measurable_funrM; exact: pdf_measurable.
have tq0 x : A x -> (0 <= t%:E * (q x)%:E)%E by rewrite mule_ge0 ?lee_fin ?pdf_ge0.
have mq : measurable_fun A (fun x => t%:E * (q x)%:E)%E.
  by apply: measurable_funeM; exact: pdf_EFin.
apply: (@le_trans _ _ (\int[base X]_(x in A) (t%:E * (q x)%:E +
    (Num.max (1 * p x - t * q x) 0)%:E))%E).
  apply: (ge0_le_integral _ mA _ (@pdf_EFin _ _ p A)) => [x _|x Ax||x _].
  - by rewrite lee_fin pdf_ge0.
  - by rewrite adde_ge0 ?tq0.
  - exact: emeasurable_funD.
  - by rewrite -EFinM -EFinD lee_fin mul1r -ler_subl_addl le_maxr lexx.
rewrite (ge0_integralD _ mA tq0 mq (fun x _ => g0 x) (mg A)).
rewrite (ge0_integralM _ mA (@pdf_EFin _ _ q A)) ?lee_fin//; last first.
  by move=> x _; rewrite lee_fin pdf_ge0.
by rewrite lee_add2l//; apply: subset_integral => // x _; exact: g0.
Qed.

Lemma gap_ge X (p q : density X) t : 0 <= t -> ((Num.max (1 - t) 0)%:E <= gap 1 t p q)%E.
Proof.
move=> t0; have := @gap_event X p q t setT t0 measurableT.
rewrite !law_probability mule1; case: (lerP (1 - t) 0) => _; first by rewrite gap_ge0.
rewrite -[gap _ _ _ _]fineK; last first.
  rewrite ge0_fin_numE ?gap_ge0//; apply: (@le_lt_trans _ _ (\int[base X]_x (p x)%:E)%E).
    apply: (ge0_le_integral _ measurableT) => [x _||x _||x _].
    - by rewrite lee_fin le_maxr lexx orbT.
    - by apply/EFin_measurable_fun; apply: measurable_fun_gap; apply: measurable_funrM;
        exact: pdf_measurable.
    - by rewrite lee_fin pdf_ge0.
    - exact: (@pdf_EFin _ _ p setT).
    - by rewrite lee_fin le_maxl mul1r ler_subl_addr ler_addl mulr_ge0 ?pdf_ge0.
  by rewrite (pdf_mass p) ltry.
by rewrite -EFinD !lee_fin ler_subl_addl.
Qed.

(** Equal laws are dominated by any two. *)
Lemma dominated_same X Z (p : density X) (a b : density Z) : dominated p p a b.
Proof. by move=> t t0; rewrite gap_same//; exact: gap_ge. Qed.

Theorem dominated_close X Z (p q : density X) (a b : density Z) e :
  dominated p q a b ->
  forall A, measurable A -> (law p A <= (expR e)%:E * law q A + gap 1 (expR e) a b)%E.
Proof.
move=> H A mA; apply: (le_trans (@gap_event X p q (expR e) A (expR_ge0 _) mA)).
by rewrite lee_add2l//; apply: H; exact: expR_ge0.
Qed.
End excess.
