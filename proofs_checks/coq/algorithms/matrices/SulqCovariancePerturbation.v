(** Covariance perturbation with independent noise on all p^2 entries (diss-6.3-SULQ). *)
From Touchstone.core Require Import Everything.

Section sulq_covariance_perturbation.
Context {R : realType} (X : Type) (n p : nat) (sigma : R).
(** A record scaled to norm at most 1. *)
Variable row : X -> nat -> R.
Hypotheses (sigma_gt0 : 0 < sigma)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1).

Let square : seq (nat * nat) := [seq (a, b) | a <- iota 0 p, b <- iota 0 p].
Let cell (u : nat -> R) (i : nat) : R := let ab := nth (0%N, 0%N) square i in u ab.1 * u ab.2.
Let dot (u v : nat -> R) : R := \sum_(a <- iota 0 p) u a * v a.

(** |x x^T - y y^T|^2 = |x|^4 + |y|^4 - 2 <x, y>^2 <= 2. *)
Let diameter r r' : \sum_(i < p * p) (cell (row r) i - cell (row r') i) ^+ 2 <= Num.sqrt 2 ^+ 2.
Proof.
set u := row r; set v := row r'; rewrite sqr_sqrtr ?ler0n//.
pose f (ab : nat * nat) := (u ab.1 * u ab.2 - v ab.1 * v ab.2) ^+ 2.
have -> : (p * p = size square)%N by rewrite size_allpairs size_iota.
rewrite -(big_mkord xpredT (fun i => (cell u i - cell v i) ^+ 2)).
rewrite -(big_nth (0%N, 0%N) xpredT f) big_allpairs /=.
have -> : \sum_(a <- iota 0 p) \sum_(b <- iota 0 p) f (a, b) =
    dot u u * dot u u + dot v v * dot v v - 2 * (dot u v * dot u v).
  have E g h : dot g h * dot g h =
      \sum_(a <- iota 0 p) \sum_(b <- iota 0 p) (g a * h a) * (g b * h b).
    by rewrite {1}/dot mulr_suml; apply: eq_bigr => a _; rewrite mulr_sumr.
  rewrite !E mulr_sumr -big_split -sumrB /=; apply: eq_bigr => a _.
  by rewrite mulr_sumr -big_split -sumrB /=; apply: eq_bigr => b _; rewrite /f /=; ring.
have g0 g : 0 <= dot g g by apply: sumr_ge0 => a _; rewrite -expr2 sqr_ge0.
rewrite ler_subl_addr (@le_trans _ _ 2)//.
  by rewrite ler_add// mulr_ile1// ?g0// ?unit_ball.
by rewrite ler_addl mulr_ge0 ?ler0n// -expr2 sqr_ge0.
Qed.

Let O (_ : nat) := @vec R (p * p).
Let nothing_yet t (_ : transcript O t) : @vec R 0 := tt.

(** The mean of x x^T with independent Gaussian noise on all entries, once. *)
Definition sulq_covariance_perturbation : algorithm R (@replace X n) Gaussian :=
  gradient_steps_diameter n 1 (w := nothing_yet) (grad := fun _ r => cell (row r))
    (fun t => measurable_fun_cst (tt : @vec R 0))
    (fun r i => measurable_fun_cst (cell (row r) i)) sigma_gt0 (fun _ => diameter).

Theorem sulq_covariance_perturbation_private mu : 0 <= mu ->
  1%:R * ((Num.sqrt 2 / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 ->
  gaussian_private sulq_covariance_perturbation mu.
Proof. exact: gradient_steps_diameter_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold sulq_covariance_perturbation in
  sulq_covariance_perturbation in exact (steps A, fun t => described (step_of A t))).
End sulq_covariance_perturbation.
