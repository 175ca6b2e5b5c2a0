(** Post-processing and basic composition of (epsilon, delta)-differential privacy.

    Each theorem comes twice: for every integral, with what measure theory knows of measurable
    functions as a hypothesis ([measurability]); and for discrete mechanisms, where every
    function is measurable and nothing is assumed. *)

From Coq Require Import Reals Lra Psatz List.
From Touchstone Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** * Measurable functions *)

(** The event where [p] exceeds [c q]. *)
Definition exceeds {O} (c : R) (p q : O -> R) (o : O) : bool :=
  if Rlt_dec (c * q o) (p o) then true else false.

Definition indicator {O} (S : O -> bool) (o : O) : R := if S o then 1 else 0.

(** What is used of the functions that are measurable: the product of one with values in [0, 1]
    and an integrable function is integrable; so is h -> min(1, c h); and two integrable
    functions can be compared. *)
Record measurability {X} (I : integral X) := Measurability {
  measurable : (X -> R) -> Prop;
  product : forall f h, integrable I f -> measurable h -> (forall x, 0 <= h x <= 1) ->
    integrable I (fun x => f x * h x);
  capped : forall c h, measurable h -> measurable (fun x => Rmin 1 (c * h x));
  compared : forall c f g, integrable I f -> integrable I g ->
    measurable (indicator (exceeds c f g))
}.
Arguments measurable {X I}. Arguments product {X I}.
Arguments capped {X I}. Arguments compared {X I}.

Definition all_measurable {X} (I : integral X) (T : total I) : measurability I.
Proof. refine (Measurability X I (fun _ => True) _ _ _); auto. Defined.

(** The integral looks at the outcomes in [K] only. *)
Definition sees {X} (I : integral X) (K : X -> Prop) : Prop :=
  forall f g, integrable I f -> integrable I g ->
  (forall x, K x -> f x <= g x) -> int I f <= int I g.

Lemma sees_all {X} (I : integral X) : sees I (fun _ => True).
Proof. intros f g F G H. apply int_le; auto. Qed.

(** * From events to functions *)

Lemma integrable_on {O} (I : integral O) (m : measurability I) p S :
  integrable I p -> measurable m (indicator S) -> has_prob I p S.
Proof.
  intros Hp HS. unfold has_prob. apply (integrable_ext I (fun o => p o * indicator S o)).
  - intros o. unfold on, indicator. destruct (S o); ring.
  - apply (product m); auto. intros o. unfold indicator. destruct (S o); lra.
Qed.

(** A bound for all events is one for all measurable functions with values in [0, 1]. *)
Lemma events_to_functions {O} (I : integral O) (m : measurability I) (p q : O -> R) c delta h :
  integrable I p -> integrable I q ->
  (forall S, has_prob I p S -> has_prob I q S -> prob I p S <= c * prob I q S + delta) ->
  measurable m h -> (forall o, 0 <= h o <= 1) ->
  int I (fun o => p o * h o) <= c * int I (fun o => q o * h o) + delta.
Proof.
  intros Hp Hq H Hm Hh. set (S := exceeds c p q).
  assert (Sp : has_prob I p S) by (apply (integrable_on I m); auto; apply compared; auto).
  assert (Sq : has_prob I q S) by (apply (integrable_on I m); auto; apply compared; auto).
  specialize (H S Sp Sq). unfold prob, has_prob in *.
  assert (Php : integrable I (fun o => p o * h o)) by (apply (product m); auto).
  assert (Qhq : integrable I (fun o => q o * h o)) by (apply (product m); auto).
  assert (L : int I (fun o => p o * h o + - c * (q o * h o)) <=
              int I (fun o => on S p o + - c * on S q o)).
  { apply int_le; try (apply integrable_plus; auto; apply integrable_scale; auto).
    intros o. specialize (Hh o). unfold on, S, exceeds.
    destruct (Rlt_dec (c * q o) (p o)); nra. }
  rewrite !int_plus in L by (auto; apply integrable_scale; auto).
  rewrite (int_scale I (- c) (fun o => q o * h o)) in L by auto.
  rewrite (int_scale I (- c) (on S q)) in L by auto. lra.
Qed.

(** * Post-processing *)

(** 002 Proposition 2.5 (l.91).
    Printed: if M is (epsilon, delta)-DP, so is g(M) for every function g.
    Proved: the same, for every integral and every event of g's outputs that has a probability. *)
Theorem post_processing_by_function {D O B} (near : D -> D -> Prop) (I : integral O)
    (M : D -> O -> R) (g : O -> B) (epsilon delta : R) :
  DP near I M epsilon delta ->
  forall x x' (S : B -> bool), near x x' ->
  has_prob I (M x) (fun o => S (g o)) -> has_prob I (M x') (fun o => S (g o)) ->
  prob I (M x) (fun o => S (g o)) <= exp epsilon * prob I (M x') (fun o => S (g o)) + delta.
Proof. intros H x x' S Hn P P'. apply H; auto. Qed.

(** 004 Lemma 2.1.1 (l.368).
    Printed: if M is (epsilon, delta)-DP, so is f(M) for every randomized mapping f.
    Proved: the same. For an event of f's outputs, [h o] is the probability that f sends the
    outcome [o] into it (1 or 0 if f is a function), so that the integral of [M x o * h o] is
    the probability of the event for f(M). *)
Theorem post_processing {D O} (near : D -> D -> Prop) (I : integral O) (m : measurability I)
    (M : D -> O -> R) (epsilon delta : R) :
  (forall x, integrable I (M x)) ->
  DP near I M epsilon delta ->
  forall x x' h, near x x' -> measurable m h -> (forall o, 0 <= h o <= 1) ->
  int I (fun o => M x o * h o) <= exp epsilon * int I (fun o => M x' o * h o) + delta.
Proof.
  intros L H x x' h Hn Hm Hh. apply (events_to_functions I m); auto.
Qed.

(** For discrete mechanisms: the law of [f(M)], where the randomized mapping [f] sends [o] to
    [b] with probability [f o b]: sum over o of P(M = o) P(f(o) = b). *)
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

Theorem post_processing_discrete {D O B} (near : D -> D -> Prop) (I : integral O)
    (outputs : list B) (M : D -> O -> R) (f : O -> B -> R) (epsilon delta : R) :
  total I ->
  (forall o, law (finite outputs) (f o)) ->
  DP near I M epsilon delta ->
  DP near (finite outputs) (fun x => after I (M x) f) epsilon delta.
Proof.
  intros T F H x x' Hn S _ _. rewrite !prob_after by auto.
  apply (post_processing near I (all_measurable I T) M epsilon delta); auto; [exact Logic.I|].
  intros o. split; [apply prob_nonneg | apply prob_le_1]; try apply finite_total; apply F.
Qed.

(** * Basic composition *)

Lemma int_const {O} (I : integral O) p h c :
  law I p -> integrable I (fun o => p o * h o) ->
  integrable I (fun o => p o * (h o + c)) /\
  int I (fun o => p o * (h o + c)) = int I (fun o => p o * h o) + c.
Proof.
  intros (_ & Hp & E) H.
  assert (X : forall o, p o * h o + c * p o = p o * (h o + c)) by (intros; ring).
  assert (K : integrable I (fun o => p o * h o + c * p o))
    by (apply integrable_plus; auto; apply integrable_scale; auto).
  split; [apply (integrable_ext I _ _ X K)|].
  rewrite <- (int_ext I _ _ X K), int_plus, int_scale, E by (auto; apply integrable_scale; auto).
  ring.
Qed.

(** The heart of it: first [p] against [q], then [P a] against [Q a], the probabilities of the
    event given the first outcome [a]. *)
Lemma compose {A} (I : integral A) (m : measurability I) (K : A -> Prop) (p q P Q : A -> R)
    e1 d1 e2 d2 :
  sees I K -> law I p -> law I q -> 0 <= d2 ->
  (forall S, has_prob I p S -> has_prob I q S -> prob I p S <= exp e1 * prob I q S + d1) ->
  measurable m P -> measurable m Q ->
  (forall a, 0 <= P a <= 1) -> (forall a, 0 <= Q a <= 1) ->
  (forall a, K a -> P a <= exp e2 * Q a + d2) ->
  int I (fun a => p a * P a) <= exp (e1 + e2) * int I (fun a => q a * Q a) + (d1 + d2).
Proof.
  intros HK Lp Lq D2 H MP MQ HP HQ H2. set (h := fun a => Rmin 1 (exp e2 * Q a)).
  assert (Mh : measurable m h) by (apply (capped m); auto).
  assert (Hh : forall a, 0 <= h a <= 1).
  { intros a. unfold h. pose proof (exp_pos e2). specialize (HQ a). split.
    - apply Rmin_glb; nra.
    - apply Rmin_l. }
  assert (Ip : integrable I p) by apply Lp. assert (Iq : integrable I q) by apply Lq.
  assert (IpP : integrable I (fun a => p a * P a)) by (apply (product m); auto).
  assert (Iph : integrable I (fun a => p a * h a)) by (apply (product m); auto).
  assert (Iqh : integrable I (fun a => q a * h a)) by (apply (product m); auto).
  assert (IqQ : integrable I (fun a => q a * Q a)) by (apply (product m); auto).
  destruct (int_const I p h d2 Lp Iph) as [Iphd E].
  assert (S1 : int I (fun a => p a * P a) <= int I (fun a => p a * h a) + d2).
  { rewrite <- E. apply HK; auto. intros a Ka. apply Rmult_le_compat_l; [apply Lp|].
    unfold h. specialize (HP a). specialize (H2 a Ka).
    unfold Rmin. destruct (Rle_dec 1 (exp e2 * Q a)); lra. }
  assert (S2 : int I (fun a => p a * h a) <= exp e1 * int I (fun a => q a * h a) + d1)
    by (apply (events_to_functions I m); auto).
  assert (S3 : int I (fun a => q a * h a) <= exp e2 * int I (fun a => q a * Q a)).
  { rewrite <- int_scale by auto. apply int_le; auto; [apply integrable_scale; auto|].
    intros a. replace (exp e2 * (q a * Q a)) with (q a * (exp e2 * Q a)) by ring.
    apply Rmult_le_compat_l; [apply Lq|]. apply Rmin_r. }
  rewrite exp_plus, Rmult_assoc. pose proof (exp_pos e1). nra.
Qed.

(** delta is never negative: the empty event. *)
Lemma delta_nonneg {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R) e d x x' :
  (forall y, law I (M y)) -> DP near I M e d -> near x x' -> 0 <= d.
Proof.
  intros L H Hn.
  assert (Z : forall y, has_prob I (M y) (fun _ => false)).
  { intros y. apply (integrable_ext I (fun o => 0 * M y o)).
    - intros o. unfold on. ring.
    - apply integrable_scale. apply L. }
  specialize (H x x' Hn (fun _ => false) (Z x) (Z x')). unfold prob in H.
  rewrite !(int_zero I (on (fun _ => false) _)) in H by (auto; apply Z). lra.
Qed.

(** Two mechanisms, the second chosen in the light of the first one's outcome: their density, and
    the integral over the second outcome, then over the first. *)
Definition both {D A B} (M1 : D -> A -> R) (M2 : A -> D -> B -> R) (x : D) (o : A * B) : R :=
  M1 x (fst o) * M2 (fst o) x (snd o).

Definition pairs {A B} (I : integral A) (J : integral B) : integral (A * B).
Proof.
  refine (Integral (A * B)
    (fun f => (forall a, integrable J (fun b => f (a, b))) /\
              integrable I (fun a => int J (fun b => f (a, b))))
    (fun f => int I (fun a => int J (fun b => f (a, b)))) _ _ _ _ _ _).
  - intros f g E [H1 H2]. split.
    + intros a. apply (integrable_ext J (fun b => f (a, b))); auto.
    + eapply integrable_ext; [|exact H2]. intros a. apply int_ext; auto.
  - intros f g [F1 F2] [G1 G2]. split.
    + intros a. apply integrable_plus; auto.
    + apply (integrable_ext I
        (fun a => int J (fun b => f (a, b)) + int J (fun b => g (a, b)))).
      * intros a. symmetry. apply int_plus; auto.
      * apply integrable_plus; auto.
  - intros c f [F1 F2]. split.
    + intros a. apply integrable_scale; auto.
    + apply (integrable_ext I (fun a => c * int J (fun b => f (a, b)))).
      * intros a. symmetry. apply int_scale; auto.
      * apply integrable_scale; auto.
  - intros f g [F1 F2] [G1 G2]. rewrite <- int_plus by auto. symmetry. apply int_ext.
    + intros a. symmetry. apply int_plus; auto.
    + apply integrable_plus; auto.
  - intros c f [F1 F2]. rewrite <- int_scale by auto. symmetry. apply int_ext.
    + intros a. symmetry. apply int_scale; auto.
    + apply integrable_scale; auto.
  - intros f g [F1 F2] [G1 G2] H. apply int_le; auto. intros a. apply int_le; auto.
Defined.

(** The event [S], given the first outcome. *)
Definition section {A B} (S : A * B -> bool) (a : A) (b : B) : bool := S (a, b).

(** 002 Proposition 2.6 (l.95-97).
    Printed: if M_i is (epsilon_i, delta_i)-DP, i = 1, 2, then (M_1, M_2) is
    (epsilon_1 + epsilon_2, delta_1 + delta_2)-DP.
    Proved: the same, also if the second mechanism is chosen in the light of the first one's
    outcome (where it is not, [M2] does not depend on it). The last hypothesis is Tonelli's
    theorem: the probability of an event, given the first outcome, exists and is measurable. *)
Theorem basic_composition_of_two {D A B} (near : D -> D -> Prop)
    (I : integral A) (m : measurability I) (J : integral B)
    (M1 : D -> A -> R) (M2 : A -> D -> B -> R)
    (epsilon1 epsilon2 delta1 delta2 : R) :
  (forall x, law I (M1 x)) -> (forall a x, law J (M2 a x)) ->
  DP near I M1 epsilon1 delta1 ->
  (forall a, DP near J (M2 a) epsilon2 delta2) ->
  (forall x S, has_prob (pairs I J) (both M1 M2 x) S ->
    (forall a, has_prob J (M2 a x) (section S a)) /\
    measurable m (fun a => prob J (M2 a x) (section S a))) ->
  DP near (pairs I J) (both M1 M2) (epsilon1 + epsilon2) (delta1 + delta2).
Proof.
  intros L1 L2 H1 H2 Tonelli x x' Hn S HS HS'.
  destruct (Tonelli x S HS) as [V W]. destruct (Tonelli x' S HS') as [V' W'].
  assert (E : forall y, has_prob (pairs I J) (both M1 M2 y) S ->
    (forall a, has_prob J (M2 a y) (section S a)) -> prob (pairs I J) (both M1 M2 y) S =
    int I (fun a => M1 y a * prob J (M2 a y) (section S a))).
  { intros y [_ Y] Hy. unfold prob. simpl. apply int_ext; auto. intros a.
    rewrite <- int_scale by apply Hy. symmetry. apply int_ext; [|apply integrable_scale, Hy].
    intros b. unfold on, both, section. simpl. destruct (S (a, b)); ring. }
  rewrite !E by auto.
  assert (Range : forall y, (forall a, has_prob J (M2 a y) (section S a)) ->
    forall a, 0 <= prob J (M2 a y) (section S a) <= 1).
  { intros y Hy a. split; [apply prob_nonneg | apply prob_le_1]; auto; apply L2. }
  apply (compose I m (fun _ => True)); auto using sees_all.
  - destruct (Rle_dec 0 delta2) as [|N]; auto. exfalso.
    assert (Empty : A -> False).
    { intros a. apply N. apply (delta_nonneg near J (M2 a) epsilon2 delta2 x x'); auto. }
    destruct (L1 x) as (_ & K & One). rewrite int_zero in One; auto; [lra|].
    intros a. contradiction (Empty a).
  - intros a _. apply H2; auto.
Qed.

Theorem basic_composition_of_two_discrete {D A B} (near : D -> D -> Prop)
    (I : integral A) (J : integral B) (M1 : D -> A -> R) (M2 : A -> D -> B -> R)
    (epsilon1 epsilon2 delta1 delta2 : R) :
  total I -> total J ->
  (forall x, law I (M1 x)) -> (forall a x, law J (M2 a x)) ->
  DP near I M1 epsilon1 delta1 ->
  (forall a, DP near J (M2 a) epsilon2 delta2) ->
  DP near (pairs I J) (both M1 M2) (epsilon1 + epsilon2) (delta1 + delta2).
Proof.
  intros TI TJ L1 L2 H1 H2.
  apply (basic_composition_of_two near I (all_measurable I TI)); auto.
  intros x S _. split; [intros a; apply TJ | exact Logic.I].
Qed.

(** * Many mechanisms *)

Lemma transcript_law {D O} (I : integral O) (M : list O -> D -> O -> R) (x : D) T :
  (forall past, law I (M past x)) -> law (power I T) (transcript M x).
Proof.
  intros L. split; [|induction T as [|T [IH1 IH2]]].
  - intros h. induction h as [|o past IH]; simpl; [lra|].
    apply Rmult_le_pos; [auto | apply L].
  - split; [exact Logic.I | reflexivity].
  - assert (E : forall past, transcript M x past =
      int I (fun o => transcript M x (o :: past))).
    { intros past. destruct (L past) as (_ & Hp & One). simpl.
      rewrite int_scale, One by auto. ring. }
    split; [split|].
    + intros past. simpl. apply integrable_scale. apply L.
    + apply (integrable_ext _ _ _ E IH1).
    + rewrite <- IH2. symmetry. apply (int_ext _ _ _ E IH1).
Qed.

(** The event [S] of transcripts, given the past. *)
Definition given {O} (S : list O -> bool) (past : list O) (o : O) : bool := S (o :: past).

(** 004 Lemma 2.1.4 (l.390).
    Printed: if M_i is (epsilon_i, delta_i)-DP, then (M_1, ..., M_T) is
    (sum epsilon_i, sum delta_i)-DP.
    Proved: the same, also if every mechanism is chosen in the light of all earlier outcomes.
    Step t, after t outcomes, has epsilon t and delta t, t = 0, ..., T-1. The last hypothesis is
    Tonelli's theorem, as above. *)
Theorem basic_composition {D O} (near : D -> D -> Prop) (I : integral O)
    (m : forall t, measurability (power I t))
    (M : list O -> D -> O -> R) (epsilon delta : nat -> R) (T : nat) :
  (forall past x, law I (M past x)) ->
  (forall past, DP near I (M past) (epsilon (length past)) (delta (length past))) ->
  (forall t x S, has_prob (power I (Datatypes.S t)) (transcript M x) S ->
    (forall past, has_prob I (M past x) (given S past)) /\
    measurable (m t) (fun past => prob I (M past x) (given S past))) ->
  DP near (power I T) (transcript M) (sum (seq 0 T) epsilon) (sum (seq 0 T) delta).
Proof.
  intros L H Tonelli. induction T as [|T IH].
  { intros x x' _ S _ _. unfold prob, on. simpl. rewrite exp_0. destruct (S []); lra. }
  intros x x' Hn S HS HS'.
  destruct (Tonelli T x S HS) as [V W]. destruct (Tonelli T x' S HS') as [V' W'].
  assert (Law : forall y, law (power I T) (transcript M y))
    by (intros; apply transcript_law; auto).
  assert (E : forall y, has_prob (power I (Datatypes.S T)) (transcript M y) S ->
    (forall past, has_prob I (M past y) (given S past)) ->
    prob (power I (Datatypes.S T)) (transcript M y) S =
    int (power I T) (fun past => transcript M y past * prob I (M past y) (given S past))).
  { intros y [_ Y] Hy. unfold prob at 1. simpl. apply int_ext; auto. intros past.
    unfold prob. rewrite <- int_scale by apply Hy. symmetry.
    apply int_ext; [|apply integrable_scale, Hy].
    intros o. unfold on, given. simpl. destruct (S (o :: past)); ring. }
  assert (Sum : forall f, sum (seq 0 (Datatypes.S T)) f = sum (seq 0 T) f + f T).
  { intros f. rewrite seq_S, sum_app. simpl. lra. }
  rewrite !E, !Sum by auto.
  assert (Range : forall y, (forall past, has_prob I (M past y) (given S past)) ->
    forall past, 0 <= prob I (M past y) (given S past) <= 1).
  { intros y Hy past. split; [apply prob_nonneg | apply prob_le_1]; auto; apply L. }
  assert (Sees : sees (power I T) (fun past => length past = T)).
  { intros f g F G Hl. apply power_le; auto. }
  apply (compose (power I T) (m T) (fun past => length past = T)); auto.
  - destruct (Rle_dec 0 (delta T)) as [|N]; auto. exfalso.
    destruct (Law x) as (_ & K & One).
    assert (int (power I T) (transcript M x) <=
            int (power I T) (fun past => 0 * transcript M x past)).
    { apply Sees; auto; [apply integrable_scale; auto|]. intros past Lp. exfalso. apply N.
      rewrite <- Lp. apply (delta_nonneg near I (M past) (epsilon (length past)) _ x x'); auto. }
    rewrite int_scale in H0 by auto. lra.
  - intros past Lp. rewrite <- Lp. apply H; auto.
Qed.

Theorem basic_composition_discrete {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (epsilon delta : nat -> R) (T : nat) :
  total I ->
  (forall past x, law I (M past x)) ->
  (forall past, DP near I (M past) (epsilon (length past)) (delta (length past))) ->
  DP near (power I T) (transcript M) (sum (seq 0 T) epsilon) (sum (seq 0 T) delta).
Proof.
  intros TI L H.
  apply (basic_composition near I (fun t => all_measurable _ (power_total I t TI))); auto.
  intros t x S _. split; [intros past; apply TI | exact Logic.I].
Qed.

(** 004 Lemma 2.1.4, "Thus" (l.392): T mechanisms, each (epsilon/T, delta/T)-DP, are together
    (epsilon, delta)-DP. *)
Theorem basic_composition_equal_shares {D O} (near : D -> D -> Prop) (I : integral O)
    (M : list O -> D -> O -> R) (epsilon delta : R) (T : nat) :
  (0 < T)%nat -> total I ->
  (forall past x, law I (M past x)) ->
  (forall past, DP near I (M past) (epsilon / INR T) (delta / INR T)) ->
  DP near (power I T) (transcript M) epsilon delta.
Proof.
  intros HT TI L H.
  assert (E : forall c, sum (seq 0 T) (fun _ => c / INR T) = c).
  { intros c. transitivity (INR T * (c / INR T)).
    - generalize (c / INR T) 0%nat. clear. intros a.
      induction T as [|T IH]; intros n; [simpl; lra|].
      change (a + sum (seq (S n) T) (fun _ => a) = INR (S T) * a). rewrite IH, S_INR. lra.
    - field. apply not_0_INR. lia. }
  rewrite <- (E epsilon), <- (E delta). apply basic_composition_discrete; auto.
Qed.
