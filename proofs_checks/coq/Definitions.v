(** What the theorems of this folder are about: laws, events, privacy.

    A mechanism gives each data set a probability density on a set of outcomes, with respect to
    an integral. All that is used of an integral is that it is monotone and linear. Three kinds
    of it occur:
    - [finite]: the sum over a list of outcomes, for discrete mechanisms; every function has one;
    - [line] (in [Gaussian.v]): the improper Riemann integral over the real line;
    - [power I d]: the [d]-fold iterated integral over lists of [d] outcomes, for vectors and for
      the transcript of [d] mechanisms.
    The Lebesgue integral over any measure is another one, so a theorem "for every integral"
    covers it, though Coq's standard library does not construct it. *)

From Coq Require Import Reals Lra Psatz List.
Import ListNotations.
Open Scope R_scope.

(** * Integrals *)

Record integral (X : Type) := Integral {
  integrable : (X -> R) -> Prop;
  int : (X -> R) -> R;
  integrable_ext : forall f g, (forall x, f x = g x) -> integrable f -> integrable g;
  integrable_plus : forall f g,
    integrable f -> integrable g -> integrable (fun x => f x + g x);
  integrable_scale : forall c f, integrable f -> integrable (fun x => c * f x);
  int_plus : forall f g,
    integrable f -> integrable g -> int (fun x => f x + g x) = int f + int g;
  int_scale : forall c f, integrable f -> int (fun x => c * f x) = c * int f;
  int_le : forall f g,
    integrable f -> integrable g -> (forall x, f x <= g x) -> int f <= int g
}.
Arguments integrable {X}. Arguments int {X}. Arguments integrable_ext {X}.
Arguments integrable_plus {X}. Arguments integrable_scale {X}.
Arguments int_plus {X}. Arguments int_scale {X}. Arguments int_le {X}.

(** Every function has an integral: so it is for sums over finitely many outcomes. *)
Definition total {X} (I : integral X) := forall f, integrable I f.

(** The sum over a list. *)
Fixpoint sum {X} (l : list X) (f : X -> R) : R :=
  match l with [] => 0 | x :: rest => f x + sum rest f end.

Lemma sum_plus {X} (l : list X) f g : sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l; simpl; lra. Qed.

Lemma sum_scale {X} (l : list X) c f : sum l (fun x => c * f x) = c * sum l f.
Proof. induction l; simpl; lra. Qed.

Lemma sum_le {X} (l : list X) f g : (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
Proof.
  induction l as [|x l IH]; intros H; simpl; [lra|].
  pose proof (H x (or_introl eq_refl)). pose proof (IH (fun y Hy => H y (or_intror Hy))). lra.
Qed.

Lemma sum_app {X} (l m : list X) f : sum (l ++ m) f = sum l f + sum m f.
Proof. induction l; simpl; lra. Qed.

Definition finite {X} (l : list X) : integral X.
Proof.
  refine (Integral X (fun _ => True) (sum l) _ _ _ _ _ _); auto.
  - intros f g _ _. apply sum_plus.
  - intros c f _. apply sum_scale.
  - intros f g _ _ H. apply sum_le. auto.
Defined.

Lemma finite_total {X} (l : list X) : total (finite l).
Proof. intros f. exact I. Qed.

(** The value at one point: the integral over lists of no outcomes. *)
Definition value_at {X} (x : X) : integral X.
Proof. refine (Integral X (fun _ => True) (fun f => f x) _ _ _ _ _ _); auto. Defined.

Lemma int_ext {X} (I : integral X) f g :
  (forall x, f x = g x) -> integrable I f -> int I f = int I g.
Proof.
  intros E Hf. pose proof (integrable_ext I f g E Hf) as Hg.
  apply Rle_antisym; apply int_le; auto; intros x; rewrite E; lra.
Qed.

Lemma int_zero {X} (I : integral X) f :
  (forall x, f x = 0) -> integrable I f -> int I f = 0.
Proof.
  intros Z H. rewrite (int_ext I f (fun x => 0 * f x)); auto.
  - rewrite int_scale by auto. ring.
  - intros x. rewrite Z. ring.
Qed.

(** Lists that are longer by one: integrate over the new outcome, then over the rest. *)
Definition extend {X} (J : integral (list X)) (I : integral X) : integral (list X).
Proof.
  refine (Integral (list X)
    (fun f => (forall rest, integrable I (fun x => f (x :: rest))) /\
              integrable J (fun rest => int I (fun x => f (x :: rest))))
    (fun f => int J (fun rest => int I (fun x => f (x :: rest)))) _ _ _ _ _ _).
  - intros f g E [H1 H2]. split.
    + intros rest. apply (integrable_ext I (fun x => f (x :: rest))); auto.
    + eapply integrable_ext; [|exact H2]. intros rest. apply int_ext; auto.
  - intros f g [F1 F2] [G1 G2]. split.
    + intros rest. apply integrable_plus; auto.
    + apply (integrable_ext J
        (fun rest => int I (fun x => f (x :: rest)) + int I (fun x => g (x :: rest)))).
      * intros rest. symmetry. apply int_plus; auto.
      * apply integrable_plus; auto.
  - intros c f [F1 F2]. split.
    + intros rest. apply integrable_scale; auto.
    + apply (integrable_ext J (fun rest => c * int I (fun x => f (x :: rest)))).
      * intros rest. symmetry. apply int_scale; auto.
      * apply integrable_scale; auto.
  - intros f g [F1 F2] [G1 G2]. rewrite <- int_plus by auto. symmetry. apply int_ext.
    + intros rest. symmetry. apply int_plus; auto.
    + apply integrable_plus; auto.
  - intros c f [F1 F2]. rewrite <- int_scale by auto. symmetry. apply int_ext.
    + intros rest. symmetry. apply int_scale; auto.
    + apply integrable_scale; auto.
  - intros f g [F1 F2] [G1 G2] H. apply int_le; auto. intros rest. apply int_le; auto.
Defined.

Fixpoint power {X} (I : integral X) (d : nat) : integral (list X) :=
  match d with O => value_at [] | S k => extend (power I k) I end.

Lemma power_total {X} (I : integral X) d : total I -> total (power I d).
Proof. intros T. induction d; intros f; simpl; auto. Qed.

(** The [d]-fold integral looks at lists of [d] outcomes only. *)
Lemma power_le {X} (I : integral X) d : forall f g,
  integrable (power I d) f -> integrable (power I d) g ->
  (forall l, length l = d -> f l <= g l) -> int (power I d) f <= int (power I d) g.
Proof.
  induction d as [|d IH]; intros f g Hf Hg H; simpl; [apply H; reflexivity|].
  destruct Hf as [F1 F2]. destruct Hg as [G1 G2].
  apply IH; auto. intros rest L. apply int_le; auto. intros x. apply H. simpl. auto.
Qed.

Lemma power_ext {X} (I : integral X) d f g : total I ->
  (forall l, length l = d -> f l = g l) -> int (power I d) f = int (power I d) g.
Proof.
  intros T E. apply Rle_antisym; apply power_le; try (apply power_total; auto);
    intros l L; rewrite E by auto; lra.
Qed.

(** * Laws and privacy *)

(** The density of independent coordinates, [p c1] for the first, and so on. *)
Fixpoint independent {C X} (p : C -> X -> R) (c : list C) (x : list X) : R :=
  match c, x with
  | c1 :: cs, x1 :: xs => p c1 x1 * independent p cs xs
  | _, _ => 1
  end.

(** [p] is the density of a probability law. *)
Definition law {O} (I : integral O) (p : O -> R) :=
  (forall o, 0 <= p o) /\ integrable I p /\ int I p = 1.

(** The density on the event [S] and 0 elsewhere; the probability of [S]; that it has one. *)
Definition on {O} (S : O -> bool) (p : O -> R) (o : O) : R := if S o then p o else 0.
Definition prob {O} (I : integral O) (p : O -> R) (S : O -> bool) : R := int I (on S p).
Definition has_prob {O} (I : integral O) (p : O -> R) (S : O -> bool) : Prop :=
  integrable I (on S p).

(** (epsilon, delta)-differential privacy: 004 Definition 2.1.1 (l.360-362), 003 Definition 1,
    002 Definition 2.1. [near] is the relation of neighbours, [M] the mechanism. *)
Definition DP {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R)
    (epsilon delta : R) :=
  forall x x', near x x' -> forall S, has_prob I (M x) S -> has_prob I (M x') S ->
  prob I (M x) S <= exp epsilon * prob I (M x') S + delta.

(** The integrand [p^alpha q^(1-alpha)] of the Renyi divergence; 0 where [p] is. *)
Definition renyi_term (alpha p q : R) : R :=
  if Req_EM_T p 0 then 0 else Rpower p alpha * Rpower q (1 - alpha).

(** The Renyi divergence: 004 footnote 1 (l.422). *)
Definition renyi {O} (I : integral O) (alpha : R) (p q : O -> R) : R :=
  / (alpha - 1) * ln (int I (fun o => renyi_term alpha (p o) (q o))).

(** rho-zCDP: 004 Definition 2.1.5 (l.410-414), 000 Definition 12 (l.620). That the divergence is
    finite is said by its two conditions: no outcome is impossible under [q] only, and the
    integral exists. *)
Definition zCDP {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R) (rho : R) :=
  forall x x', near x x' ->
  (forall o, M x' o = 0 -> M x o = 0) /\
  forall alpha, 1 < alpha ->
  integrable I (fun o => renyi_term alpha (M x o) (M x' o)) /\
  renyi I alpha (M x) (M x') <= rho * alpha.

(** Many mechanisms on the same data, each chosen in the light of all earlier outcomes: [M past]
    is the next mechanism, [past] the earlier outcomes, latest first. The density of the
    transcript; its integral is [power I T]. (Steps with outcomes of different types are covered
    by their union as the one type.) *)
Fixpoint transcript {D O} (M : list O -> D -> O -> R) (x : D) (outcomes : list O) : R :=
  match outcomes with [] => 1 | o :: past => transcript M x past * M past x o end.

(** * Lemmas that several files use *)

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|H]; [left; apply exp_increasing; auto | rewrite H; lra]. Qed.

Lemma prob_nonneg {O} (I : integral O) p S :
  (forall o, 0 <= p o) -> has_prob I p S -> 0 <= prob I p S.
Proof.
  intros P H. unfold prob.
  replace 0 with (0 * int I (on S p)) by ring. rewrite <- int_scale by auto.
  apply int_le; auto. { apply integrable_scale; auto. }
  intros o. unfold on. destruct (S o); [specialize (P o)|]; lra.
Qed.

Lemma prob_le_1 {O} (I : integral O) p S : law I p -> has_prob I p S -> prob I p S <= 1.
Proof.
  intros (P & Hp & E) H. rewrite <- E. apply int_le; auto.
  intros o. unfold on. destruct (S o); [|specialize (P o)]; lra.
Qed.

(** Pure privacy from a bound on the densities, for every event. *)
Lemma densities_DP {D O} (near : D -> D -> Prop) (I : integral O) (M : D -> O -> R) epsilon :
  (forall x x' o, near x x' -> M x o <= exp epsilon * M x' o) -> DP near I M epsilon 0.
Proof.
  intros H x x' Hn S P P'. unfold prob. rewrite Rplus_0_r, <- int_scale by auto.
  apply int_le; auto. { apply integrable_scale; auto. }
  intros o. unfold on. destruct (S o); [auto | lra].
Qed.

Lemma independent_pos {C X} (p : C -> X -> R) :
  (forall c x, 0 < p c x) -> forall c x, 0 < independent p c x.
Proof.
  intros P c. induction c as [|c1 cs IH]; intros [|x1 xs]; simpl; try lra.
  apply Rmult_lt_0_compat; auto.
Qed.

(** Independent coordinates that have laws have one together. *)
Lemma independent_law {C X} (I : integral X) (p : C -> X -> R) :
  (forall c, law I (p c)) -> forall c, law (power I (length c)) (independent p c).
Proof.
  intros L c. split; [|induction c as [|c1 cs [IH1 IH2]]].
  - induction c as [|c1 cs IH]; intros [|x1 xs]; simpl; try lra.
    apply Rmult_le_pos; auto. apply L.
  - split; [exact Logic.I | reflexivity].
  - destruct (L c1) as (_ & Hp & One).
    assert (S : forall rest x, independent p cs rest * p c1 x =
      independent p (c1 :: cs) (x :: rest)) by (intros; simpl; ring).
    assert (K : forall rest, integrable I (fun x => independent p cs rest * p c1 x))
      by (intros; apply integrable_scale; auto).
    assert (E : forall rest, independent p cs rest =
      int I (fun x => independent p (c1 :: cs) (x :: rest))).
    { intros rest. rewrite <- (int_ext I _ _ (S rest) (K rest)), int_scale, One by auto. ring. }
    split; [split|].
    + intros rest. apply (integrable_ext I _ _ (S rest) (K rest)).
    + apply (integrable_ext _ _ _ E IH1).
    + rewrite <- IH2. symmetry. apply (int_ext _ _ _ E IH1).
Qed.
