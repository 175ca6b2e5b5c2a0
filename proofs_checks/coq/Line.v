(** The improper Riemann integral over the real line, through Coquelicot. *)

From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions.
Open Scope R_scope.

Notation minus_infinity := (Rbar_locally m_infty).
Notation plus_infinity := (Rbar_locally p_infty).

(** The integral of [f] from minus infinity to plus infinity exists and is [l]. *)
Definition over_line (f : R -> R) (l : R) : Prop :=
  is_RInt_gen f minus_infinity plus_infinity l.

Lemma over_line_ext f g l : (forall x, f x = g x) -> over_line f l -> over_line g l.
Proof.
  intros E. apply (is_RInt_gen_ext (V := R_NormedModule) (Fa := minus_infinity)
    (Fb := plus_infinity) f g l).
  apply filter_forall. intros ab x _. apply E.
Qed.

Lemma over_line_plus f g l m :
  over_line f l -> over_line g m -> over_line (fun x => f x + g x) (l + m).
Proof.
  exact (is_RInt_gen_plus (V := R_NormedModule) (Fa := minus_infinity)
    (Fb := plus_infinity) f g l m).
Qed.

Lemma over_line_scale c f l : over_line f l -> over_line (fun x => c * f x) (c * l).
Proof.
  exact (is_RInt_gen_scal (V := R_NormedModule) (Fa := minus_infinity)
    (Fb := plus_infinity) f c l).
Qed.

Lemma over_line_value f l : over_line f l -> RInt_gen f minus_infinity plus_infinity = l.
Proof.
  exact (is_RInt_gen_unique (V := R_CompleteNormedModule) (Fa := minus_infinity)
    (Fb := plus_infinity) f l).
Qed.

Lemma over_line_nonneg f l : (forall x, 0 <= f x) -> over_line f l -> 0 <= l.
Proof.
  intros P H. apply Rle_trans with (norm l); [apply norm_ge_0|].
  apply (RInt_gen_norm (Fa := minus_infinity) (Fb := plus_infinity) f f l l); auto.
  - apply Filter_prod with (fun a => a < 0) (fun b => 0 < b);
      [exists 0; auto | exists 0; auto | simpl; intros; lra].
  - apply filter_forall. intros ab x _. right. apply Rabs_pos_eq. auto.
Qed.

Definition line : integral R.
Proof.
  refine (Integral R (fun f => exists l, over_line f l)
    (fun f => RInt_gen f minus_infinity plus_infinity) _ _ _ _ _ _).
  - intros f g E [l H]. exists l. apply (over_line_ext f); auto.
  - intros f g [l H] [m K]. exists (l + m). apply over_line_plus; auto.
  - intros c f [l H]. exists (c * l). apply over_line_scale; auto.
  - intros f g [l H] [m K]. rewrite (over_line_value _ _ H), (over_line_value _ _ K).
    apply over_line_value, over_line_plus; auto.
  - intros c f [l H]. rewrite (over_line_value _ _ H). apply over_line_value, over_line_scale; auto.
  - intros f g [l H] [m K] L. rewrite (over_line_value _ _ H), (over_line_value _ _ K).
    assert (0 <= m + (-1) * l); [|lra].
    apply (over_line_nonneg (fun x => g x + (-1) * f x)).
    + intros x. specialize (L x). lra.
    + apply over_line_plus; [|apply over_line_scale]; auto.
Defined.

Lemma line_integrable f l : over_line f l -> integrable line f.
Proof. intros H. exact (ex_intro _ l H). Qed.

Lemma line_value f l : over_line f l -> int line f = l.
Proof. exact (over_line_value f l). Qed.

(** Moving a function along the line does not change its integral. *)
Lemma over_line_shift f c l : over_line f l -> over_line (fun x => f (x - c)) l.
Proof.
  intros H P HP. specialize (H P HP). destruct H as [Q S [m HQ] [n HS] H].
  apply Filter_prod with (fun a => Q (a - c)) (fun b => S (b - c)).
  - exists (m + c). intros a Ha. apply HQ. lra.
  - exists (n + c). intros b Hb. apply HS. lra.
  - intros a b Qa Sb. destruct (H _ _ Qa Sb) as [y [Hy Py]]. exists y. split; auto.
    simpl in *. apply (is_RInt_ext (fun x => scal 1 (f (1 * x + - c)))).
    + intros x _. unfold scal. simpl. unfold mult. simpl. rewrite Rmult_1_l. f_equal. lra.
    + apply (is_RInt_comp_lin f 1 (- c) a b y).
      replace (1 * a + - c) with (a - c) by lra. replace (1 * b + - c) with (b - c) by lra.
      exact Hy.
Qed.

(** The integral of a positive, even, continuous function is twice the limit of its integrals
    from 0. *)
Lemma over_line_even (f : R -> R) (L : R) :
  (forall x, continuous f x) -> (forall x, 0 < f x) -> (forall x, f (- x) = f x) ->
  (forall b, 0 <= b -> RInt f 0 b <= L) ->
  (forall e, 0 < e -> exists b, 0 <= b /\ L - e < RInt f 0 b) ->
  over_line f (L + L).
Proof.
  intros C P E Up Close.
  assert (X : forall a b, ex_RInt f a b).
  { intros a b. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). auto. }
  assert (Mono : forall a b, 0 <= a <= b -> RInt f 0 a <= RInt f 0 b).
  { intros a b Hab. rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) f 0 a b) by apply X.
    assert (0 <= RInt f a b).
    { apply RInt_ge_0; auto; [lra | intros; left; auto]. }
    unfold plus. simpl. lra. }
  assert (Right : is_RInt_gen f (at_point 0) plus_infinity L).
  { intros Q [eps HQ]. destruct (Close eps (cond_pos eps)) as [b0 [Hb0 W]].
    apply Filter_prod with (fun a => a = 0) (fun b => b0 < b).
    - reflexivity.
    - exists b0. auto.
    - intros a b -> Hb. simpl. exists (RInt f 0 b). split.
      { apply (RInt_correct (V := R_CompleteNormedModule)). apply X. }
      apply HQ. unfold ball. simpl. unfold AbsRing_ball, abs, minus, plus, opp. simpl.
      assert (RInt f 0 b <= L) by (apply Up; lra).
      assert (RInt f 0 b0 <= RInt f 0 b) by (apply Mono; lra).
      apply Rabs_def1; lra. }
  assert (Left : is_RInt_gen f minus_infinity (at_point 0) L).
  { intros Q HQ. destruct (Right Q HQ) as [U V HU [n HV] H].
    apply Filter_prod with (fun a => a < - n) (fun b => b = 0).
    - exists (- n). auto.
    - reflexivity.
    - intros a b Ha ->. destruct (H 0 (- a) HU (HV (- a) ltac:(lra))) as [y [Hy Qy]].
      exists y. split; auto. simpl fst in *. simpl snd in *.
      assert (H0 : is_RInt f (- 0) (- a) y) by (rewrite Ropp_0; exact Hy).
      pose proof (is_RInt_comp_opp (V := R_NormedModule) f 0 a y H0) as H1.
      pose proof (is_RInt_opp (V := R_NormedModule) _ 0 a y H1) as H2.
      pose proof (is_RInt_swap (V := R_NormedModule) _ a 0 _ H2) as H3.
      rewrite opp_opp in H3.
      refine (is_RInt_ext (V := R_NormedModule) _ f a 0 y _ H3).
      intros x _. rewrite opp_opp. apply E. }
  apply (is_RInt_gen_Chasles (V := R_NormedModule)
    (Fa := minus_infinity) (Fc := plus_infinity) f 0 L L Left Right).
Qed.

(** If they are bounded, there is an integral. *)
Lemma over_line_bounded (f : R -> R) (bound : R) :
  (forall x, continuous f x) -> (forall x, 0 < f x) -> (forall x, f (- x) = f x) ->
  (forall b, 0 <= b -> RInt f 0 b <= bound) ->
  exists l, 0 < l /\ over_line f l.
Proof.
  intros C P E B.
  destruct (completeness (fun v => exists b, 0 <= b /\ v = RInt f 0 b)) as [L [Up Least]].
  { exists bound. intros v [b [Hb ->]]. auto. }
  { exists (RInt f 0 0), 0. split; [lra | auto]. }
  assert (Up' : forall b, 0 <= b -> RInt f 0 b <= L) by (intros b Hb; apply Up; exists b; auto).
  exists (L + L). split.
  - assert (0 < L); [|lra]. apply Rlt_le_trans with (RInt f 0 1); [|apply Up'; lra].
    apply RInt_gt_0; auto. lra.
  - apply over_line_even; auto. intros e He.
    destruct (Classical_Prop.classic (exists b, 0 <= b /\ L - e < RInt f 0 b)) as [|N]; auto.
    exfalso. assert (L <= L - e); [|lra].
    apply Least. intros v [b [Hb ->]]. apply Rnot_lt_le. intros G. apply N. exists b. auto.
Qed.
