(** Mean of n users' numbers by Laplace noise (diss-5.1.30). *)
From Touchstone.core Require Import Everything.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

Section laplace_mean.
Context {R : realType} (n : nat) (upper eps : R).
Hypotheses (upper_gt0 : 0 < upper) (eps_gt0 : 0 < eps).

(** Clip to [0, upper]. *)
Definition clipped (v : R) : R := Num.max 0 (Num.min v upper).

Lemma clipped_diameter v w : `|clipped v - clipped w| <= upper.
Proof.
have c y : 0 <= clipped y <= upper.
  by rewrite /clipped le_maxr lexx /= le_maxl (ltW upper_gt0) le_minl lexx orbT.
have /andP[a b] := c v; have /andP[a' b'] := c w.
rewrite ler_norml ler_subr_addr ler_subl_addr; apply/andP; split.
  by rewrite (le_trans _ a)// addrC subr_le0.
by rewrite (le_trans b)// ler_addl.
Qed.

Let scale : R := upper / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Let diameter v w : \sum_(i < 1) `|clipped v - clipped w| <= upper.
Proof. by rewrite big_ord_recl big_ord0 addr0 clipped_diameter. Qed.

(** User t sends the clipped number with Laplace noise. *)
Definition laplace_mean : algorithm R (@replace R n) Pure :=
  laplace_users n (message := fun v _ => clipped v) scale_gt0 diameter.

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
