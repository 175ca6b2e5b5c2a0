(** Gaussian differential privacy: normal noise is dominated by two normal laws of distance mu. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * The reference laws: two normal laws of standard deviation 1 and distance mu *)

Section reference.
Context {R : realType}.
Local Notation twice f := (\int[@leb R]_x \int[@leb R]_y (f x y))%E.

Definition standard (m : R) : density (line R) := normal ltr01 m.

(** The exact delta(e) of mu-Gaussian differential privacy; in the closed form below. *)
Definition gaussian_delta (mu e : R) : \bar R := gap 1 (expR e) (standard mu) (standard 0).

Let Z : R := normaliser (gauss (1 : R)).
Let Zi_ge0 : 0 <= Z^-1.
Proof. by have := pdf_ge0 (standard 0) 0; rewrite /= /noise_pdf pmulr_lge0// expR_gt0. Qed.

Let w : R := (2 * 1 ^+ 2)^-1.
Let two m1 m2 x y : standard m1 x * standard m2 y =
  Z^-1 * Z^-1 * expR (- (w * ((x - m1) ^+ 2 + (y - m2) ^+ 2))).
Proof. by rewrite /= /noise_pdf /gauss -/Z -/w mulrACA -expRD mulrDr opprD. Qed.

Let h t m1 m2 (x y : R) : \bar R :=
  (Num.max (1 * (standard m1 x * standard m2 y) - t * (standard 0 x * standard 0 y)) 0)%:E.

Let h0 t m1 m2 x y : (0 <= h t m1 m2 x y)%E.
Proof. by rewrite lee_fin le_maxr lexx orbT. Qed.

Let mh t m1 m2 : measurable_fun setT (fun z : R * R => h t m1 m2 z.1 z.2).
Proof.
apply/EFin_measurable_fun; apply: measurable_fun_gap; apply: measurable_funrM.
  exact: (@pdf_measurable _ _ (both (standard m1) (always (line R) (standard m2)))).
exact: (@pdf_measurable _ _ (both (standard 0) (always (line R) (standard 0)))).
Qed.

Definition in_plane (m1 m2 : R) : density (prod (line R) (line R)) :=
  both (standard m1) (always (line R) (standard m2)).

Let gap_plane t m1 m2 : gap 1 t (in_plane m1 m2) (in_plane 0 0) = twice (h t m1 m2).
Proof.
exact: (fubini_tonelli1 (@leb_sigma_finite R) _ (mh t m1 m2) (fun z => h0 t m1 m2 z.1 z.2)).
Qed.

Let turn t r a : let c := (1 - a ^+ 2) / (1 + a ^+ 2) in let s := 2 * a / (1 + a ^+ 2) in
  twice (h t (r * c) (r * s)) = twice (h t r 0).
Proof.
move=> c s; apply: (etrans (esym (rotation a s (mh t (r * c) (r * s)) (h0 t _ _)))).
apply: eq_integral => x _; apply: eq_integral => y _; rewrite /h !two.
have a1 : 1 + a ^+ 2 != 0 by rewrite gt_eqF// ltr_spaddl ?ltr01// sqr_ge0.
congr (Num.max (1 * (_ * expR (- (w * _))) - t * (_ * expR (- (w * _)))) 0)%:E.
  by rewrite /= /c /s; field.
by rewrite /= /c /s; field.
Qed.

Let angle (m1 m2 r : R) : r + m1 != 0 -> r ^+ 2 = m1 ^+ 2 + m2 ^+ 2 ->
  let a := m2 / (r + m1) in
  r * ((1 - a ^+ 2) / (1 + a ^+ 2)) = m1 /\ r * (2 * a / (1 + a ^+ 2)) = m2.
Proof.
move=> n E a; have E2 : m2 ^+ 2 = r ^+ 2 - m1 ^+ 2 by rewrite E; ring.
have r0 : r != 0.
  apply/eqP => r0; have m10 : m1 ^+ 2 <= 0.
    have e : m1 ^+ 2 = - m2 ^+ 2 by rewrite E2 r0; ring.
    by rewrite e oppr_le0 sqr_ge0.
  by move: n; rewrite r0 add0r -sqrf_eq0 eq_le m10 sqr_ge0.
have p2 : 1 + a ^+ 2 = 2 * r / (r + m1) by rewrite /a expr_div_n E2; field.
by rewrite p2 /a; split; rewrite ?expr_div_n ?E2; field; rewrite n r0.
Qed.

Lemma plane_gap t m1 m2 r : r + m1 != 0 -> r ^+ 2 = m1 ^+ 2 + m2 ^+ 2 ->
  gap 1 t (in_plane m1 m2) (in_plane 0 0) = gap 1 t (in_plane r 0) (in_plane 0 0).
Proof.
move=> n E; have [e1 e2] := angle n E; have := turn t r (m2 / (r + m1)).
cbv zeta; rewrite e1 e2 => H.
exact: (etrans (gap_plane t m1 m2) (etrans H (esym (gap_plane t r 0)))).
Qed.

Lemma line_gap t m : gap 1 t (in_plane m 0) (in_plane 0 0) = gap 1 t (standard m) (standard 0).
Proof.
apply: (etrans (gap_plane t m 0)); apply: eq_integral => x _.
pose g x := (Num.max (1 * standard m x - t * standard 0 x) 0).
rewrite (eq_integral (fun y => (g x)%:E * (standard 0 y)%:E)%E).
  rewrite ge0_integralM//; last 3 first.
  - exact: (@pdf_EFin _ _ (standard 0) setT).
  - by move=> y _; rewrite lee_fin pdf_ge0.
  - by rewrite lee_fin le_maxr lexx orbT.
  by rewrite [X in (_ * X)%E](pdf_mass (standard 0)) mule1.
move=> y _; rewrite -EFinM /g maxr_pmull ?pdf_ge0// mul0r mulrBl.
by rewrite -(mulrA 1 (pdf (standard m) x)) -(mulrA t (pdf (standard 0) x)).
Qed.

Lemma plane_to_line t m1 m2 :
  gap 1 t (in_plane m1 m2) (in_plane 0 0) =
  gap 1 t (standard (Num.sqrt (m1 ^+ 2 + m2 ^+ 2))) (standard 0).
Proof.
have p : 0 <= m1 ^+ 2 + m2 ^+ 2 by rewrite addr_ge0 ?sqr_ge0.
have E := sqr_sqrtr p; set r := Num.sqrt _ in E *.
have pos m : r + m != 0 -> r ^+ 2 = m ^+ 2 + m2 ^+ 2 ->
    gap 1 t (in_plane m m2) (in_plane 0 0) = gap 1 t (standard r) (standard 0).
  by move=> n e; rewrite (plane_gap t n e) line_gap.
have [e|] := eqVneq (r + m1) 0; last by move=> n; exact: pos.
have m20 : m2 = 0.
  apply/eqP; rewrite -sqrf_eq0; apply/eqP.
  have -> : m2 ^+ 2 = (m1 ^+ 2 + m2 ^+ 2) - m1 ^+ 2 by ring.
  by rewrite -E (_ : m1 = - r) ?sqrrN ?subrr//; apply/eqP; rewrite -addr_eq0 addrC e.
have m1E : m1 = - r by apply/eqP; rewrite -addr_eq0 addrC e.
have [r0|r0] := eqVneq r 0; first by rewrite m20 m1E r0 oppr0 line_gap.
rewrite m20 m1E (esym (@plane_gap t 0 r (- r) _ _)).
- by rewrite (@plane_gap t 0 r r) ?addr0// ?expr0n ?add0r// line_gap.
- by rewrite addr0 oppr_eq0.
- by rewrite sqrrN expr0n add0r.
Qed.
End reference.

(** * mu-Gaussian differential privacy, counted by mu^2 *)

Section gaussian_DP.
Context {R : realType}.

(** p and q differ at most as much as two normal laws of distance sqrt c: sqrt c-GDP. *)
Definition gclose (X : space R) (c : R) (p q : X -> R) : Prop :=
  0 <= c /\ dominated p q (standard (Num.sqrt c)) (standard 0).

Lemma gclose_same (X : space R) (p : density X) : gclose 0 p p.
Proof. by split => //; exact: dominated_same. Qed.

Lemma sqrt_sum (a b : R) : 0 <= a -> 0 <= b ->
  Num.sqrt (Num.sqrt a ^+ 2 + Num.sqrt b ^+ 2) = Num.sqrt (a + b).
Proof. by move=> a0 b0; rewrite !sqr_sqrtr. Qed.

Lemma gclose_le (X : space R) (a b : R) (p q : X -> R) : a <= b -> gclose a p q -> gclose b p q.
Proof.
move=> ab [a0 H]; split; first exact: le_trans ab.
apply: (dominated_trans H) => t t0; set m := Num.sqrt a; set m' := Num.sqrt (b - a).
rewrite -(line_gap t m) (_ : Num.sqrt b = Num.sqrt (m ^+ 2 + m' ^+ 2)); last first.
  by rewrite sqrt_sum ?subr_ge0// addrC subrK.
rewrite -(plane_to_line t m m'); move: t t0.
apply: dominated_both => [t t0|x]; first exact: lexx.
exact: (dominated_same (standard 0)).
Qed.

Theorem gclose_both (X Y : space R) (p q : density X) (k l : step X Y) (a b : R) :
  gclose a p q -> (forall x, gclose b (k x) (l x)) -> gclose (a + b) (both p k) (both q l).
Proof.
move=> [a0 H1] H2; have b0 : 0 <= b := proj1 (H2 point).
split; first exact: addr_ge0.
apply: (dominated_trans (dominated_both H1 (fun x => proj2 (H2 x)))) => t t0.
by rewrite -(sqrt_sum a0 b0) -plane_to_line.
Qed.

(** Whoever is sqrt c-GDP is (e, delta)-DP for every e, with the exact delta of two normal laws. *)
Theorem gclose_close (X : space R) (p q : density X) c e dl : gclose c p q ->
  (gaussian_delta (Num.sqrt c) e <= dl%:E)%E -> close e dl (law p) (law q).
Proof.
move=> [_ H] le A mA; apply: (le_trans (dominated_close e H mA)); exact: lee_add2l.
Qed.
End gaussian_DP.

(** * Normal noise *)

Section normal.
Context {R : realType}.

Let gauss_scale (r s x : R) : 0 < r -> 0 < s -> gauss (r * s) (s * x) = gauss r x.
Proof. by move=> r0 s0; rewrite /gauss; congr (expR (- _)); field; rewrite !gt_eqF. Qed.

Let normaliser_scale (r s : R) : 0 < r -> 0 < s ->
  normaliser (gauss (r * s)) = s * normaliser (gauss r).
Proof.
move=> r0 s0; have m : measurable_fun setT (fun x => (gauss (r * s) x)%:E : \bar R).
  by apply/EFin_measurable_fun; exact: measurable_fun_gauss.
have g0 q x : (0 <= (gauss q x : R)%:E)%E by rewrite lee_fin expR_ge0.
rewrite /normaliser (integral_scale s0 m (g0 _)).
under eq_integral do rewrite gauss_scale//.
rewrite fineM// ge0_fin_numE ?gauss_finite//; exact: integral_ge0.
Qed.

Section two_scales.
Variables (r s s' : R) (r_gt0 : 0 < r) (s_gt0 : 0 < s) (s'_gt0 : 0 < s').
Hypothesis ratio : s = r * s'.

Lemma normal_scaled c c' x : s' * normal s_gt0 c (s' * x - - c') = normal r_gt0 ((c - c') / s') x.
Proof.
change (s' * ((normaliser (gauss s))^-1 * gauss s (s' * x - - c' - c)) =
  (normaliser (gauss r))^-1 * gauss r (x - (c - c') / s')).
have s0 : s' != 0 by rewrite gt_eqF.
rewrite ratio normaliser_scale// -(gauss_scale (x - (c - c') / s') r_gt0 s'_gt0).
rewrite (_ : s' * (x - (c - c') / s') = s' * x - - c' - c); last by field.
by rewrite mulrA invfM mulrA divff ?mul1r.
Qed.
End two_scales.

Section gap.
Variables (r s s' : R) (r_gt0 : 0 < r) (s_gt0 : 0 < s) (s'_gt0 : 0 < s').
Hypothesis ratio : s = r * s'.

Let pull (a b t : R) :
  s' * Num.max (1 * a - t * b) 0 = Num.max (1 * (s' * a) - t * (s' * b)) 0.
Proof. by rewrite maxr_pmulr ?ltW// mulr0 mulrBr !mul1r mulrCA. Qed.

(** Two normal laws are as far apart as in units of the second one. *)
Lemma normal_gap c c' t : gap 1 t (normal s_gt0 c) (normal s'_gt0 c') =
  gap 1 t (normal r_gt0 ((c - c') / s')) (standard 0).
Proof.
set f := fun x => Num.max (1 * normal s_gt0 c x - t * normal s'_gt0 c' x) 0.
have mf : measurable_fun setT (EFin \o f).
  apply/EFin_measurable_fun; apply: measurable_fun_gap; apply: measurable_funrM;
    exact: pdf_measurable.
have f0 x : (0 <= (f x)%:E)%E by rewrite lee_fin le_maxr lexx orbT.
have mfs := measurable_fun_comp mf (measurable_fun_shift (- c')).
have ms : measurable_fun setT (fun x : R => s' * x).
  by apply: measurable_funrM; exact: measurable_fun_id.
rewrite /gap; apply: (etrans (esym (integral_shift (- c') mf (fun x => f0 x)))).
apply: (etrans (integral_scale s'_gt0 mfs (fun x => f0 _))).
rewrite -(ge0_integralM _ measurableT (measurable_fun_comp mfs ms) (fun x _ => f0 _));
  last by rewrite lee_fin ltW.
apply: eq_integral => x _; rewrite -EFinM; congr EFin.
apply: (etrans (pull _ _ t)); rewrite (normal_scaled r_gt0 s_gt0 s'_gt0 ratio).
by rewrite (normal_scaled ltr01 s'_gt0 s'_gt0 (esym (mul1r s'))) subrr mul0r.
Qed.
End gap.

Section one_scale.
Variables (s : R) (s_gt0 : 0 < s).

Theorem normal_gclose c c' :
  gclose ((c - c') ^+ 2 / s ^+ 2) (normal s_gt0 c) (normal s_gt0 c').
Proof.
split; first by rewrite divr_ge0 ?sqr_ge0.
move=> t t0; rewrite (normal_gap ltr01 s_gt0 s_gt0 (esym (mul1r s))).
rewrite -expr_div_n -(line_gap t ((c - c') / s)) plane_to_line expr0n addr0.
exact: lexx.
Qed.
End one_scale.
End normal.
