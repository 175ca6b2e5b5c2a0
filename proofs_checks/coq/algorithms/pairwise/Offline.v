(** One release of an averaged path, strongly convex losses of pairs (diss-3.3.14). *)
From Touchstone.core Require Import Everything Once PairwisePaths.

Section offline.
Context {R : realType} (X : Type) (n d T1 : nat) (G L al H sigma : R).
(** As in PairwisePaths: T1 is ceil((L + al)/al), H the sum of 1/t from T1 + 1 to n. *)
Variables (C : (nat -> R) -> Prop) (gradient : X -> X -> (nat -> R) -> nat -> R)
  (project : (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (G_ge0 : 0 <= G) (al_gt0 : 0 < al) (sigma_gt0 : 0 < sigma)
  (lipschitz : forall r r' u, C u -> norm2 d (gradient r r' u) <= G ^+ 2)
  (convex_smooth : forall r r', coercive d C al L (gradient r r'))
  (initial_in : C initial) (project_in : forall u, C (project u))
  (project_close : forall u v,
    norm2 d (fun i => project u i - project v i) <= norm2 d (fun i => u i - v i))
  (T1_gt0 : (0 < T1)%N) (first_phase : L + 2 * al <= al * T1.+1%:R)
  (harmonic : \sum_(T1 <= t < n) t.+1%:R^-1 = H).

Definition offline : algorithm R (@replace X n) Gaussian :=
  averaged_path G_ge0 al_gt0 sigma_gt0 lipschitz convex_smooth initial_in project_in project_close
    T1_gt0 first_phase harmonic.

Theorem offline_private mu : 0 <= mu ->
  (4 * G / (al * n%:R) * H) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private offline mu.
Proof. exact: averaged_path_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_paths in ltac:(let A := eval unfold offline in offline in
  exact (steps A, fun t => described (step_of A t))).
End offline.
