(** The l1 norm of the upper triangle of a symmetric matrix, and of a mean of x x^T. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section triangles.
Context {R : realType}.
Implicit Types (D H : nat -> nat -> R) (u w : nat -> R).

(** Over the rows of a matrix, one after the other. *)
Lemma sum_digits (t m : nat) (G : nat -> R) :
  \sum_(i < m * t) G i = \sum_(a < m) \sum_(v < t) G (a * t + v)%N.
Proof.
elim: m => [|m IH]; first by rewrite mul0n !big_ord0.
rewrite big_ord_recr /= -IH -!(big_mkord xpredT G) mulSn addnC.
rewrite (big_cat_nat _ _ (n := (m * t)%N))//= ?leq_addr//; congr (_ + _).
rewrite -{1}[(m * t)%N]add0n big_addn addKn big_mkord.
by apply: eq_bigr => v _; rewrite addnC.
Qed.

Lemma sum_pairs p (F : nat -> nat -> R) :
  \sum_(ab <- pairs p) F ab.1 ab.2 = \sum_(a < p) \sum_(b < p | (a <= b)%N) F a b.
Proof.
have E : iota 0 p = index_iota 0 p by rewrite /index_iota subn0.
rewrite /pairs big_filter big_mkcond big_allpairs /= E big_mkord; apply: eq_bigr => a _.
by rewrite [RHS]big_mkcond /= big_mkord.
Qed.

(** Over the upper triangle, off-diagonal entries twice: over the whole matrix. *)
Lemma sum_symmetric p H : (forall a b, H a b = H b a) ->
  \sum_(a < p) \sum_(b < p | (a <= b)%N) (if a == b :> nat then 1 else 2) * H a b =
  \sum_(a < p) \sum_(b < p) H a b.
Proof.
move=> sym; elim: p => [|p IH]; first by rewrite !big_ord0.
rewrite [RHS]big_ord_recr /= [in RHS]big_ord_recr /=.
under [in RHS]eq_bigr do rewrite big_ord_recr /=.
rewrite big_split /= -IH big_ord_recr /= [X in _ + X = _]big_mkcond big_ord_recr /= leqnn eqxx mul1r.
rewrite [X in _ + (X + _)]big1 => [|b _]; last by rewrite leqNgt ltn_ord.
rewrite add0r.
have -> : \sum_(a < p) \sum_(b < p.+1 | (a <= b)%N) (if a == b :> nat then 1 else 2) * H a b =
    \sum_(a < p) (\sum_(b < p | (a <= b)%N) (if a == b :> nat then 1 else 2) * H a b + 2 * H a p).
  apply: eq_bigr => a _; rewrite big_mkcond big_ord_recr /= -big_mkcond /= ltnW ?ltn_ord//.
  by rewrite ltn_eqF ?ltn_ord.
rewrite big_split /= addrA; congr (_ + _); rewrite -addrA; congr (_ + _).
rewrite -big_split /=; apply: eq_bigr => a _; rewrite -sym; ring.
Qed.

(** Cauchy and Schwarz, with weights 1 on and 2 off the diagonal: sqrt(p (p + 3)/4) times the
    Frobenius norm at the best t. *)
Lemma triangle_l1 p D t : 0 < t -> (forall a b, D a b ^+ 2 = D b a ^+ 2) ->
  \sum_(ab <- pairs p) `|D ab.1 ab.2| <=
  t * (\sum_(a < p) \sum_(b < p) D a b ^+ 2) + (p * (p + 3))%:R / (16 * t).
Proof.
move=> t0 sym; rewrite (sum_pairs p (fun a b => `|D a b|)).
pose w (a b : nat) : R := if a == b then 1 else 2.
apply: (@le_trans _ _ (\sum_(a < p) \sum_(b < p | (a <= b)%N)
    (t * (w a b * D a b ^+ 2) + (w a b + (if a == b :> nat then 3%:R else 0)) / (16 * t)))).
  apply: ler_sum => a _; apply: ler_sum => b _.
  have T v : 0 < v -> `|D a b| <= v * D a b ^+ 2 + (4 * v)^-1.
    move=> v0; have v1 := gt_eqF v0; rewrite ler_norml; apply/andP; split; rewrite -subr_ge0.
      rewrite (_ : _ - _ = v * (D a b + (2 * v)^-1) ^+ 2); last by field; rewrite v1.
      by rewrite mulr_ge0 ?sqr_ge0 ?ltW.
    rewrite (_ : _ - _ = v * (D a b - (2 * v)^-1) ^+ 2); last by field; rewrite v1.
    by rewrite mulr_ge0 ?sqr_ge0 ?ltW.
  rewrite /w; case: (a == b :> nat).
    rewrite mul1r (_ : (1 + 3) / (16 * t) = (4 * t)^-1) ?T//.
    by field; rewrite gt_eqF.
  rewrite mulrA addr0 (_ : 2 / (16 * t) = (4 * (t * 2))^-1) ?T ?mulr_gt0//.
  by field; rewrite gt_eqF.
under eq_bigr do rewrite big_split /=.
rewrite big_split /= ler_add//.
  under eq_bigr do rewrite -mulr_sumr.
  by rewrite -mulr_sumr /w (sum_symmetric p (H := fun a b => D a b ^+ 2) sym).
under eq_bigr do rewrite -mulr_suml big_split /=.
rewrite -mulr_suml big_split /= ler_wpmul2r ?invr_ge0 ?mulr_ge0 ?(ltW t0) ?ler0z//.
have -> : \sum_(a < p) \sum_(b < p | (a <= b)%N) w a b = \sum_(a < p) \sum_(b < p) 1.
  rewrite -(sum_symmetric p (H := fun _ _ => 1))//; apply: eq_bigr => a _.
  by apply: eq_bigr => b _; rewrite mulr1.
rewrite mulnDr natrD ler_add//.
  rewrite (eq_bigr (fun=> p%:R)) => [|a _]; last by rewrite sumr_const card_ord.
  by rewrite sumr_const card_ord -mulrnA.
rewrite (eq_bigr (fun=> 3%:R)) => [|a _]; first by rewrite sumr_const card_ord -mulrnA mulnC.
rewrite (bigD1 a) ?leqnn//= eqxx big1 ?addr0// => b /andP[_ ba].
by rewrite ifN// eq_sym; apply: contraNneq ba => E; apply/eqP/val_inj.
Qed.

(** Largest l1 norm of the upper triangle of x x^T - y y^T. *)
Definition moment_l1 (p : nat) : R :=
  if p == 1%N then 1 else Num.sqrt ((p * (p + 3))%:R / 2).

Let root_gt0 p : (0 < p)%N -> 0 < Num.sqrt ((p * (p + 3))%:R / 2 : R).
Proof. by move=> p0; rewrite sqrtr_gt0 divr_gt0 ?ltr0n// muln_gt0 p0 addn_gt0 orbT. Qed.

Lemma moment_l1_gt0 p : (0 < p)%N -> 0 < moment_l1 p.
Proof. by rewrite /moment_l1; case: eqP => [_ _|_]; [exact: ltr01|exact: root_gt0]. Qed.

(** Frobenius norm at most sqrt 2 B. *)
Lemma triangle_l1_le p D B : (0 < p)%N -> 0 < B -> (forall a b, D a b ^+ 2 = D b a ^+ 2) ->
  \sum_(a < p) \sum_(b < p) D a b ^+ 2 <= 2 * B ^+ 2 ->
  \sum_(ab <- pairs p) `|D ab.1 ab.2| <= Num.sqrt ((p * (p + 3))%:R / 2) * B.
Proof.
move=> p0 B0 sym le; set K := Num.sqrt _.
have K2 : K ^+ 2 = (p * (p + 3))%:R / 2 by rewrite sqr_sqrtr// divr_ge0.
have K0 : 0 < K by exact: root_gt0.
have t0 : 0 < K / (4 * B) by rewrite divr_gt0 ?mulr_gt0 ?ltr0z.
apply: (le_trans (triangle_l1 p t0 sym)).
apply: (@le_trans _ _ (K / (4 * B) * (2 * B ^+ 2) + (p * (p + 3))%:R / (16 * (K / (4 * B))))).
  by rewrite ler_add2r ler_wpmul2l ?(ltW t0).
rewrite (_ : (p * (p + 3))%:R = 2 * K ^+ 2); last by rewrite K2; field.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite !gt_eqF.
Qed.

Let dot p u w : R := \sum_(a <- iota 0 p) u a * w a.

Let dot_ge0 p g : 0 <= dot p g g. Proof. by apply: sumr_ge0 => a _; rewrite -expr2 sqr_ge0. Qed.

(** |x x^T - y y^T|^2 = |x|^4 + |y|^4 - 2 <x, y>^2. *)
Lemma moment_frobenius p u w : dot p u u <= 1 -> dot p w w <= 1 ->
  \sum_(a < p) \sum_(b < p) (u a * u b - w a * w b) ^+ 2 <= 2.
Proof.
move=> u1 w1; have -> : \sum_(a < p) \sum_(b < p) (u a * u b - w a * w b) ^+ 2 =
    dot p u u * dot p u u + dot p w w * dot p w w - 2 * (dot p u w * dot p u w).
  have E g h : dot p g h * dot p g h = \sum_(a < p) \sum_(b < p) (g a * h a) * (g b * h b).
    have I : iota 0 p = index_iota 0 p by rewrite /index_iota subn0.
    rewrite /dot I !big_mkord mulr_suml; apply: eq_bigr => a _; by rewrite mulr_sumr.
  rewrite !E mulr_sumr -big_split -sumrB /=; apply: eq_bigr => a _.
  by rewrite mulr_sumr -big_split -sumrB /=; apply: eq_bigr => b _; ring.
rewrite ler_subl_addr (@le_trans _ _ 2)//; first by rewrite ler_add// mulr_ile1.
by rewrite ler_addl mulr_ge0 ?ler0n// -expr2 sqr_ge0.
Qed.

(** A single variable: a difference of two squares. *)
Lemma moment_one u w : dot 1 u u <= 1 -> dot 1 w w <= 1 -> `|u 0%N * u 0%N - w 0%N * w 0%N| <= 1.
Proof.
move: (dot_ge0 1 u) (dot_ge0 1 w); rewrite /dot /= !big_cons !big_nil /= !addr0 => a b c e.
rewrite ler_norml ler_subr_addr ler_subl_addr (le_trans c) ?ler_addl//.
by rewrite (le_trans _ a)// addrC subr_le0.
Qed.

Lemma moment_l1_le p u w : (0 < p)%N -> dot p u u <= 1 -> dot p w w <= 1 ->
  \sum_(i < size (pairs p)) `|entry p u i - entry p w i| <= moment_l1 p.
Proof.
move=> p0 u1 w1; pose D a b : R := u a * u b - w a * w b.
rewrite -(big_mkord xpredT (fun i => `|entry p u i - entry p w i|)).
rewrite -(big_nth (0%N, 0%N) xpredT (fun ab => `|D ab.1 ab.2|)) /moment_l1.
have [p1|_] := eqVneq p 1%N.
  by rewrite p1 in u1 w1 *; rewrite /= big_cons big_nil addr0; exact: moment_one.
rewrite -[leRHS]mulr1; apply: triangle_l1_le => // [a b|]; first by congr (_ ^+ 2); rewrite /D; ring.
by rewrite expr1n mulr1; exact: moment_frobenius.
Qed.
End triangles.
