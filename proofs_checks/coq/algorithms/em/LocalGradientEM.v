(** Gradient EM in the local model, a block of users a round (wang-ldp-em). *)
From Touchstone.core Require Import Everything.

Section local_gradient_em.
Context {R : realType} (X : Type) (n p d N : nat).
Let O (_ : nat) := @vec R d.
(** N of the n users are asked, each once; [w t past]: the parameter that user t is sent, any
    measurable function of what was sent before. *)
Variables (B sigma : R) (w : forall t, transcript O t -> @vec R p).
(** Coordinate i of a user's gradient, smoothly truncated: at most B = (2 sqrt 2/3) s. *)
Variable truncated : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mtruncated : forall r i, measurable_fun setT (fun theta => truncated theta r i))
  (sigma_gt0 : 0 < sigma) (B_ge0 : 0 <= B)
  (bounded : forall theta r i, `|truncated theta r i| <= B).

Let mv t r i : measurable_fun setT (fun h : transcript O t => truncated (w h) r i).
Proof. exact: (measurable_fun_comp (mtruncated r i) (@mw t)). Qed.

Definition local_gradient_em : algorithm R (@replace X n) Gaussian :=
  @gaussian_means R X n N (fun=> d) (@user n) (fun t h r i => truncated (w h) r i) (fun=> 1)
    (fun=> sigma) mv (fun=> sigma_gt0) (fun=> Num.sqrt d%:R * B)
    (fun t h r => coordinates_norm d B_ge0 (bounded (w h) r)).

(** Every user is mu-Gaussian-DP: nobody is asked twice. *)
Theorem local_gradient_em_private mu : 0 <= mu ->
  (2 * (Num.sqrt d%:R * B)) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private local_gradient_em mu.
Proof.
move=> mu0 le; apply: (gaussian_disjoint (reads := @user n)) => // [|t k].
  exact: user_disjoint.
rewrite /=; case b: (user t k); [by right; rewrite divr1|left].
by rewrite expr0n mul0r.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold local_gradient_em in local_gradient_em in
  exact (steps A, fun t => described (step_of A t))).
End local_gradient_em.
