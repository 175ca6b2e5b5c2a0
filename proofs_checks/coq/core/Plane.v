(** The Lebesgue integral under scaling of the line and rotation of the plane. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Scaling of the Lebesgue integral *)

Section scaling.
Context {R : realType}.
Local Notation gitvs :=
  (@measure_salgebraType__canonical__measure_Measurable
    (topology.numFieldTopology.numField_pointedType (Real.numFieldType R)) (@ocitv R)).
Variables (c : R) (c_gt0 : 0 < c).

Let scale : R -> gitvs := fun x => c * x.
Let mscaling : measurable_fun setT scale.
Proof. by apply: measurable_funrM; exact: measurable_fun_id. Qed.

Lemma leb_scale (A : set R) : measurable A ->
  (c%:E * leb ((fun x => (c * x)%R) @^-1` A))%E = leb A.
Proof.
pose nu := [the {measure set gitvs -> \bar R} of
  pushforward [the {measure set R -> \bar R} of @leb R] mscaling].
pose mu := [the {measure set gitvs -> \bar R} of mscale (NngNum (ltW c_gt0)) nu].
move=> mA; suff H : forall X, ocitv X -> hlength X = mu X.
  exact: (esym (lebesgue_measure_unique H mA)).
move=> X /ocitvP[->|[[a b] /= ab ->]]; first by rewrite hlength0 measure0.
rewrite /= /mscale /= /pushforward (_ : _ @^-1` _ = [set` `](c^-1 * a), (c^-1 * b)]%R]).
  rewrite /= leb_itv !hlength_itv /= !lte_fin ab ltr_pmul2l ?invr_gt0// ab.
  rewrite -!EFinD -EFinM; congr EFin.
  by rewrite -mulrBr mulrA divff ?mul1r// gt_eqF.
apply/seteqP; split => x /=; rewrite /scale !in_itv /= ltr_pdivr_mull// ler_pdivl_mull//.
Qed.

Lemma integral_scale (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[@leb R]_x f x = c%:E * \int[@leb R]_x f (c * x)%R)%E.
Proof.
move=> mf f0.
have -> := esym (integral_pushforward (mscaling : measurable_fun setT (fun x : R => c * x))
  [the measure _ _ of @leb R] mf f0).
rewrite -(ge0_integral_mscale _ measurableT (NngNum (ltW c_gt0)) mf (fun x _ => f0 x)).
by apply: eq_measure_integral => A mA _; rewrite /= /mscale /= /pushforward leb_scale.
Qed.
End scaling.

(** * Rotations of the plane, as three shears *)

Section plane.
Context {R : realType}.
Local Notation twice f := (\int[@leb R]_x \int[@leb R]_y (f x y))%E.

Let sigma := @leb_sigma_finite R.

Section shears.
Variable f : R -> R -> \bar R.
Hypotheses (mf : measurable_fun setT (fun z : R * R => f z.1 z.2))
  (f0 : forall x y, (0 <= f x y)%E).

Lemma swap : twice f = (\int[@leb R]_y \int[@leb R]_x (f x y))%E.
Proof.
rewrite -(fubini_tonelli1 sigma _ mf (fun z => f0 z.1 z.2)).
exact: (fubini_tonelli2 sigma sigma _ mf (fun z => f0 z.1 z.2)).
Qed.

Let mslice1 x : measurable_fun setT (f x).
Proof. exact: (measurable_fun_prod1 x mf). Qed.
Let mslice2 y : measurable_fun setT (f ^~ y).
Proof. exact: (measurable_fun_prod2 y mf). Qed.

Lemma shear2 a : twice (fun x y => f x (y - a * x)%R) = twice f.
Proof. by apply: eq_integral => x _; rewrite integral_shift. Qed.
End shears.

Lemma shear1 (f : R -> R -> \bar R) a : measurable_fun setT (fun z : R * R => f z.1 z.2) ->
  (forall x y, (0 <= f x y)%E) -> twice (fun x y => f (x - a * y)%R y) = twice f.
Proof.
move=> mf f0.
have m : measurable_fun setT (fun z : R * R => (z.1 - a * z.2, z.2)).
  apply: measurable_fun_pair; last exact: measurable_fun_snd.
  apply: measurable_funB; first exact: measurable_fun_fst.
  by apply: measurable_funrM; exact: measurable_fun_snd.
rewrite (swap mf f0) (swap (f := fun x y => f (x - a * y)%R y) (measurable_fun_comp mf m)
  (fun x y => f0 _ y)).
apply: eq_integral => y _.
exact: (integral_shift (a * y) (measurable_fun_prod2 y mf) (fun x => f0 x y)).
Qed.

Lemma rotation (f : R -> R -> \bar R) t s :
  measurable_fun setT (fun z : R * R => f z.1 z.2) -> (forall x y, (0 <= f x y)%E) ->
  twice (fun x y => let u := (x - t * y)%R in let v := (y - (- s) * u)%R in f (u - t * v)%R v) = twice f.
Proof.
move=> mf f0.
have m1 : measurable_fun setT (fst : R * R -> R) by exact: measurable_fun_fst.
have m2 : measurable_fun setT (snd : R * R -> R) by exact: measurable_fun_snd.
pose f1 u v := f (u - t * v) v; pose f2 u y := f1 u (y - (- s) * u).
have mf1 : measurable_fun setT (fun z : R * R => f1 z.1 z.2).
  have m : measurable_fun setT (fun z : R * R => (z.1 - t * z.2, z.2)).
    by apply: measurable_fun_pair => //; apply: measurable_funB => //; exact: measurable_funrM.
  exact: (measurable_fun_comp mf m).
have mf2 : measurable_fun setT (fun z : R * R => f2 z.1 z.2).
  have m : measurable_fun setT (fun z : R * R => (z.1, z.2 - (- s) * z.1)).
    by apply: measurable_fun_pair => //; apply: measurable_funB => //; exact: measurable_funrM.
  exact: (measurable_fun_comp mf1 m).
have e1 : twice f1 = twice f := shear1 t mf f0.
have e2 : twice f2 = twice f1 := shear2 mf1 (fun x y => f0 _ y) (- s).
have e3 : twice (fun x y => f2 (x - t * y)%R y) = twice f2 := shear1 t mf2 (fun x y => f0 _ _).
exact: (etrans e3 (etrans e2 e1)).
Qed.
End plane.
