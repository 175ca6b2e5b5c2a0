(** Mean of n users' vectors, a coordinate of each (diss-5.1-LDPAVGvec). *)
From Touchstone.core Require Import Everything Once.

Section sampled_mean.
Context {R : realType} (n : nat) (upper eps : R).
(** The public partition: the coordinate that user t sends. *)
Variable part : nat -> nat.
Hypotheses (upper_gt0 : 0 < upper) (eps_gt0 : 0 < eps).

Let scale : R := upper / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Let message (t : nat) (r : nat -> R) (_ : nat) : R := clip_between upper (r (part t)).

(** A single round, in which user t sends a clipped coordinate with Laplace noise. *)
Definition sampled_mean : algorithm R (@replace (nat -> R) n) Pure :=
  laplace_rounds n 1 (message := message) scale_gt0
    (fun t r r' => clip_between_l1 (ltW upper_gt0) (r (part t)) (r' (part t))).

(** Every user is eps-DP. *)
Theorem sampled_mean_private : private sampled_mean eps 0.
Proof.
apply: laplace_rounds_private.
by rewrite mul1r /scale invf_div mulrCA divff ?mulr1// gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_once in ltac:(let A := eval unfold sampled_mean, scale in sampled_mean in
  exact (steps A, fun t => described (step_of A t))).
End sampled_mean.
