(** The exponential mechanism: privacy over any range, utility over a finite one. *)

From Coq Require Import Reals Lra Psatz List.
From Touchstone Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** The weight of candidate [r] with score [u r], and the density proportional to it. *)
Definition weight {A} (epsilon Delta : R) (u : A -> R) (r : A) : R :=
  exp (epsilon * u r / (2 * Delta)).
Definition selection {A} (I : integral A) (epsilon Delta : R) (u : A -> R) (r : A) : R :=
  weight epsilon Delta u r / int I (weight epsilon Delta u).

Lemma weight_pos {A} epsilon Delta (u : A -> R) r : 0 < weight epsilon Delta u r.
Proof. apply exp_pos. Qed.

Lemma weight_ratio {A} epsilon Delta (u v : A -> R) r : 0 < epsilon -> 0 < Delta ->
  Rabs (u r - v r) <= Delta ->
  weight epsilon Delta u r <= exp (epsilon / 2) * weight epsilon Delta v r.
Proof.
  intros He HD H. unfold weight. rewrite <- exp_plus. apply exp_le.
  replace (epsilon / 2 + epsilon * v r / (2 * Delta)) with
    (epsilon / (2 * Delta) * (Delta + v r)) by (field; lra).
  replace (epsilon * u r / (2 * Delta)) with (epsilon / (2 * Delta) * u r) by (field; lra).
  apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|].
  pose proof (Rle_abs (u r - v r)). lra.
Qed.

(** 004 Definition 2.1.4 (l.382), 003 Definition 3 (l.119).
    Printed: selecting r with probability proportional to exp(epsilon u(D, r)/(2 Delta)), where
    Delta bounds |u(D, r) - u(D', r)|, preserves epsilon-DP.
    Proved: the same, for every range on which the weights have a positive integral, and every
    event that has a probability. That they have one is not printed; it is what "probability
    proportional to" needs. *)
Theorem exponential_mechanism {D A} (near : D -> D -> Prop) (I : integral A)
    (u : D -> A -> R) (Delta epsilon : R) :
  0 < epsilon -> 0 < Delta ->
  (forall x x' r, near x x' -> Rabs (u x r - u x' r) <= Delta) ->
  (forall x, integrable I (weight epsilon Delta (u x)) /\
             0 < int I (weight epsilon Delta (u x))) ->
  DP near I (fun x => selection I epsilon Delta (u x)) epsilon 0.
Proof.
  intros He HD Hs HI. apply densities_DP. intros x x' r Hn. unfold selection.
  destruct (HI x) as [Hx Px]. destruct (HI x') as [Hx' Px'].
  set (w := weight epsilon Delta (u x)) in *. set (w' := weight epsilon Delta (u x')) in *.
  assert (A1 : w r <= exp (epsilon / 2) * w' r) by (apply weight_ratio; auto).
  assert (A2 : int I w' <= exp (epsilon / 2) * int I w).
  { rewrite <- int_scale by auto. apply int_le; auto. { apply integrable_scale; auto. }
    intros s. apply weight_ratio; auto. rewrite Rabs_minus_sym. auto. }
  assert (E : exp epsilon = exp (epsilon / 2) * exp (epsilon / 2)).
  { rewrite <- exp_plus. f_equal. lra. }
  pose proof (exp_pos (epsilon / 2)). pose proof (weight_pos epsilon Delta (u x) r) as W.
  fold w in W.
  apply Rmult_le_reg_r with (int I w * int I w'). { apply Rmult_lt_0_compat; auto. }
  replace (w r / int I w * (int I w * int I w')) with (w r * int I w') by (field; lra).
  replace (exp epsilon * (w' r / int I w') * (int I w * int I w')) with
    ((exp (epsilon / 2) * w' r) * (exp (epsilon / 2) * int I w)) by (rewrite E; field; lra).
  apply Rmult_le_compat; lra.
Qed.

Lemma weights_sum_pos {A} epsilon Delta (u : A -> R) (range : list A) :
  range <> [] -> 0 < int (finite range) (weight epsilon Delta u).
Proof.
  destruct range as [|r rest]; [congruence|]. intros _. simpl.
  assert (0 <= sum rest (weight epsilon Delta u)).
  { clear r. induction rest as [|r rest IH]; simpl; [lra|].
    pose proof (weight_pos epsilon Delta u r). lra. }
  pose proof (weight_pos epsilon Delta u r). lra.
Qed.

(** The same over any finite list of candidates, where nothing is left to assume. *)
Theorem exponential_mechanism_finite {D A} (near : D -> D -> Prop) (range : list A)
    (u : D -> A -> R) (Delta epsilon : R) :
  0 < epsilon -> 0 < Delta -> range <> [] ->
  (forall x x' r, near x x' -> Rabs (u x r - u x' r) <= Delta) ->
  DP near (finite range) (fun x => selection (finite range) epsilon Delta (u x)) epsilon 0.
Proof.
  intros He HD HR Hs. apply exponential_mechanism; auto.
  intros x. split; [exact I | apply weights_sum_pos; auto].
Qed.

Lemma best_weight {A} epsilon Delta (u : A -> R) (range : list A) best : In best range ->
  weight epsilon Delta u best <= int (finite range) (weight epsilon Delta u).
Proof.
  simpl. induction range as [|r rest IH]; intros H; [inversion H|]. simpl.
  pose proof (weight_pos epsilon Delta u r).
  destruct H as [->|H].
  - assert (0 <= sum rest (weight epsilon Delta u)); [|lra].
    clear. induction rest as [|r rest IH]; simpl; [lra|].
    pose proof (weight_pos epsilon Delta u r). lra.
  - specialize (IH H). lra.
Qed.

(** The candidates whose score is at most [level]. *)
Definition at_most {A} (u : A -> R) (level : R) (r : A) : bool :=
  if Rle_dec (u r) level then true else false.

(** 004 Lemma 2.1.3 (l.384-388), 004 Lemma 4.2.3 (l.3557), 003 Lemma 1 (l.123-127).
    Printed: Pr{u(M) <= OPT - (2 Delta/epsilon)(ln|R| + t)} <= e^-t.
    Proved: the same, for a finite range, with the score of any candidate [best] in it for OPT: so
    it holds for the highest one. *)
Theorem exponential_mechanism_utility {A} (range : list A) (u : A -> R)
    (Delta epsilon t : R) (best : A) :
  0 < epsilon -> 0 < Delta -> In best range ->
  prob (finite range) (selection (finite range) epsilon Delta u)
    (at_most u (u best - 2 * Delta / epsilon * (ln (INR (length range)) + t))) <= exp (- t).
Proof.
  intros He HD HB.
  assert (NE : range <> []) by (intros E; rewrite E in HB; inversion HB).
  assert (N : 0 < INR (length range)).
  { apply lt_0_INR. destruct range; [congruence | simpl; lia]. }
  set (level := u best - 2 * Delta / epsilon * (ln (INR (length range)) + t)).
  set (Z := int (finite range) (weight epsilon Delta u)).
  assert (PZ : 0 < Z) by (apply weights_sum_pos; auto).
  assert (HZ : weight epsilon Delta u best <= Z) by (apply best_weight; auto).
  set (each := exp (- t) / INR (length range)).
  assert (PE : 0 < each) by (apply Rdiv_lt_0_compat; [apply exp_pos | auto]).
  assert (One : forall r, on (at_most u level) (selection (finite range) epsilon Delta u) r
                          <= each).
  { intros r. unfold on, at_most. destruct (Rle_dec (u r) level) as [L|]; [|lra].
    unfold selection. fold Z. apply Rmult_le_reg_r with Z; auto.
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (each * weight epsilon Delta u best);
      [|apply Rmult_le_compat_l; lra].
    unfold each, Rdiv. rewrite <- (exp_ln _ N) at 1. rewrite <- exp_Ropp.
    unfold weight. rewrite <- !exp_plus. apply exp_le.
    replace (- t + - ln (INR (length range)) + epsilon * u best / (2 * Delta)) with
      (epsilon / (2 * Delta) * level) by (unfold level; field; lra).
    replace (epsilon * u r / (2 * Delta)) with (epsilon / (2 * Delta) * u r) by (field; lra).
    apply Rmult_le_compat_l; auto. left. apply Rdiv_lt_0_compat; lra. }
  unfold prob. simpl. apply Rle_trans with (sum range (fun _ => each)).
  - apply sum_le. auto.
  - right. replace (exp (- t)) with (INR (length range) * each) by (unfold each; field; lra).
    generalize each. clear. intros c. induction range as [|r rest IH]; [simpl; lra|].
    change (c + sum rest (fun _ => c) = INR (S (length rest)) * c).
    rewrite IH, S_INR. lra.
Qed.
