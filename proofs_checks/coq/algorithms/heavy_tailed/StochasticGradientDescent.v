(** Gradient descent with robust gradients on disjoint blocks (diss-RGD). *)
From Touchstone.core Require Import Everything.

Section stochastic_gradient_descent.
Context {R : realType} (X : Type) (n p d m T : nat).
Let O (_ : nat) := @vec R d.
(** [w t past]: the point of step t, any measurable function of what was released before. *)
Variables (B sigma : R) (w : forall t, transcript O t -> @vec R p).
(** Coordinate i of a record's gradient, smoothly truncated: at most B = (2 sqrt 2/3) s. *)
Variable truncated : @vec R p -> X -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (mw : forall t, measurable_fun setT (@w t))
  (mtruncated : forall r i, measurable_fun setT (fun theta => truncated theta r i))
  (sigma_gt0 : 0 < sigma) (B_ge0 : 0 <= B)
  (bounded : forall theta r i, `|truncated theta r i| <= B).

(** Step t reads the t-th block of m records. *)
Definition stochastic_gradient_descent : algorithm R (@replace X n) Gaussian :=
  block_steps n T mw mtruncated sigma_gt0 m
    (fun theta r => coordinates_norm d B_ge0 (bounded theta r)).

(** Every record is in one block: there is no factor T. *)
Theorem stochastic_gradient_descent_private mu : 0 <= mu ->
  (2 * (Num.sqrt d%:R * B) / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private stochastic_gradient_descent mu.
Proof. exact: block_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold stochastic_gradient_descent in stochastic_gradient_descent in
  exact (steps A, fun t => described (step_of A t))).
End stochastic_gradient_descent.
