(** Dense EM for regression with missing covariates (zhang-8). *)
From Touchstone.core Require Import Everything CoordinateSteps TruncatedModels.

Section dense_em_missing.
Context {R : realType} (n d T m : nat) (eta K spread sigma : R).
Let O (_ : nat) := @vec R d.
(** Records are d features, any of which may be missing, and a response. [u past]: the point before
    it is clipped, any measurable function of what was released before; [spread] is the model's. *)
Variable u : forall t, transcript O t -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (K_ge0 : 0 <= K) (spread_gt0 : 0 < spread)
  (sigma_gt0 : 0 < sigma)
  (mpoint : forall t j, measurable_fun setT (fun h => u (t := t) h j)).

Let beta t (h : transcript O t) j : R := clip_entry (4 * (K * K)) (u h j).
Let mbeta t j : measurable_fun setT (fun h : transcript O t => beta h j).
Proof. exact: measurable_fun_clip_entry. Qed.
Let gradient t (h : transcript O t) := missing d spread K (beta h).
Let mgradient t r j : measurable_fun setT (fun h : transcript O t => gradient h r j).
Proof. by apply: measurable_fun_missing => // i; exact: mbeta. Qed.
Let bound t (h : transcript O t) r r' j : `|gradient h r j - gradient h r' j| <= 6 * (K * K).
Proof.
apply: missing_diameter => //; apply: clip_entry_le.
by rewrite mulr_ge0 ?ler0n// mulr_ge0.
Qed.
Let K2 : 0 <= 6 * (K * K). Proof. by rewrite mulr_ge0 ?ler0n// mulr_ge0. Qed.

(** T noisy steps: beta + eta times the mean gradient over a block of m records. *)
Definition dense_em_missing : algorithm R (@replace ((nat -> option R) * R) n) Gaussian :=
  coordinate_steps n T m eta_ge0 K2 sigma_gt0 mbeta mgradient bound.

(** Every record is in one block: there is no factor T. *)
Theorem dense_em_missing_private mu : 0 <= mu ->
  (Num.sqrt d%:R * (eta * (6 * (K * K))) / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private dense_em_missing mu.
Proof. exact: coordinate_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_coordinates in ltac:(let A := eval unfold dense_em_missing in dense_em_missing in
  exact (steps A, fun t => described (step_of A t))).
End dense_em_missing.
