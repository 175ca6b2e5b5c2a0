(** The Gaussian mechanism on a sum of clipped records (diss-2.gaussian). *)
From Touchstone.core Require Import Everything.

Section gaussian.
Context {R : realType} (n d : nat) (b sigma : R).
Hypotheses (b_ge0 : 0 <= b) (sigma_gt0 : 0 < sigma).

(** A record is a vector; its coordinates are clipped to [-b, b]. *)
Let O (_ : nat) := @vec R d.
Let v t (_ : transcript O t) (r : nat -> R) (i : nat) : R := clip_entry b (r i).

Let bound t (h : transcript O t) r : \sum_(i < d) v h r i ^+ 2 <= (Num.sqrt d%:R * b) ^+ 2.
Proof. by apply: coordinates_norm => // i; exact: clip_entry_le. Qed.

(** The sum over all records, once. *)
Definition gaussian : algorithm R (@replace (nat -> R) n) Gaussian :=
  @gaussian_means R (nat -> R) n 1 (fun=> d) (fun=> xpredT) v (fun=> 1) (fun=> sigma)
    (fun t r i => measurable_fun_cst (clip_entry b (r i))) (fun=> sigma_gt0)
    (fun=> Num.sqrt d%:R * b) bound.

Theorem gaussian_mechanism_private mu : 0 <= mu ->
  1%:R * ((2 * (Num.sqrt d%:R * b) / 1) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 ->
  Release.gaussian_private gaussian mu.
Proof.
move=> mu0 le.
apply: (gaussian_every_step (r := (2 * (Num.sqrt d%:R * b) / 1) ^+ 2 / sigma ^+ 2) mu0) => [t k|].
  by [].
exact: le.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold gaussian in gaussian in
  exact (steps A, fun t => described (step_of A t))).
End gaussian.
