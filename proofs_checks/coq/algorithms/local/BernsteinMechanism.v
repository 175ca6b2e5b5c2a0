(** Smooth risk from noisy values of users' losses on a grid (diss-5.1.31). *)
From Touchstone.core Require Import Everything Once.

Section bernstein_mechanism.
Context {R : realType} (X : Type) (n k p : nat) (eps : R).
(** A user's loss at each of the (k + 1)^p points of the grid. *)
Variable loss : nat -> X -> R.
Hypothesis eps_gt0 : 0 < eps.

Let scale : R := 1 / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Let message (t : nat) (r : X) (_ : nat) : R := clip_between 1 (loss (t %/ n) r).

(** At every point each user sends its loss, clipped to [0, 1], with Laplace noise. *)
Definition bernstein_mechanism : algorithm R (@replace X n) Pure :=
  laplace_rounds n (k.+1 ^ p) (message := message) scale_gt0
    (fun t r r' => clip_between_l1 ler01 (loss (t %/ n) r) (loss (t %/ n) r')).

(** Every user spends eps, a part of the budget, at each of the points. *)
Theorem bernstein_mechanism_private :
  private bernstein_mechanism ((k.+1 ^ p)%:R * eps) 0.
Proof. by apply: laplace_rounds_private; rewrite /scale div1r invrK mul1r. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_once in ltac:(let A := eval unfold bernstein_mechanism, scale in bernstein_mechanism in
  exact (steps A, fun t => described (step_of A t))).
End bernstein_mechanism.
