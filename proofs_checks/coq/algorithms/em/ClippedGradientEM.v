(** Gradient EM with clipped gradients (wang-1). *)
From Touchstone.core Require Import Everything.

Section clipped_gradient_em.
Context {R : realType} (X : Type) (n p d T : nat).
Let O (_ : nat) := @vec R d.
(** [w t past]: the parameter of step t, any measurable function of what was released before. *)
Variables (C sigma : R) (w : forall t, transcript O t -> @vec R p).
(** A record's gradient, of any size: the clip to l2 norm C bounds it. *)
Variable grad : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i)) (sigma_gt0 : 0 < sigma).

Let clipped theta r := clip d C (grad theta r).
Let mclipped r i : measurable_fun setT (fun theta => clipped theta r i).
Proof. by apply: measurable_fun_clip => j; exact: mgrad. Qed.

Definition clipped_gradient_em : algorithm R (@replace X n) Gaussian :=
  gradient_steps n T mw mclipped sigma_gt0 (fun theta r => norm2_clip d C (grad theta r)).

(** All T noisy gradients together are mu-Gaussian-DP. *)
Theorem clipped_gradient_em_private mu : 0 <= mu ->
  T%:R * ((2 * C / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private clipped_gradient_em mu.
Proof. exact: gradient_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold clipped_gradient_em in clipped_gradient_em in
  exact (steps A, fun t => described (step_of A t))).
End clipped_gradient_em.
