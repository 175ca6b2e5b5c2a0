(** Algorithms whose releases are of two kinds, such as gradients and Hessians or a user's two
    messages: the kinds differ in size, contribution, bound and noise. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms Sensitivity Templates.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma norm_diameter {R : realType} d (u v : nat -> R) G :
  \sum_(i < d) u i ^+ 2 <= G ^+ 2 -> \sum_(i < d) v i ^+ 2 <= G ^+ 2 ->
  \sum_(i < d) (u i - v i) ^+ 2 <= (2 * G) ^+ 2.
Proof.
move=> bu bv; apply: (@le_trans _ _ (\sum_(i < d) (2 * u i ^+ 2 + 2 * v i ^+ 2))).
  apply: ler_sum => i _; rewrite -subr_ge0.
  rewrite [leRHS](_ : _ = (u i + v i) ^+ 2); [exact: sqr_ge0|by ring].
rewrite big_split/= -!mulr_sumr -mulrDr.
rewrite [leRHS](_ : _ = 2 * (G ^+ 2 + G ^+ 2)); last by ring.
by rewrite ler_wpmul2l ?ler0n// ler_add.
Qed.

Section two_kinds.
Context {R : realType} (X : Type) (n T : nat) (second : pred nat) (d1 d2 : nat).
Let O t := @vec R (if second t then d2 else d1).
(** Step t reads the records [reads t]; a record contributes [v1] to a mean of the first kind, at
    l2 distance C1 from any other contribution, [v2] and C2 to one of the second. *)
Variables (reads : nat -> pred 'I_n) (v1 v2 : forall t, transcript O t -> X -> nat -> R)
  (m C1 C2 : R) (s : nat -> R).
Arguments v1 : clear implicits.
Arguments v2 : clear implicits.
Hypotheses (mv1 : forall t r i, measurable_fun setT (fun h => v1 t h r i))
  (mv2 : forall t r i, measurable_fun setT (fun h => v2 t h r i)) (s_gt0 : forall t, 0 < s t)
  (bound1 : forall t h r r', \sum_(i < d1) (v1 t h r i - v1 t h r' i) ^+ 2 <= C1 ^+ 2)
  (bound2 : forall t h r r', \sum_(i < d2) (v2 t h r i - v2 t h r' i) ^+ 2 <= C2 ^+ 2).

Let v t (h : transcript O t) r i := if second t then v2 t h r i else v1 t h r i.
Let mv t r i : measurable_fun setT (fun h => v (t := t) h r i).
Proof. by rewrite /v; case: (second t). Qed.
Let bound t (h : transcript O t) r r' :
  \sum_(i < (if second t then d2 else d1)) (v h r i - v h r' i) ^+ 2 <=
  (if second t then C2 else C1) ^+ 2.
Proof. by rewrite /v; case: (second t). Qed.

Definition two_kinds : algorithm R (@replace X n) Gaussian :=
  @gaussian_means_diameter R X n T (fun t => if second t then d2 else d1) reads v (fun=> m) s mv
    s_gt0 (fun t => if second t then C2 else C1) bound.

Lemma two_kinds_cost t k : cost (step_of two_kinds t) k =
  if reads t k then ((if second t then C2 else C1) / m) ^+ 2 / s t ^+ 2 else 0.
Proof. by rewrite /=; case: (reads t k) => //; rewrite expr0n mul0r. Qed.
End two_kinds.

(** * Two messages a user *)

Section two_messages.
Context {R : realType} (X : Type) (n d1 d2 : nat) (C1 C2 s1 s2 : R).
Variables message1 message2 : X -> nat -> R.
Hypotheses (s1_gt0 : 0 < s1) (s2_gt0 : 0 < s2)
  (bound1 : forall r r', \sum_(i < d1) (message1 r i - message1 r' i) ^+ 2 <= C1 ^+ 2)
  (bound2 : forall r r', \sum_(i < d2) (message2 r i - message2 r' i) ^+ 2 <= C2 ^+ 2).

Let later t := (n <= t)%N.
Let s_gt0 t : 0 < if later t then s2 else s1. Proof. by case: (later t). Qed.

(** The first messages of all n users, then the second ones; message t is of user t mod n. *)
Definition two_messages : algorithm R (@replace X n) Gaussian :=
  @two_kinds R X n (n + n) (fun t => n <= t)%N d1 d2 (fun t k => val k == t %% n)%N
    (fun t h r i => message1 r i) (fun t h r i => message2 r i) 1 C1 C2
    (fun t => if (n <= t)%N then s2 else s1) (fun t r i => measurable_fun_cst (message1 r i))
    (fun t r i => measurable_fun_cst (message2 r i)) s_gt0 (fun t h => bound1) (fun t h => bound2).

Theorem two_messages_private mu : 0 <= mu ->
  C1 ^+ 2 / s1 ^+ 2 + C2 ^+ 2 / s2 ^+ 2 <= mu ^+ 2 -> gaussian_private two_messages mu.
Proof.
move=> mu0 le; apply: gaussian_algorithm => // k; apply: le_trans le.
have own c : \sum_(t < n) (if val k == t then c else 0) = c :> R.
  by rewrite -big_mkcond (big_pred1 k)// => t; rewrite eq_sym.
pose c t := ((if (n <= t)%N then C2 else C1) / 1) ^+ 2 / (if (n <= t)%N then s2 else s1) ^+ 2.
have -> : total two_messages k =
    \sum_(t < n + n) if val k == (t %% n)%N then c (val t) else 0.
  by apply: eq_bigr => t _; exact: two_kinds_cost.
rewrite big_split_ord /= -[C1 ^+ 2 / _ in leRHS]own -[C2 ^+ 2 / _ in leRHS]own /c.
apply: ler_add; apply: ler_sum => t _.
  by rewrite leqNgt ltn_ord /= modn_small// divr1.
by rewrite leq_addr modnDl modn_small// divr1.
Qed.
End two_messages.

(** * Noisy copies of a record: the first message has one, the second degree (degree + 1) *)

Lemma sum_repeated {R : realType} k p (f : nat -> R) :
  \sum_(i < k * p) f (i %% p)%N = k%:R * \sum_(i < p) f i.
Proof.
elim: k => [|k IH]; first by rewrite big_ord0 mul0r.
rewrite mulSn big_split_ord /= -[k.+1]add1n natrD mulrDl mul1r -IH; congr (_ + _).
  by apply: eq_bigr => i _; rewrite modn_small.
by apply: eq_bigr => i _; rewrite modnDl.
Qed.

Section noisy_copies.
Context {R : realType} (X : Type) (n p degree : nat) (sigma0 sigma : R).
(** A user's vector, which is scaled to l2 norm at most 1, and number, which is cut to [-1, 1]. *)
Variables (x : X -> nat -> R) (y : X -> R).
Hypotheses (sigma0_gt0 : 0 < sigma0) (sigma_gt0 : 0 < sigma).

Let row r i := if (i < p)%N then clip p 1 (x r) i else clip_entry 1 (y r).

Let row_diameter r r' : \sum_(i < p.+1) (row r i - row r' i) ^+ 2 <= 8.
Proof.
rewrite big_ord_recr /= {3 4}/row ltnn.
have -> : 8 = (2 * 1) ^+ 2 + (2 * 1) ^+ 2 :> R by ring.
apply: ler_add.
  under eq_bigr do rewrite /row ltn_ord.
  by apply: norm_diameter; exact: norm2_clip.
rewrite -[leLHS]ger0_norm ?sqr_ge0// normrX ler_expn2r ?nnegrE ?normr_ge0 ?mulr_ge0 ?ler0n//.
exact: (clip_entry_diameter (ler01 : 0 <= 1 :> R)).
Qed.

Let one r r' : \sum_(i < p.+1) (row r i - row r' i) ^+ 2 <= Num.sqrt 8 ^+ 2.
Proof. by rewrite sqr_sqrtr ?ler0n. Qed.

Let many r r' : \sum_(i < degree * degree.+1 * p.+1)
    (row r (i %% p.+1)%N - row r' (i %% p.+1)%N) ^+ 2 <=
  (Num.sqrt 8 * Num.sqrt (degree * degree.+1)%:R) ^+ 2.
Proof.
rewrite (sum_repeated _ p.+1 (fun i => (row r i - row r' i) ^+ 2)).
by rewrite exprMn !sqr_sqrtr ?ler0n// [leRHS]mulrC ler_wpmul2l ?ler0n.
Qed.

Definition noisy_copies : algorithm R (@replace X n) Gaussian :=
  @two_messages R X n p.+1 (degree * degree.+1 * p.+1) (Num.sqrt 8)
    (Num.sqrt 8 * Num.sqrt (degree * degree.+1)%:R) sigma0 sigma row
    (fun r i => row r (i %% p.+1)%N) sigma0_gt0 sigma_gt0 one many.

Theorem noisy_copies_private mu : 0 <= mu ->
  8 / sigma0 ^+ 2 + 8 * (degree * degree.+1)%:R / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private noisy_copies mu.
Proof.
by move=> mu0 le; apply: two_messages_private => //; rewrite exprMn !sqr_sqrtr ?ler0n.
Qed.
End noisy_copies.

(** * Second moments: x x^T is the first message, x y the second *)

Section clip_l1.
Context {R : realType} (d : nat).

Definition norm1 (g : nat -> R) : R := \sum_(i < d) `|g i|.

(** Scale [g] to l1 norm at most [C]. *)
Definition clip_l1 (C : R) g (i : nat) : R := (if norm1 g <= C then 1 else C / norm1 g) * g i.

Lemma norm1_clip C g : 0 <= C -> norm1 (clip_l1 C g) <= C.
Proof.
move=> C0; rewrite /norm1 /clip_l1; under eq_bigr do rewrite normrM.
rewrite -mulr_sumr -/(norm1 g); case: ifPn => [h|]; first by rewrite normr1 mul1r.
rewrite -ltNge => h; have p := le_lt_trans C0 h.
by rewrite ger0_norm ?divfK ?gt_eqF// divr_ge0// ltW.
Qed.

Lemma norm2_le_norm1 (g : nat -> R) : \sum_(i < d) g i ^+ 2 <= norm1 g ^+ 2.
Proof.
rewrite /norm1; elim: d => [|e IH]; first by rewrite !big_ord0 expr0n.
rewrite !big_ord_recr /= sqrrD -[g e ^+ 2]ger0_norm ?sqr_ge0// normrX.
rewrite ler_add2r (le_trans IH)// ler_addl mulrn_wge0// mulr_ge0//.
by apply: sumr_ge0.
Qed.
End clip_l1.

(** Vectors of l2 norm at most C: the upper triangles of x x^T differ by sqrt 2 C^2 at most. *)
Lemma upper_triangle_radius {R : realType} p (u w : nat -> R) C : 0 < C ->
  \sum_(i < p) u i ^+ 2 <= C ^+ 2 -> \sum_(i < p) w i ^+ 2 <= C ^+ 2 ->
  \sum_(i < size (pairs p)) (entry p u i - entry p w i) ^+ 2 <= (Num.sqrt 2 * C ^+ 2) ^+ 2.
Proof.
move=> C0 bu bw; have C1 : C != 0 by rewrite gt_eqF.
have unit (v : nat -> R) : \sum_(i < p) v i ^+ 2 <= C ^+ 2 ->
    \sum_(a <- iota 0 p) (v a / C) * (v a / C) <= 1.
  move=> bv; have -> : iota 0 p = index_iota 0 p by rewrite /index_iota subn0.
  rewrite big_mkord; under eq_bigr do rewrite -expr2 expr_div_n.
  by rewrite -mulr_suml ler_pdivr_mulr ?mul1r// exprn_gt0.
have le := upper_triangle_le (unit u bu) (unit w bw).
rewrite exprMn; apply: le_trans (ler_wpmul2r (sqr_ge0 (C ^+ 2)) le).
rewrite mulr_suml; apply: ler_sum => i _; rewrite -exprMn mulrBl.
have scaled (v : nat -> R) : entry p (fun a => v a / C) i * C ^+ 2 = entry p v i.
  by rewrite /entry expr2 mulrACA !divfK.
by rewrite !scaled.
Qed.

Section second_moments.
Context {R : realType} (X : Type) (n p : nat) (radius B c sigma1 sigma2 : R).
(** A user's vector, which is scaled to l1 norm at most the radius, and number, which is cut to
    [-B, B]. *)
Variables (x : X -> nat -> R) (y : X -> R).
(** The stated sensitivity of x x^T is c radius^2; sqrt 2 is the smallest c. *)
Hypotheses (radius_gt0 : 0 < radius) (B_ge0 : 0 <= B) (c_ge : Num.sqrt 2 <= c)
  (sigma1_gt0 : 0 < sigma1) (sigma2_gt0 : 0 < sigma2).

Let v r := clip_l1 p radius (x r).
Let short r : \sum_(i < p) v r i ^+ 2 <= radius ^+ 2.
Proof.
have r0 := ltW radius_gt0; apply: (le_trans (norm2_le_norm1 p (v r))).
by rewrite ler_expn2r ?nnegrE ?norm1_clip// /norm1 sumr_ge0.
Qed.

Let squares r r' : \sum_(i < size (pairs p)) (entry p (v r) i - entry p (v r') i) ^+ 2 <=
  (c * radius ^+ 2) ^+ 2.
Proof.
apply: (le_trans (upper_triangle_radius radius_gt0 (short r) (short r'))).
have c0 : 0 <= c by apply: le_trans c_ge; exact: sqrtr_ge0.
have := sqr_ge0 radius.
by move=> r0; rewrite ler_expn2r ?nnegrE ?(mulr_ge0 _ r0) ?sqrtr_ge0// ler_wpmul2r.
Qed.

Let product r i := v r i * clip_entry B (y r).
Let products r r' : \sum_(i < p) (product r i - product r' i) ^+ 2 <= (2 * (radius * B)) ^+ 2.
Proof.
have le r0 : \sum_(i < p) product r0 i ^+ 2 <= (radius * B) ^+ 2.
  under eq_bigr do rewrite exprMn; rewrite -mulr_suml exprMn.
  apply: ler_pmul; [by apply: sumr_ge0 => i _; exact: sqr_ge0|exact: sqr_ge0|exact: short|].
  rewrite -[leLHS]ger0_norm ?sqr_ge0// normrX ler_expn2r ?nnegrE ?normr_ge0//.
  exact: clip_entry_le.
exact: norm_diameter.
Qed.

Definition second_moments : algorithm R (@replace X n) Gaussian :=
  @two_messages R X n (size (pairs p)) p (c * radius ^+ 2) (2 * (radius * B)) sigma1 sigma2
    (fun r => entry p (v r)) product sigma1_gt0 sigma2_gt0 squares products.

Theorem second_moments_private mu : 0 <= mu ->
  (c * radius ^+ 2) ^+ 2 / sigma1 ^+ 2 + (2 * (radius * B)) ^+ 2 / sigma2 ^+ 2 <= mu ^+ 2 ->
  gaussian_private second_moments mu.
Proof. exact: two_messages_private. Qed.
End second_moments.

(** * Gradients and Hessians by turns *)

Lemma sum_by_turns {R : realType} T (a b : R) :
  \sum_(t < 2 * T) (if odd t then b else a) = T%:R * (a + b).
Proof.
elim: T => [|T IH]; first by rewrite big_ord0 mul0r.
by rewrite mulnS !big_ord_recr /= IH oddM /= -addrA -[T.+1]addn1 natrD mulrDl mul1r.
Qed.

Section gradients_and_hessians.
Context {R : realType} (X : Type) (n p d e : nat) (second : pred nat).
Let O t := @vec R (if second t then e else d).
(** [w t past]: the point of step t; [asked t past]: whether the step asks the data or is left
    out. Both are any measurable functions of what was released before. *)
Variables (G H : R) (w : forall t, transcript O t -> @vec R p)
  (asked : forall t, transcript O t -> bool) (grad hess : @vec R p -> X -> nat -> R).
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (masked : forall t, measurable_fun setT (@asked t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (mhess : forall r i, measurable_fun setT (fun theta => hess theta r i))
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2)
  (change : forall theta r r', \sum_(i < e) (hess theta r i - hess theta r' i) ^+ 2 <= H ^+ 2).

Let unless_left_out (f : @vec R p -> X -> nat -> R) t (h : transcript O t) r i : R :=
  if asked h then f (w h) r i else 0.

Let munless (f : @vec R p -> X -> nat -> R) t r i :
  (forall r i, measurable_fun setT (fun theta => f theta r i)) ->
  measurable_fun setT (fun h => unless_left_out f (t := t) h r i).
Proof.
move=> mf; apply: measurable_fun_ifT; first exact: masked.
  exact: (measurable_fun_comp (mf r i) (@mw t)).
exact: measurable_fun_cst.
Qed.

Let bound (f : @vec R p -> X -> nat -> R) b (D : R) t (h : transcript O t) r r' :
  (forall theta r r', \sum_(i < b) (f theta r i - f theta r' i) ^+ 2 <= D ^+ 2) ->
  \sum_(i < b) (unless_left_out f h r i - unless_left_out f h r' i) ^+ 2 <= D ^+ 2.
Proof.
move=> le; rewrite /unless_left_out; case: (asked h); first exact: le.
by rewrite big1 ?sqr_ge0// => i _; rewrite subrr expr0n.
Qed.

Let steep theta r r' := norm_diameter (lipschitz theta r) (lipschitz theta r').

Section noise.
Variables (reads : nat -> pred 'I_n) (m : R) (T : nat) (s : nat -> R) (s_gt0 : forall t, 0 < s t).

(** Mean gradients over the records that step t reads, of norm at most G each; in the steps [second]
    mean Hessians, of which any two records' upper triangles differ by at most H. *)
Definition gradients_and_hessians : algorithm R (@replace X n) Gaussian :=
  @two_kinds R X n T second d e reads (unless_left_out grad) (unless_left_out hess) m (2 * G) H s
    (fun t r i => @munless grad t r i mgrad) (fun t r i => @munless hess t r i mhess) s_gt0
    (fun t h r r' => @bound grad d (2 * G) t h r r' steep)
    (fun t h r r' => @bound hess e H t h r r' change).
End noise.
End gradients_and_hessians.

Section by_turns.
Context {R : realType} (X : Type) (n p d e T : nat) (reads : nat -> pred 'I_n) (m : R).
Let O t := @vec R (if odd t then e else d).
Variables (G H s1 s2 : R) (w : forall t, transcript O t -> @vec R p)
  (asked : forall t, transcript O t -> bool) (grad hess : @vec R p -> X -> nat -> R).
Hypotheses (mw : forall t, measurable_fun setT (@w t))
  (masked : forall t, measurable_fun setT (@asked t))
  (mgrad : forall r i, measurable_fun setT (fun theta => grad theta r i))
  (mhess : forall r i, measurable_fun setT (fun theta => hess theta r i))
  (s1_gt0 : 0 < s1) (s2_gt0 : 0 < s2)
  (lipschitz : forall theta r, \sum_(i < d) grad theta r i ^+ 2 <= G ^+ 2)
  (change : forall theta r r', \sum_(i < e) (hess theta r i - hess theta r' i) ^+ 2 <= H ^+ 2).

Let s_gt0 t : 0 < if odd t then s2 else s1. Proof. by case: (odd t). Qed.

(** T gradients and T Hessians: any of them may be left out, as what was released before says. *)
Definition by_turns : algorithm R (@replace X n) Gaussian :=
  gradients_and_hessians mw masked mgrad mhess lipschitz change reads m (2 * T) s_gt0.

Theorem by_turns_private mu : 0 <= mu ->
  T%:R * ((2 * G / m) ^+ 2 / s1 ^+ 2 + (H / m) ^+ 2 / s2 ^+ 2) <= mu ^+ 2 ->
  gaussian_private by_turns mu.
Proof.
move=> mu0 le; apply: gaussian_algorithm => // k; apply: le_trans le.
rewrite -sum_by_turns; apply: ler_sum => t _.
rewrite [leLHS](@two_kinds_cost R X n _ odd d e) /=; case: ifP => _; first by case: (odd t).
by case: (odd t); rewrite divr_ge0 ?sqr_ge0.
Qed.
End by_turns.

(** Unfold an instance down to what its releases say of themselves. *)
Declare Reduction printed_kinds := cbv beta iota zeta delta [two_messages noisy_copies second_moments by_turns
  gradients_and_hessians two_kinds gaussian_means_diameter steps step_of described
  gaussian_release].
