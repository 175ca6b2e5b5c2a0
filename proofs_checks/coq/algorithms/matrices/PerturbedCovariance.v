(** Covariance matrix with Gaussian noise on the upper triangle (diss-6.2-NAIVE). *)
From Touchstone.core Require Import Everything.

Section perturbed_covariance.
Context {R : realType} (X : Type) (n p : nat) (sigma : R).
(** A record scaled to norm at most 1. *)
Variable row : X -> nat -> R.
Hypotheses (sigma_gt0 : 0 < sigma)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

Let O (_ : nat) := @vec R (size (pairs p)).
Let nothing_yet t (_ : transcript O t) : @vec R 0 := tt.

(** The upper triangle of the mean of x x^T with Gaussian noise, once. *)
Definition perturbed_covariance : algorithm R (@replace X n) Gaussian :=
  gradient_steps_diameter n 1 (w := nothing_yet) (grad := fun _ r => entry p (row r))
    (fun t => measurable_fun_cst (tt : @vec R 0))
    (fun r i => measurable_fun_cst (entry p (row r) i)) sigma_gt0
    (fun _ r r' => upper_triangle_le (unit_ball r) (unit_ball r')).

Theorem perturbed_covariance_private mu : 0 <= mu ->
  1%:R * ((Num.sqrt 2 / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private perturbed_covariance mu.
Proof. exact: gradient_steps_diameter_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold perturbed_covariance in perturbed_covariance in
  exact (steps A, fun t => described (step_of A t))).
End perturbed_covariance.
