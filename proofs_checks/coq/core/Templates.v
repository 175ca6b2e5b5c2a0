(** Algorithms that release means with Gaussian or Laplace noise, or select by means: the forms
    that most instances have, with what each unit of the data bears. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms Sensitivity.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Means of bounded contributions with Gaussian noise *)

Section gaussian_means.
Context {R : realType} (X : Type) (n T : nat) (d : nat -> nat).
Let O t := @vec R (d t).
(** Step t reads the records [reads t]; [v t past r] is the contribution of record r, any
    measurable function of all that was released before; divisor, noise. *)
Variables (reads : nat -> pred 'I_n) (v : forall t, transcript O t -> X -> nat -> R)
  (m s : nat -> R).
Hypotheses (mv : forall t r i, measurable_fun setT (fun h => v (t := t) h r i))
  (s_gt0 : forall t, 0 < s t).
Arguments v : clear implicits.

Let query t (x : 'I_n -> X) (h : transcript O t) i : R := mean (m t) (reads t) (v t h ^~ i) x.
Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof. exact: (measurable_fun_mean (m t) (reads t) x (@mv t ^~ i)). Qed.

Section by_norm.
Variable C : nat -> R.
Hypothesis bound : forall t h r, \sum_(i < d t) v t h r i ^+ 2 <= C t ^+ 2.

(** Contributions of l2 norm at most C. *)
Definition gaussian_means : algorithm R (@replace X n) Gaussian :=
  Algorithm (out := O) T (fun t => gaussian_release (@mquery t)
    (Delta := fun k => if reads t k then 2 * C t / m t else 0) (s_gt0 t)
    (fun k x x' h e => mean_l2 (m t) (reads t) e (bound h))).
End by_norm.

Section by_diameter.
Variable C : nat -> R.
Hypothesis bound : forall t h r r', \sum_(i < d t) (v t h r i - v t h r' i) ^+ 2 <= C t ^+ 2.

(** Contributions of which any two are at l2 distance C at most. *)
Definition gaussian_means_diameter : algorithm R (@replace X n) Gaussian :=
  Algorithm (out := O) T (fun t => gaussian_release (@mquery t)
    (Delta := fun k => if reads t k then C t / m t else 0) (s_gt0 t)
    (fun k x x' h e => mean_l2_diameter (m t) (reads t) e (bound h))).
End by_diameter.
End gaussian_means.

(** * What a unit bears *)

Section bearing.
Context {R : realType} (X : Type) (n : nat).
Variable A : algorithm R (@replace X n) Gaussian.

(** Every step costs every unit the same. *)
Theorem gaussian_every_step r mu : 0 <= mu -> (forall t k, cost (step_of A t) k = r) ->
  (steps A)%:R * r <= mu ^+ 2 -> gaussian_private A mu.
Proof.
by move=> mu0 e le; apply: gaussian_algorithm => // k; rewrite (total_const (r := r)).
Qed.

(** Every step costs mu^2 at most, those that it reads, and no unit is read twice. *)
Theorem gaussian_disjoint reads mu : 0 <= mu -> disjoint reads ->
  (forall t k, cost (step_of A t) k = 0 \/ reads t k /\ cost (step_of A t) k <= mu ^+ 2) ->
  gaussian_private A mu.
Proof.
move=> mu0 dis H; apply: gaussian_algorithm => // k.
exact: (total_disjoint dis (sqr_ge0 mu)).
Qed.
End bearing.

(** * Gradients of all records: T steps *)

Section gradient_steps.
Context {R : realType} (X : Type) (n p d T : nat).
Let O (_ : nat) := @vec R d.
Variables (C sigma : R) (w : forall t, transcript O t -> @vec R p)
  (grad : @vec R p -> X -> nat -> R).
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (sigma_gt0 : 0 < sigma).

Let mv t r i : measurable_fun setT (fun h : transcript O t => grad (w h) r i).
Proof. exact: (measurable_fun_comp (mgrad r i) (@mw t)). Qed.

Section by_norm.
Hypothesis bound : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= C ^+ 2.

(** The mean gradient over all n records, at a parameter that is any measurable function of what
    was released before. *)
Definition gradient_steps : algorithm R (@replace X n) Gaussian :=
  @gaussian_means R X n T (fun=> d) (fun=> xpredT) (fun t h r i => grad (w h) r i) (fun=> n%:R)
    (fun=> sigma) mv (fun=> sigma_gt0) (fun=> C) (fun t h r => bound (w h) r).

Theorem gradient_steps_private mu : 0 <= mu ->
  T%:R * ((2 * C / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private gradient_steps mu.
Proof.
move=> mu0 le.
apply: (gaussian_every_step (r := (2 * C / n%:R) ^+ 2 / sigma ^+ 2) mu0) => [t k|].
  by [].
exact: le.
Qed.
End by_norm.

Section by_diameter.
Hypothesis bound : forall theta r r',
  \sum_(i < d) (grad theta r i - grad theta r' i) ^+ 2 <= C ^+ 2.

Definition gradient_steps_diameter : algorithm R (@replace X n) Gaussian :=
  @gaussian_means_diameter R X n T (fun=> d) (fun=> xpredT) (fun t h r i => grad (w h) r i)
    (fun=> n%:R) (fun=> sigma) mv (fun=> sigma_gt0) (fun=> C) (fun t h r => bound (w h) r).

Theorem gradient_steps_diameter_private mu : 0 <= mu ->
  T%:R * ((C / n%:R) ^+ 2 / sigma ^+ 2) <= mu ^+ 2 -> gaussian_private gradient_steps_diameter mu.
Proof.
move=> mu0 le.
apply: (gaussian_every_step (r := (C / n%:R) ^+ 2 / sigma ^+ 2) mu0) => [t k|].
  by [].
exact: le.
Qed.
End by_diameter.

Section in_blocks.
Variable m : nat.
Hypotheses (m_gt0 : (0 < m)%N)
  (bound : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= C ^+ 2).

(** The same over disjoint blocks of m records: step t reads the t-th. *)
Definition block_steps : algorithm R (@replace X n) Gaussian :=
  @gaussian_means R X n T (fun=> d) (block m) (fun t h r i => grad (w h) r i) (fun=> m%:R)
    (fun=> sigma) mv (fun=> sigma_gt0) (fun=> C) (fun t h r => bound (w h) r).

(** A record is in one block: there is no factor T. *)
Theorem block_steps_private mu : 0 <= mu ->
  (2 * C / m%:R) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private block_steps mu.
Proof.
move=> mu0 le; apply: (gaussian_disjoint (reads := block m)) => // [|t k].
  exact: block_disjoint.
rewrite /=; case b: (block m t k); [by right|left].
by rewrite expr0n mul0r.
Qed.
End in_blocks.
End gradient_steps.

(** Coordinates of size at most B: l2 norm at most sqrt d B. *)
Lemma coordinates_norm {R : realType} d (v : nat -> R) B : 0 <= B -> (forall i, `|v i| <= B) ->
  \sum_(i < d) v i ^+ 2 <= (Num.sqrt d%:R * B) ^+ 2.
Proof.
move=> B0 b; have -> : (Num.sqrt d%:R * B) ^+ 2 = \sum_(i < d) B ^+ 2.
  by rewrite exprMn sqr_sqrtr ?ler0n// mulr_natl sumr_const card_ord.
apply: ler_sum => i _; rewrite -[_ ^+ 2]ger0_norm ?sqr_ge0// normrX.
by rewrite ler_expn2r ?nnegrE ?normr_ge0.
Qed.

(** * One message a user *)

Section users.
Context {R : realType} (X : Type) (n d : nat) (C : R).
Variable message : X -> nat -> R.

Section gaussian_users.
Variables (sigma : R) (sigma_gt0 : 0 < sigma).
Hypothesis bound : forall r r', \sum_(i < d) (message r i - message r' i) ^+ 2 <= C ^+ 2.

(** User t sends a vector with Gaussian noise; nobody else's data is read. *)
Definition gaussian_users : algorithm R (@replace X n) Gaussian :=
  @gaussian_means_diameter R X n n (fun=> d) (@user n) (fun t h r i => message r i) (fun=> 1)
    (fun=> sigma) (fun t r i => measurable_fun_cst (message r i)) (fun=> sigma_gt0)
    (fun=> C) (fun t h r => bound r).

Theorem gaussian_users_private mu : 0 <= mu ->
  C ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private gaussian_users mu.
Proof.
move=> mu0 le; apply: (gaussian_disjoint (reads := @user n)) => // [|t k].
  exact: user_disjoint.
rewrite /=; case b: (user t k); [by right; rewrite divr1|left].
by rewrite expr0n mul0r.
Qed.
End gaussian_users.

Section laplace_users.
Variables (b : R) (b_gt0 : 0 < b) (C_ge0 : 0 <= C).
Hypothesis bound : forall r r', \sum_(i < d) `|message r i - message r' i| <= C.

Let O (_ : nat) := @vec R d.
Let query t (x : 'I_n -> X) (h : transcript O t) i : R := mean 1 (user t) (message ^~ i) x.
Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof. exact: measurable_fun_cst. Qed.
Let moves t k x x' (h : transcript O t) (e : @replace X n k x x') :=
  mean_l1_diameter (user t) (ltr01 : 0 < 1 :> R) e bound.

Definition laplace_users : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) n (fun t => laplace_release (@mquery t) b_gt0 (@moves t)).

Theorem laplace_users_private e : C / b <= e -> private laplace_users e 0.
Proof.
move=> le; apply: pure_algorithm => k; apply: (total_disjoint (@user_disjoint n)) => [|t].
  by apply: le_trans le; rewrite divr_ge0// ltW.
by rewrite /=; case: (user t k); [right; rewrite divr1|left; rewrite mul0r].
Qed.
End laplace_users.
End users.

(** * Selections by a mean score over all records *)

Section selections.
Context {R : realType} (X : Type) (n k T : nat) (C rate : R).
Let O (_ : nat) := @candidates R k.
(** Contribution of record r to the score of candidate j. *)
Variable v : forall t, transcript O t -> nat -> X -> R.
Arguments v : clear implicits.
Hypotheses (mv : forall t j r, measurable_fun setT (fun h => v t h j r)) (rate_gt0 : 0 < rate)
  (bound : forall t h j r r', `|v t h j r - v t h j r'| <= C).

Section reading.
Variables (reads : nat -> pred 'I_n) (m : R) (m_gt0 : 0 < m).

Let score t (x : 'I_n -> X) (h : transcript O t) j : R := mean m (reads t) (v t h j) x.
Let mscore t x j : measurable_fun setT (score (t := t) x ^~ j).
Proof.
exact: (@measurable_fun_mean R X n _ _ m (reads t) (fun h r => v t h j r) x (@mv t j)).
Qed.
Let moves t i x x' (h : transcript O t) j (e : @replace X n i x x') :=
  mean_abs (reads t) m_gt0 e (@bound t h j).

Definition selections : algorithm R (@replace X n) Concentrated :=
  Algorithm (out := O) T (fun t => selection_release k (@mscore t) rate_gt0 (@moves t)
    (@replace_sym X n)).

Definition pure_selections : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) T (fun t => pure_selection k (@mscore t) rate_gt0 (@moves t)
    (@replace_sym X n)).
End reading.

Section everybody.
Hypothesis n_gt0 : (0 < n)%N.
Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Definition mean_selections := selections (fun=> xpredT) nR.
Definition pure_mean_selections := pure_selections (fun=> xpredT) nR.

(** Each selection costs e^2/8 with e = 2 rate C/n. *)
Theorem mean_selections_private :
  concentrated_private mean_selections (T%:R * ((2 * rate * (C / n%:R)) ^+ 2 / 8)).
Proof.
apply: concentrated_algorithm => i.
by rewrite (total_const (r := (2 * rate * (C / n%:R)) ^+ 2 / 8)).
Qed.

Theorem pure_mean_selections_private :
  private pure_mean_selections (T%:R * (2 * rate * (C / n%:R))) 0.
Proof.
apply: pure_algorithm => i; by rewrite (total_const (r := 2 * rate * (C / n%:R))).
Qed.
End everybody.

Section in_blocks.
Variable m : nat.
Hypotheses (m_gt0 : (0 < m)%N) (C_ge0 : 0 <= C).
Let mR : 0 < m%:R :> R. Proof. by rewrite ltr0n. Qed.
Definition block_selections := pure_selections (block m) mR.

(** A record is in one block: there is no factor T. *)
Theorem block_selections_private : private block_selections (2 * rate * (C / m%:R)) 0.
Proof.
apply: pure_algorithm => i; apply: (total_disjoint (block_disjoint m_gt0)) => [|t].
  by rewrite !mulr_ge0 ?divr_ge0 ?ler0n// ltW.
by rewrite /=; case: (block m t i); [right|left; rewrite mulr0].
Qed.
End in_blocks.
End selections.

(** * Randomized response of n users with k + 1 answers *)

Section randomized_users.
Context {R : realType} (n k : nat) (eps : R) (eps_gt0 : 0 < eps).

Let O (_ : nat) := @candidates R k.

(** Message t is user t's answer: the true answer has weight e^eps, each of the k others 1. *)
Let score t (x : 'I_n -> 'I_k.+1) (h : transcript O t) (j : nat) : R :=
  mean 1 (user t) (fun v : 'I_k.+1 => (val v == j)%:R) x.

Let mscore t x j : measurable_fun setT (score (t := t) x ^~ j).
Proof. exact: measurable_fun_cst. Qed.

Let moves t i x x' (h : transcript O t) j : replace i x x' ->
  `|score x h j - score x' h j| <= if user t i then 1 / 1 else 0.
Proof.
move=> e; apply: mean_abs => // v w.
by case: (_ == j); case: (_ == j); rewrite ?subrr ?subr0 ?sub0r ?normrN ?normr0 ?normr1.
Qed.

Let weights (v : 'I_k.+1) :
  \sum_(j < k.+1) expR (eps * (val v == val j)%:R) = expR eps + k%:R.
Proof.
rewrite (bigD1 v)//= eqxx mulr1; congr (_ + _).
rewrite (eq_bigr (fun=> 1)) => [|j jv]; first by rewrite sumr_const cardC1 card_ord.
by rewrite eq_sym (negbTE (_ : val j != val v))// mulr0 expR0.
Qed.

Let same t i x x' (h : transcript O t) : replace i x x' ->
  \sum_(j < k.+1) expR (eps * score x h j) = \sum_(j < k.+1) expR (eps * score x' h j).
Proof.
move=> e; have [u|u] := boolP (user t i); last first.
  apply: eq_bigr => j _; congr (expR (eps * _)); apply/eqP; rewrite -subr_eq0.
  by rewrite /score (mean_difference _ _ _ e) (negbTE u).
have S (y : 'I_n -> 'I_k.+1) j : score y h j = (val (y i) == j)%:R.
  rewrite /score /mean (big_pred1 i) ?invr1 ?mul1r// => j' /=.
  by move: u; rewrite /user => /eqP <-.
under eq_bigr do rewrite S; under [RHS]eq_bigr do rewrite S.
by rewrite !weights.
Qed.

Definition randomized_users : algorithm R (@replace 'I_k.+1 n) Pure :=
  Algorithm (out := O) n (fun t => fair_selection (@mscore t) eps_gt0 (@moves t) (@same t)).

(** eps, not 2 eps: the sum of the weights does not depend on the answer. *)
Theorem randomized_users_private : private randomized_users eps 0.
Proof.
apply: pure_algorithm => i; apply: (total_disjoint (@user_disjoint n)) => [|t]; first exact: ltW.
by rewrite /=; case: (user t i); [right; rewrite divr1 mulr1|left; rewrite mulr0].
Qed.
End randomized_users.

(** Unfold an instance down to what its releases say of themselves. *)
Declare Reduction printed := cbv beta iota zeta delta [gradient_steps gradient_steps_diameter
  block_steps gaussian_means gaussian_means_diameter gaussian_users laplace_users randomized_users selections
  pure_selections mean_selections pure_mean_selections block_selections steps step_of described
  gaussian_release concentrated_gaussian_release laplace_release selection_release pure_selection
  fair_selection block user].
