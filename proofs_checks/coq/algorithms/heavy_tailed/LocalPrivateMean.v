(** Mean of n users' heavy-tailed numbers, truncated smoothly (wang-ldp-mean). *)
From Touchstone.core Require Import Everything.

Section local_private_mean.
Context {R : realType} (X : Type) (n : nat) (B sigma : R).
(** A user's number, smoothly truncated: at most B = (2 sqrt 2/3) s. *)
Variable truncated : X -> R.
Hypotheses (B_ge0 : 0 <= B) (sigma_gt0 : 0 < sigma) (bounded : forall r, `|truncated r| <= B).

Let message r (_ : nat) : R := truncated r.

Let diameter r r' : \sum_(i < 1) (message r i - message r' i) ^+ 2 <= (2 * B) ^+ 2.
Proof.
rewrite big_ord_recl big_ord0 addr0 -[leLHS]ger0_norm ?sqr_ge0// normrX.
rewrite ler_expn2r ?nnegrE ?normr_ge0 ?mulr_ge0//.
by rewrite (le_trans (ler_norm_sub _ _))// mulr2n mulrDl mul1r ler_add ?bounded.
Qed.

Definition local_private_mean : algorithm R (@replace X n) Gaussian :=
  gaussian_users n sigma_gt0 diameter.

(** Every user is mu-Gaussian-DP. *)
Theorem local_private_mean_private mu : 0 <= mu ->
  (2 * B) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private local_private_mean mu.
Proof. exact: gaussian_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold local_private_mean in local_private_mean in
  exact (steps A, fun t => described (step_of A t))).
End local_private_mean.
