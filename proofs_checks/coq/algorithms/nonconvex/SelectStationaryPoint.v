(** Selecting SOSP: gradients of a descent, then tests of all its points (diss-4.3.26). *)
From Touchstone.core Require Import Everything.

Section select_stationary_point.
Context {R : realType} (X : Type) (n p d T : nat).
Let is_hessian t := (T <= t)%N && odd (t - T).
Let O t := @vec R (if is_hessian t then size (pairs d) else d).
(** [w t past]: the point of release t, any measurable function of what was released before. *)
Variables (G H sigma sigma1 sigma2 : R) (w : forall t, transcript O t -> @vec R p).
(** A record's gradient, of l2 norm at most G everywhere, and the upper triangle of its Hessian,
    at l2 distance H at most from any other record's. *)
Variables grad hess : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (mhess : forall r i, measurable_fun setT (fun theta => hess theta r i))
  (sigma_gt0 : 0 < sigma) (sigma1_gt0 : 0 < sigma1) (sigma2_gt0 : 0 < sigma2)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2)
  (change : forall theta r r',
    \sum_(i < size (pairs d)) (hess theta r i - hess theta r' i) ^+ 2 <= H ^+ 2).

Let scale t := if (t < T)%N then sigma else if odd (t - T) then sigma2 else sigma1.
Let scale_gt0 t : 0 < scale t.
Proof. by rewrite /scale; case: ifP => // _; case: ifP. Qed.

(** T gradients for the descent, then a gradient and a Hessian for each of its T + 1 points. *)
Definition select_stationary_point : algorithm R (@replace X n) Gaussian :=
  gradients_and_hessians mw (fun t => measurable_fun_cst true) mgrad mhess lipschitz change
    (fun=> xpredT) n%:R (T + 2 * T.+1) scale_gt0.

(** All 3 T + 2 releases together are mu-Gaussian-DP, whichever point is chosen. *)
Theorem select_stationary_point_private mu : 0 <= mu ->
  T%:R * ((2 * G / n%:R) ^+ 2 / sigma ^+ 2) +
  T.+1%:R * ((2 * G / n%:R) ^+ 2 / sigma1 ^+ 2 + (H / n%:R) ^+ 2 / sigma2 ^+ 2) <= mu ^+ 2 ->
  gaussian_private select_stationary_point mu.
Proof.
move=> mu0 le; apply: gaussian_algorithm => // k; apply: le_trans le.
rewrite /total big_split_ord -sum_by_turns; apply: ler_add.
  rewrite mulr_natl -[in leRHS](card_ord T) -sumr_const; apply: ler_sum => t _.
  rewrite [leLHS](@two_kinds_cost R X n _ is_hessian d (size (pairs d))) /= /is_hessian /scale.
  by rewrite ltn_ord leqNgt ltn_ord.
apply: ler_sum => t _.
rewrite [leLHS](@two_kinds_cost R X n _ is_hessian d (size (pairs d))) /= /is_hessian /scale.
by rewrite leq_addr ltnNge leq_addr /= addKn; case: (odd t).
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_kinds in ltac:(let A := eval unfold select_stationary_point, scale, is_hessian in
  select_stationary_point in exact (steps A, fun t => described (step_of A t))).
End select_stationary_point.
