(** Adaptive algorithms of T steps, each of which sees all earlier outcomes; vectors of reals. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * The space of one point *)

Canonical unit_pointedType := PointedType unit tt.

Section unit.
Let all : set (set unit) := setT.
Let all0 : all set0. Proof. by []. Qed.
Let allC X : all X -> all (~` X). Proof. by []. Qed.
Let allU (F : (set unit)^nat) : (forall i, all (F i)) -> all (\bigcup_i F i). Proof. by []. Qed.
HB.instance Definition _ := @isMeasurable.Build default_measure_display unit
  (Pointed.class _) all all0 allC allU.
End unit.

Section point_space.
Context {R : realType}.

Let mu : {measure set unit -> \bar R} := [the measure _ _ of @dirac _ unit tt R].

Let mu_setT : mu setT = 1.
Proof. by rewrite /mu /= diracE mem_set. Qed.

Let sigma_finite_mu : sigma_finite setT mu.
Proof. exact: probability_sigma_finite. Qed.

Definition point_space : space R := @Space R _ [the measurableType _ of (unit : Type)] mu sigma_finite_mu.

Let one_ge0 (x : point_space) : (0 <= cst 1 x :> R)%R. Proof. exact: ler01. Qed.

Let one_mass : \int[base point_space]_x (cst 1%R x : R)%:E = 1.
Proof. by rewrite (integral_cst mu measurableT 1) mu_setT mul1e. Qed.

Let one_measurable : measurable_fun setT (cst 1%R : point_space -> R).
Proof. exact: measurable_fun_cst. Qed.

Definition nothing : density point_space :=
  Density one_ge0 one_measurable one_mass.
End point_space.

(** * An algorithm of T steps: step t sees the outcomes of all earlier steps *)

Section run.
Context {R : realType} (O : nat -> space R).

Fixpoint transcript (T : nat) : space R :=
  match T with 0%N => point_space | t.+1 => prod (transcript t) (O t) end.

Fixpoint run (M : forall t, step (transcript t) (O t)) (T : nat) : density (transcript T) :=
  match T with 0%N => nothing | t.+1 => both (run M t) (M t) end.

Lemma zclose_same (X : space R) (p : density X) : zclose 0 p p.
Proof.
split => // a a1; rewrite mulr0 expR0 /moment -[leRHS](pdf_mass p).
rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_integral => x _; congr EFin.
rewrite /renyi_term; have [->//|p0] := eqVneq (p x) 0%R.
by rewrite -mulrDl addrC subrK mul1r lnK// posrE lt0r p0 pdf_ge0.
Qed.

Theorem run_zclose (M M' : forall t, step (transcript t) (O t)) (rho : nat -> R) T :
  (forall t past, zclose (rho t) (M t past) (M' t past)) ->
  zclose (\sum_(t < T) rho t)%R (run M T) (run M' T).
Proof.
move=> H; elim: T => [|T IH]; first by rewrite big_ord0; exact: zclose_same.
by rewrite big_ord_recr /=; apply: zclose_both.
Qed.

Theorem run_zCDP D (near : D -> D -> Prop) (M : D -> forall t, step (transcript t) (O t))
    (rho : nat -> R) T :
  (forall x x' t past, near x x' -> zclose (rho t) (M x t past) (M x' t past)) ->
  zCDP near (fun x => run (M x) T) (\sum_(t < T) rho t)%R.
Proof. by move=> H x x' n; apply: run_zclose => t past; exact: H. Qed.
End run.

(** * Vectors of reals *)

Section vectors.
Context {R : realType}.
Local Open Scope ring_scope.

Definition vec (d : nat) : space R := transcript (fun=> line R) d.

Fixpoint coord (d : nat) : vec d -> nat -> R :=
  match d with
  | 0%N => fun _ _ => 0
  | e.+1 => fun v i => if i == e then v.2 else coord v.1 i
  end.

Fixpoint of_coord (d : nat) (f : nat -> R) : vec d :=
  match d with 0%N => tt | e.+1 => (of_coord e f, f e) end.

Lemma measurable_fun_of_coord d0 (X : measurableType d0) d (f : X -> nat -> R) :
  (forall i, measurable_fun setT (f ^~ i)) -> measurable_fun setT (fun x => of_coord d (f x)).
Proof.
move=> mf; elim: d => [|d IH]; first exact: (@measurable_fun_cst _ _ X (vec 0) setT tt).
by apply: measurable_fun_pair.
Qed.

Lemma measurable_fun_coord d i : measurable_fun setT ((@coord d) ^~ i).
Proof.
elim: d => [|d IH] /=; first exact: measurable_fun_cst.
have [_|_] := eqVneq i d; first exact: (@measurable_fun_snd _ _ (vec d) (line R)).
exact: (measurable_fun_comp IH (@measurable_fun_fst _ _ (vec d) (line R))).
Qed.
End vectors.

Section le.
Context {R : realType}.
Local Open Scope ring_scope.

Lemma zclose_le (X : space R) r r' (p q : X -> R) : r <= r' -> zclose r p q -> zclose r' p q.
Proof.
move=> rr' [A H]; split => // a a1; apply: (le_trans (H a a1)).
rewrite lee_fin ler_expR ler_wpmul2l// mulr_ge0//.
  by rewrite ltW// (lt_trans ltr01).
by rewrite subr_ge0 ltW.
Qed.
End le.
