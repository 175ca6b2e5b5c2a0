(** One release of an averaged path, convex losses of pairs plus a quadratic (diss-3.3.15). *)
From Touchstone.core Require Import Everything Once PairwisePaths.

Section offline_convex.
Context {R : realType} (X : Type) (n d T1 : nat) (G L al lam far H sigma : R).
(** The loss is al-strongly convex, or convex: al = 0; lam |u - initial|^2/2 is added to it. No
    point of C is farther than far from the initial one. *)
Variables (C : (nat -> R) -> Prop) (gradient : X -> X -> (nat -> R) -> nat -> R)
  (project : (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (G_ge0 : 0 <= G) (lam_ge0 : 0 <= lam) (far_ge0 : 0 <= far) (al_gt0 : 0 < al + lam)
  (sigma_gt0 : 0 < sigma)
  (lipschitz : forall r r' u, C u -> norm2 d (gradient r r' u) <= G ^+ 2)
  (diameter : forall u, C u -> norm2 d (fun i => u i - initial i) <= far ^+ 2)
  (convex_smooth : forall r r', coercive d C al L (gradient r r'))
  (initial_in : C initial) (project_in : forall u, C (project u))
  (project_close : forall u v,
    norm2 d (fun i => project u i - project v i) <= norm2 d (fun i => u i - v i))
  (T1_gt0 : (0 < T1)%N) (first_phase : L + 2 * (al + lam) <= (al + lam) * T1.+1%:R)
  (harmonic : \sum_(T1 <= t < n) t.+1%:R^-1 = H).

Let regularized r r' (u : nat -> R) (i : nat) : R := gradient r r' u i + lam * (u i - initial i).

Let G_all_ge0 : 0 <= G + lam * far. Proof. by rewrite addr_ge0// mulr_ge0. Qed.
Let lipschitz_all r r' u : C u -> norm2 d (regularized r r' u) <= (G + lam * far) ^+ 2.
Proof.
move=> Cu; apply: norm2_add => //; [exact: mulr_ge0|exact: lipschitz|].
by rewrite norm2_scale exprMn ler_wpmul2l ?sqr_ge0// diameter.
Qed.
Let convex_smooth_all r r' : coercive d C (al + lam) L (regularized r r').
Proof.
move=> u v; suff -> : rest (al + lam) (regularized r r') u v = rest al (gradient r r') u v.
  exact: convex_smooth.
by apply/funext => i; rewrite /rest /regularized; ring.
Qed.

Definition offline_convex : algorithm R (@replace X n) Gaussian :=
  averaged_path G_all_ge0 al_gt0 sigma_gt0 lipschitz_all convex_smooth_all initial_in project_in
    project_close T1_gt0 first_phase harmonic.

Theorem offline_convex_private mu : 0 <= mu ->
  (4 * (G + lam * far) / ((al + lam) * n%:R) * H) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private offline_convex mu.
Proof. exact: averaged_path_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_paths in ltac:(let A := eval unfold offline_convex in offline_convex in
  exact (steps A, fun t => described (step_of A t))).
End offline_convex.
