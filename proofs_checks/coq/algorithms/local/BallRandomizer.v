(** Unbiased vectors of a public norm by the l2-ball randomizer (diss-5.3.rand). *)
From Touchstone.core Require Import Everything Bits.

Section ball_randomizer.
Context {R : realType} (n d : nat) (radius eps : R).
(** The directions, drawn at random without the data. *)
Variable direction : nat -> nat -> R.
Hypotheses (eps_gt0 : 0 < eps) (radius_gt0 : 0 < radius).

(** User t sends on which side of its direction its vector, scaled to norm at most radius, is. *)
Definition ball_randomizer : algorithm R (@replace (nat -> R) n) Pure :=
  ball_users n d direction (vector := fun t _ r => clip d radius r) eps_gt0 radius_gt0
    (fun t r i => measurable_fun_cst (clip d radius r i)).

(** Every user is eps-DP, at any directions. *)
Theorem ball_randomizer_private : private ball_randomizer eps 0.
Proof. exact: ball_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_bits in ltac:(let A := eval unfold ball_randomizer in ball_randomizer in
  exact (steps A, fun t => described (step_of A t))).
End ball_randomizer.
