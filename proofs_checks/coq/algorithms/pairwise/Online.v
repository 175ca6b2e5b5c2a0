(** OnPairStrC: online learning from all pairs so far, strongly convex losses (diss-3.3.9). *)
From Touchstone.core Require Import Everything.

Section online.
Context {R : realType} (X : Type) (n d T1 : nat) (alpha L G multiplier : R).
(** The loss of a pair, alpha-strongly convex and L-smooth; its gradient, of l2 norm at most G on the
    set C; the projection on C. *)
Variables (loss : X -> X -> (nat -> R) -> R) (grad : X -> X -> (nat -> R) -> nat -> R)
  (C : (nat -> R) -> Prop) (project : (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (strong : forall r r', strongly_convex d alpha (loss r r') (grad r r'))
  (smooth_loss : forall r r', smooth d L (loss r r') (grad r r'))
  (lipschitz : forall r r' u, C u -> norm2 d (grad r r' u) <= G ^+ 2)
  (nearest : projection d C project) (initial_in : C initial)
  (alpha_gt0 : 0 < alpha) (alpha_le : alpha <= L) (G_gt0 : 0 < G) (multiplier_gt0 : 0 < multiplier)
  (T1_gt0 : (0 < T1)%N) (first_phase : L <= alpha * T1%:R).

(** The parameter of every round after T1, of steps on the pairs with all earlier records, with
    noise in proportion to its sensitivity 4 G/(alpha t); the steps go on without noise. *)
Definition online : algorithm R (@replace X n) Gaussian :=
  @pair_stream R X n d T1 alpha L G loss grad C project initial (@all_earlier n) strong smooth_loss
    lipschitz nearest initial_in alpha_gt0 alpha_le G_gt0 first_phase
    (all_earlier_some T1_gt0) (fun t _ => all_earlier_uniq n t) (fun t j _ => @all_earlier_lt n t j)
    (fun=> 1) (fun t _ => lexx 1) (@all_earlier_grows R n T1) multiplier multiplier_gt0.

(** All n - T1 released parameters together are mu-Gaussian-DP. *)
Theorem online_private mu : 0 <= mu ->
  (n - T1)%:R / multiplier ^+ 2 <= mu ^+ 2 -> gaussian_private online mu.
Proof. exact: pair_stream_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_pairs in ltac:(let A := eval unfold online in online in
  exact (steps A, fun t => described (step_of A t))).
End online.
