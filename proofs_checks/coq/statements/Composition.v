(** Post-processing and basic composition of (epsilon, delta)-differential privacy.

    (epsilon, delta)-differential privacy ([DP] in core/DP.v; 004 Definition 2.1.1 (l.360-362),
    003 Definition 1, 002 Definition 2.1) is a bound for every measurable event; mechanisms are
    probability measures on any measurable spaces. *)
From Touchstone.core Require Import Everything Kernels.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Post-processing *)

(** 002 Proposition 2.5 (l.91).
    Printed: if M is (epsilon, delta)-DP, so is g(M) for every function g.
    Proved: the same, for every measurable g: for others g(M) has no law. *)
Theorem post_processing_by_function {R : realType} d d' (T : measurableType d)
    (U : measurableType d') D (near : D -> D -> Prop) (M : D -> {measure set T -> \bar R})
    (g : T -> U) (mg : measurable_fun setT g) (epsilon delta : R) :
  DP near M epsilon delta ->
  DP near (fun x => [the measure _ _ of pushforward (M x) mg]) epsilon delta.
Proof. exact: post_processing. Qed.

(** delta is never negative: the empty event. *)
Lemma close_ge0 {R : realType} d (T : measurableType d) (P Q : {measure set T -> \bar R}) e dl :
  close e dl P Q -> (0 <= dl)%R.
Proof. by move=> /(_ _ measurable0); rewrite !measure0 mule0 add0e lee_fin. Qed.

(** 004 Lemma 2.1.1 (l.368).
    Printed: if M is (epsilon, delta)-DP, so is f(M) for every randomized mapping f.
    Proved: the same. A randomized mapping is a Markov kernel: f a is the law of its output on a,
    and f(M) has the law of the second half of the pair (M, f(M)). *)
Theorem post_processing_by_kernel {R : realType} d d' (T : measurableType d)
    (U : measurableType d') D (near : D -> D -> Prop) (M : D -> {measure set T -> \bar R})
    (f : kernel T U R) (epsilon delta : R) :
  (forall x, probability (M x)) ->
  DP near M epsilon delta ->
  DP near (fun x => [the measure _ _ of
    pushforward [the measure _ _ of semidirect (M x) f] (@measurable_fun_snd _ _ T U)])
    epsilon delta.
Proof.
move=> M1 H x x' n.
exact: (randomized_post_processing f M1 (close_ge0 (H _ _ n)) H n).
Qed.

(** * Basic composition *)

(** 002 Proposition 2.6 (l.95-97).
    Printed: if M_i is (epsilon_i, delta_i)-DP, i = 1, 2, then (M_1, M_2) is
    (epsilon_1 + epsilon_2, delta_1 + delta_2)-DP.
    Proved: the same, also if the second mechanism is chosen in the light of the first one's
    outcome a: [M2 x] is a Markov kernel (where it is not so chosen, a constant one). *)
Theorem basic_composition_of_two {R : realType} d d' (A : measurableType d)
    (B : measurableType d') D (near : D -> D -> Prop) (M1 : D -> {measure set A -> \bar R})
    (M2 : D -> kernel A B R) (epsilon1 delta1 epsilon2 delta2 : R) :
  (forall x, probability (M1 x)) ->
  DP near M1 epsilon1 delta1 ->
  (forall a, DP near (fun x => M2 x a) epsilon2 delta2) ->
  DP near (fun x => [the measure _ _ of semidirect (M1 x) (M2 x)])
    (epsilon1 + epsilon2)%R (delta1 + delta2)%R.
Proof.
move=> P1 H1 H2 x x' n.
exact: (composition P1 (close_ge0 (H1 _ _ n)) (close_ge0 (H2 point _ _ n)) H1 H2 n).
Qed.

(** * Many mechanisms, each chosen in the light of all earlier outcomes *)

(** A measurable space, whatever the name of its sigma-algebra: outcomes of step t. *)
Record outcomes := Outcomes { algebra : measure_display; outcome :> measurableType algebra }.

(** The outcomes of the first T steps, and their law under the kernels of the steps. *)
Fixpoint earlier (O : nat -> outcomes) (T : nat) : outcomes :=
  match T with
  | 0%N => @Outcomes _ [the measurableType _ of (unit : Type)]
  | t.+1 => @Outcomes _ [the measurableType _ of (earlier O t * O t)%type]
  end.

Section steps.
Context {R : realType} (O : nat -> outcomes).

Fixpoint composed (K : forall t, kernel (earlier O t) (O t) R) (T : nat) :
    {measure set (earlier O T) -> \bar R} :=
  match T with
  | 0%N => [the measure _ _ of @dirac _ unit tt R]
  | t.+1 => [the measure _ _ of semidirect (composed K t) (K t)]
  end.

Lemma composed_probability K T : probability (composed K T).
Proof.
elim: T => [|T IH]; first by rewrite /probability /= diracE mem_set.
exact: semidirect_probability.
Qed.

(** 004 Lemma 2.1.4 (l.390).
    Printed: if M_i is (epsilon_i, delta_i)-DP, then (M_1, ..., M_T) is
    (sum epsilon_i, sum delta_i)-DP.
    Proved: the same, also if every mechanism is chosen in the light of all earlier outcomes, with
    outcomes of its own kind. Step t, after t outcomes, has epsilon t and delta t,
    t = 0, ..., T-1. *)
Theorem basic_composition D (near : D -> D -> Prop)
    (M : D -> forall t, kernel (earlier O t) (O t) R) (epsilon delta : nat -> R) (T : nat) :
  (forall t past, DP near (fun x => M x t past) (epsilon t) (delta t)) ->
  DP near (fun x => composed (M x) T) (\sum_(t < T) epsilon t)%R (\sum_(t < T) delta t)%R.
Proof.
move=> H x x' n; elim: T => [|T IH].
  by rewrite !big_ord0 => A _; rewrite expR0 mul1e adde0.
have H' past : close (epsilon T) (delta T) (M x T past) (M x' T past) := H T past x x' n.
rewrite !big_ord_recr; apply: (compose (composed_probability _ _) (composed_probability _ _)
  (close_ge0 IH) (close_ge0 (H' point)) IH H').
Qed.

(** 004 Lemma 2.1.4, "Thus" (l.392): T mechanisms, each (epsilon/T, delta/T)-DP, are together
    (epsilon, delta)-DP. *)
Theorem basic_composition_equal_shares D (near : D -> D -> Prop)
    (M : D -> forall t, kernel (earlier O t) (O t) R) (epsilon delta : R) (T : nat) :
  (0 < T)%N ->
  (forall t past, DP near (fun x => M x t past) (epsilon / T%:R) (delta / T%:R)) ->
  DP near (fun x => composed (M x) T) epsilon delta.
Proof.
move=> T0 H; have E (c : R) : (\sum_(t < T) c / T%:R)%R = c.
  by rewrite sumr_const card_ord -mulr_natr mulrVK// unitfE pnatr_eq0 -lt0n.
rewrite -[epsilon]E -[delta]E.
exact: (@basic_composition D near M (fun=> epsilon / T%:R) (fun=> delta / T%:R) T H)%R.
Qed.
End steps.
