(** Gradient steps with Gaussian noise on disjoint blocks, whose gradients are bounded in every
    coordinate. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section coordinate_steps.
Context {R : realType} (X : Type) (n d T m : nat) (eta C sigma : R).
Let O (_ : nat) := @vec R d.
(** The gradients of two records differ by C at most in every coordinate; gradient and point are any
    measurable functions of what was released before. *)
Variables (point : forall t, transcript O t -> nat -> R)
  (g : forall t, transcript O t -> X -> nat -> R).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (C_ge0 : 0 <= C) (sigma_gt0 : 0 < sigma)
  (mpoint : forall t j, measurable_fun setT (fun h => point (t := t) h j))
  (mg : forall t r j, measurable_fun setT (fun h => g (t := t) h r j))
  (bound : forall t h r r' j, `|g (t := t) h r j - g h r' j| <= C).

(** Its mean over the m records of a block is the point plus eta times the mean gradient. *)
Let v t (h : transcript O t) r j : R := point h j + eta * g h r j.

Let mv t r j : measurable_fun setT (fun h : transcript O t => v h r j).
Proof. by apply: measurable_funD => //; exact: measurable_funrM. Qed.

Let diameter t (h : transcript O t) r r' :
  \sum_(j < d) (v h r j - v h r' j) ^+ 2 <= (Num.sqrt d%:R * (eta * C)) ^+ 2.
Proof.
apply: (@coordinates_norm R d (fun j => v h r j - v h r' j)) => [|j]; first exact: mulr_ge0.
by rewrite /v opprD addrACA subrr add0r -mulrBr normrM ger0_norm// ler_wpmul2l.
Qed.

(** Step t reads the t-th block of m records. *)
Definition coordinate_steps : algorithm R (@replace X n) Gaussian :=
  @gaussian_means_diameter R X n T (fun=> d) (block m) v (fun=> m%:R) (fun=> sigma) mv
    (fun=> sigma_gt0) (fun=> Num.sqrt d%:R * (eta * C)) diameter.

(** A record is in one block: there is no factor T. *)
Theorem coordinate_steps_private mu : 0 <= mu ->
  (Num.sqrt d%:R * (eta * C) / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private coordinate_steps mu.
Proof.
move=> mu0 le; apply: (gaussian_disjoint (reads := block m)) => // [|t k].
  exact: block_disjoint.
rewrite /=; case b: (block m t k); [by right|left].
by rewrite expr0n mul0r.
Qed.
End coordinate_steps.

(** As [printed], with the names of this file. *)
Declare Reduction printed_coordinates := cbv beta iota zeta delta [coordinate_steps
  gaussian_means_diameter steps step_of described gaussian_release block].
