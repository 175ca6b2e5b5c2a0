(** The Gaussian mechanism in any dimension, once and T times. *)
From Touchstone.core Require Import Everything.
From Touchstone.statements Require Import ZCDP.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section gaussian.
Context {R : realType} (d : nat) (sigma : R) (sigma_gt0 : 0 < sigma).

Let measurable_normal d0 (X : measurableType d0) (c y : X -> R) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => normal sigma_gt0 (c x) (y x)).
Proof. exact: measurable_fun_normal. Qed.

(** The density of independent normal noise of standard deviation sigma in each of d coordinates.
    It is e^(-x^2/(2 sigma^2)) divided by its integral over the line; that this is
    sigma sqrt(2 pi) is not needed here: only that there is one, and that it does not depend on
    the centre. *)
Definition gaussian_vector (c : nat -> R) : density (@vec R d) :=
  noisy_vec measurable_normal (of_coord d c).

Definition l2_distance (u v : nat -> R) : R := Num.sqrt (\sum_(i < d) (u i - v i) ^+ 2).

Lemma gaussian_vector_zclose (u v : nat -> R) Delta : l2_distance u v <= Delta ->
  zclose (Delta ^+ 2 / (2 * sigma ^+ 2)) (gaussian_vector u) (gaussian_vector v).
Proof.
move=> le; have H := noisy_vec_counted measurable_normal (c := Concentrated)
  (normal_zclose sigma_gt0) (of_coord d u) (of_coord d v).
apply: (zclose_le _ H); rewrite total_lossE -mulr_suml ler_wpmul2r//.
  by rewrite invr_ge0 mulr_ge0 ?ler0n// exprn_ge0// ltW.
have D0 : 0 <= Delta by apply: le_trans le; exact: sqrtr_ge0.
rewrite -[leLHS]sqr_sqrtr; first by rewrite ler_expn2r// nnegrE ?sqrtr_ge0.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.

Variables (D : Type) (near : D -> D -> Prop).

(** 000 Lemma 18 (l.632), 004 Lemma 7.2.19 (l.9974-9976); 004 Lemma 2.1.9 (l.424), corrected.
    Printed in 000 and in 004 section 7.2: the Gaussian mechanism q(D) + N(0, sigma^2 I) is
    Delta_2^2/(2 sigma^2)-zCDP.
    Proved: the same, in every dimension d; [q x i] is coordinate i. *)
Theorem gaussian_zCDP (q : D -> nat -> R) (Delta : R) :
  (forall x x', near x x' -> l2_distance (q x) (q x') <= Delta) ->
  zCDP near (fun x => gaussian_vector (q x)) (Delta ^+ 2 / (2 * sigma ^+ 2)).
Proof. by move=> H x x' n; apply: gaussian_vector_zclose; exact: H. Qed.

(** Noise of variance Delta_2^2/(2 rho), rho = (sqrt(log(1/delta) + epsilon) -
    sqrt(log(1/delta)))^2, makes one release (epsilon, delta)-DP, for every epsilon >= 0: a
    corrected form of 004 Definition 2.1.3 (l.378-380), whose
    sqrt(2 ln(1.25/delta)) Delta_2/epsilon is printed for every epsilon. *)
Theorem gaussian_DP (q : D -> nat -> R) (Delta epsilon delta : R) :
  0 <= epsilon -> 0 < delta <= 1 ->
  (forall x x', near x x' -> l2_distance (q x) (q x') <= Delta) ->
  Delta ^+ 2 / (2 * sigma ^+ 2) = zCDP_budget epsilon delta ->
  DP near (fun x => [the measure _ _ of law (gaussian_vector (q x))]) epsilon delta.
Proof.
by move=> e0 d01 H E; apply: zCDP_budget_suffices => //; rewrite -E; exact: gaussian_zCDP.
Qed.

(** * T releases *)

Let O (_ : nat) := @vec R d.

(** One release of a vector that depends measurably on what was released before. *)
Definition gaussian_step (past : space R) (query : past -> nat -> R)
    (mquery : forall i, measurable_fun setT (query ^~ i)) : step past (@vec R d) :=
  vec_step measurable_normal (measurable_fun_of_coord (d := d) mquery).

(** 004 l.2738, the noise, corrected (L, a smoothness, is printed where the Lipschitz constant G
    must be, and epsilon outside the root). T Gaussian releases of a vector, each query chosen in
    the light of all earlier outputs ([query t x past]), are together (epsilon, delta)-DP if
    T Delta^2/(2 sigma^2) = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2; for a mean of n
    gradients of norm at most G, Delta = 2G/n, that is sigma^2 = 2 G^2 T/(n^2 (...)^2).
    [mquery]: what depends on the past does so measurably. *)
Theorem adaptive_gaussian_DP (query : forall t, D -> transcript O t -> nat -> R)
    (mquery : forall t x i, measurable_fun setT (fun past => query t x past i))
    (Delta epsilon delta : R) (T : nat) :
  0 <= epsilon -> 0 < delta <= 1 ->
  (forall t past x x', near x x' -> l2_distance (query t x past) (query t x' past) <= Delta) ->
  T%:R * (Delta ^+ 2 / (2 * sigma ^+ 2)) = zCDP_budget epsilon delta ->
  DP near (fun x => [the measure _ _ of
    law (run (O := O) (fun t => gaussian_step (mquery t x)) T)]) epsilon delta.
Proof.
move=> e0 d01 H E; apply: zCDP_budget_suffices => //; rewrite -E.
rewrite (_ : T%:R * _ = \sum_(t < T) (Delta ^+ 2 / (2 * sigma ^+ 2))); last first.
  by rewrite sumr_const card_ord mulr_natl.
apply: (zCDP_composition (M := fun x t => gaussian_step (mquery t x))
  (rho := fun=> Delta ^+ 2 / (2 * sigma ^+ 2))) => x x' t past n.
by apply: gaussian_vector_zclose; exact: H.
Qed.
End gaussian.

(** 004 Lemma 2.1.9 (l.424) as printed, with Delta_2 for its square, is false, already for one
    number: at sensitivity 2 and sigma = 1 it claims 1-zCDP, but the divergence is 2 alpha. *)
Theorem gaussian_zCDP_without_square_false (R : realType) :
  ~ (forall (near : bool -> bool -> Prop) (q : bool -> R) (Delta sigma : R)
       (sigma_gt0 : 0 < sigma), 0 <= Delta ->
     (forall x x', near x x' -> `|q x - q x'| <= Delta) ->
     zCDP near (fun x => normal sigma_gt0 (q x)) (Delta / (2 * sigma ^+ 2))).
Proof.
move=> H; pose q (x : bool) : R := if x then 2 else 0.
have n x x' : x != x' -> `|q x - q x'| <= 2.
  by move: x x' => [] [] //= _; rewrite /q ?subr0 ?sub0r ?normrN ger0_norm.
have [_ /(_ 2 _)] := H (fun x x' => x != x') q 2 1 ltr01 (ler0n _ _) n true false isT.
rewrite ltr1n => /(_ isT); rewrite /moment.
under eq_integral do rewrite normal_renyi_term EFinM.
rewrite ge0_integralM ?lee_fin ?expR_ge0//; last 2 first.
- exact: (@pdf_EFin _ _ (normal ltr01 _) setT).
- by move=> x _; rewrite lee_fin ltW// normal_gt0.
rewrite (pdf_mass (normal ltr01 _)) mule1 lee_fin ler_expR /q subr0.
rewrite (_ : 2 * (2 - 1) * (2 ^+ 2 / (2 * 1 ^+ 2)) = 4%:R :> R); last by field.
rewrite (_ : 2 * (2 - 1) * (2 / (2 * 1 ^+ 2)) = 2%:R :> R); last by field.
by rewrite ler_nat.
Qed.
