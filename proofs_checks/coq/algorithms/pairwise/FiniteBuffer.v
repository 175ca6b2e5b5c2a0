(** FBOnPairStrC: online learning from pairs with a buffer, strongly convex losses (diss-3.3.12). *)
From Touchstone.core Require Import Everything.

Section finite_buffer.
Context {R : realType} (X : Type) (n d T1 s : nat) (alpha L G multiplier : R).
(** The loss of a pair, alpha-strongly convex and L-smooth; its gradient, of l2 norm at most G on the
    set C; the projection on C; what the buffer holds when record t comes: s earlier records or
    all of them, each once, as any public draw says. *)
Variables (loss : X -> X -> (nat -> R) -> R) (grad : X -> X -> (nat -> R) -> nat -> R)
  (C : (nat -> R) -> Prop) (project : (nat -> R) -> nat -> R) (initial : nat -> R)
  (buffer : nat -> seq 'I_n).
Hypotheses (strong : forall r r', strongly_convex d alpha (loss r r') (grad r r'))
  (smooth_loss : forall r r', smooth d L (loss r r') (grad r r'))
  (lipschitz : forall r r' u, C u -> norm2 d (grad r r' u) <= G ^+ 2)
  (nearest : projection d C project) (initial_in : C initial)
  (alpha_gt0 : 0 < alpha) (alpha_le : alpha <= L) (G_gt0 : 0 < G) (multiplier_gt0 : 0 < multiplier)
  (T1_gt0 : (0 < T1)%N) (first_phase : L <= alpha * T1%:R) (s_gt0 : (0 < s)%N)
  (full : forall t, (T1 <= t < n)%N -> size (buffer t) = minn s t)
  (once : forall t, (T1 <= t < n)%N -> uniq (buffer t))
  (earlier : forall t (j : 'I_n), (T1 <= t < n)%N -> j \in buffer t -> (j < t)%N).

(** The parameter of every round after T1, of steps on the pairs with the buffer, with noise in
    proportion to its sensitivity; the steps go on without noise. *)
Definition finite_buffer : algorithm R (@replace X n) Gaussian :=
  @pair_stream R X n d T1 alpha L G loss grad C project initial buffer strong smooth_loss lipschitz
    nearest initial_in alpha_gt0 alpha_le G_gt0 first_phase (buffer_some s_gt0 T1_gt0 full) once
    earlier (buffer_growth s) (fun t _ => buffer_growth_ge1 s t)
    (buffer_grows s_gt0 T1_gt0 full) multiplier multiplier_gt0.

(** All n - T1 released parameters together are mu-Gaussian-DP, whatever the buffer held. *)
Theorem finite_buffer_private mu : 0 <= mu ->
  (n - T1)%:R / multiplier ^+ 2 <= mu ^+ 2 -> gaussian_private finite_buffer mu.
Proof. exact: pair_stream_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_pairs in ltac:(let A := eval unfold finite_buffer, buffer_growth in finite_buffer in
  exact (steps A, fun t => described (step_of A t))).
End finite_buffer.
