(** DP-GD-SO: first- and second-order steps in a ball (diss-4.3.27). *)
From Touchstone.core Require Import Everything.

Section constrained_descent.
Context {R : realType} (X : Type) (n p d T : nat).
Let O t := @vec R (if odd t then size (pairs d) else d).
(** [w t past]: the point of release t; [asked t past]: whether it is made: the search
    goes on, and a Hessian is wanted. Both are any measurable functions of what was released
    before. *)
Variables (G H sigma1 sigma2 : R) (w : forall t, transcript O t -> @vec R p)
  (asked : forall t, transcript O t -> bool).
(** A record's gradient, of l2 norm at most G everywhere, and the upper triangle of its Hessian,
    at l2 distance H at most from any other record's. *)
Variables grad hess : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (masked : forall t, measurable_fun setT (@asked t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (mhess : forall r i, measurable_fun setT (fun theta => hess theta r i))
  (sigma1_gt0 : 0 < sigma1) (sigma2_gt0 : 0 < sigma2)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2)
  (change : forall theta r r',
    \sum_(i < size (pairs d)) (hess theta r i - hess theta r' i) ^+ 2 <= H ^+ 2).

Definition constrained_descent : algorithm R (@replace X n) Gaussian :=
  by_turns T (fun=> xpredT) n%:R mw masked mgrad mhess sigma1_gt0 sigma2_gt0 lipschitz change.

(** T gradients and T Hessians together are mu-Gaussian-DP, whichever are left out. *)
Theorem constrained_descent_private mu : 0 <= mu ->
  T%:R * ((2 * G / n%:R) ^+ 2 / sigma1 ^+ 2 + (H / n%:R) ^+ 2 / sigma2 ^+ 2) <= mu ^+ 2 ->
  gaussian_private constrained_descent mu.
Proof. exact: by_turns_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_kinds in ltac:(let A := eval unfold constrained_descent in constrained_descent in
  exact (steps A, fun t => described (step_of A t))).
End constrained_descent.
