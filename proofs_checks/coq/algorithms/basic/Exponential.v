(** The exponential mechanism on sums of clipped scores (diss-2.exponential). *)
From Touchstone.core Require Import Everything.

Section exponential.
Context {R : realType} (n k : nat) (b eps : R).
Hypotheses (b_gt0 : 0 < b) (eps_gt0 : 0 < eps).

(** A record has a score for each of k + 1 candidates, clipped to [-b, b]. *)
Let O (_ : nat) := @candidates R k.
Let v t (_ : transcript O t) (j : nat) (r : nat -> R) : R := clip_entry b (r j).

Let mv t j r : measurable_fun setT (fun h : transcript O t => v h j r).
Proof. exact: measurable_fun_cst. Qed.
Let diameter t (h : transcript O t) j r r' : `|v h j r - v h j r'| <= 2 * b.
Proof. by apply: clip_entry_diameter; exact: ltW. Qed.

Let rate : R := eps / (2 * (2 * b)).
Let rate_gt0 : 0 < rate. Proof. by rewrite divr_gt0// !mulr_gt0. Qed.

(** The sums over all records, once. *)
Definition exponential : algorithm R (@replace (nat -> R) n) Pure :=
  pure_selections 1 mv rate_gt0 diameter (fun=> xpredT) (ltr01 : 0 < 1 :> R).

Theorem exponential_private : private exponential eps 0.
Proof.
apply: pure_algorithm => i; rewrite (total_const (r := eps)) ?mul1r// => t /=.
by rewrite /rate; field; rewrite gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold exponential, rate in exponential in
  exact (steps A, fun t => described (step_of A t))).
End exponential.
