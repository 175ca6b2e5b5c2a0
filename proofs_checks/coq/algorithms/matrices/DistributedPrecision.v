(** Precision matrix of players' records, for pure DP (diss-6.3.52). *)
From Touchstone.core Require Import Everything Once Moments.

Section distributed_precision.
Context {R : realType} (X : Type) (n p : nat) (eps : R).
(** A record scaled to norm at most 1. *)
Variable row : X -> nat -> R.
Hypotheses (n_gt0 : (0 < n)%N) (p_gt0 : (0 < p)%N) (eps_gt0 : 0 < eps)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

(** The sum of the players' messages, which alone is released; with Laplace noise in all. With a
    delta the code adds Wishart noise, about which nothing is proved here. *)
Definition distributed_precision : algorithm R (@replace X n) Pure :=
  laplace_moments n_gt0 p_gt0 eps_gt0 unit_ball.

Theorem distributed_precision_private : private distributed_precision eps 0.
Proof. exact: laplace_moments_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_moments in ltac:(let A := eval unfold distributed_precision in distributed_precision in
  exact (steps A, fun t => described (step_of A t))).
End distributed_precision.
