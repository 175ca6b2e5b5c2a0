(** Gaussian noise whose scale is a smooth bound on the local sensitivity: the mean slides, then the
    scale changes. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

(** * Vectors of independent coordinates *)

Section independent.
Context {R : realType}.

Fixpoint independent (p : density (line R)) (d : nat) : density (@vec R d) :=
  match d with
  | 0%N => nothing
  | e.+1 => both (independent p e) (always (@vec R e) p)
  end.

Variables f g : R -> density (line R).
Hypotheses (mf : forall d0 (X : measurableType d0) (c y : X -> R),
    measurable_fun setT c -> measurable_fun setT y -> measurable_fun setT (fun x => f (c x) (y x)))
  (mg : forall d0 (X : measurableType d0) (c y : X -> R),
    measurable_fun setT c -> measurable_fun setT y -> measurable_fun setT (fun x => g (c x) (y x))).
Variables a b : density (line R).
Hypothesis H : forall c, dominated (f c) (g c) a b.

Lemma noisy_vec_dominated d (u : @vec R d) :
  dominated (noisy_vec mf u) (noisy_vec mg u) (independent a d) (independent b d).
Proof.
elim: d u => [|d IH] u; first exact: (@dominated_same R _ _ nothing nothing nothing).
by rewrite !noisy_vecS; apply: (dominated_both (IH u.1)) => x; exact: (H u.2).
Qed.
End independent.

(** * One release *)

Section smooth.
Context {R : realType} (D : Type) (near : D -> D -> Prop) (d : nat) (gamma tau : R).

(** delta(e) of N(0, r^2 I) against N(0, I), for every r between e^-tau and e^tau, is at most dl. *)
Definition dilation (e dl : R) : Prop := forall r (r_gt0 : 0 < r), expR (- tau) <= r <= expR tau ->
  (gap 1 (expR e) (independent (normal r_gt0 0) d) (independent (standard 0) d) <= dl%:E)%E.

(** What is released, and the bound: e^tau-smooth and at least the local sensitivity. *)
Variables (value : D -> nat -> R) (bound : D -> R).
Hypotheses (gamma_gt0 : 0 < gamma) (bound_gt0 : forall x, 0 < bound x)
  (moves : forall x x', near x x' -> \sum_(i < d) (value x i - value x' i) ^+ 2 <= bound x ^+ 2)
  (smooth : forall x x', near x x' -> expR (- tau) <= bound x / bound x' <= expR tau).

Let scale_gt0 x : 0 < bound x / gamma. Proof. exact: divr_gt0. Qed.
Let mnormal x d0 (X : measurableType d0) (c y : X -> R) : measurable_fun setT c ->
  measurable_fun setT y -> measurable_fun setT (fun z => normal (scale_gt0 x) (c z) (y z)).
Proof. exact: measurable_fun_normal. Qed.

(** The value, with normal noise of standard deviation bound/gamma in every coordinate. *)
Definition smooth_noise (x : D) : density (@vec R d) := noisy_vec (mnormal x) (of_coord d (value x)).

(** A release and what it says of itself, in units of the bound. *)
Record smooth_release (I : Type) := SmoothRelease {
  smooth_described : @description R I;
  smooth_law : D -> density (@vec R d) }.
Definition smooth_once (I : Type) : smooth_release I :=
  SmoothRelease (Description Smooth_noise d (fun=> 1) (1 / gamma)) smooth_noise.

Variables (e1 e2 dl1 dl2 : R).
Hypotheses (slide_le : (gaussian_delta gamma e1 <= dl1%:E)%E) (dilation_le : dilation e2 dl2).

Let slides x x' : near x x' -> close e1 dl1 (law (smooth_noise x))
  (law (noisy_vec (mnormal x) (of_coord d (value x')))).
Proof.
move=> n; have H := noisy_vec_counted (mnormal x) (c := Gaussian) (normal_gclose (scale_gt0 x))
  (of_coord d (value x)) (of_coord d (value x')).
apply: (@gclose_close _ _ _ _ (gamma ^+ 2)); last by rewrite sqrtr_sqr ger0_norm// ltW.
apply: (counted_le (c := Gaussian) _ H).
rewrite total_lossE -mulr_suml ler_pdivr_mulr ?exprn_gt0// exprMn exprVn mulrCA divff ?mulr1.
  exact: moves.
by rewrite expf_neq0// gt_eqF.
Qed.

Let dilates x x' : near x x' -> close e2 dl2 (law (noisy_vec (mnormal x) (of_coord d (value x'))))
  (law (smooth_noise x')).
Proof.
move=> n; have r_gt0 : 0 < bound x / bound x' by exact: divr_gt0.
have ratio : bound x / gamma = bound x / bound x' * (bound x' / gamma).
  by rewrite mulrA divfK// gt_eqF.
have one c : dominated (normal (scale_gt0 x) c) (normal (scale_gt0 x') c) (normal r_gt0 0)
    (standard 0).
  by move=> t t0; rewrite (normal_gap r_gt0 _ _ ratio) subrr mul0r lexx.
move=> A mA; apply: le_trans (dominated_close e2 (noisy_vec_dominated (mnormal x) (mnormal x') one
  (of_coord d (value x'))) mA) _.
by rewrite lee_add2l// dilation_le// smooth.
Qed.

(** The share e1 of e pays for the mean, e2 for the scale. *)
Theorem smooth_noise_DP e dl : e1 + e2 <= e -> dl1 + expR e1 * dl2 <= dl ->
  DP near (fun x => [the measure _ _ of law (smooth_noise x)]) e dl.
Proof.
move=> le_e le_dl x x' n A mA; apply: le_trans (slides n mA) _.
have e0 : (0 < (expR e1)%:E)%E by rewrite lte_fin expR_gt0.
apply: le_trans (_ : (_ <= (expR e1)%:E * ((expR e2)%:E * law (smooth_noise x') A + dl2%:E) +
    dl1%:E)%E) _; first by rewrite lee_add2r// lee_pmul2l//; exact: dilates.
suff goal : ((expR e1)%:E * ((expR e2)%:E * law (smooth_noise x') A + dl2%:E) + dl1%:E <=
    (expR e)%:E * law (smooth_noise x') A + dl%:E)%E by exact: goal.
rewrite -(fineK (probability_fin (law_probability (smooth_noise x')) mA)).
have q0 : 0 <= fine (law (smooth_noise x') A) by rewrite fine_ge0//; exact: measure_ge0.
have : expR e1 * (expR e2 * fine (law (smooth_noise x') A) + dl2) + dl1 <=
    expR e * fine (law (smooth_noise x') A) + dl.
  rewrite mulrDr mulrA -expRD -addrA ler_add//; first by rewrite ler_wpmul2r// ler_expR.
  by rewrite addrC.
rewrite -lee_fin => le; exact: le.
Qed.
End smooth.

(** Unfold an instance down to what its release says of itself. *)
Declare Reduction printed_smooth := cbv beta iota zeta delta [smooth_once smooth_described].
