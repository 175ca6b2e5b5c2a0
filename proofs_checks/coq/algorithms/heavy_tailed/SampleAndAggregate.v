(** Sample-and-aggregate: the centre of attention of the estimates on many blocks (diss-3.2.5). *)
From Touchstone.core Require Import Everything SmoothSensitivity.

Section sample_and_aggregate.
Context {R : realType} (X : Type) (n d : nat) (gamma tau : R).
(** Of the n records in the blocks: the centre of attention of the estimates and its smooth bound,
    which grows by e^tau at most. *)
Variables (centre : ('I_n -> X) -> nat -> R) (bound : ('I_n -> X) -> R).
Hypotheses (gamma_gt0 : 0 < gamma) (bound_gt0 : forall x, 0 < bound x)
  (moves : forall k x x', replace k x x' ->
    \sum_(i < d) (centre x i - centre x' i) ^+ 2 <= bound x ^+ 2)
  (smooth : forall k x x', replace k x x' -> expR (- tau) <= bound x / bound x' <= expR tau).

(** The centre, with normal noise of standard deviation bound/gamma in every coordinate. *)
Definition sample_and_aggregate : smooth_release _ d 'I_n :=
  smooth_once d centre gamma_gt0 bound_gt0 'I_n.

(** A share e1 of epsilon pays for the mean, e2 for the scale. The sensitivity is assumed: that the
    centre moves by the bound at most, which is smooth, is derived with the code. *)
Theorem sample_and_aggregate_private e1 e2 dl1 dl2 e dl : e1 + e2 <= e ->
  (gaussian_delta gamma e1 <= dl1%:E)%E -> dilation d tau e2 dl2 -> dl1 + expR e1 * dl2 <= dl ->
  private_density (@replace X n) (smooth_law sample_and_aggregate) e dl.
Proof.
move=> le_e slide_le dilation_le le_dl d0 U f mf; apply: post_processing.
by apply: (smooth_noise_DP _ _ _ _ slide_le dilation_le) => // x x' [k];
  [exact: moves|exact: smooth].
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_smooth in ltac:(let A := eval unfold sample_and_aggregate in sample_and_aggregate in
  exact (1%N, fun _ : nat => smooth_described A)).
End sample_and_aggregate.
