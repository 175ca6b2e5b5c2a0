(** Minimiser over a net of a ball by the exponential mechanism (diss-4.2.4-EM). *)
From Touchstone.core Require Import Everything.

Section net_minimizer.
Context {R : realType} (X : Type) (n k : nat) (G radius eps : R).
(** k + 1 points of norm at most the radius; a record's gain over the origin, and the public
    regulariser, at each of them. *)
Variables (norm regularizer : nat -> R) (gain : nat -> X -> R).
Hypotheses (n_gt0 : (0 < n)%N) (eps_gt0 : 0 < eps) (G_gt0 : 0 < G) (radius_gt0 : 0 < radius)
  (in_ball : forall j, 0 <= norm j <= radius).

Let O (_ : nat) := @candidates R k.
(** The gain is clipped to what a G-Lipschitz loss allows. *)
Let v t (_ : transcript O t) (j : nat) (r : X) : R :=
  clip_entry (G * norm j) (gain j r) - regularizer j.

Let mv t j r : measurable_fun setT (fun h : transcript O t => v h j r).
Proof. exact: measurable_fun_cst. Qed.

Let diameter t (h : transcript O t) j r r' : `|v h j r - v h j r'| <= 2 * G * radius.
Proof.
have /andP[n0 nr] := in_ball j.
rewrite /v opprB addrA subrK (le_trans (clip_entry_diameter _ _ _)) ?mulr_ge0 ?(ltW G_gt0)//.
by rewrite -mulrA ler_wpmul2l// ler_wpmul2l// ltW.
Qed.

Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Let rate : R := eps / (2 * (2 * G * radius / n%:R)).
Let rate_gt0 : 0 < rate.
Proof. by rewrite divr_gt0// mulr_gt0// divr_gt0// !mulr_gt0. Qed.

Definition net_minimizer : algorithm R (@replace X n) Pure :=
  pure_mean_selections 1 mv rate_gt0 diameter n_gt0.

Theorem net_minimizer_private : private net_minimizer eps 0.
Proof.
have := @pure_mean_selections_private R X n k 1 _ _ _ mv rate_gt0 diameter n_gt0.
rewrite mul1r (_ : 2 * rate * _ = eps)//.
by rewrite /rate; field; rewrite !gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold net_minimizer, rate in net_minimizer in
  exact (steps A, fun t => described (step_of A t))).
End net_minimizer.
