(** Gradient EM with robust means of all data in every step (diss-7.2.56). *)
From Touchstone.core Require Import Everything.

Section full_data_gradient_em.
Context {R : realType} (X : Type) (n p d T : nat).
Let O (_ : nat) := @vec R d.
(** [w t past]: the point of step t, any measurable function of what was released before. *)
Variables (B sigma : R) (w : forall t, transcript O t -> @vec R p).
(** Coordinate i of a record's contribution, smoothly truncated: at most B = (2 sqrt 2/3) s. *)
Variable truncated : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mtruncated : forall r i, measurable_fun setT (fun theta => truncated theta r i))
  (sigma_gt0 : 0 < sigma) (B_ge0 : 0 <= B)
  (bounded : forall theta r i, `|truncated theta r i| <= B).

Definition full_data_gradient_em : algorithm R (@replace X n) Gaussian :=
  gradient_steps n T mw mtruncated sigma_gt0
    (fun theta r => coordinates_norm d B_ge0 (bounded theta r)).

(** All T noisy means together are mu-Gaussian-DP. *)
Theorem full_data_gradient_em_private mu : 0 <= mu ->
  T%:R * ((2 * (Num.sqrt d%:R * B) / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 ->
  gaussian_private full_data_gradient_em mu.
Proof. exact: gradient_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold full_data_gradient_em in full_data_gradient_em in
  exact (steps A, fun t => described (step_of A t))).
End full_data_gradient_em.
