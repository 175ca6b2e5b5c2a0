(** DP-SGD: gradients of batches with Gaussian noise (diss-2.sgd-accountant). *)
From Touchstone.core Require Import Everything.

Section stochastic_gradient_descent.
Context {R : realType} (X : Type) (n p d T b : nat).
Let O (_ : nat) := @vec R d.
(** The b records that step t reads, as the draw says: any batches. [w t past]: the point of step t,
    any measurable function of what was released before. *)
Variables (batch : nat -> pred 'I_n) (G sigma : R) (w : forall t, transcript O t -> @vec R p).
(** A record's gradient, of l2 norm at most G everywhere. *)
Variable grad : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i)) (sigma_gt0 : 0 < sigma)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2).

Definition stochastic_gradient_descent : algorithm R (@replace X n) Gaussian :=
  batch_gradients T b batch mw mgrad sigma_gt0 lipschitz.

(** All T noisy gradients together are mu-Gaussian-DP, whichever the batches are. For b = n this is
    what the code claims. For b < n it is weaker: the code claims what batches amplify that nobody
    sees, with noise for that; here a record bears all releases. *)
Theorem stochastic_gradient_descent_private mu : 0 <= mu ->
  T%:R * ((2 * G / b%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 ->
  gaussian_private stochastic_gradient_descent mu.
Proof. exact: batch_gradients_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_batches in ltac:(let A := eval unfold stochastic_gradient_descent in
  stochastic_gradient_descent in exact (steps A, fun t => described (step_of A t))).
End stochastic_gradient_descent.
