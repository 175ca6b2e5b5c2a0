(** Zero-concentrated differential privacy: composition, and what it says of every event. *)

From Coq Require Import Reals Lra Psatz List.
From Touchstone Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** * The integral of p^alpha q^(1-alpha) *)

Lemma renyi_term_nonneg alpha p q : 0 <= renyi_term alpha p q.
Proof.
  unfold renyi_term, Rpower. destruct (Req_EM_T p 0); [lra|].
  left. apply Rmult_lt_0_compat; apply exp_pos.
Qed.

Lemma renyi_term_mult alpha p q p' q' :
  0 <= p -> 0 <= q -> (q = 0 -> p = 0) -> 0 <= p' -> 0 <= q' -> (q' = 0 -> p' = 0) ->
  renyi_term alpha (p * p') (q * q') = renyi_term alpha p q * renyi_term alpha p' q'.
Proof.
  intros P Q A P' Q' A'. unfold renyi_term.
  destruct (Req_EM_T p 0) as [->|Np].
  { rewrite Rmult_0_l. destruct (Req_EM_T 0 0); [ring | lra]. }
  destruct (Req_EM_T p' 0) as [->|Np'].
  { rewrite Rmult_0_r. destruct (Req_EM_T 0 0); [ring | lra]. }
  destruct (Req_EM_T (p * p') 0) as [E|_].
  { apply Rmult_integral in E. tauto. }
  assert (q <> 0) by auto. assert (q' <> 0) by auto.
  rewrite <- !Rpower_mult_distr by lra. ring.
Qed.

(** The bound on the divergence as one on the integral, and back. *)
Lemma renyi_le {O} (I : integral O) alpha p q rho : 1 < alpha ->
  renyi I alpha p q <= rho * alpha ->
  int I (fun o => renyi_term alpha (p o) (q o)) <= exp ((alpha - 1) * (rho * alpha)).
Proof.
  unfold renyi. intros Ha H. set (m := int I _) in *.
  destruct (Rle_or_lt m 0) as [N|Pm].
  { pose proof (exp_pos ((alpha - 1) * (rho * alpha))). lra. }
  rewrite <- (exp_ln m) by auto. apply exp_le.
  apply Rmult_le_reg_l with (/ (alpha - 1)); [apply Rinv_0_lt_compat; lra|].
  replace (/ (alpha - 1) * ((alpha - 1) * (rho * alpha))) with (rho * alpha) by (field; lra).
  exact H.
Qed.

Lemma le_renyi {O} (I : integral O) alpha p q rho : 1 < alpha -> 0 <= rho ->
  int I (fun o => renyi_term alpha (p o) (q o)) <= exp ((alpha - 1) * (rho * alpha)) ->
  renyi I alpha p q <= rho * alpha.
Proof.
  unfold renyi. intros Ha Hr H. set (m := int I _) in *.
  apply Rmult_le_reg_l with (alpha - 1); [lra|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  destruct (Rle_or_lt m 0) as [N|Pm].
  - unfold ln. destruct (Rlt_dec 0 m); [exfalso; lra|].
    apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra].
  - rewrite <- (ln_exp ((alpha - 1) * (rho * alpha))).
    destruct H as [H| ->]; [left; apply ln_increasing; auto | lra].
Qed.

(** * Composition *)

(** 004 Lemma 2.1.8 (l.418).
    Printed: two mechanisms that are rho_1- and rho_2-zCDP compose to one that is
    (rho_1 + rho_2)-zCDP. It is used for T mechanisms, each chosen in the light of all earlier
    outcomes (000 l.634; 004 l.1768, l.4410, l.9978), and so it is proved here.
    Proved: with rho t for step t, after t outcomes, t = 0, ..., T-1, for every integral. The
    last hypothesis says that transcripts have a divergence at all, that is, that the integrand
    is measurable; for discrete outcomes there is nothing to assume (next theorem). *)
Theorem zCDP_composition {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (rho : nat -> R) (T : nat) :
  (forall past x o, 0 <= M past x o) ->
  (forall t, 0 <= rho t) ->
  (forall past, zCDP near I (M past) (rho (length past))) ->
  (forall x x' alpha t, near x x' -> 1 < alpha -> integrable (power I t)
    (fun past => renyi_term alpha (transcript M x past) (transcript M x' past))) ->
  zCDP near (power I T) (transcript M) (sum (seq 0 T) rho).
Proof.
  intros Pos Hr H Meas x x' Hn.
  assert (Pos' : forall y h, 0 <= transcript M y h).
  { intros y h. induction h as [|o past IH]; simpl; [lra|]. apply Rmult_le_pos; auto. }
  assert (Abs : forall h, transcript M x' h = 0 -> transcript M x h = 0).
  { intros h. induction h as [|o past IH]; simpl; [lra|].
    intros E. destruct (Rmult_integral _ _ E) as [E'|E']; [rewrite IH by auto; ring|].
    destruct (H past x x' Hn) as [A _]. rewrite A by auto. ring. }
  split; [exact Abs|]. intros alpha Ha. split; [auto|].
  assert (Sum : forall k, sum (seq 0 (S k)) rho = sum (seq 0 k) rho + rho k).
  { intros k. rewrite seq_S, sum_app. simpl. lra. }
  apply le_renyi; auto.
  { induction T as [|T IH]; [simpl; lra|]. rewrite Sum. specialize (Hr T). lra. }
  induction T as [|T IH].
  { simpl. unfold renyi_term. destruct (Req_EM_T 1 0); [lra|].
    unfold Rpower. rewrite ln_1, !Rmult_0_r, Rmult_0_l, Rmult_0_r, exp_0. lra. }
  rewrite Sum. set (c := exp ((alpha - 1) * (rho T * alpha))).
  assert (Hc : 0 < c) by apply exp_pos.
  apply Rle_trans with (int (power I T) (fun past =>
    c * renyi_term alpha (transcript M x past) (transcript M x' past))).
  - destruct (Meas x x' alpha (S T) Hn Ha) as [_ Inner].
    simpl. apply power_le; auto. { apply integrable_scale. auto. }
    intros past L. destruct (H past x x' Hn) as [A R]. destruct (R alpha Ha) as [Step B].
    rewrite L in B. apply renyi_le in B; auto. fold c in B.
    rewrite (int_ext I _ (fun o => renyi_term alpha (transcript M x past) (transcript M x' past)
      * renyi_term alpha (M past x o) (M past x' o))).
    + rewrite int_scale by auto. rewrite Rmult_comm.
      apply Rmult_le_compat_r; [apply renyi_term_nonneg | auto].
    + intros o. apply renyi_term_mult; auto.
    + apply (Meas x x' alpha (S T) Hn Ha).
  - rewrite int_scale by auto.
    replace ((alpha - 1) * ((sum (seq 0 T) rho + rho T) * alpha)) with
      ((alpha - 1) * (rho T * alpha) + (alpha - 1) * (sum (seq 0 T) rho * alpha)) by ring.
    rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos | auto].
Qed.

Theorem zCDP_composition_discrete {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (rho : nat -> R) (T : nat) :
  total I ->
  (forall past x o, 0 <= M past x o) ->
  (forall t, 0 <= rho t) ->
  (forall past, zCDP near I (M past) (rho (length past))) ->
  zCDP near (power I T) (transcript M) (sum (seq 0 T) rho).
Proof.
  intros TI Pos Hr H. apply zCDP_composition; auto. intros. apply power_total. auto.
Qed.

(** * Conversion to (epsilon, delta) *)

(** Where p exceeds e^e q, it is at most its share of the integral. *)
Lemma tail alpha e p q : 1 < alpha -> 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  p <= exp e * q + exp (- ((alpha - 1) * e)) * renyi_term alpha p q.
Proof.
  intros Ha P Q A. pose proof (exp_pos e). pose proof (exp_pos (- ((alpha - 1) * e))).
  pose proof (renyi_term_nonneg alpha p q).
  destruct (Rle_or_lt p (exp e * q)) as [L|L]; [nra|].
  assert (Pp : 0 < p) by nra. assert (Pq : 0 < q) by (destruct Q as [|<-]; auto; lra).
  apply Rle_trans with (exp (- ((alpha - 1) * e)) * renyi_term alpha p q); [|nra].
  unfold renyi_term. destruct (Req_EM_T p 0); [lra|]. unfold Rpower.
  rewrite <- !exp_plus. rewrite <- (exp_ln p) at 1 by auto. apply exp_le.
  assert (e + ln q < ln p).
  { rewrite <- (ln_exp e), <- ln_mult by (auto; apply exp_pos). apply ln_increasing; auto. nra. }
  nra.
Qed.

(** The same for the probability of every event. *)
Lemma tail_event {O} (I : integral O) (p q : O -> R) S alpha e :
  1 < alpha -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> (forall o, q o = 0 -> p o = 0) ->
  has_prob I p S -> has_prob I q S ->
  integrable I (fun o => renyi_term alpha (p o) (q o)) ->
  prob I p S <= exp e * prob I q S +
    exp (- ((alpha - 1) * e)) * int I (fun o => renyi_term alpha (p o) (q o)).
Proof.
  intros Ha P Q A Hp Hq Ht. unfold prob.
  rewrite <- !int_scale, <- int_plus by (auto; apply integrable_scale; auto).
  apply int_le; auto. { apply integrable_plus; apply integrable_scale; auto. }
  intros o. unfold on. pose proof (exp_pos (- ((alpha - 1) * e))).
  pose proof (renyi_term_nonneg alpha (p o) (q o)).
  destruct (S o); [apply tail; auto | nra].
Qed.

(** 004 Lemma 2.1.10 (l.426), 000 Lemma 17 (l.628), 004 Lemma 7.2.18 (l.9968).
    Printed: if M is rho-zCDP, it is (rho + 2 sqrt(rho log(1/delta)), delta)-DP for all
    delta > 0.
    Proved: the same, for every integral and every event that has a probability. For
    delta > 1, where the printed square root has no meaning (Coq's is 0), nothing is said that
    is not trivial. *)
Theorem zCDP_to_DP {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R)
    (rho delta : R) :
  0 <= rho -> 0 < delta ->
  (forall x, law I (M x)) ->
  zCDP near I M rho ->
  DP near I M (rho + 2 * sqrt (rho * ln (1 / delta))) delta.
Proof.
  intros Hr Hd L H x x' Hn S HS HS'. destruct (H x x' Hn) as [A R]. clear H.
  set (p := M x) in *. set (q := M x') in *.
  destruct (L x) as (P & Lp1 & Lp2). destruct (L x') as (Q & Lq1 & Lq2).
  fold p in P, Lp1, Lp2. fold q in Q, Lq1, Lq2.
  pose proof (prob_nonneg I q S Q HS') as Q0.
  assert (Q1 : prob I q S <= 1) by (apply prob_le_1; [split|]; auto).
  assert (P1 : prob I p S <= 1) by (apply prob_le_1; [split|]; auto).
  destruct (Rle_or_lt 1 delta) as [D1|D1].
  { pose proof (exp_pos (rho + 2 * sqrt (rho * ln (1 / delta)))). nra. }
  assert (Tail : forall alpha e, 1 < alpha -> prob I p S <=
    exp e * prob I q S + exp ((alpha - 1) * (rho * alpha - e))).
  { intros alpha e Ha. destruct (R alpha Ha) as [Ht Hb].
    apply Rle_trans with (1 := tail_event I p q S alpha e Ha P Q A HS HS' Ht).
    apply renyi_le in Hb; auto.
    replace ((alpha - 1) * (rho * alpha - e)) with
      (- ((alpha - 1) * e) + (alpha - 1) * (rho * alpha)) by ring.
    rewrite exp_plus. pose proof (exp_pos (- ((alpha - 1) * e))). nra. }
  set (l := ln (1 / delta)) in *.
  assert (Hl : 0 < l).
  { unfold l. rewrite <- ln_1. apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with delta; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Ed : exp (- l) = delta).
  { unfold l, Rdiv. rewrite Rmult_1_l, ln_Rinv by auto. rewrite Ropp_involutive.
    apply exp_ln. auto. }
  destruct Hr as [Hr|<-].
  - set (r := sqrt rho). set (k := sqrt l).
    assert (Er : r * r = rho) by (apply sqrt_sqrt; lra).
    assert (Ek : k * k = l) by (apply sqrt_sqrt; lra).
    assert (Pr : 0 < r) by (apply sqrt_lt_R0; auto).
    assert (Pk : 0 < k) by (apply sqrt_lt_R0; auto).
    assert (Es : sqrt (rho * l) = r * k) by (apply sqrt_mult; lra). rewrite Es.
    assert (Ha : 1 < 1 + k / r).
    { assert (0 < k / r) by (apply Rdiv_lt_0_compat; auto). lra. }
    specialize (Tail (1 + k / r) (rho + 2 * (r * k)) Ha).
    replace ((1 + k / r - 1) * (rho * (1 + k / r) - (rho + 2 * (r * k)))) with (- l) in Tail.
    { rewrite Ed in Tail. lra. }
    rewrite <- Er, <- Ek. field. lra.
  - rewrite Rmult_0_l, sqrt_0, Rmult_0_r, Rplus_0_r, exp_0, Rmult_1_l.
    apply Rnot_lt_le. intros N. set (gap := prob I p S - prob I q S - delta).
    assert (G : 0 < gap) by (unfold gap; lra).
    set (e := ln (1 + gap / 2)).
    assert (Ee : exp e = 1 + gap / 2) by (apply exp_ln; lra).
    assert (Pe : 0 < e) by (unfold e; rewrite <- ln_1; apply ln_increasing; lra).
    assert (Ha : 1 < 1 + l / e).
    { assert (0 < l / e) by (apply Rdiv_lt_0_compat; auto). lra. }
    specialize (Tail (1 + l / e) e Ha).
    replace ((1 + l / e - 1) * (0 * (1 + l / e) - e)) with (- l) in Tail by (field; lra).
    rewrite Ed, Ee in Tail. unfold gap in *. nra.
Qed.

(** log(1/delta) is not negative for delta <= 1. *)
Lemma ln_inverse_nonneg delta : 0 < delta <= 1 -> 0 <= ln (1 / delta).
Proof.
  intros [Hd H1]. unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by auto.
  assert (ln delta <= 0); [|lra]. rewrite <- ln_1.
  destruct H1 as [H1| ->]; [left; apply ln_increasing; auto | lra].
Qed.

(** 004 Lemma 3.2.6 (l.1764).
    Printed: if M is epsilon^2/2-zCDP, it is
    (epsilon^2/2 + epsilon sqrt(2 log(1/delta)), delta)-DP for all delta > 0.
    Proved: the same, for epsilon >= 0 and delta <= 1. *)
Theorem zCDP_to_DP_half_square {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R)
    (epsilon delta : R) :
  0 <= epsilon -> 0 < delta <= 1 ->
  (forall x, law I (M x)) ->
  zCDP near I M (epsilon ^ 2 / 2) ->
  DP near I M (epsilon ^ 2 / 2 + epsilon * sqrt (2 * ln (1 / delta))) delta.
Proof.
  intros He Hd L H.
  replace (epsilon * sqrt (2 * ln (1 / delta))) with
    (2 * sqrt (epsilon ^ 2 / 2 * ln (1 / delta))).
  { apply zCDP_to_DP; auto; [nra | lra]. }
  replace (epsilon ^ 2 / 2 * ln (1 / delta)) with
    ((epsilon / 2) * (epsilon / 2) * (2 * ln (1 / delta))) by field.
  pose proof (ln_inverse_nonneg delta Hd).
  rewrite sqrt_mult by nra. rewrite sqrt_square by lra. field.
Qed.

(** 004 l.2738, 000 l.630, 004 l.9970.
    Printed: rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2 satisfies
    rho + 2 sqrt(rho log(1/delta)) = epsilon, so that rho-zCDP gives (epsilon, delta)-DP.
    Proved: the same, for epsilon >= 0 and 0 < delta <= 1. *)
Definition zCDP_budget (epsilon delta : R) : R :=
  (sqrt (ln (1 / delta) + epsilon) - sqrt (ln (1 / delta))) ^ 2.

Theorem zCDP_budget_identity epsilon delta : 0 <= epsilon -> 0 < delta <= 1 ->
  zCDP_budget epsilon delta + 2 * sqrt (zCDP_budget epsilon delta * ln (1 / delta)) = epsilon.
Proof.
  intros He Hd. unfold zCDP_budget.
  pose proof (ln_inverse_nonneg delta Hd) as Hl. set (l := ln (1 / delta)) in *.
  set (a := sqrt (l + epsilon)). set (b := sqrt l).
  assert (Ea : a * a = l + epsilon) by (apply sqrt_sqrt; lra).
  assert (Eb : b * b = l) by (apply sqrt_sqrt; lra).
  assert (b <= a) by (apply sqrt_le_1; lra).
  assert (0 <= b) by apply sqrt_pos.
  replace ((a - b) ^ 2 * l) with (((a - b) * b) * ((a - b) * b)) by (rewrite <- Eb; ring).
  rewrite sqrt_square by nra. nra.
Qed.

Theorem zCDP_budget_suffices {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R)
    (epsilon delta : R) :
  0 <= epsilon -> 0 < delta <= 1 ->
  (forall x, law I (M x)) ->
  zCDP near I M (zCDP_budget epsilon delta) ->
  DP near I M epsilon delta.
Proof.
  intros He Hd L H. rewrite <- (zCDP_budget_identity epsilon delta) by auto.
  apply zCDP_to_DP; auto; [apply pow2_ge_0 | lra].
Qed.
