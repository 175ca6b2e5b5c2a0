(** Coefficients of users' polynomials for disjunctions of k bits (diss-5.1.35). *)
From Touchstone.core Require Import Everything Once.

Section marginals.
Context {R : realType} (X : Type) (n N : nat) (S eps : R).
(** N public coefficients, S the sum of their sizes; which monomials a user's bits cover. *)
Variables (c : nat -> R) (covers : X -> nat -> bool).
Hypotheses (eps_gt0 : 0 < eps) (S_gt0 : 0 < S) (sizes : \sum_(i < N) `|c i| = S).

Let scale : R := S / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Let message (r : X) (i : nat) : R := c i * (covers r i)%:R.

Let diameter r r' : \sum_(i < N) `|message r i - message r' i| <= S.
Proof.
rewrite -sizes; apply: ler_sum => i _; rewrite /message -mulrBr normrM ler_pimulr ?normr_ge0//.
by case: (covers r i); case: (covers r' i); rewrite ?subrr ?subr0 ?sub0r ?normrN ?normr0 ?normr1.
Qed.

(** User t sends all its coefficients with Laplace noise. *)
Definition marginals : algorithm R (@replace X n) Pure :=
  laplace_users n scale_gt0 diameter.

(** Every user is eps-DP. *)
Theorem marginals_private : private marginals eps 0.
Proof.
apply: laplace_users_private; first exact: ltW.
by rewrite /scale invf_div mulrCA divff ?mulr1// gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold marginals, scale in marginals in
  exact (steps A, fun t => described (step_of A t))).
End marginals.
