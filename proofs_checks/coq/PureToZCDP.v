(** Pure differential privacy is concentrated. *)

From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions ZCDP.
Open Scope R_scope.

(** * cosh(b)/cosh(a) <= exp((b^2 - a^2)/2) *)

Lemma sinh_le t : 0 <= t -> sinh t <= t * cosh t.
Proof.
  intros Ht.
  destruct (MVT_gen (fun x => x * cosh x - sinh x) 0 t (fun x => x * sinh x)) as [c [Hc E]].
  - intros x _. unfold cosh, sinh. auto_derive; [auto|]. field.
  - intros x _. apply derivable_continuous_pt, ex_derive_Reals_0. unfold cosh, sinh.
    auto_derive. auto.
  - rewrite Rmin_left in Hc by auto. rewrite Rmax_right in Hc by auto.
    assert (0 <= sinh c).
    { unfold sinh. assert (exp (- c) <= exp c) by (apply exp_le; lra). lra. }
    rewrite sinh_0, Rmult_0_l in E. assert (0 <= c * sinh c * (t - 0)); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.

Lemma cosh_ratio a b : 0 <= a <= b -> cosh b <= exp ((b ^ 2 - a ^ 2) / 2) * cosh a.
Proof.
  intros Hab.
  destruct (MVT_gen (fun x => cosh x * exp (- (x * x * / 2))) a b
    (fun x => (sinh x - x * cosh x) * exp (- (x * x * / 2)))) as [c [Hc E]].
  - intros x _. unfold cosh, sinh. auto_derive; [auto|]. field.
  - intros x _. apply derivable_continuous_pt, ex_derive_Reals_0. unfold cosh.
    auto_derive. auto.
  - rewrite Rmin_left in Hc by lra. rewrite Rmax_right in Hc by lra.
    pose proof (sinh_le c ltac:(lra)). pose proof (exp_pos (- (c * c * / 2))).
    assert (D : cosh b * exp (- (b * b * / 2)) <= cosh a * exp (- (a * a * / 2))).
    { assert (0 <= (c * cosh c - sinh c) * exp (- (c * c * / 2)) * (b - a)); [|lra].
      apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
    apply Rmult_le_reg_r with (exp (- (b * b * / 2))); [apply exp_pos|].
    apply Rle_trans with (1 := D). right.
    transitivity (cosh a * (exp ((b ^ 2 - a ^ 2) / 2) * exp (- (b * b * / 2)))); [|ring].
    rewrite <- exp_plus. f_equal. f_equal. field.
Qed.

(** * The chord of x^alpha *)

Lemma bernoulli alpha v : 1 < alpha -> 1 + alpha * (exp v - 1) <= exp (alpha * v).
Proof.
  intros Ha.
  assert (T : forall z, 1 + z <= exp z).
  { intros z. destruct (Req_dec z 0) as [->|N]; [rewrite exp_0; lra|].
    left. apply exp_ineq1. auto. }
  pose proof (exp_pos v). pose proof (T ((alpha - 1) * v)) as T1. pose proof (T (- v)) as T2.
  assert (E1 : exp (alpha * v) = exp v * exp ((alpha - 1) * v))
    by (rewrite <- exp_plus; f_equal; ring).
  assert (E2 : 1 = exp v * exp (- v)) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity).
  assert (exp v * (1 + (alpha - 1) * v) <= exp (alpha * v))
    by (rewrite E1; apply Rmult_le_compat_l; lra).
  assert (exp v * (1 - v) <= 1) by (rewrite E2 at 2; apply Rmult_le_compat_l; lra).
  nra.
Qed.

(** For -e <= u <= e, e^(alpha u) lies below the chord through the ends. *)
Lemma chord alpha e u : 1 < alpha -> 0 < e -> - e <= u <= e ->
  exp (alpha * u) * (exp e - exp (- e)) <=
  exp (alpha * e) * (exp u - exp (- e)) + exp (- (alpha * e)) * (exp e - exp u).
Proof.
  intros Ha He Hu.
  pose proof (bernoulli alpha (e - u) Ha) as B1. pose proof (bernoulli alpha (- e - u) Ha) as B2.
  pose proof (exp_pos (alpha * u)) as P. pose proof (exp_pos u).
  assert (L : exp (- e) <= exp u) by (apply exp_le; lra).
  assert (U : exp u <= exp e) by (apply exp_le; lra).
  assert (E1 : exp (alpha * e) = exp (alpha * u) * exp (alpha * (e - u)))
    by (rewrite <- exp_plus; f_equal; ring).
  assert (E2 : exp (- (alpha * e)) = exp (alpha * u) * exp (alpha * (- e - u)))
    by (rewrite <- exp_plus; f_equal; ring).
  assert (F1 : exp e = exp u * exp (e - u)) by (rewrite <- exp_plus; f_equal; ring).
  assert (F2 : exp (- e) = exp u * exp (- e - u)) by (rewrite <- exp_plus; f_equal; ring).
  rewrite E1, E2.
  set (y := exp (e - u)) in *. set (z := exp (- e - u)) in *.
  assert (S1 : (1 + alpha * (y - 1)) * (exp u - exp (- e)) <=
    exp (alpha * (e - u)) * (exp u - exp (- e))) by (apply Rmult_le_compat_r; lra).
  assert (S2 : (1 + alpha * (z - 1)) * (exp e - exp u) <=
    exp (alpha * (- e - u)) * (exp e - exp u)) by (apply Rmult_le_compat_r; lra).
  assert (S3 : (1 + alpha * (y - 1)) * (exp u - exp (- e)) +
    (1 + alpha * (z - 1)) * (exp e - exp u) = exp e - exp (- e)) by (rewrite F1, F2; ring).
  nra.
Qed.

(** The same for densities within a factor e^e of each other. *)
Lemma renyi_term_chord alpha e p q : 1 < alpha -> 0 < e -> 0 <= p -> 0 <= q ->
  p <= exp e * q -> q <= exp e * p ->
  renyi_term alpha p q * (exp e - exp (- e)) <=
  exp (alpha * e) * (p - exp (- e) * q) + exp (- (alpha * e)) * (exp e * q - p).
Proof.
  intros Ha He P Q H1 H2. unfold renyi_term. pose proof (exp_pos e).
  destruct (Req_EM_T p 0) as [->|N].
  { assert (q = 0) as -> by lra. rewrite !Rmult_0_r, Rminus_0_r. lra. }
  assert (Pp : 0 < p) by lra. assert (Pq : 0 < q) by nra. clear N P Q.
  set (u := ln (p / q)).
  assert (Eu : exp u = p / q) by (apply exp_ln, Rdiv_lt_0_compat; auto).
  assert (Ep : p = exp u * q) by (rewrite Eu; field; lra).
  assert (Hu : - e <= u <= e).
  { split; apply Rnot_lt_le; intros C; apply exp_increasing in C.
    - assert (exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity).
      assert (q <= exp e * (exp u * q)) by (rewrite <- Ep; auto).
      assert (exp e * exp u < 1) by nra. nra.
    - assert (exp u * q <= exp e * q) by (rewrite <- Ep; auto). nra. }
  assert (T : Rpower p alpha * Rpower q (1 - alpha) = exp (alpha * u) * q).
  { unfold u, Rdiv. rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto).
    unfold Rpower. rewrite <- (exp_ln q) at 3 by auto. rewrite <- !exp_plus. f_equal. ring. }
  rewrite T. pose proof (chord alpha e u Ha He Hu) as C.
  apply (Rmult_le_compat_r q) in C; [|lra].
  replace (p - exp (- e) * q) with ((exp u - exp (- e)) * q) by (rewrite Ep at 1; ring).
  replace (exp e * q - p) with ((exp e - exp u) * q) by (rewrite Ep at 1; ring).
  lra.
Qed.

(** The conversion of [reference.privacy.guarantees], not printed in the papers (Bun and Steinke
    2016, Proposition 1.4): an epsilon-DP mechanism is epsilon^2/2-zCDP.
    Proved: the same, for every integral for which the divergence exists. That the densities of
    neighbours are within a factor e^epsilon is what epsilon-DP says of them. *)
Theorem pure_DP_is_zCDP {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R)
    (epsilon : R) :
  0 < epsilon ->
  (forall x, law I (M x)) ->
  (forall x x' o, near x x' ->
    M x o <= exp epsilon * M x' o /\ M x' o <= exp epsilon * M x o) ->
  (forall x x' alpha, near x x' -> 1 < alpha ->
    integrable I (fun o => renyi_term alpha (M x o) (M x' o))) ->
  zCDP near I M (epsilon ^ 2 / 2).
Proof.
  intros He L H Meas x x' Hn.
  destruct (L x) as (P & Ip & Ep). destruct (L x') as (Q & Iq & Eq).
  split.
  { intros o Z. destruct (H x x' o Hn) as [H1 _]. rewrite Z in H1. specialize (P o). lra. }
  intros alpha Ha. specialize (Meas x x' alpha Hn Ha). split; auto.
  apply le_renyi; auto; [nra|].
  set (E := exp epsilon). set (A := exp (alpha * epsilon)). set (B := exp (- (alpha * epsilon))).
  assert (G : exp (- epsilon) < E) by (apply exp_increasing; lra).
  set (c := E - exp (- epsilon)). assert (Hc : 0 < c) by (unfold c; lra).
  assert (S : int I (fun o => c * renyi_term alpha (M x o) (M x' o)) <=
    int I (fun o => (A - B) * M x o + (B * E - A * exp (- epsilon)) * M x' o)).
  { apply int_le.
    - apply integrable_scale. auto.
    - apply integrable_plus; apply integrable_scale; auto.
    - intros o. destruct (H x x' o Hn) as [H1 H2].
      pose proof (renyi_term_chord alpha epsilon _ _ Ha He (P o) (Q o) H1 H2) as C.
      fold E A B c in C. lra. }
  rewrite int_scale, int_plus, !int_scale, Ep, Eq in S by
    (auto; apply integrable_scale; auto).
  set (m := int I (fun o => renyi_term alpha (M x o) (M x' o))) in *.
  (* the right-hand side is c cosh((alpha - 1/2) epsilon)/cosh(epsilon/2) *)
  set (a := epsilon / 2). set (b := (alpha - 1 / 2) * epsilon).
  assert (Hab : 0 <= a <= b) by (unfold a, b; split; nra).
  pose proof (cosh_ratio a b Hab) as R.
  replace ((b ^ 2 - a ^ 2) / 2) with ((alpha - 1) * (epsilon ^ 2 / 2 * alpha)) in R
    by (unfold a, b; field).
  assert (Ca : 0 < cosh a).
  { unfold cosh. pose proof (exp_pos a). pose proof (exp_pos (- a)). lra. }
  assert (X : ((A - B) * 1 + (B * E - A * exp (- epsilon)) * 1) * cosh a = c * cosh b).
  { unfold c, A, B, E, cosh.
    replace (exp (alpha * epsilon)) with (exp b * exp a)
      by (rewrite <- exp_plus; f_equal; unfold a, b; field).
    replace (exp (- (alpha * epsilon))) with (exp (- b) * exp (- a))
      by (rewrite <- exp_plus; f_equal; unfold a, b; field).
    replace (exp epsilon) with (exp a * exp a) by (rewrite <- exp_plus; f_equal; unfold a; field).
    replace (exp (- epsilon)) with (exp (- a) * exp (- a))
      by (rewrite <- exp_plus; f_equal; unfold a; field).
    assert (I1 : exp (- a) = / exp a) by apply exp_Ropp.
    assert (I2 : exp (- b) = / exp b) by apply exp_Ropp. rewrite I1, I2.
    pose proof (exp_pos a). pose proof (exp_pos b). field. lra. }
  apply Rmult_le_reg_r with (c * cosh a); [apply Rmult_lt_0_compat; auto|].
  apply (Rmult_le_compat_r (cosh a)) in S; [|lra]. rewrite X in S.
  apply (Rmult_le_compat_l c) in R; [|lra]. lra.
Qed.
