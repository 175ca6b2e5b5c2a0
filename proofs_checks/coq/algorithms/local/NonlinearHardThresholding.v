(** Sparse non-linear models by users' randomized gradients (diss-5.3.44). *)
From Touchstone.core Require Import Everything Bits.

Section local_nonlinear_hard_thresholding.
Context {R : realType} (X : Type) (n d : nat) (radius eps : R).
Let O (_ : nat) := @candidates R 1.
(** The directions, drawn at random without the data. A user's features; the derivative
    times the residual at the current point,
    a measurable function of the past. *)
Variables (direction : nat -> nat -> R) (features : X -> nat -> R)
  (factor : forall t, transcript O t -> X -> R).
Hypotheses (eps_gt0 : 0 < eps) (radius_gt0 : 0 < radius)
  (mfactor : forall t r, measurable_fun setT (fun h => factor (t := t) h r)).

(** Features cut to [-1, 1] times that factor, cut so that no gradient is longer than radius. *)
Let gradient t (h : transcript O t) (r : X) (i : nat) : R :=
  clip_entry 1 (features r i) * clip_entry (radius / Num.sqrt d%:R) (factor h r).

Let mgradient t r i : measurable_fun setT (fun h => gradient (t := t) h r i).
Proof. by apply: measurable_funrM; exact: measurable_fun_clip_entry. Qed.

(** User t sends on which side of its direction its gradient is. *)
Definition local_nonlinear_hard_thresholding : algorithm R (@replace X n) Pure :=
  ball_users n d direction eps_gt0 radius_gt0 mgradient.

(** Every user is eps-DP, at any directions. *)
Theorem local_nonlinear_hard_thresholding_private : private local_nonlinear_hard_thresholding eps 0.
Proof. exact: ball_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_bits in ltac:(let A := eval unfold local_nonlinear_hard_thresholding in local_nonlinear_hard_thresholding in
  exact (steps A, fun t => described (step_of A t))).
End local_nonlinear_hard_thresholding.
