(** The mean of x x^T with Laplace noise on the upper triangle. *)
From Touchstone.core Require Import Everything Once Triangles.
Local Open Scope ring_scope.

Section moments.
Context {R : realType} (X : Type) (n p : nat) (eps : R).
Variable row : X -> nat -> R.
Hypotheses (n_gt0 : (0 < n)%N) (p_gt0 : (0 < p)%N) (eps_gt0 : 0 < eps)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

Definition moment_scale : R := moment_l1 p / n%:R / eps.
Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Let scale_gt0 : 0 < moment_scale. Proof. by rewrite !divr_gt0// moment_l1_gt0. Qed.

Let second_moment (x : 'I_n -> X) (i : nat) : R :=
  mean n%:R xpredT (fun r => entry p (row r) i) x.

Let moves k x x' : replace k x x' ->
  \sum_(i < size (pairs p)) `|second_moment x i - second_moment x' i| <= moment_l1 p / n%:R.
Proof.
move=> e; apply: (mean_l1_diameter xpredT nR e (v := fun r => entry p (row r))) => r r'.
exact: moment_l1_le.
Qed.

Definition laplace_moments : algorithm R (@replace X n) Pure :=
  laplace_once scale_gt0 moves.

Theorem laplace_moments_private : private laplace_moments eps 0.
Proof.
apply: laplace_once_private; rewrite /moment_scale invf_div mulrCA divff ?mulr1//.
by rewrite gt_eqF// divr_gt0// moment_l1_gt0.
Qed.
End moments.

(** As [printed_once], with the names of this file. *)
Declare Reduction printed_moments := cbv beta iota zeta delta [laplace_moments moment_scale moment_l1
  laplace_once steps step_of described laplace_release].
