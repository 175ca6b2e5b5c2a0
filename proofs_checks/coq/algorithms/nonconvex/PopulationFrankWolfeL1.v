(** DP-FW-L1 for generalised linear models and robust regression (diss-4.2.22). *)
From Touchstone.core Require Import Everything Polytopes.

Section population_frank_wolfe_l1.
Context {R : realType} (X : Type) (n p k T : nat) (G W eps : R).
Let O (_ : nat) := @candidates R k.
(** k + 1 vertices of l1 norm at most W. *)
Variables (vertex : nat -> nat -> R).
(** A record's gradient at the point of step t, of l-infinity norm at most G. *)
Variable g : forall t, transcript O t -> X -> nat -> R.
Hypotheses (n_gt0 : (0 < n)%N) (eps_gt0 : 0 < eps) (G_gt0 : 0 < G) (W_gt0 : 0 < W)
  (mg : forall t r i, measurable_fun setT (fun h => g (t := t) h r i))
  (bounded : forall t h r i, `|g (t := t) h r i| <= G)
  (l1_norm : forall j, \sum_(i < p) `|vertex j i| <= W).

Let l1_distance j : \sum_(i < p) `|vertex j i - 0| <= W.
Proof. by under eq_bigr do rewrite subr0. Qed.

(** T selections of budget eps each. *)
Definition population_frank_wolfe_l1 : algorithm R (@replace X n) Concentrated :=
  polytope_selections T (centre := (fun=> 0)) eps_gt0 G_gt0 W_gt0 mg bounded l1_distance n_gt0.

Theorem population_frank_wolfe_l1_private : concentrated_private population_frank_wolfe_l1 (T%:R * (eps ^+ 2 / 8)).
Proof. exact: polytope_selections_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_selections in ltac:(let A := eval unfold population_frank_wolfe_l1 in population_frank_wolfe_l1 in
  exact (steps A, fun t => described (step_of A t))).
End population_frank_wolfe_l1.
