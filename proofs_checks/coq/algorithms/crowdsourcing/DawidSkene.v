(** Dawid-Skene estimates from randomized labels (diss-7.1.54). *)
From Touchstone.core Require Import Everything.

Section dawid_skene.
(** n labels, each of one worker for one task, with k + 1 answers each. *)
Context {R : realType} (n k : nat) (eps : R) (eps_gt0 : 0 < eps).

Definition dawid_skene : algorithm R (@replace 'I_k.+1 n) Pure := randomized_users n k eps_gt0.

(** Every label is eps-DP. A worker with several labels bears eps for each. *)
Theorem dawid_skene_private : private dawid_skene eps 0.
Proof. exact: randomized_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold dawid_skene in dawid_skene in
  exact (steps A, fun t => described (step_of A t))).
End dawid_skene.
