(** The Gaussian mechanism in any dimension, by integrals over the real line. *)

From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions ZCDP Line.
Import ListNotations.
Open Scope R_scope.

(** * The density *)

(** The bell curve; its integral over the line, by which the density is divided. That the
    integral is s sqrt(2 pi) is not needed here: only that there is one, and that it does not
    depend on the centre. *)
Definition bell (s x : R) : R := exp (- (x ^ 2 / (2 * s ^ 2))).
Definition normaliser (s : R) : R := int line (bell s).
Definition normal (s c x : R) : R := bell s (x - c) / normaliser s.

(** Independent noise of standard deviation [s] in every coordinate of [c]. *)
Notation normal_vector s := (independent (normal s)).

(** The square of the l2 distance. *)
Fixpoint squared_distance (u v : list R) : R :=
  match u, v with
  | u1 :: us, v1 :: vs => (u1 - v1) ^ 2 + squared_distance us vs
  | _, _ => 0
  end.

Lemma bell_continuous s x : 0 < s -> continuous (bell s) x.
Proof.
  intros Hs. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. nra.
Qed.

Lemma bell_bounded s b : 0 < s -> 0 <= b -> RInt (bell s) 0 b <= s * exp (1 / 2).
Proof.
  intros Hs Hb.
  assert (G : is_RInt (fun x => exp (1 / 2 - x / s)) 0 b
    (minus (- s * exp (1 / 2 - b / s)) (- s * exp (1 / 2 - 0 / s)))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - s * exp (1 / 2 - x / s))).
    - intros x _. auto_derive; [lra|]. unfold Rminus, Rdiv. field. lra.
    - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. lra. }
  apply Rle_trans with (RInt (fun x => exp (1 / 2 - x / s)) 0 b).
  - apply RInt_le; auto.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
      apply bell_continuous. auto.
    + eexists. exact G.
    + intros x _. unfold bell. apply exp_le.
      assert (0 <= (x / s - 1) ^ 2) by apply pow2_ge_0.
      replace (x ^ 2 / (2 * s ^ 2)) with ((x / s) ^ 2 / 2) by (field; lra). nra.
  - rewrite (is_RInt_unique _ _ _ _ G). unfold minus, plus, opp. simpl.
    replace (1 / 2 - 0 / s) with (1 / 2) by (field; lra).
    pose proof (exp_pos (1 / 2 - b / s)). nra.
Qed.

Lemma bell_integral s : 0 < s -> 0 < normaliser s /\ over_line (bell s) (normaliser s).
Proof.
  intros Hs. destruct (over_line_bounded (bell s) (s * exp (1 / 2))) as [l [Pl Hl]].
  - intros x. apply bell_continuous. auto.
  - intros x. apply exp_pos.
  - intros x. unfold bell. f_equal. f_equal. f_equal. ring.
  - intros b Hb. apply bell_bounded; auto.
  - unfold normaliser. rewrite (line_value _ _ Hl). split; assumption.
Qed.

Lemma normal_pos s c x : 0 < s -> 0 < normal s c x.
Proof.
  intros Hs. apply Rdiv_lt_0_compat; [apply exp_pos | apply bell_integral; auto].
Qed.

Lemma normal_mass s c : 0 < s -> over_line (normal s c) 1.
Proof.
  intros Hs. destruct (bell_integral s Hs) as [P H].
  replace 1 with (/ normaliser s * normaliser s) by (field; lra).
  apply (over_line_ext (fun x => / normaliser s * bell s (x - c))).
  - intros x. unfold normal, Rdiv. ring.
  - apply over_line_scale, over_line_shift. auto.
Qed.

Theorem normal_law s c : 0 < s -> law line (normal s c).
Proof.
  intros Hs. pose proof (normal_mass s c Hs) as H. refine (conj _ (conj _ _)).
  - intros x. left. apply normal_pos. exact Hs.
  - exact (line_integrable _ _ H).
  - exact (line_value _ _ H).
Qed.

(** * The Renyi divergence in one dimension *)

(** p^alpha q^(1-alpha) is again a normal density, centred at alpha c + (1 - alpha) c', times a
    factor that does not depend on x. *)
Lemma normal_renyi_term s alpha c c' x : 0 < s ->
  renyi_term alpha (normal s c x) (normal s c' x) =
  exp (alpha * (alpha - 1) * (c - c') ^ 2 / (2 * s ^ 2)) *
  normal s (alpha * c + (1 - alpha) * c') x.
Proof.
  intros Hs. destruct (bell_integral s Hs) as [P _].
  pose proof (normal_pos s c x Hs) as Q. unfold renyi_term.
  destruct (Req_EM_T (normal s c x) 0) as [E|_]; [lra|]. unfold Rpower, normal, bell, Rdiv.
  rewrite !ln_mult by (try apply exp_pos; apply Rinv_0_lt_compat; auto).
  rewrite !ln_exp, ln_Rinv by auto. rewrite <- (exp_ln (/ normaliser s)) by
    (apply Rinv_0_lt_compat; auto). rewrite ln_Rinv by auto. rewrite <- !exp_plus. f_equal.
  field. lra.
Qed.

Lemma normal_renyi s alpha c c' : 0 < s ->
  over_line (fun x => renyi_term alpha (normal s c x) (normal s c' x))
    (exp (alpha * (alpha - 1) * (c - c') ^ 2 / (2 * s ^ 2))).
Proof.
  intros Hs. set (k := exp _). rewrite <- (Rmult_1_r k).
  apply (over_line_ext (fun x => k * normal s (alpha * c + (1 - alpha) * c') x)).
  - intros x. symmetry. apply normal_renyi_term. auto.
  - apply over_line_scale, normal_mass. auto.
Qed.

(** * Any dimension *)

Lemma normal_vector_pos s c x : 0 < s -> 0 < normal_vector s c x.
Proof. intros Hs. apply independent_pos. intros. apply normal_pos. auto. Qed.

Theorem normal_vector_law s c : 0 < s -> law (power line (length c)) (normal_vector s c).
Proof. intros Hs. apply independent_law. intros. apply normal_law. auto. Qed.

Lemma normal_vector_renyi s alpha : 0 < s -> forall c c', length c = length c' ->
  integrable (power line (length c))
    (fun x => renyi_term alpha (normal_vector s c x) (normal_vector s c' x)) /\
  int (power line (length c))
    (fun x => renyi_term alpha (normal_vector s c x) (normal_vector s c' x)) =
  exp (alpha * (alpha - 1) * squared_distance c c' / (2 * s ^ 2)).
Proof.
  intros Hs c. induction c as [|c1 cs IH]; intros [|c1' cs'] L; try discriminate.
  - split; [exact I|]. simpl. unfold renyi_term, Rpower.
    destruct (Req_EM_T 1 0); [lra|]. rewrite ln_1, !Rmult_0_r, exp_0, Rmult_1_r.
    symmetry. rewrite <- exp_0. f_equal. unfold Rdiv. ring.
  - injection L as L. destruct (IH cs' L) as [IH1 IH2]. clear IH.
    set (k := exp (alpha * (alpha - 1) * (c1 - c1') ^ 2 / (2 * s ^ 2))).
    set (t := fun rest => renyi_term alpha (normal_vector s cs rest) (normal_vector s cs' rest))
      in *.
    assert (E : forall rest, over_line (fun x => renyi_term alpha
      (normal_vector s (c1 :: cs) (x :: rest)) (normal_vector s (c1' :: cs') (x :: rest)))
      (k * t rest)).
    { intros rest. rewrite Rmult_comm.
      apply (over_line_ext (fun x => t rest * renyi_term alpha (normal s c1 x) (normal s c1' x))).
      - intros x. simpl. rewrite Rmult_comm. symmetry.
        pose proof (normal_pos s c1 x Hs). pose proof (normal_pos s c1' x Hs).
        pose proof (normal_vector_pos s cs rest Hs). pose proof (normal_vector_pos s cs' rest Hs).
        apply renyi_term_mult; lra.
      - apply over_line_scale, normal_renyi. auto. }
    assert (V : forall rest, k * t rest = int line (fun x => renyi_term alpha
      (normal_vector s (c1 :: cs) (x :: rest)) (normal_vector s (c1' :: cs') (x :: rest)))).
    { intros rest. symmetry. exact (line_value _ _ (E rest)). }
    assert (K : integrable (power line (length cs)) (fun rest => k * t rest))
      by (apply integrable_scale; auto).
    split; [split|].
    + intros rest. exact (line_integrable _ _ (E rest)).
    + exact (integrable_ext _ _ _ V K).
    + transitivity (int (power line (length cs)) (fun rest => k * t rest)).
      * symmetry. exact (int_ext _ _ _ V K).
      * rewrite int_scale, IH2 by auto. unfold k. rewrite <- exp_plus. f_equal. simpl.
        field. lra.
Qed.

(** The divergence, exactly. *)
Theorem gaussian_renyi s alpha c c' : 0 < s -> 1 < alpha -> length c = length c' ->
  renyi (power line (length c)) alpha (normal_vector s c) (normal_vector s c') =
  alpha * squared_distance c c' / (2 * s ^ 2).
Proof.
  intros Hs Ha L. unfold renyi.
  destruct (normal_vector_renyi s alpha Hs c c' L) as [_ E]. rewrite E, ln_exp. field. lra.
Qed.

(** 000 Lemma 18 (l.632), 004 Lemma 7.2.19 (l.9974-9976); 004 Lemma 2.1.9 (l.424), corrected.
    Printed in 000 and in 004 section 7.2: the Gaussian mechanism q(D) + N(0, sigma^2 I) is
    Delta_2^2/(2 sigma^2)-zCDP.
    Proved: the same, in every dimension d. *)
Theorem gaussian_zCDP {D} (near : D -> D -> Prop) (d : nat) (q : D -> list R)
    (Delta sigma : R) :
  0 < sigma -> 0 <= Delta ->
  (forall x, length (q x) = d) ->
  (forall x x', near x x' -> sqrt (squared_distance (q x) (q x')) <= Delta) ->
  zCDP near (power line d) (fun x => normal_vector sigma (q x)) (Delta ^ 2 / (2 * sigma ^ 2)).
Proof.
  intros Hs HD Hd H x x' Hn. split.
  { intros o E. pose proof (normal_vector_pos sigma (q x') o Hs). lra. }
  intros alpha Ha. assert (L : length (q x) = length (q x')) by (rewrite !Hd; auto).
  rewrite <- (Hd x). split; [apply normal_vector_renyi; auto|].
  rewrite gaussian_renyi by auto. specialize (H x x' Hn).
  set (w := squared_distance (q x) (q x')) in *.
  assert (W : 0 <= w).
  { unfold w. generalize (q x) (q x'). clear. intros u. induction u as [|u1 us IH];
      intros [|v1 vs]; simpl; try lra. specialize (IH vs). pose proof (pow2_ge_0 (u1 - v1)).
    simpl in *. lra. }
  assert (w <= Delta ^ 2).
  { rewrite <- (sqrt_sqrt w W). pose proof (sqrt_pos w). nra. }
  assert (0 < / (2 * sigma ^ 2)) by (apply Rinv_0_lt_compat; nra).
  unfold Rdiv. rewrite (Rmult_comm (Delta ^ 2 * / (2 * sigma ^ 2))), <- Rmult_assoc.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

(** 004 Lemma 2.1.9 (l.424) as printed, with Delta_2 for its square, is false: at sensitivity 2
    and sigma = 1 it claims 1-zCDP, but the divergence is 2 alpha. *)
Theorem gaussian_zCDP_without_square_false :
  ~ (forall (near : bool -> bool -> Prop) (q : bool -> list R) (Delta sigma : R),
     0 < sigma -> 0 <= Delta -> (forall x, length (q x) = 1%nat) ->
     (forall x x', near x x' -> sqrt (squared_distance (q x) (q x')) <= Delta) ->
     zCDP near (power line 1) (fun x => normal_vector sigma (q x)) (Delta / (2 * sigma ^ 2))).
Proof.
  intros H. set (q := fun x : bool => if x then [2] else [0]).
  assert (Z : zCDP (fun x x' => x <> x') (power line 1) (fun x => normal_vector 1 (q x))
    (2 / (2 * 1 ^ 2))).
  { apply H; try lra.
    - intros []; reflexivity.
    - intros [] []; intros N; try congruence; simpl;
        [replace ((2 - 0) * ((2 - 0) * 1) + 0) with (2 * 2) by ring |
         replace ((0 - 2) * ((0 - 2) * 1) + 0) with (2 * 2) by ring];
        rewrite sqrt_square by lra; lra. }
  destruct (Z true false) as [_ R]; [discriminate|]. destruct (R 2 ltac:(lra)) as [_ B].
  change (power line 1) with (power line (length (q true))) in B.
  rewrite gaussian_renyi in B by (try lra; reflexivity). simpl in B. lra.
Qed.

(** Noise of variance Delta_2^2/(2 rho), rho = (sqrt(log(1/delta) + epsilon) -
    sqrt(log(1/delta)))^2, makes one release (epsilon, delta)-DP, for every epsilon > 0 and every
    event that has a probability: a corrected form of 004 Definition 2.1.3 (l.378-380), whose
    sqrt(2 ln(1.25/delta)) Delta_2/epsilon is printed for every epsilon. *)
Theorem gaussian_DP {D} (near : D -> D -> Prop) (d : nat) (q : D -> list R)
    (Delta sigma epsilon delta : R) :
  0 < sigma -> 0 <= Delta -> 0 <= epsilon -> 0 < delta <= 1 ->
  (forall x, length (q x) = d) ->
  (forall x x', near x x' -> sqrt (squared_distance (q x) (q x')) <= Delta) ->
  Delta ^ 2 / (2 * sigma ^ 2) = zCDP_budget epsilon delta ->
  DP near (power line d) (fun x => normal_vector sigma (q x)) epsilon delta.
Proof.
  intros Hs HD He Hd L H E. apply zCDP_budget_suffices; auto.
  - intros x. rewrite <- (L x). apply normal_vector_law. auto.
  - rewrite <- E. apply gaussian_zCDP; auto.
Qed.
