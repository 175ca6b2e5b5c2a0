(** Sparse EM for the mixture of two symmetric regressions (zhang-5). *)
From Touchstone.core Require Import Everything NoisyMax Peeling TruncatedModels.

Section sparse_em_regressions.
Context {R : realType} (n k s T m : nat) (eta K sigma b : R).
Let O := @peeled R k s.
(** Records are k + 1 features and a response, truncated to [-K, K] in the gradient.
    [beta past]: the point, any measurable function of what was released before;
    [excluded], [chosen]: as in Peeling.v. *)
Variables (beta : forall t, transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (K_ge0 : 0 <= K) (b_gt0 : 0 < b)
  (mbeta : forall t j, measurable_fun setT (fun h => beta (t := t) h j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t)).

Let gradient t (h : transcript O t) := regression k.+1 sigma K (beta h).
Let mgradient t r j : measurable_fun setT (fun h : transcript O t => gradient h r j).
Proof. exact: measurable_fun_regression (@mbeta t). Qed.
Let bound t (h : transcript O t) r r' j : `|gradient h r j - gradient h r' j| <= 2 * (K * K).
Proof. exact: regression_diameter. Qed.

(** T peelings of beta + eta times the mean gradient over a block of m records. *)
Definition sparse_em_regressions : algorithm R (@replace ((nat -> R) * R) n) Pure :=
  block_peeling n T m_gt0 eta_ge0 b_gt0 mbeta mgradient mexcluded mchosen bound.

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. *)
Theorem sparse_em_regressions_private :
  private sparse_em_regressions (s%:R * (3 * (eta * (2 * (K * K)) / m%:R / b))) 0 /\
  concentrated_private sparse_em_regressions (s%:R * (5 / 2 * (eta * (2 * (K * K)) / m%:R / b) ^+ 2)).
Proof. by apply: block_peeling_private; rewrite !mulr_ge0. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold sparse_em_regressions in sparse_em_regressions in
  exact (steps A, fun t => described (step_of A t))).
End sparse_em_regressions.
