(** Mean of n users' numbers by Laplace noise (diss-5.1.30). *)
From Touchstone.core Require Import Everything Once.

Section laplace_mean.
Context {R : realType} (n : nat) (upper eps : R).
Hypotheses (upper_gt0 : 0 < upper) (eps_gt0 : 0 < eps).

Let scale : R := upper / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

(** User t sends the clipped number with Laplace noise. *)
Definition laplace_mean : algorithm R (@replace R n) Pure :=
  laplace_users n (message := fun v _ => clip_between upper v) scale_gt0
    (clip_between_l1 (ltW upper_gt0)).

(** Every user is eps-DP. *)
Theorem laplace_mean_private : private laplace_mean eps 0.
Proof.
apply: laplace_users_private; first exact: ltW.
by rewrite /scale invf_div mulrCA divff ?mulr1// gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold laplace_mean, scale in laplace_mean in
  exact (steps A, fun t => described (step_of A t))).
End laplace_mean.
