(** DP-SVRG++: variance-reduced gradients of batches, in longer and longer epochs (diss-3.1.3). *)
From Touchstone.core Require Import Everything.

Section svrg_plus_plus.
Context {R : realType} (X : Type) (n p d T m b : nat).
Let O (_ : nat) := @vec R d.
(** The b records that release t reads, as the draw says: any batches. [w t past] and
    [snapshot t past]: its point and its snapshot, any measurable functions of what was released
    before. *)
Variables (batch : nat -> pred 'I_n) (G sigma : R) (w snapshot : forall t, transcript O t -> @vec R p).
(** A record's gradient, of l2 norm at most G everywhere. *)
Variable grad : @vec R p -> X -> nat -> R.
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (msnapshot : forall t, measurable_fun setT (@snapshot t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i)) (G_ge0 : 0 <= G)
  (sigma_gt0 : 0 < sigma)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2).

(** T epochs, the first of 2 m releases, each next one of twice as many: the batch's gradient at the point, less that at the snapshot, and the
    gradient of all records at the snapshot. *)
Definition svrg_plus_plus : algorithm R (@replace X n) Gaussian :=
  variance_reduced ((2 ^ T.+1 - 2) * m) b batch mw msnapshot mgrad G_ge0 sigma_gt0 lipschitz.

(** All releases together are mu-Gaussian-DP, whichever the batches are. For b = n this is what the
    code claims. For b < n it is weaker: the code claims what batches amplify that nobody sees, with
    noise for that; here a record bears all releases as one of the batch. *)
Theorem svrg_plus_plus_private mu : 0 <= mu ->
  ((2 ^ T.+1 - 2) * m)%:R * ((if (b == n)%N then 2 * G / n%:R else 4 * G / b%:R + 2 * G / n%:R) ^+ 2 /
    sigma ^+ 2) <= mu ^+ 2 -> gaussian_private svrg_plus_plus mu.
Proof. exact: variance_reduced_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_batches in ltac:(let A := eval unfold svrg_plus_plus in svrg_plus_plus in
  exact (steps A, fun t => described (step_of A t))).
End svrg_plus_plus.
