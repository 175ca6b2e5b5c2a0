(** Post-processing and basic composition of discrete mechanisms. *)

From Coq Require Import Reals Lra Psatz List.
From Touchstone Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** * From events to functions *)

(** The event where [p] exceeds [c q]: no other one has a larger excess. *)
Definition exceeds {O} (p q : O -> R) (c : R) (o : O) : bool :=
  if Rlt_dec (c * q o) (p o) then true else false.

Lemma int_minus {O} (I : integral O) f g c : total I ->
  int I (fun o => f o + - c * g o) = int I f - c * int I g.
Proof.
  intros T. rewrite int_plus by auto. rewrite (int_scale I (- c) g) by auto. lra.
Qed.

(** A bound for all events is one for all functions with values in [0, 1]. *)
Lemma events_to_functions {O} (I : integral O) (p q : O -> R) c delta :
  total I ->
  (forall S, prob I p S <= c * prob I q S + delta) ->
  forall h, (forall o, 0 <= h o <= 1) ->
  int I (fun o => p o * h o) <= c * int I (fun o => q o * h o) + delta.
Proof.
  intros T H h Hh. specialize (H (exceeds p q c)). unfold prob in H.
  assert (L : int I (fun o => p o * h o + - c * (q o * h o)) <=
              int I (fun o => on (exceeds p q c) p o + - c * on (exceeds p q c) q o)).
  { apply int_le; auto. intros o. specialize (Hh o). unfold on, exceeds.
    destruct (Rlt_dec (c * q o) (p o)); nra. }
  rewrite !int_minus in L by auto. lra.
Qed.

(** The integral over the event of a product. *)
Lemma int_const {O} (I : integral O) p h c :
  total I -> law I p -> int I (fun o => p o * (h o + c)) = int I (fun o => p o * h o) + c.
Proof.
  intros T (_ & _ & E).
  rewrite (int_ext I _ (fun o => p o * h o + c * p o)) by (auto; intros; ring).
  rewrite int_plus, int_scale, E by auto. lra.
Qed.

(** * Post-processing *)

(** The law of [f(M)], where the randomized mapping [f] sends [o] to [b] with probability
    [f o b]: sum over o of P(M = o) P(f(o) = b). *)
Definition after {O B} (I : integral O) (p : O -> R) (f : O -> B -> R) (b : B) : R :=
  int I (fun o => p o * f o b).

Lemma swap {O B} (I : integral O) (l : list B) (g : O -> B -> R) : total I ->
  sum l (fun b => int I (fun o => g o b)) = int I (fun o => sum l (g o)).
Proof.
  intros T. induction l as [|b l IH]; simpl.
  - symmetry. apply int_zero; auto.
  - rewrite IH. symmetry. apply (int_plus I (fun o => g o b)); auto.
Qed.

Lemma prob_after {O B} (I : integral O) (l : list B) p (f : O -> B -> R) S : total I ->
  prob (finite l) (after I p f) S = int I (fun o => p o * prob (finite l) (f o) S).
Proof.
  intros T. unfold prob, after. simpl.
  transitivity (sum l (fun b => int I (fun o => p o * on S (f o) b))).
  - assert (E : forall b, on S (fun b => int I (fun o => p o * f o b)) b =
                          int I (fun o => p o * on S (f o) b)).
    { intros b. unfold on. destruct (S b); auto.
      symmetry. apply int_zero; auto. intros o. ring. }
    apply Rle_antisym; apply sum_le; intros b _; rewrite E; lra.
  - rewrite swap by auto. apply int_ext; auto. intros o. apply sum_scale.
Qed.

(** 004 Lemma 2.1.1 (l.368), 002 Proposition 2.5 (l.91-93).
    Printed: if M is (epsilon, delta)-DP, so is f(M) for every randomized mapping f (004), for
    every function f (002: a law [f o] on one point).
    Proved: the same, for mechanisms with discrete outcomes (every function has an integral,
    [total]) and mappings into a finite set. *)
Theorem post_processing {D O B} (near : D -> D -> Prop) (I : integral O) (outputs : list B)
    (M : D -> O -> R) (f : O -> B -> R) (epsilon delta : R) :
  total I ->
  (forall o, law (finite outputs) (f o)) ->
  DP near I M epsilon delta ->
  DP near (finite outputs) (fun x => after I (M x) f) epsilon delta.
Proof.
  intros T F H x x' Hn S _ _. rewrite !prob_after by auto.
  apply events_to_functions; auto.
  - intros S'. apply H; auto; apply T.
  - intros o. split; [apply prob_nonneg | apply prob_le_1]; try apply finite_total;
      destruct (F o); auto.
Qed.

(** * Basic composition *)

(** The law of two mechanisms, the second chosen in the light of the first one's outcome, and
    its integral: over the second outcome, then over the first. *)
Definition both {D A B} (M1 : D -> A -> R) (M2 : A -> D -> B -> R) (x : D) (o : A * B) : R :=
  M1 x (fst o) * M2 (fst o) x (snd o).

Definition pairs {A B} (I : integral A) (J : integral B) (TI : total I) (TJ : total J) :
  integral (A * B).
Proof.
  refine (Integral (A * B) (fun _ => True)
    (fun f => int I (fun a => int J (fun b => f (a, b)))) _ _ _ _ _ _); auto.
  - intros f g _ _. rewrite <- int_plus by auto. apply int_ext; auto.
    intros a. apply int_plus; auto.
  - intros c f _. rewrite <- int_scale by auto. apply int_ext; auto.
    intros a. apply int_scale; auto.
  - intros f g _ _ H. apply int_le; auto. intros a. apply int_le; auto.
Defined.

(** The heart of it: first [p] against [q], then [P] against [Q] on the rest of the event. *)
Lemma compose {A} (I : integral A) (p q P Q : A -> R) e1 d1 e2 d2 :
  total I -> law I p -> law I q -> 0 <= d2 ->
  (forall S, prob I p S <= exp e1 * prob I q S + d1) ->
  (forall a, 0 <= P a <= 1) -> (forall a, 0 <= Q a) ->
  (forall a, P a <= exp e2 * Q a + d2) ->
  int I (fun a => p a * P a) <= exp (e1 + e2) * int I (fun a => q a * Q a) + (d1 + d2).
Proof.
  intros T Lp Lq D2 H HP HQ H2. set (h := fun a => Rmin 1 (exp e2 * Q a)).
  assert (Hh : forall a, 0 <= h a <= 1).
  { intros a. unfold h. pose proof (exp_pos e2). specialize (HQ a). split.
    - apply Rmin_glb; nra.
    - apply Rmin_l. }
  assert (S1 : int I (fun a => p a * P a) <= int I (fun a => p a * h a) + d2).
  { rewrite <- int_const by auto. apply int_le; auto. intros a.
    apply Rmult_le_compat_l; [apply Lp|]. unfold h. specialize (HP a). specialize (H2 a).
    unfold Rmin. destruct (Rle_dec 1 (exp e2 * Q a)); lra. }
  assert (S2 : int I (fun a => p a * h a) <= exp e1 * int I (fun a => q a * h a) + d1)
    by (apply events_to_functions; auto).
  assert (S3 : int I (fun a => q a * h a) <= exp e2 * int I (fun a => q a * Q a)).
  { rewrite <- int_scale by auto. apply int_le; auto. intros a.
    replace (exp e2 * (q a * Q a)) with (q a * (exp e2 * Q a)) by ring.
    apply Rmult_le_compat_l; [apply Lq|]. apply Rmin_r. }
  rewrite exp_plus, Rmult_assoc. pose proof (exp_pos e1). nra.
Qed.

(** delta is never negative: the empty event. *)
Lemma delta_nonneg {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R) e d x x' :
  total I -> DP near I M e d -> near x x' -> 0 <= d.
Proof.
  intros T H Hn. specialize (H x x' Hn (fun _ => false) (T _) (T _)). unfold prob in H.
  rewrite !(int_zero I (on (fun _ => false) _)) in H by auto. lra.
Qed.

(** 002 Proposition 2.6 (l.95-97).
    Printed: if M_i is (epsilon_i, delta_i)-DP, i = 1, 2, then (M_1, M_2) is
    (epsilon_1 + epsilon_2, delta_1 + delta_2)-DP.
    Proved: the same for discrete outcomes, also if the second mechanism is chosen in the light
    of the first one's outcome (where it is not, [M2] does not depend on it). *)
Theorem basic_composition_of_two {D A B} (near : D -> D -> Prop)
    (I : integral A) (J : integral B) (TI : total I) (TJ : total J)
    (M1 : D -> A -> R) (M2 : A -> D -> B -> R)
    (epsilon1 epsilon2 delta1 delta2 : R) :
  (forall x, law I (M1 x)) -> (forall a x, law J (M2 a x)) ->
  DP near I M1 epsilon1 delta1 ->
  (forall a, DP near J (M2 a) epsilon2 delta2) ->
  DP near (pairs I J TI TJ) (both M1 M2) (epsilon1 + epsilon2) (delta1 + delta2).
Proof.
  intros L1 L2 H1 H2 x x' Hn S _ _.
  assert (E : forall y, prob (pairs I J TI TJ) (both M1 M2 y) S =
    int I (fun a => M1 y a * prob J (M2 a y) (fun b => S (a, b)))).
  { intros y. unfold prob. simpl. apply int_ext; auto. intros a. rewrite <- int_scale by auto.
    apply int_ext; auto. intros b. unfold on, both. simpl. destruct (S (a, b)); ring. }
  rewrite !E.
  apply compose; auto.
  - destruct (Rle_dec 0 delta2) as [|N]; auto. exfalso.
    assert (Empty : A -> False).
    { intros a. apply N. apply (delta_nonneg near J (M2 a) epsilon2 delta2 x x'); auto. }
    destruct (L1 x) as (_ & _ & One). rewrite int_zero in One; auto; [lra|].
    intros a. contradiction (Empty a).
  - intros S'. apply H1; auto; apply TI.
  - intros a. split; [apply prob_nonneg | apply prob_le_1]; try apply TJ; apply L2.
  - intros a. apply prob_nonneg; [apply L2 | apply TJ].
  - intros a. apply H2; auto; apply TJ.
Qed.

(** The mechanism of step [t] is used after [t] outcomes; the transcript of [T] steps is a law. *)
Lemma transcript_law {D O} (I : integral O) (M : list O -> D -> O -> R) (x : D) T :
  total I -> (forall past, law I (M past x)) -> law (power I T) (transcript M x).
Proof.
  intros TI L. repeat split.
  - intros h. induction h as [|o past IH]; simpl; [lra|].
    apply Rmult_le_pos; [auto | apply L].
  - apply power_total; auto.
  - induction T as [|T IH]; simpl; [reflexivity|]. rewrite <- IH.
    apply int_ext; [|apply power_total; auto]. intros past. simpl.
    rewrite int_scale by auto. destruct (L past) as (_ & _ & E). rewrite E. ring.
Qed.

(** 004 Lemma 2.1.4 (l.390).
    Printed: if M_i is (epsilon_i, delta_i)-DP, then (M_1, ..., M_T) is
    (sum epsilon_i, sum delta_i)-DP.
    Proved: the same for discrete outcomes, also if every mechanism is chosen in the light of
    all earlier outcomes. Step t, after t outcomes, has epsilon t and delta t, t = 0, ..., T-1. *)
Theorem basic_composition {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (epsilon delta : nat -> R) (T : nat) :
  total I ->
  (forall past x, law I (M past x)) ->
  (forall past, (length past < T)%nat ->
    DP near I (M past) (epsilon (length past)) (delta (length past))) ->
  DP near (power I T) (transcript M) (sum (seq 0 T) epsilon) (sum (seq 0 T) delta).
Proof.
  intros TI L H x x' Hn S _ _. clear - TI L H Hn. revert S H.
  assert (PT : forall k f, integrable (power I k) f) by (intros; apply power_total; auto).
  induction T as [|T IH]; intros S H.
  { unfold prob, on. simpl. rewrite exp_0. destruct (S []); lra. }
  assert (IH' : forall S', prob (power I T) (transcript M x) S' <=
     exp (sum (seq 0 T) epsilon) * prob (power I T) (transcript M x') S' +
     sum (seq 0 T) delta) by (intros; apply IH; intros; apply H; lia).
  clear IH.
  (* the chance of the event given the past; only pasts of T outcomes matter *)
  set (given := fun y past => if Nat.eq_dec (length past) T
    then prob I (M past y) (fun o => S (o :: past)) else 0).
  assert (E : forall y, prob (power I (Datatypes.S T)) (transcript M y) S =
    int (power I T) (fun past => transcript M y past * given y past)).
  { intros y. unfold prob at 1. simpl. apply power_ext; auto. intros past Lp. unfold given.
    destruct (Nat.eq_dec (length past) T); [|contradiction].
    unfold prob. rewrite <- int_scale by auto. apply int_ext; auto.
    intros o. unfold on. simpl. destruct (S (o :: past)); ring. }
  assert (Sum : forall f, sum (seq 0 (Datatypes.S T)) f = sum (seq 0 T) f + f T).
  { intros f. rewrite seq_S, sum_app. simpl. lra. }
  rewrite !E, !Sum.
  assert (D0 : 0 <= delta T).
  { destruct (Rle_dec 0 (delta T)) as [|N]; auto. exfalso.
    destruct (transcript_law I M x T TI (fun past => L past x)) as (_ & _ & One).
    rewrite (power_ext I T _ (fun _ => 0) TI) in One.
    - rewrite int_zero in One; auto. lra.
    - intros past Lp. exfalso. apply N. subst T.
      apply (delta_nonneg near I (M past) (epsilon (length past)) (delta (length past)) x x');
        auto. }
  apply compose; auto; try (apply power_total; auto); try (apply transcript_law; auto).
  - intros past. unfold given. destruct (Nat.eq_dec (length past) T); [|lra].
    split; [apply prob_nonneg | apply prob_le_1]; try apply TI; apply L.
  - intros past. unfold given. destruct (Nat.eq_dec (length past) T); [|lra].
    apply prob_nonneg; [apply L | apply TI].
  - intros past. unfold given. destruct (Nat.eq_dec (length past) T) as [Lp|]; [|lra].
    subst T. apply H; auto; apply TI.
Qed.

(** 004 Lemma 2.1.4, "Thus" (l.392): T mechanisms, each (epsilon/T, delta/T)-DP, are together
    (epsilon, delta)-DP. *)
Theorem basic_composition_equal_shares {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (epsilon delta : R) (T : nat) :
  (0 < T)%nat -> total I ->
  (forall past x, law I (M past x)) ->
  (forall past, (length past < T)%nat ->
    DP near I (M past) (epsilon / INR T) (delta / INR T)) ->
  DP near (power I T) (transcript M) epsilon delta.
Proof.
  intros HT TI L H.
  assert (E : forall c, sum (seq 0 T) (fun _ => c / INR T) = c).
  { intros c. transitivity (INR T * (c / INR T)).
    - generalize (c / INR T) 0%nat. clear. intros a.
      induction T as [|T IH]; intros n; [simpl; lra|].
      change (a + sum (seq (S n) T) (fun _ => a) = INR (S T) * a). rewrite IH, S_INR. lra.
    - field. apply not_0_INR. lia. }
  rewrite <- (E epsilon), <- (E delta). apply basic_composition; auto.
Qed.
