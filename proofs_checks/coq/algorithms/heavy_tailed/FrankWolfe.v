(** Frank-Wolfe with robust gradients on disjoint blocks (hu-1). *)
From Touchstone.core Require Import Everything Polytopes.

Section frank_wolfe.
Context {R : realType} (X : Type) (n p k m T : nat) (G W eps : R).
Let O (_ : nat) := @candidates R k.
(** k + 1 vertices within l1 distance W of the first, the centre. *)
Variables (vertex : nat -> nat -> R) (centre : nat -> R).
(** A record's gradient at the point of step t, smoothly truncated: at most G = (2 sqrt 2/3) s. *)
Variable g : forall t, transcript O t -> X -> nat -> R.
Hypotheses (m_gt0 : (0 < m)%N) (eps_gt0 : 0 < eps) (G_gt0 : 0 < G) (W_gt0 : 0 < W)
  (mg : forall t r i, measurable_fun setT (fun h => g (t := t) h r i))
  (bounded : forall t h r i, `|g (t := t) h r i| <= G)
  (l1_distance : forall j, \sum_(i < p) `|vertex j i - centre i| <= W).

(** Step t reads the t-th block of m records. *)
Definition frank_wolfe : algorithm R (@replace X n) Pure :=
  block_polytope_selections n T eps_gt0 G_gt0 W_gt0 mg bounded l1_distance m_gt0.

Theorem frank_wolfe_private : private frank_wolfe eps 0.
Proof. exact: block_polytope_selections_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_selections in ltac:(let A := eval unfold frank_wolfe in frank_wolfe in
  exact (steps A, fun t => described (step_of A t))).
End frank_wolfe.
