(** Precision matrix from a second moment, with Laplace noise in place of Wishart's (diss-6.3.51-W1). *)
From Touchstone.core Require Import Everything Once Moments.

Section wishart_covariance_perturbation.
Context {R : realType} (X : Type) (n p : nat) (eps : R).
(** A record scaled to norm at most 1. *)
Variable row : X -> nat -> R.
Hypotheses (n_gt0 : (0 < n)%N) (p_gt0 : (0 < p)%N) (eps_gt0 : 0 < eps)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

Definition wishart_covariance_perturbation : algorithm R (@replace X n) Pure :=
  laplace_moments n_gt0 p_gt0 eps_gt0 unit_ball.

Theorem wishart_covariance_perturbation_private : private wishart_covariance_perturbation eps 0.
Proof. exact: laplace_moments_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_moments in ltac:(let A := eval unfold wishart_covariance_perturbation in wishart_covariance_perturbation in
  exact (steps A, fun t => described (step_of A t))).
End wishart_covariance_perturbation.
