(** Private iterative hard thresholding: all coordinates of the gradient are released (diss-5.3.43). *)
From Touchstone.core Require Import Everything.

Section iterative_hard_thresholding.
Context {R : realType} (X : Type) (n p d T : nat).
Let O (_ : nat) := @vec R d.
(** [w t past]: the point of step t, any measurable function of what was released before. *)
Variables (G sigma : R) (w : forall t, transcript O t -> @vec R p).
(** A record's gradient, of l2 norm at most G everywhere. *)
Variable grad : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i)) (sigma_gt0 : 0 < sigma)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2).

Definition iterative_hard_thresholding : algorithm R (@replace X n) Gaussian :=
  gradient_steps n T mw mgrad sigma_gt0 lipschitz.

(** All T noisy gradients together, hence every iterate, are mu-Gaussian-DP. *)
Theorem iterative_hard_thresholding_private mu : 0 <= mu ->
  T%:R * ((2 * G / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private iterative_hard_thresholding mu.
Proof. exact: gradient_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold iterative_hard_thresholding in iterative_hard_thresholding in
  exact (steps A, fun t => described (step_of A t))).
End iterative_hard_thresholding.
