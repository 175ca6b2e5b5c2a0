(** Noisy hard thresholding of a vector (zhang-1). *)
From Touchstone.core Require Import Everything NoisyMax Peeling.

Section noisy_hard_thresholding.
Context {R : realType} (X : Type) (n k s : nat) (Delta b : R).
(** A vector of k + 1 coordinates; a record moves each by Delta at most: the caller's promise. *)
Variable v : ('I_n -> X) -> nat -> R.
Hypotheses (Delta_ge0 : 0 <= Delta) (b_gt0 : 0 < b)
  (sensitivity : forall i x x' j, replace i x x' -> `|v x j - v x' j| <= Delta).
Let O := @peeled R k s.
(** Who is left out of a selection, and which coordinate is released: as in Peeling.v. *)
Variables (excluded : forall t, transcript O t -> nat -> bool)
  (chosen : forall t, transcript O t -> nat).
Hypotheses (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t)).

Let once u u' (i : 'I_n) : (u < 1)%N -> (u' < 1)%N -> true -> true -> u = u'.
Proof. by case: u u' => [|u] [|u']. Qed.

Let constant t x j : measurable_fun setT (fun _ : transcript O t => v x j).
Proof. exact: measurable_fun_cst. Qed.

(** s selections and s values. *)
Definition noisy_hard_thresholding : algorithm R (@replace X n) Pure :=
  peeling (reads := fun _ _ => true) 1 constant mexcluded mchosen b_gt0
    (fun t i x x' _ j => @sensitivity i x x' j).

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. The scale of the method
    "accountant" takes another conversion of the same zCDP, which is not proved here. *)
Theorem noisy_hard_thresholding_private :
  private noisy_hard_thresholding (s%:R * (3 * (Delta / b))) 0 /\
  concentrated_private noisy_hard_thresholding (s%:R * (5 / 2 * (Delta / b) ^+ 2)).
Proof. by apply: peeling_private => //; exact: replace_sym. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold noisy_hard_thresholding in noisy_hard_thresholding in
  exact (steps A, fun t => described (step_of A t))).
End noisy_hard_thresholding.
