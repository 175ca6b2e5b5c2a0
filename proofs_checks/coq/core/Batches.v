(** Gradients of batches, for every choice of the batches: without amplification by a draw that
    nobody sees. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms Sensitivity Templates TwoKinds Contractions.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** Every step costs a unit at most r. *)
Lemma gaussian_at_most {R : realType} (X : Type) n (A : algorithm R (@replace X n) Gaussian) r mu :
  0 <= mu -> (forall t k, cost (step_of A t) k <= r) -> (steps A)%:R * r <= mu ^+ 2 ->
  gaussian_private A mu.
Proof.
move=> mu0 le rest; apply: gaussian_algorithm => // k; apply: le_trans rest.
rewrite mulr_natl -[in leRHS](card_ord (steps A)) -sumr_const.
by apply: ler_sum => t _; exact: le.
Qed.

(** * Mean gradients of batches *)

Section batch_gradients.
Context {R : realType} (X : Type) (n p d K b : nat) (batch : nat -> pred 'I_n).
Let O (_ : nat) := @vec R d.
Variables (G sigma : R) (w : forall t, transcript O t -> @vec R p)
  (grad : @vec R p -> X -> nat -> R).
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (sigma_gt0 : 0 < sigma)
  (bound : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2).

Let mv t r i : measurable_fun setT (fun h : transcript O t => grad (w h) r i).
Proof. exact: (measurable_fun_comp (mgrad r i) (@mw t)). Qed.

Definition batch_gradients : algorithm R (@replace X n) Gaussian :=
  @gaussian_means R X n K (fun=> d) batch (fun t h r i => grad (w h) r i) (fun=> b%:R)
    (fun=> sigma) mv (fun=> sigma_gt0) (fun=> G) (fun t h r => bound (w h) r).

Theorem batch_gradients_private mu : 0 <= mu ->
  K%:R * ((2 * G / b%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private batch_gradients mu.
Proof.
move=> mu0 le; apply: (gaussian_at_most (r := (2 * G / b%:R) ^+ 2 / sigma ^+ 2) mu0); last exact: le.
by move=> t k /=; case: ifP => // _; rewrite expr0n mul0r divr_ge0 ?sqr_ge0.
Qed.
End batch_gradients.

(** * Variance-reduced gradients: of a batch at a point, less that at a snapshot, and that of all
    records at the snapshot *)

Section variance_reduced.
Context {R : realType} (X : Type) (n p d K b : nat) (batch : nat -> pred 'I_n).
Let O (_ : nat) := @vec R d.
(** [w t past]: the point of step t; [snapshot t past]: its snapshot. *)
Variables (G sigma : R) (w snapshot : forall t, transcript O t -> @vec R p)
  (grad : @vec R p -> X -> nat -> R).
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (msnapshot : forall t, measurable_fun setT (@snapshot t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (G_ge0 : 0 <= G) (sigma_gt0 : 0 < sigma)
  (bound : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2).

Let change t (h : transcript O t) r i : R := grad (w h) r i - grad (snapshot h) r i.
Let query t (x : 'I_n -> X) (h : transcript O t) i : R :=
  mean b%:R (batch t) (change h ^~ i) x + mean n%:R xpredT (grad (snapshot h) ^~ i) x.

Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof.
apply: measurable_funD; apply: measurable_fun_mean => r; last first.
  exact: (measurable_fun_comp (mgrad r i) (@msnapshot t)).
apply: measurable_funB; first exact: (measurable_fun_comp (mgrad r i) (@mw t)).
exact: (measurable_fun_comp (mgrad r i) (@msnapshot t)).
Qed.

(** A record of the batch; every other one moves the snapshot's gradient alone. *)
Let in_batch : R := if (b == n)%N then 2 * G / n%:R else 4 * G / b%:R + 2 * G / n%:R.
Let Delta t (k : 'I_n) : R := if batch t k then in_batch else 2 * G / n%:R.

Let part m (f : X -> nat -> R) C r r' : 0 <= m ->
  (forall r, \sum_(i < d) f r i ^+ 2 <= C ^+ 2) ->
  norm2 d (fun i => m^-1 * (f r i - f r' i)) <= (2 * C / m) ^+ 2.
Proof.
move=> m0 le; rewrite norm2_scale [in leRHS]mulrC [leRHS]exprMn ler_wpmul2l ?sqr_ge0//.
exact: norm_diameter.
Qed.

Let moves t k x x' (h : transcript O t) : replace k x x' ->
  \sum_(i < d) (query x h i - query x' h i) ^+ 2 <= Delta t k ^+ 2.
Proof.
move=> e; have whole_part f := @part n%:R (grad f) G (x k) (x' k) (ler0n R n) (bound f).
have E i : query x h i - query x' h i =
    (if batch t k then b%:R^-1 * (change h (x k) i - change h (x' k) i) else 0) +
    n%:R^-1 * (grad (snapshot h) (x k) i - grad (snapshot h) (x' k) i).
  by rewrite /query opprD addrACA !(mean_difference _ _ _ e).
under eq_bigr do rewrite E.
rewrite /Delta /in_batch; case: ifPn => [bk|_]; last first.
  by under eq_bigr do rewrite add0r; exact: whole_part.
have joined (m a u a' u' : R) : m * (a - u - (a' - u')) + m * (u - u') = m * (a - a') by ring.
case: eqP => [bn|_].
  apply: le_trans (whole_part (w h)); apply: ler_sum => i _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ ^+ 2); rewrite bn; exact: joined.
have changes := @part b%:R (change h) (2 * G) (x k) (x' k) (ler0n R b)
  (fun r => norm_diameter (bound (w h) r) (bound (snapshot h) r)).
rewrite (_ : 4 * G = 2 * (2 * G)); last by ring.
have nonneg m y : 0 <= y -> 0 <= 2 * y / m%:R :> R by move=> y0; rewrite divr_ge0 ?mulr_ge0 ?ler0n.
by apply: (norm2_add _ _ changes (whole_part _)); apply: nonneg; rewrite ?mulr_ge0 ?ler0n.
Qed.

Definition variance_reduced : algorithm R (@replace X n) Gaussian :=
  Algorithm (out := O) K (fun t => gaussian_release (@mquery t)
    (Delta := fun k => if batch t k
      then if (b == n)%N then 2 * G / n%:R else 4 * G / b%:R + 2 * G / n%:R else 2 * G / n%:R)
    sigma_gt0 (@moves t)).

Theorem variance_reduced_private mu : 0 <= mu ->
  K%:R * ((if (b == n)%N then 2 * G / n%:R else 4 * G / b%:R + 2 * G / n%:R) ^+ 2 / sigma ^+ 2) <=
  mu ^+ 2 -> gaussian_private variance_reduced mu.
Proof.
move=> mu0 le; apply: (gaussian_at_most (r := in_batch ^+ 2 / sigma ^+ 2) mu0); last exact: le.
move=> t k /=; rewrite /in_batch ler_wpmul2r ?invr_ge0 ?sqr_ge0//; case: ifP => // _; case: ifP => // _.
by rewrite ler_expn2r ?nnegrE ?addr_ge0 ?divr_ge0 ?mulr_ge0 ?ler0n// ler_addr divr_ge0 ?mulr_ge0 ?ler0n.
Qed.
End variance_reduced.

(** Unfold an instance down to what its releases say of themselves. *)
Declare Reduction printed_batches := cbv beta iota zeta delta [batch_gradients variance_reduced
  gaussian_means steps step_of described gaussian_release].
