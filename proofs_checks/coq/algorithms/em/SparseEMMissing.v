(** Sparse EM for regression with missing covariates (zhang-6). *)
From Touchstone.core Require Import Everything NoisyMax Peeling TruncatedModels.

Section sparse_em_missing.
Context {R : realType} (n k s T m : nat) (eta K sigma b : R).
Let O := @peeled R k s.
(** Records are k + 1 features, any of which may be missing, and a response.
    [u past]: the point before it is clipped, any measurable function of what was released before;
    [excluded], [chosen]: as in Peeling.v. *)
Variables (u : forall t, transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (K_ge0 : 0 <= K)
  (sigma_gt0 : 0 < sigma) (b_gt0 : 0 < b)
  (mpoint : forall t j, measurable_fun setT (fun h => u (t := t) h j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t)).

Let beta t (h : transcript O t) j : R := clip_entry (4 * (K * K)) (u h j).
Let mbeta t j : measurable_fun setT (fun h : transcript O t => beta h j).
Proof. exact: measurable_fun_clip_entry. Qed.
Let gradient t (h : transcript O t) := missing k.+1 sigma K (beta h).
Let mgradient t r j : measurable_fun setT (fun h : transcript O t => gradient h r j).
Proof. by apply: measurable_fun_missing => // i; exact: mbeta. Qed.
Let bound t (h : transcript O t) r r' j : `|gradient h r j - gradient h r' j| <= 6 * (K * K).
Proof.
apply: missing_diameter => //; apply: clip_entry_le.
by rewrite mulr_ge0 ?ler0n// mulr_ge0.
Qed.

(** T peelings of beta + eta times the mean gradient over a block of m records. *)
Definition sparse_em_missing : algorithm R (@replace ((nat -> option R) * R) n) Pure :=
  block_peeling n T m_gt0 eta_ge0 b_gt0 mbeta mgradient mexcluded mchosen bound.

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. *)
Theorem sparse_em_missing_private :
  private sparse_em_missing (s%:R * (3 * (eta * (6 * (K * K)) / m%:R / b))) 0 /\
  concentrated_private sparse_em_missing (s%:R * (5 / 2 * (eta * (6 * (K * K)) / m%:R / b) ^+ 2)).
Proof. by apply: block_peeling_private; rewrite mulr_ge0 ?ler0n// mulr_ge0. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold sparse_em_missing in sparse_em_missing in
  exact (steps A, fun t => described (step_of A t))).
End sparse_em_missing.
