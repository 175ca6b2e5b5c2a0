(** Dense EM for the mixture of two symmetric regressions (zhang-7). *)
From Touchstone.core Require Import Everything CoordinateSteps TruncatedModels.

Section dense_em_regressions.
Context {R : realType} (n d T m : nat) (eta K spread sigma : R).
Let O (_ : nat) := @vec R d.
(** Records are d features and a response, truncated to [-K, K] in the gradient. [beta past]: the
    point, any measurable function of what was released before; [spread] is the model's. *)
Variable beta : forall t, transcript O t -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (K_ge0 : 0 <= K) (sigma_gt0 : 0 < sigma)
  (mbeta : forall t j, measurable_fun setT (fun h => beta (t := t) h j)).

Let gradient t (h : transcript O t) := regression d spread K (beta h).
Let mgradient t r j : measurable_fun setT (fun h : transcript O t => gradient h r j).
Proof. exact: measurable_fun_regression (@mbeta t). Qed.
Let bound t (h : transcript O t) r r' j : `|gradient h r j - gradient h r' j| <= 2 * (K * K).
Proof. exact: regression_diameter. Qed.
Let K2 : 0 <= 2 * (K * K). Proof. by rewrite !mulr_ge0. Qed.

(** T noisy steps: beta + eta times the mean gradient over a block of m records. *)
Definition dense_em_regressions : algorithm R (@replace ((nat -> R) * R) n) Gaussian :=
  coordinate_steps n T m eta_ge0 K2 sigma_gt0 mbeta mgradient bound.

(** Every record is in one block: there is no factor T. *)
Theorem dense_em_regressions_private mu : 0 <= mu ->
  (Num.sqrt d%:R * (eta * (2 * (K * K))) / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private dense_em_regressions mu.
Proof. exact: coordinate_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_coordinates in ltac:(let A := eval unfold dense_em_regressions in dense_em_regressions in
  exact (steps A, fun t => described (step_of A t))).
End dense_em_regressions.
