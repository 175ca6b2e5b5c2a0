(** Sparse non-linear regression from private labels by hard thresholding (diss-5.3.45). *)
From Touchstone.core Require Import Everything.

Section nonlinear_label_hard_thresholding.
Context {R : realType} (n : nat).
(** Labels are clipped to [-Y, Y] (around a public centre); features are public. *)
Variables (Y sigma : R).
Hypotheses (Y_ge0 : 0 <= Y) (sigma_gt0 : 0 < sigma).

Let message (y : R) (_ : nat) : R := clip_entry Y y.

Let diameter y y' : \sum_(i < 1) (message y i - message y' i) ^+ 2 <= (2 * Y) ^+ 2.
Proof.
rewrite big_ord_recl big_ord0 addr0 -[leLHS]ger0_norm ?sqr_ge0// normrX.
by rewrite ler_expn2r ?nnegrE ?normr_ge0 ?mulr_ge0 ?clip_entry_diameter.
Qed.

(** User t sends the clipped label with Gaussian noise. *)
Definition nonlinear_label_hard_thresholding : algorithm R (@replace R n) Gaussian :=
  gaussian_users n sigma_gt0 diameter.

(** Every user is mu-Gaussian-DP. *)
Theorem nonlinear_label_hard_thresholding_private mu : 0 <= mu ->
  (2 * Y) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private nonlinear_label_hard_thresholding mu.
Proof. exact: gaussian_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold nonlinear_label_hard_thresholding in nonlinear_label_hard_thresholding in
  exact (steps A, fun t => described (step_of A t))).
End nonlinear_label_hard_thresholding.
