(** Sparse covariance from users' perturbed x x^T (diss-6.2.49). *)
From Touchstone.core Require Import Everything.

Section local_covariance_thresholding.
Context {R : realType} (X : Type) (n p : nat) (sigma : R).
(** A user's vector, scaled to norm at most 1. *)
Variable row : X -> nat -> R.
Hypotheses (sigma_gt0 : 0 < sigma)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

(** User t sends the upper triangle of x x^T with Gaussian noise. *)
Definition local_covariance_thresholding : algorithm R (@replace X n) Gaussian :=
  gaussian_users n (message := fun r => entry p (row r)) sigma_gt0
    (fun r r' => upper_triangle_le (unit_ball r) (unit_ball r')).

(** Every user is mu-Gaussian-DP. *)
Theorem local_covariance_thresholding_private mu : 0 <= mu ->
  Num.sqrt 2 ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private local_covariance_thresholding mu.
Proof. exact: gaussian_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold local_covariance_thresholding in local_covariance_thresholding in
  exact (steps A, fun t => described (step_of A t))).
End local_covariance_thresholding.
