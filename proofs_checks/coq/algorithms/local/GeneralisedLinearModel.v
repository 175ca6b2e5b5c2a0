(** Generalised linear models from users' noisy x x^T and x y (diss-5.2.39). *)
From Touchstone.core Require Import Everything.

Section generalised_linear_model.
Context {R : realType} (X : Type) (n p : nat) (radius c sigma1 sigma2 : R).
(** A user's features and label, of any size. *)
Variables (x : X -> nat -> R) (y : X -> R).
(** The stated sensitivity of x x^T is c radius^2; sqrt 2 is the smallest c. *)
Hypotheses (radius_gt0 : 0 < radius) (c_ge : Num.sqrt 2 <= c) (sigma1_gt0 : 0 < sigma1)
  (sigma2_gt0 : 0 < sigma2).

(** User t scales x to l1 norm at most the radius, cuts y to [-1, 1] and sends the upper triangle of
    x x^T, then x y. *)
Definition generalised_linear_model : algorithm R (@replace X n) Gaussian :=
  second_moments n p x y radius_gt0 ler01 c_ge sigma1_gt0 sigma2_gt0.

(** Every user is mu-Gaussian-DP, by both messages together. *)
Theorem generalised_linear_model_private mu : 0 <= mu ->
  (c * radius ^+ 2) ^+ 2 / sigma1 ^+ 2 + (2 * (radius * 1)) ^+ 2 / sigma2 ^+ 2 <= mu ^+ 2 ->
  gaussian_private generalised_linear_model mu.
Proof. exact: second_moments_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_kinds in ltac:(let A := eval unfold generalised_linear_model in
  generalised_linear_model in exact (steps A, fun t => described (step_of A t))).
End generalised_linear_model.
