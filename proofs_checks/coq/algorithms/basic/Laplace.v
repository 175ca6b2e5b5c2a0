(** The Laplace mechanism on a sum of clipped records (diss-2.laplace). *)
From Touchstone.core Require Import Everything Once.

Section laplace_sum.
Context {R : realType} (n d : nat) (b eps : R).
Hypotheses (d_gt0 : (0 < d)%N) (b_gt0 : 0 < b) (eps_gt0 : 0 < eps).

(** A record is a vector; its coordinates are clipped to [-b, b]. *)
Let clipped (r : nat -> R) (i : nat) : R := clip_entry b (r i).
Let total (x : 'I_n -> nat -> R) (i : nat) : R := mean 1 xpredT (clipped ^~ i) x.

Let Delta : R := 2 * d%:R * b.
Let scale : R := Delta / eps.
Let scale_gt0 : 0 < scale. Proof. by rewrite divr_gt0// !mulr_gt0// ltr0n. Qed.

Let moves k x x' : replace k x x' -> \sum_(i < d) `|total x i - total x' i| <= Delta.
Proof.
move=> e; have B r r' : \sum_(i < d) `|clipped r i - clipped r' i| <= Delta.
  rewrite (_ : Delta = \sum_(i < d) 2 * b); last by rewrite sumr_const card_ord -mulr_natl /Delta; ring.
  by apply: ler_sum => i _; exact: (clip_entry_diameter (ltW b_gt0)).
have := mean_l1_diameter xpredT (ltr01 : 0 < 1 :> R) e B.
by rewrite divr1.
Qed.

Definition laplace_sum : algorithm R (@replace (nat -> R) n) Pure :=
  laplace_once scale_gt0 moves.

Theorem laplace_sum_private : private laplace_sum eps 0.
Proof.
apply: laplace_once_private; rewrite /scale invf_div mulrCA divff ?mulr1//.
by rewrite gt_eqF// !mulr_gt0// ltr0n.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_once in ltac:(let A := eval unfold laplace_sum, scale, Delta in laplace_sum in
  exact (steps A, fun t => described (step_of A t))).
End laplace_sum.
