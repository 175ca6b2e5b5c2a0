(** Robust gradients and noisy hard thresholding for heavy-tailed data (hu-5). *)
From Touchstone.core Require Import Everything NoisyMax Peeling.

Section sparse_optimisation.
Context {R : realType} (X : Type) (n k s T m : nat) (eta B b : R).
Let O := @peeled R k s.
(** [w past]: the point, any measurable function of what was released before;
    [excluded], [chosen]: as in Peeling.v. *)
Variables (w : forall t, transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
(** Coordinate j of a record's gradient, smoothly truncated: at most B = (2 sqrt 2/3) s. *)
Variable truncated : forall t, transcript O t -> X -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (B_ge0 : 0 <= B) (b_gt0 : 0 < b)
  (mw : forall t j, measurable_fun setT (fun h => w (t := t) h j))
  (mtruncated : forall t r j, measurable_fun setT (fun h => truncated (t := t) h r j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t))
  (bounded : forall t h r j, `|truncated (t := t) h r j| <= B).

(** T peelings of w - eta times the robust gradient of a block of m records. *)
Definition sparse_optimisation : algorithm R (@replace X n) Pure :=
  block_peeling n T m_gt0 eta_ge0 b_gt0 mw (measurable_opposite mtruncated) mexcluded mchosen
    (opposite_diameter bounded).

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. *)
Theorem sparse_optimisation_private :
  private sparse_optimisation (s%:R * (3 * (eta * (2 * B) / m%:R / b))) 0 /\
  concentrated_private sparse_optimisation (s%:R * (5 / 2 * (eta * (2 * B) / m%:R / b) ^+ 2)).
Proof. by apply: block_peeling_private; rewrite mulr_ge0. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold sparse_optimisation in sparse_optimisation in
  exact (steps A, fun t => described (step_of A t))).
End sparse_optimisation.
