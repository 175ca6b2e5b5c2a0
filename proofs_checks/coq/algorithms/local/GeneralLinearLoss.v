(** Losses of a margin from noisy copies of users' records (diss-5.1.34). *)
From Touchstone.core Require Import Everything.

Section general_linear_loss.
Context {R : realType} (X : Type) (n p degree : nat) (sigma0 sigma : R).
(** A user's features and label, of any size. *)
Variables (x : X -> nat -> R) (y : X -> R).
Hypotheses (sigma0_gt0 : 0 < sigma0) (sigma_gt0 : 0 < sigma).

(** User t sends one noisy copy of its clipped record, then degree (degree + 1) others. *)
Definition general_linear_loss : algorithm R (@replace X n) Gaussian :=
  noisy_copies n p degree x y sigma0_gt0 sigma_gt0.

(** Every user is mu-Gaussian-DP, by all its copies together. *)
Theorem general_linear_loss_private mu : 0 <= mu ->
  8 / sigma0 ^+ 2 + 8 * (degree * degree.+1)%:R / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private general_linear_loss mu.
Proof. exact: noisy_copies_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_kinds in ltac:(let A := eval unfold general_linear_loss in general_linear_loss in
  exact (steps A, fun t => described (step_of A t))).
End general_linear_loss.
