(** Randomized response on vectors of bits, and whatever is computed from the answers. *)
From Touchstone.core Require Import Everything Kernels.
From Touchstone.statements Require Import Composition.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section responses.
Context {R : realType} (m : nat) (epsilon : R) (epsilon_gt0 : 0 < epsilon).

(** 004 (7.9), l.9055: an answer is kept with probability e^epsilon/(e^epsilon + 1) and flipped
    with probability 1/(e^epsilon + 1). *)
Definition response (x : bool) (z : nat) : R :=
  (if z == x then expR epsilon else 1) / (expR epsilon + 1).

(** The space of one answer: 0 and 1, each with weight 1. *)
Let answer := @candidates R 1.
Let answers := transcript (fun=> answer) m.

Let total_gt0 : 0 < expR epsilon + 1. Proof. by rewrite addr_gt0 ?expR_gt0. Qed.

Let response_ge0 x z : 0 <= response x z.
Proof. by rewrite /response divr_ge0 ?(ltW total_gt0)//; case: ifP => // _; exact: expR_ge0. Qed.

(** One answer, perturbed whatever was answered before. *)
Definition perturbed (past : space R) (x : bool) : step past answer.
Proof.
refine (@Step R past answer (fun _ z => response x z) _ _ _).
- by move=> h z; exact: response_ge0.
- by apply: (measurable_fun_nat (f := fun _ z => response x z)) => z; exact: measurable_fun_cst.
- move=> h; rewrite integral_candidates// !big_ord_recl big_ord0 addr0 -mulrDl; congr EFin.
  by case: x => /=; [rewrite [1 + _]addrC|]; rewrite divff// gt_eqF.
Defined.

(** The answers of one worker to m questions, each perturbed on its own. *)
Definition responses (x : nat -> bool) : density answers := run (fun t => perturbed _ (x t)) m.

Let response_ratio x y z : response x z <= expR (if x == y then 0 else epsilon) * response y z.
Proof.
have [->|_] := eqVneq x y; first by rewrite expR0 mul1r.
rewrite /response mulrA ler_pmul2r ?invr_gt0//.
have e1 : 1 <= expR epsilon by rewrite -[leLHS]expR0 ler_expR ltW.
case: ifP; case: ifP => _ _; rewrite ?mulr1//; first by rewrite ler_pmulr ?expR_gt0.
by rewrite (le_trans e1)// ler_pmulr ?expR_gt0.
Qed.

Lemma responses_ratio (x y : nat -> bool) o :
  responses x o <= expR (\sum_(t < m) (if x t == y t then 0 else epsilon)) * responses y o.
Proof.
apply: (@counted_run R Pure (fun=> answer) (fun t => perturbed _ (x t))
  (fun t => perturbed _ (y t)) (fun t => if x t == y t then 0 else epsilon)) => t h z.
exact: response_ratio.
Qed.

(** Vectors of m answers that differ in one at most; any two vectors of answers. *)
Definition one_answer_differs (x y : nat -> bool) : Prop :=
  exists i : 'I_m, forall j : 'I_m, j != i -> x j = y j.
Definition any_answers_differ (x y : nat -> bool) : Prop := True.

Local Notation released := (fun x => [the measure _ _ of law (responses x)]).

(** 004 Theorem 7.1.1 (l.9088-9090; LADP: Definition 7.1.1, l.8979).
    Printed: Algorithm 7.1.54 is epsilon-LADP; not only LADP, it is also m epsilon-LDP (l.9088).
    Proved: the perturbed answers of a worker are both, for every m and epsilon > 0. *)
Theorem randomized_response_LADP : DP one_answer_differs released epsilon 0.
Proof.
apply: densities_DP => x y o [i e]; apply: (le_trans (responses_ratio x y o)).
rewrite ler_wpmul2r ?pdf_ge0// ler_expR (bigD1 i)//= big1 ?addr0 => [|j /e ->]; last by rewrite eqxx.
by case: ifP => // _; exact: ltW.
Qed.

Theorem randomized_response_LDP : DP any_answers_differ released (m%:R * epsilon) 0.
Proof.
apply: densities_DP => x y o _; apply: (le_trans (responses_ratio x y o)).
rewrite ler_wpmul2r ?pdf_ge0// ler_expR (@le_trans _ _ (\sum_(t < m) epsilon))//.
  by apply: ler_sum => t _; case: ifP => // _; exact: ltW.
by rewrite sumr_const card_ord mulr_natl.
Qed.

(** The same of whatever is computed from a worker's perturbed answers (and of the others'
    answers and own coins, which are in the randomized mapping [f]): so of the estimates that
    Algorithm 7.1.54 puts out (post-processing, l.9162). *)
Theorem randomized_response_processed d (B : measurableType d) (f : kernel answers B R) :
  let output := fun x => [the measure _ _ of
    pushforward [the measure _ _ of semidirect [the measure _ _ of law (responses x)] f]
      (@measurable_fun_snd _ _ answers B)] in
  DP one_answer_differs output epsilon 0 /\ DP any_answers_differ output (m%:R * epsilon) 0.
Proof.
split; apply: (post_processing_by_kernel (M := released)).
- by move=> x; exact: law_probability.
- exact: randomized_response_LADP.
- by move=> x; exact: law_probability.
- exact: randomized_response_LDP.
Qed.
End responses.
