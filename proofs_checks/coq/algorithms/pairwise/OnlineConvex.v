(** OnPairC: online learning from all pairs so far, convex losses, regularised (diss-3.3.10). *)
From Touchstone.core Require Import Everything.

Section online_convex.
Context {R : realType} (X : Type) (n d T1 : nat) (alpha L G strength radius multiplier : R).
(** The loss of a pair, alpha-strongly convex (0 if it is only convex) and L-smooth; its gradient,
    of l2 norm at most G on the set C of vectors of norm at most the radius; the projection on C;
    the first parameter, which is the centre of the regulariser. *)
Variables (loss : X -> X -> (nat -> R) -> R) (grad : X -> X -> (nat -> R) -> nat -> R)
  (C : (nat -> R) -> Prop) (project : (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (strong : forall r r', strongly_convex d alpha (loss r r') (grad r r'))
  (smooth_loss : forall r r', smooth d L (loss r r') (grad r r'))
  (lipschitz : forall r r' u, C u -> norm2 d (grad r r' u) <= G ^+ 2)
  (nearest : projection d C project) (initial_in : C initial)
  (inside : forall u, C u -> norm2 d u <= radius ^+ 2) (alpha_gt0 : 0 < alpha + strength)
  (alpha_le : alpha <= L) (G_gt0 : 0 < G) (strength_gt0 : 0 < strength) (radius_ge0 : 0 <= radius)
  (multiplier_gt0 : 0 < multiplier) (T1_gt0 : (0 < T1)%N)
  (first_phase : L + strength <= (alpha + strength) * T1%:R).

(** The parameter of every round after T1, of steps on the pairs with all earlier records, with
    noise in proportion to its sensitivity; the steps go on without noise. *)
Definition online_convex : algorithm R (@replace X n) Gaussian :=
  @pair_stream R X n d T1 (alpha + strength) (L + strength) (G + strength * (2 * radius))
    (regularized d strength loss initial) (regularized_grad strength grad initial) C project initial
    (@all_earlier n) (regularized_strong strength initial strong)
    (regularized_smooth strength initial smooth_loss)
    (regularized_lipschitz lipschitz initial_in inside (ltW G_gt0) (ltW strength_gt0) radius_ge0)
    nearest initial_in alpha_gt0 (regularized_le strength alpha_le)
    (regularized_gt0 (ltW strength_gt0) radius_ge0 G_gt0) first_phase
    (all_earlier_some T1_gt0) (fun t _ => all_earlier_uniq n t) (fun t j _ => @all_earlier_lt n t j)
    (fun=> 1) (fun t _ => lexx 1) (@all_earlier_grows R n T1) multiplier multiplier_gt0.

(** All n - T1 released parameters together are mu-Gaussian-DP. *)
Theorem online_convex_private mu : 0 <= mu ->
  (n - T1)%:R / multiplier ^+ 2 <= mu ^+ 2 -> gaussian_private online_convex mu.
Proof. exact: pair_stream_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_pairs in ltac:(let A := eval unfold online_convex in online_convex in
  exact (steps A, fun t => described (step_of A t))).
End online_convex.
