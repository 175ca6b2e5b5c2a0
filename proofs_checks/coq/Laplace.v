(** The Laplace mechanism in any dimension. *)

From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions Line.
Import ListNotations.
Open Scope R_scope.

(** The density of the Laplace distribution with scale [b], centred at [c]. *)
Definition laplace (b c x : R) : R := exp (- (Rabs (x - c) / b)) / (2 * b).

(** The density of independent Laplace noise in every coordinate of [c]. *)
Notation laplace_vector b := (independent (laplace b)).

(** The l1 distance. *)
Fixpoint l1 (u v : list R) : R :=
  match u, v with
  | u1 :: us, v1 :: vs => Rabs (u1 - v1) + l1 us vs
  | _, _ => 0
  end.

Lemma laplace_pos b c x : 0 < b -> 0 < laplace b c x.
Proof.
  intros Hb. unfold laplace, Rdiv. apply Rmult_lt_0_compat.
  - apply exp_pos.
  - apply Rinv_0_lt_compat. lra.
Qed.

Lemma laplace_vector_pos b c x : 0 < b -> 0 < laplace_vector b c x.
Proof. intros Hb. apply independent_pos. intros. apply laplace_pos. auto. Qed.

Lemma laplace_ratio b c c' x :
  0 < b -> laplace b c x <= exp (Rabs (c - c') / b) * laplace b c' x.
Proof.
  intros Hb. unfold laplace.
  assert (T : Rabs (x - c') <= Rabs (x - c) + Rabs (c - c')).
  { replace (x - c') with ((x - c) + (c - c')) by ring. apply Rabs_triang. }
  assert (Pb : 0 < / b) by (apply Rinv_0_lt_compat; lra).
  assert (E : exp (- (Rabs (x - c) / b)) <=
              exp (Rabs (c - c') / b) * exp (- (Rabs (x - c') / b))).
  { rewrite <- exp_plus. apply exp_le. unfold Rdiv. nra. }
  assert (P : 0 < / (2 * b)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv at 1 3. nra.
Qed.

Lemma laplace_vector_ratio b : 0 < b -> forall c c' x, length c = length c' ->
  laplace_vector b c x <= exp (l1 c c' / b) * laplace_vector b c' x.
Proof.
  intros Hb c. induction c as [|c1 cs IH]; intros [|c1' cs'] x L; try discriminate; simpl.
  - unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
  - destruct x as [|x1 xs].
    + assert (0 <= l1 (c1 :: cs) (c1' :: cs') / b); [|simpl in *].
      { apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]. clear.
        generalize (c1 :: cs) (c1' :: cs'). intros u.
        induction u as [|u1 us IHu]; intros [|v1 vs]; simpl; try lra.
        pose proof (Rabs_pos (u1 - v1)). pose proof (IHu vs). lra. }
      rewrite Rmult_1_r. rewrite <- exp_0. apply exp_le. auto.
    + injection L as L. specialize (IH cs' xs L).
      pose proof (laplace_ratio b c1 c1' x1 Hb) as H1.
      pose proof (laplace_pos b c1 x1 Hb). pose proof (laplace_vector_pos b cs xs Hb).
      replace ((Rabs (c1 - c1') + l1 cs cs') / b) with (Rabs (c1 - c1') / b + l1 cs cs' / b)
        by (field; lra).
      rewrite exp_plus.
      apply Rle_trans with
        ((exp (Rabs (c1 - c1') / b) * laplace b c1' x1) *
         (exp (l1 cs cs' / b) * laplace_vector b cs' xs)).
      * apply Rmult_le_compat; lra.
      * right. ring.
Qed.

Lemma half_laplace b B : 0 < b -> 0 <= B ->
  RInt (fun x => exp (- (Rabs x / b))) 0 B = b - b * exp (- (B / b)).
Proof.
  intros Hb HB. apply is_RInt_unique.
  apply (is_RInt_ext (V := R_NormedModule) (fun x => exp (- (x / b)))).
  - intros x [H _]. rewrite Rmin_left in H by auto. rewrite Rabs_pos_eq by lra. reflexivity.
  - replace (b - b * exp (- (B / b))) with
      (minus (- b * exp (- (B / b))) (- b * exp (- (0 / b)))).
    + apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - b * exp (- (x / b)))).
      * intros x _. auto_derive; [lra|]. unfold Rdiv. field. lra.
      * intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. lra.
    + unfold minus, plus, opp, Rdiv. simpl. rewrite Rmult_0_l, Ropp_0, exp_0. ring.
Qed.

(** 004 Definition 2.1.2, its density (l.374), corrected.
    Printed: exp(-x/lambda)/(2 lambda), without the absolute value of x; 003 (l.117) has it.
    Proved: with the absolute value it is a density, its integral over the line is 1. *)
Theorem laplace_law b c : 0 < b -> law line (laplace b c).
Proof.
  intros Hb.
  assert (H : over_line (fun x => exp (- (Rabs x / b))) (b + b)).
  { apply over_line_even.
    - intros x. apply (continuous_comp (fun x => - (Rabs x / b)) exp).
      + apply (continuous_opp (V := R_NormedModule)).
        apply (continuous_mult (K := R_AbsRing) Rabs (fun _ => / b)).
        * apply continuous_Rabs.
        * apply continuous_const.
      + apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact Logic.I.
    - intros x. apply exp_pos.
    - intros x. rewrite Rabs_Ropp. reflexivity.
    - intros B HB. rewrite half_laplace by auto. pose proof (exp_pos (- (B / b))). nra.
    - intros e He. exists (b * Rmax 0 (ln (2 * b / e))). pose proof (Rmax_l 0 (ln (2 * b / e))).
      assert (0 < 2 * b / e) by (apply Rdiv_lt_0_compat; lra).
      split; [nra|]. rewrite half_laplace by nra.
      replace (b * Rmax 0 (ln (2 * b / e)) / b) with (Rmax 0 (ln (2 * b / e))) by (field; lra).
      assert (exp (- Rmax 0 (ln (2 * b / e))) <= / (2 * b / e)).
      { rewrite <- (exp_ln (/ (2 * b / e))) by (apply Rinv_0_lt_compat; auto).
        rewrite ln_Rinv by auto. apply exp_le. pose proof (Rmax_r 0 (ln (2 * b / e))). lra. }
      assert (b * / (2 * b / e) = e / 2) by (field; lra). nra. }
  assert (M : over_line (laplace b c) 1).
  { replace 1 with (/ (2 * b) * (b + b)) by (field; lra).
    apply (over_line_ext (fun x => / (2 * b) * exp (- (Rabs (x - c) / b)))).
    - intros x. unfold laplace, Rdiv. ring.
    - apply over_line_scale. apply (over_line_shift (fun x => exp (- (Rabs x / b)))). auto. }
  refine (conj _ (conj _ _)).
  - intros x. left. apply laplace_pos. auto.
  - exact (line_integrable _ _ M).
  - exact (line_value _ _ M).
Qed.

Theorem laplace_vector_law b c : 0 < b -> law (power line (length c)) (laplace_vector b c).
Proof. intros Hb. apply independent_law. intros. apply laplace_law. auto. Qed.

(** 004 Definition 2.1.2 (l.372-376), 003 Definition 2 (l.117), 002 Proposition 2.3 (l.81-83).
    Printed: q(D) + (Y_1, ..., Y_p), Y_i iid Lap(Delta_1(q)/epsilon), preserves epsilon-DP.
    Proved: the same, for every dimension, every query [q] whose l1 sensitivity is at most
    [Delta], and every event that has a probability, whatever the integral. *)
Theorem laplace_mechanism {D} (near : D -> D -> Prop) (I : integral (list R))
    (d : nat) (q : D -> list R) (Delta epsilon : R) :
  0 < epsilon -> 0 < Delta ->
  (forall x, length (q x) = d) ->
  (forall x x', near x x' -> l1 (q x) (q x') <= Delta) ->
  DP near I (fun x => laplace_vector (Delta / epsilon) (q x)) epsilon 0.
Proof.
  intros He HD Hd Hl. assert (Hb : 0 < Delta / epsilon) by (apply Rdiv_lt_0_compat; lra).
  apply densities_DP. intros x x' o Hn.
  apply Rle_trans with (1 := laplace_vector_ratio _ Hb (q x) (q x') o
    (eq_trans (Hd x) (eq_sym (Hd x')))).
  apply Rmult_le_compat_r. { left. apply laplace_vector_pos. auto. }
  apply exp_le. specialize (Hl x x' Hn).
  replace epsilon with (Delta / (Delta / epsilon)) at 2 by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. auto.
Qed.
