(** Selection of a vertex by its inner product with a mean (hu-expmech). *)
From Touchstone.core Require Import Everything Polytopes.

Section vertex_selection.
Context {R : realType} (X : Type) (n p k : nat) (G W eps : R).
Let O (_ : nat) := @candidates R k.
(** k + 1 vertices within l1 distance W of the first, the centre. *)
Variables (vertex : nat -> nat -> R) (centre : nat -> R).
(** A record, clipped to [-G, G] in every coordinate. *)
Variable g : forall t, transcript O t -> X -> nat -> R.
Hypotheses (n_gt0 : (0 < n)%N) (eps_gt0 : 0 < eps) (G_gt0 : 0 < G) (W_gt0 : 0 < W)
  (mg : forall t r i, measurable_fun setT (fun h => g (t := t) h r i))
  (bounded : forall t h r i, `|g (t := t) h r i| <= G)
  (l1_distance : forall j, \sum_(i < p) `|vertex j i - centre i| <= W).

(** One selection. *)
Definition vertex_selection : algorithm R (@replace X n) Pure :=
  pure_polytope_selections 1 eps_gt0 G_gt0 W_gt0 mg bounded l1_distance n_gt0.

Theorem vertex_selection_private : private vertex_selection eps 0.
Proof. by have := @pure_polytope_selections_private R X n p k 1 G W eps vertex centre g eps_gt0 G_gt0 W_gt0 mg bounded l1_distance n_gt0; rewrite mul1r. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_selections in ltac:(let A := eval unfold vertex_selection in vertex_selection in
  exact (steps A, fun t => described (step_of A t))).
End vertex_selection.
