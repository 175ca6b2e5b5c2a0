(** Dense EM for a latent-variable model: truncated gradient steps with Gaussian noise (zhang-4). *)
From Touchstone.core Require Import Everything CoordinateSteps.

Section dense_em.
Context {R : realType} (X : Type) (n d T m : nat) (eta G sigma : R).
Let O (_ : nat) := @vec R d.
(** [beta past]: the point, any measurable function of what was released before; the model's
    truncated gradients of two records differ by G at most in every coordinate. *)
Variables (beta : forall t, transcript O t -> nat -> R)
  (gradient : forall t, transcript O t -> X -> nat -> R).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (G_ge0 : 0 <= G) (sigma_gt0 : 0 < sigma)
  (mbeta : forall t j, measurable_fun setT (fun h => beta (t := t) h j))
  (mgradient : forall t r j, measurable_fun setT (fun h => gradient (t := t) h r j))
  (bounded : forall t h r r' j, `|gradient (t := t) h r j - gradient h r' j| <= G).

(** T noisy steps: beta + eta times the mean gradient over a block of m records. *)
Definition dense_em : algorithm R (@replace X n) Gaussian :=
  coordinate_steps n T m eta_ge0 G_ge0 sigma_gt0 mbeta mgradient bounded.

(** Every record is in one block: there is no factor T. *)
Theorem dense_em_private mu : 0 <= mu ->
  (Num.sqrt d%:R * (eta * G) / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private dense_em mu.
Proof. exact: coordinate_steps_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_coordinates in ltac:(let A := eval unfold dense_em in dense_em in
  exact (steps A, fun t => described (step_of A t))).
End dense_em.
