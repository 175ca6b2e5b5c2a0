(** Randomized response (diss-2.randomized-response). *)
From Touchstone.core Require Import Everything.

Section randomized_response.
(** n users with k + 1 answers; the code has k = 1. *)
Context {R : realType} (n k : nat) (eps : R) (eps_gt0 : 0 < eps).

Definition randomized_response : algorithm R (@replace 'I_k.+1 n) Pure := randomized_users n k eps_gt0.

(** Every user is eps-DP, not 2 eps: the sum of the weights does not depend on the answer. *)
Theorem randomized_response_private : private randomized_response eps 0.
Proof. exact: randomized_users_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold randomized_response in randomized_response in
  exact (steps A, fun t => described (step_of A t))).
End randomized_response.
