(** Sparse EM for a latent-variable model: peelings of truncated gradient steps (zhang-2). *)
From Touchstone.core Require Import Everything NoisyMax Peeling.

Section sparse_em.
Context {R : realType} (X : Type) (n k s T m : nat) (eta G b : R).
Let O := @peeled R k s.
(** [beta past]: the point, any measurable function of what was released before;
    [excluded], [chosen]: as in Peeling.v. *)
Variables (beta : forall t, transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
(** The model's truncated gradient of a record; any two differ by G at most in every coordinate. *)
Variable gradient : forall t, transcript O t -> X -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (G_ge0 : 0 <= G) (b_gt0 : 0 < b)
  (mbeta : forall t j, measurable_fun setT (fun h => beta (t := t) h j))
  (mgradient : forall t r j, measurable_fun setT (fun h => gradient (t := t) h r j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t))
  (bounded : forall t h r r' j, `|gradient (t := t) h r j - gradient h r' j| <= G).

(** T peelings of beta + eta times the mean gradient over a block of m records. *)
Definition sparse_em : algorithm R (@replace X n) Pure :=
  block_peeling n T m_gt0 eta_ge0 b_gt0 mbeta mgradient mexcluded mchosen bounded.

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. *)
Theorem sparse_em_private : private sparse_em (s%:R * (3 * (eta * G / m%:R / b))) 0 /\
  concentrated_private sparse_em (s%:R * (5 / 2 * (eta * G / m%:R / b) ^+ 2)).
Proof. exact: block_peeling_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold sparse_em in sparse_em in
  exact (steps A, fun t => described (step_of A t))).
End sparse_em.
