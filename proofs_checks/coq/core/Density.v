(** Mechanisms by densities with respect to a sigma-finite measure. *)
From Touchstone.core Require Import Prelude DP.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Measurable spaces with a sigma-finite base measure, densities, steps *)

Record space (R : realType) := Space {
  disp : measure_display;
  carrier :> measurableType disp;
  base : {measure set carrier -> \bar R};
  base_sigma_finite : sigma_finite setT base }.

(** A probability density with respect to the base measure. *)
Record density (R : realType) (X : space R) := Density {
  pdf :> X -> R;
  pdf_ge0 : forall x, (0 <= pdf x)%R;
  pdf_measurable : measurable_fun setT pdf;
  pdf_mass : \int[base X]_x (pdf x)%:E = 1 }.

(** The density of the next outcome, given what came before. *)
Record step (R : realType) (X Y : space R) := Step {
  next :> X -> Y -> R;
  next_ge0 : forall x y, (0 <= next x y)%R;
  next_measurable : measurable_fun setT (fun z : X * Y => next z.1 z.2);
  next_mass : forall x, \int[base Y]_y (next x y)%:E = 1 }.

Section law.
Context {R : realType} (X : space R).

Lemma pdf_EFin (p : density X) D : measurable_fun D (EFin \o p).
Proof. by apply: measurable_funTS; apply/EFin_measurable_fun; exact: pdf_measurable. Qed.

(** The probability measure with density [p]. *)
Definition law (p : density X) (A : set X) : \bar R := \int[base X]_(x in A) (p x)%:E.

Variable p : density X.

Let pe0 x : 0 <= (p x)%:E. Proof. by rewrite lee_fin pdf_ge0. Qed.

Let law0 : law p set0 = 0. Proof. exact: integral_set0. Qed.

Let law_ge0 A : 0 <= law p A. Proof. by apply: integral_ge0 => x _. Qed.

Let integrable_p D : measurable D -> (base X).-integrable D (EFin \o p).
Proof.
move=> mD; apply: (@integrableS _ _ _ _ setT) => //; split; first exact: pdf_EFin.
under eq_integral do rewrite /= ger0_norm ?pdf_ge0//.
by rewrite pdf_mass ltry.
Qed.

Let law_sigma_additive : semi_sigma_additive (law p).
Proof.
move=> F mF tF mUF; rewrite /law (@ge0_integral_bigcup _ _ _ _ F (EFin \o p)) //.
  by apply: is_cvg_nneseries => n _; exact: integral_ge0.
  exact: integrable_p.
by move=> x _; exact: pe0.
Qed.

HB.instance Definition _ := isMeasure.Build _ _ _ (law p)
  law0 law_ge0 law_sigma_additive.

Lemma law_probability : probability [the measure _ _ of law p].
Proof. exact: pdf_mass. Qed.
End law.

(** * Privacy from bounds on the densities *)

Section densities.
Context {R : realType} (X : space R).

Theorem densities_close (p q : density X) (e : R) :
  (forall x, (p x <= expR e * q x)%R) -> close e 0 (law p) (law q).
Proof.
move=> H A mA; rewrite adde0 /law -(ge0_integralM _ mA (@pdf_EFin _ _ q A)) ?lee_fin ?expR_ge0//.
  apply: (ge0_le_integral _ mA _ (@pdf_EFin _ _ p A)) => [x _|x _||x _].
  - by rewrite lee_fin pdf_ge0.
  - by rewrite mule_ge0 ?lee_fin ?expR_ge0 ?pdf_ge0.
  - by apply: measurable_funeM; exact: pdf_EFin.
  - by rewrite -EFinM lee_fin.
by move=> x _; rewrite lee_fin pdf_ge0.
Qed.

Theorem densities_DP D (near : D -> D -> Prop) (M : D -> density X) (e : R) :
  (forall x x' o, near x x' -> (M x o <= expR e * M x' o)%R) ->
  DP near (fun x => [the measure _ _ of law (M x)]) e 0.
Proof. by move=> H x x' n; apply: densities_close => o; exact: H. Qed.
End densities.

(** * The product of two spaces; a density followed by a step *)

Section product.
Context {R : realType}.

Lemma product_sigma_finite (X Y : space R) :
  sigma_finite setT (product_measure1 (base X) (base_sigma_finite Y)).
Proof.
have [F FT [Fnd Fm]] := sigma_finiteP (base_sigma_finite X).
have [G GT [Gnd Gm]] := sigma_finiteP (base_sigma_finite Y).
exists (fun n => F n `*` G n).
  apply/seteqP; split => [[x y] _|//].
  have : (\bigcup_n F n) x by rewrite -FT.
  have : (\bigcup_n G n) y by rewrite -GT.
  move=> [m _ Gy] [n _ Fx]; exists (maxn m n) => //=; split.
    by have /subsetPset := Fnd _ _ (leq_maxr m n); exact.
  by have /subsetPset := Gnd _ _ (leq_maxl m n); exact.
move=> n; have [mF Fo] := Fm n; have [mG Go] := Gm n; split; first exact: measurableM.
by rewrite product_measure1E// lte_mul_pinfty// ge0_fin_numE.
Qed.

Definition prod (X Y : space R) : space R :=
  @Space R _ [the measurableType _ of (X * Y)%type]
    [the measure _ _ of product_measure1 (base X) (base_sigma_finite Y)]
    (product_sigma_finite X Y).

Section both.
Variables (X Y : space R) (p : density X) (k : step X Y).

Definition both_pdf (z : prod X Y) : R := (p z.1 * k z.1 z.2)%R.

Let both_ge0 z : (0 <= both_pdf z)%R.
Proof. by rewrite mulr_ge0 ?pdf_ge0 ?next_ge0. Qed.

Let both_measurable : measurable_fun setT both_pdf.
Proof.
apply: measurable_funM; last exact: next_measurable.
by apply: (measurable_fun_comp (@pdf_measurable _ _ p)); exact: measurable_fun_fst.
Qed.

Lemma next_EFin x D : measurable_fun D (EFin \o k x).
Proof.
apply: measurable_funTS; apply/EFin_measurable_fun.
exact: (measurable_fun_prod1 x (@next_measurable _ _ _ k)).
Qed.

Let both_mass : \int[base (prod X Y)]_z (both_pdf z)%:E = 1.
Proof.
rewrite [LHS]fubini_tonelli1; last 2 first.
- exact/EFin_measurable_fun.
- by move=> z; rewrite lee_fin both_ge0.
rewrite -(pdf_mass p); apply: eq_integral => x _; rewrite /fubini_F /both_pdf /=.
under eq_integral do rewrite EFinM.
rewrite ge0_integralM ?lee_fin ?pdf_ge0//; last 2 first.
- exact: next_EFin.
- by move=> y _; rewrite lee_fin next_ge0.
by rewrite next_mass mule1.
Qed.

Definition both : density (prod X Y) := Density both_ge0 both_measurable both_mass.
End both.
End product.
