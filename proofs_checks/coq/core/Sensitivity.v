(** Sensitivity lemmas: means under the replacement of one record, clipping, x x^T. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Data sets of n records; one record is replaced *)

Section data.
Context {R : realType} (X : Type) (n : nat).

Definition replace (k : 'I_n) (x x' : 'I_n -> X) : Prop := forall j, j != k -> x j = x' j.

Lemma replace_sym k x x' : replace k x x' -> replace k x' x.
Proof. by move=> H j jk; rewrite H. Qed.

(** 1/m times the sum over the records that [P] names. *)
Definition mean (m : R) (P : pred 'I_n) (v : X -> R) (x : 'I_n -> X) : R :=
  m^-1 * \sum_(j < n | P j) v (x j).

Lemma mean_difference m P v k x x' : replace k x x' ->
  mean m P v x - mean m P v x' = if P k then m^-1 * (v (x k) - v (x' k)) else 0.
Proof.
move=> E; rewrite /mean -mulrBr -sumrB; case: ifPn => Pk.
  rewrite (bigD1 k)//= big1 ?addr0// => j /andP[_ jk].
  by rewrite E// subrr.
rewrite big1 ?mulr0// => j Pj; rewrite E ?subrr//.
by apply: contraNneq Pk => <-.
Qed.

Lemma measurable_fun_mean d0 (Y : measurableType d0) m P (v : Y -> X -> R) x :
  (forall r, measurable_fun setT (v ^~ r)) ->
  measurable_fun setT (fun h => mean m P (v h) x).
Proof. by move=> mv; apply: measurable_funrM; apply: measurable_fun_bigsum => j; exact: mv. Qed.

(** Contributions of l2 norm at most C: the mean moves by 2 C/m. *)
Lemma mean_l2 d m P (v : X -> nat -> R) C k x x' : replace k x x' ->
  (forall r, \sum_(i < d) v r i ^+ 2 <= C ^+ 2) ->
  \sum_(i < d) (mean m P (v ^~ i) x - mean m P (v ^~ i) x') ^+ 2 <=
  (if P k then 2 * C / m else 0) ^+ 2.
Proof.
move=> E B; under eq_bigr do rewrite (mean_difference _ _ _ E).
case: (P k); last by rewrite big1 ?expr0n// => i _; rewrite expr0n.
under eq_bigr do rewrite exprMn.
rewrite -mulr_sumr [leRHS]exprMn [leRHS]mulrC ler_wpmul2l ?sqr_ge0//.
apply: (@le_trans _ _ (\sum_(i < d) (2 * v (x k) i ^+ 2 + 2 * v (x' k) i ^+ 2))).
  apply: ler_sum => i _; rewrite -subr_ge0.
  rewrite [leRHS](_ : _ = (v (x k) i + v (x' k) i) ^+ 2); [exact: sqr_ge0|by ring].
rewrite big_split/= -!mulr_sumr -mulrDr.
rewrite [leRHS](_ : _ = 2 * (C ^+ 2 + C ^+ 2)); last by ring.
by rewrite ler_wpmul2l ?ler0n// ler_add.
Qed.

(** Contributions that differ by at most C in l2 (any pair): the mean moves by C/m. *)
Lemma mean_l2_diameter d m P (v : X -> nat -> R) C k x x' : replace k x x' ->
  (forall r r', \sum_(i < d) (v r i - v r' i) ^+ 2 <= C ^+ 2) ->
  \sum_(i < d) (mean m P (v ^~ i) x - mean m P (v ^~ i) x') ^+ 2 <=
  (if P k then C / m else 0) ^+ 2.
Proof.
move=> E B; under eq_bigr do rewrite (mean_difference _ _ _ E).
case: (P k); last by rewrite big1 ?expr0n// => i _; rewrite expr0n.
under eq_bigr do rewrite exprMn.
by rewrite -mulr_sumr [leRHS]exprMn [leRHS]mulrC ler_wpmul2l ?sqr_ge0.
Qed.

(** One number in an interval of length C: it moves by C/m. *)
Lemma mean_abs m P (v : X -> R) C k x x' : 0 < m -> replace k x x' ->
  (forall r r', `|v r - v r'| <= C) ->
  `|mean m P v x - mean m P v x'| <= if P k then C / m else 0.
Proof.
move=> m0 E B; rewrite (mean_difference _ _ _ E); case: (P k); last by rewrite normr0.
by rewrite normrM ger0_norm ?invr_ge0 ?(ltW m0)// mulrC ler_wpmul2r ?invr_ge0 ?(ltW m0).
Qed.

(** Contributions that differ by at most C in l1 (any pair): the mean moves by C/m. *)
Lemma mean_l1_diameter d m P (v : X -> nat -> R) C k x x' : 0 < m -> replace k x x' ->
  (forall r r', \sum_(i < d) `|v r i - v r' i| <= C) ->
  \sum_(i < d) `|mean m P (v ^~ i) x - mean m P (v ^~ i) x'| <= if P k then C / m else 0.
Proof.
move=> m0 E B; under eq_bigr do rewrite (mean_difference _ _ _ E).
case: (P k); last by rewrite big1// => i _; rewrite normr0.
under eq_bigr do rewrite normrM ger0_norm ?invr_ge0 ?(ltW m0)//.
by rewrite -mulr_sumr mulrC ler_wpmul2r ?invr_ge0 ?(ltW m0).
Qed.
End data.

(** * Who is read: blocks of m records, single users *)

Definition block n (m t : nat) : pred 'I_n := fun j => (t * m <= j < t.+1 * m)%N.
Definition user n (t : nat) : pred 'I_n := fun j => val j == t.

(** No two steps read the same unit. *)
Definition disjoint n (reads : nat -> pred 'I_n) : Prop :=
  forall t u k, reads t k -> reads u k -> t = u.

Lemma block_disjoint n m : (0 < m)%N -> disjoint (block (n := n) m).
Proof.
move=> m_gt0 t u k /andP[b1 b2] /andP[c1 c2].
apply/eqP; rewrite eqn_leq -ltnS -(ltn_pmul2r m_gt0) (leq_ltn_trans b1 c2) /=.
by rewrite -ltnS -(ltn_pmul2r m_gt0) (leq_ltn_trans c1 b2).
Qed.

Lemma user_disjoint n : disjoint (@user n).
Proof. by move=> t u k /eqP <- /eqP <-. Qed.

Lemma total_disjoint {R : realType} (X : Type) n c (A : algorithm R (@replace X n) c) reads r k :
  disjoint reads -> 0 <= r ->
  (forall t, cost (step_of A t) k = 0 \/ reads t k /\ cost (step_of A t) k <= r) ->
  total A k <= r.
Proof.
move=> dis r0 H; apply: total_once => // [t|t u].
  by have [->|[_]] := H t; [left|right].
have [->|[a _]] := H t; first by rewrite eqxx.
have [->|[b _] _ _] := H u; first by rewrite eqxx.
exact: (dis _ _ _ a b).
Qed.

(** * Clipping to an interval *)

Section clip_entry.
Context {R : realType} (b : R) (b_ge0 : 0 <= b).

(** Clip to [-b, b]. *)
Definition clip_entry (v : R) : R := Num.max (- b) (Num.min v b).

Lemma clip_entry_le v : `|clip_entry v| <= b.
Proof.
rewrite ler_norml /clip_entry le_maxr lexx /= le_maxl le_minl lexx orbT andbT.
by rewrite (le_trans _ b_ge0)// oppr_le0.
Qed.

Lemma clip_entry_diameter v w : `|clip_entry v - clip_entry w| <= 2 * b.
Proof. by rewrite (le_trans (ler_norm_sub _ _))// mulr2n mulrDl mul1r ler_add ?clip_entry_le. Qed.
End clip_entry.

(** * Clipping to an l2 ball *)

Section clip.
Context {R : realType} (d : nat).

Definition norm2 (g : nat -> R) : R := \sum_(i < d) g i ^+ 2.

(** Scale [g] to l2 norm at most [C]. *)
Definition clip (C : R) g (i : nat) : R :=
  (if norm2 g <= C ^+ 2 then 1 else C / Num.sqrt (norm2 g)) * g i.

Lemma norm2_ge0 g : 0 <= norm2 g.
Proof. by apply: sumr_ge0 => i _; exact: sqr_ge0. Qed.

Lemma norm2_clip C g : \sum_(i < d) clip C g i ^+ 2 <= C ^+ 2.
Proof.
rewrite /clip; under eq_bigr do rewrite exprMn.
rewrite -mulr_sumr -/(norm2 g); case: ifPn => [h|]; first by rewrite expr1n mul1r.
rewrite -ltNge => h; have p : 0 < norm2 g by apply: le_lt_trans h; exact: sqr_ge0.
by rewrite expr_div_n sqr_sqrtr ?norm2_ge0// divfK// gt_eqF.
Qed.

Lemma sqrtE (y : R) : 0 < y -> Num.sqrt y = expR (2^-1 * ln y).
Proof.
move=> y0; have e : expR (2^-1 * ln y) ^+ 2 = y.
  by rewrite -expRMm mulrA divff ?mul1r ?pnatr_eq0// lnK.
by rewrite -{1}e sqrtr_sqr ger0_norm ?expR_ge0.
Qed.

Lemma measurable_fun_clip d0 (T : measurableType d0) (C : R) (g : T -> nat -> R) i :
  (forall i, measurable_fun setT (g ^~ i)) -> measurable_fun setT (fun x => clip C (g x) i).
Proof.
move=> mg; have mn : measurable_fun setT (fun x => norm2 (g x)).
  by apply: measurable_fun_bigsum => j; exact: measurable_fun_exprn.
apply: measurable_funM => //.
rewrite (_ : (fun x => _) = fun x => if norm2 (g x) <= C ^+ 2 then 1 else
    C * expR (- 2^-1 * ln (norm2 (g x)))).
  apply: measurable_fun_ifT.
  - apply: (measurable_fun_bool true).
    by apply: measurable_le => //; exact: measurable_fun_cst.
  - exact: measurable_fun_cst.
  - apply: measurable_funrM; apply: (measurable_fun_comp measurable_fun_expR).
    by apply: measurable_funrM; exact: (measurable_fun_comp measurable_fun_ln).
apply/funext => x; case: ifPn => //; rewrite -ltNge => h.
by rewrite sqrtE ?mulNr ?expRN//; apply: le_lt_trans h; exact: sqr_ge0.
Qed.
End clip.

(** * The upper triangle of x x^T *)

Section upper_triangle.
Context {R : realType} (p : nat).
Implicit Types u w : nat -> R.

Definition pairs : seq (nat * nat) :=
  [seq ab <- [seq (a, b) | a <- iota 0 p, b <- iota 0 p] | (ab.1 <= ab.2)%N].

Definition entry u (i : nat) : R := let ab := nth (0%N, 0%N) pairs i in u ab.1 * u ab.2.

Let dot u w : R := \sum_(a <- iota 0 p) u a * w a.

Lemma upper_triangle_le u w : dot u u <= 1 -> dot w w <= 1 ->
  \sum_(i < size pairs) (entry u i - entry w i) ^+ 2 <= Num.sqrt 2 ^+ 2.
Proof.
move=> u1 w1; rewrite sqr_sqrtr ?ler0n//.
pose f (ab : nat * nat) := (u ab.1 * u ab.2 - w ab.1 * w ab.2) ^+ 2.
rewrite -(big_mkord xpredT (fun i => (entry u i - entry w i) ^+ 2)).
rewrite -(big_nth (0%N, 0%N) xpredT f) big_filter.
apply: (@le_trans _ _ (\sum_(ab <- [seq (a, b) | a <- iota 0 p, b <- iota 0 p]) f ab)).
  by rewrite big_mkcond /=; apply: ler_sum => ab _; case: ifP => // _; exact: sqr_ge0.
rewrite big_allpairs /=.
have -> : \sum_(a <- iota 0 p) \sum_(b <- iota 0 p) f (a, b) =
    dot u u * dot u u + dot w w * dot w w - 2 * (dot u w * dot u w).
  have E g h : dot g h * dot g h = \sum_(a <- iota 0 p) \sum_(b <- iota 0 p) (g a * h a) * (g b * h b).
    by rewrite {1}/dot mulr_suml; apply: eq_bigr => a _; rewrite mulr_sumr.
  rewrite !E mulr_sumr -big_split -sumrB /=; apply: eq_bigr => a _.
  by rewrite mulr_sumr -big_split -sumrB /=; apply: eq_bigr => b _; rewrite /f /=; ring.
have g0 g : 0 <= dot g g by apply: sumr_ge0 => a _; rewrite -expr2 sqr_ge0.
rewrite ler_subl_addr (@le_trans _ _ 2)//.
  by rewrite ler_add// mulr_ile1.
by rewrite ler_addl mulr_ge0 ?ler0n// -expr2 sqr_ge0.
Qed.
End upper_triangle.
