(** Randomized response on vectors of bits, and whatever is computed from the answers. *)

From Coq Require Import Reals Lra Psatz List Bool.
From Touchstone Require Import Definitions Composition.
Import ListNotations.
Open Scope R_scope.

(** 004 (7.9), l.9055: an answer is kept with probability e^epsilon/(e^epsilon + 1) and flipped
    with probability 1/(e^epsilon + 1). *)
Definition response (epsilon : R) (x z : bool) : R :=
  if eqb x z then exp epsilon / (exp epsilon + 1) else 1 / (exp epsilon + 1).

(** The answers of one worker, each perturbed on its own. *)
Notation responses epsilon := (independent (response epsilon)).

(** The number of coordinates in which two vectors differ. *)
Fixpoint distance (x y : list bool) : nat :=
  match x, y with
  | x1 :: xs, y1 :: ys => ((if eqb x1 y1 then 0 else 1) + distance xs ys)%nat
  | _, _ => 0%nat
  end.

(** The integral over {0, 1}^m: the sum over its 2^m vectors. *)
Definition bits (m : nat) : integral (list bool) := power (finite [false; true]) m.

Lemma bits_total m : total (bits m).
Proof. apply power_total, finite_total. Qed.

Lemma response_pos epsilon x z : 0 < response epsilon x z.
Proof.
  pose proof (exp_pos epsilon). unfold response.
  destruct (eqb x z); apply Rdiv_lt_0_compat; lra.
Qed.

Lemma responses_pos epsilon x z : 0 < responses epsilon x z.
Proof. apply independent_pos. intros. apply response_pos. Qed.

Lemma response_ratio epsilon x y z : 0 < epsilon ->
  response epsilon x z <= exp epsilon * response epsilon y z.
Proof.
  intros He. assert (G : 1 <= exp epsilon) by (rewrite <- exp_0; apply exp_le; lra).
  assert (P : 0 < / (exp epsilon + 1)) by (apply Rinv_0_lt_compat; lra).
  unfold response, Rdiv. generalize dependent (/ (exp epsilon + 1)). intros k P.
  generalize dependent (exp epsilon). intros E G.
  assert (k <= E * k) by nra. assert (E * k <= E * (E * k)) by nra.
  destruct (eqb x z), (eqb y z); lra.
Qed.

Lemma responses_ratio epsilon : 0 < epsilon -> forall x y z, length x = length y ->
  responses epsilon x z <= exp (INR (distance x y) * epsilon) * responses epsilon y z.
Proof.
  intros He x. induction x as [|x1 xs IH]; intros [|y1 ys] z L; try discriminate.
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - assert (G : 1 <= exp (INR (distance (x1 :: xs) (y1 :: ys)) * epsilon)).
    { rewrite <- exp_0. apply exp_le. apply Rmult_le_pos; [apply pos_INR | lra]. }
    destruct z as [|z1 zs].
    { change (1 <= exp (INR (distance (x1 :: xs) (y1 :: ys)) * epsilon) * 1). lra. }
    clear G. injection L as L. specialize (IH ys zs L).
    pose proof (response_pos epsilon x1 z1). pose proof (responses_pos epsilon xs zs).
    change (response epsilon x1 z1 * responses epsilon xs zs <=
      exp (INR ((if eqb x1 y1 then 0 else 1) + distance xs ys) * epsilon) *
      (response epsilon y1 z1 * responses epsilon ys zs)).
    rewrite plus_INR, Rmult_plus_distr_r, exp_plus.
    assert (R1 : response epsilon x1 z1 <=
      exp (INR (if eqb x1 y1 then 0 else 1) * epsilon) * response epsilon y1 z1).
    { destruct (eqb x1 y1) eqn:E.
      - apply eqb_prop in E. subst y1. simpl. rewrite Rmult_0_l, exp_0. lra.
      - simpl. rewrite Rmult_1_l. apply response_ratio. auto. }
    apply Rle_trans with
      ((exp (INR (if eqb x1 y1 then 0 else 1) * epsilon) * response epsilon y1 z1) *
       (exp (INR (distance xs ys) * epsilon) * responses epsilon ys zs)).
    + apply Rmult_le_compat; lra.
    + right. ring.
Qed.

(** It is a law: its 2^m probabilities sum to 1. *)
Theorem responses_law epsilon x : law (bits (length x)) (responses epsilon x).
Proof.
  apply independent_law. intros bit. repeat split; [intros z; left; apply response_pos|].
  pose proof (exp_pos epsilon). destruct bit; simpl; unfold response; simpl; field; lra.
Qed.

(** Vectors of m answers that differ in one coordinate; any two vectors of m answers. *)
Definition one_answer_differs (m : nat) (x y : list bool) : Prop :=
  length x = m /\ length y = m /\ distance x y = 1%nat.
Definition any_answers_differ (m : nat) (x y : list bool) : Prop :=
  length x = m /\ length y = m.

Lemma distance_le x y : (distance x y <= length x)%nat.
Proof.
  revert y. induction x as [|x1 xs IH]; intros [|y1 ys]; simpl; try lia.
  specialize (IH ys). destruct (eqb x1 y1); lia.
Qed.

(** 004 Theorem 7.1.1 (l.9088-9090; LADP: Definition 7.1.1, l.8979).
    Printed: Algorithm 7.1.54 is epsilon-LADP; not only LADP, it is also m epsilon-LDP (l.9088).
    Proved: the perturbed answers of a worker are both, for every m and epsilon > 0. *)
Theorem randomized_response_LADP m epsilon : 0 < epsilon ->
  DP (one_answer_differs m) (bits m) (responses epsilon) epsilon 0.
Proof.
  intros He. apply densities_DP. intros x y z (Lx & Ly & H1).
  pose proof (responses_ratio epsilon He x y z ltac:(congruence)) as H.
  rewrite H1 in H. simpl in H. rewrite Rmult_1_l in H. auto.
Qed.

Theorem randomized_response_LDP m epsilon : 0 < epsilon ->
  DP (any_answers_differ m) (bits m) (responses epsilon) (INR m * epsilon) 0.
Proof.
  intros He. apply densities_DP. intros x y z (Lx & Ly).
  apply Rle_trans with (1 := responses_ratio epsilon He x y z ltac:(congruence)).
  apply Rmult_le_compat_r; [left; apply responses_pos|].
  apply exp_le, Rmult_le_compat_r; [lra|]. apply le_INR. rewrite <- Lx. apply distance_le.
Qed.

(** The same of whatever is computed from a worker's perturbed answers (and of the others'
    answers and own coins, which are in the randomized mapping [f]): so of the estimates that
    Algorithm 7.1.54 puts out (post-processing, l.9162). *)
Theorem randomized_response_processed m epsilon {B} (outputs : list B)
    (f : list bool -> B -> R) : 0 < epsilon -> (forall z, law (finite outputs) (f z)) ->
  DP (one_answer_differs m) (finite outputs)
    (fun x => after (bits m) (responses epsilon x) f) epsilon 0 /\
  DP (any_answers_differ m) (finite outputs)
    (fun x => after (bits m) (responses epsilon x) f) (INR m * epsilon) 0.
Proof.
  intros He F. split; apply post_processing_discrete; auto using bits_total.
  - apply randomized_response_LADP. auto.
  - apply randomized_response_LDP. auto.
Qed.
