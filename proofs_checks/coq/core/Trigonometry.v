(** Products of cosines of multiples of angles: how far they move in l1. *)
From mathcomp.analysis Require Import trigo.
From Touchstone.core Require Import Everything Triangles.
Local Open Scope ring_scope.

Section trigonometry.
Context {R : realType}.

(** Digit j of a number to base t. *)
Definition digit (t i j : nat) : nat := (i %/ t ^ j %% t)%N.

Lemma sum_of_products t p (F : nat -> nat -> R) :
  \sum_(i < t ^ p) \prod_(j < p) F j (digit t i j) = \prod_(j < p) \sum_(v < t) F j v.
Proof.
elim: p F => [|p IH] F; first by rewrite expn0 big_ord_recl !big_ord0 addr0.
rewrite expnSr (sum_digits t (t ^ p) (fun i => \prod_(j < p.+1) F j (digit t i j))).
rewrite [RHS]big_ord_recl -(IH (fun j => F j.+1)) mulrC mulr_suml.
apply: eq_bigr => a _; rewrite mulr_sumr; apply: eq_bigr => v _.
have t0 : (0 < t)%N by apply: leq_ltn_trans (ltn_ord v).
rewrite big_ord_recl /digit /= expn0 divn1 modnMDl modn_small// mulrC; congr (_ * _).
apply: eq_bigr => j _; rewrite /bump /= add1n expnS divnMA divnMDl//.
by rewrite [(v %/ t)%N]divn_small// addn0.
Qed.

Variables (t p : nat) (least : R).

(** The sum of the cosines of the t multiples of an angle. *)
Definition kernel (phi : R) : R := \sum_(v < t) cos (v%:R * phi).

(** Feature i of p angles. *)
Definition feature (theta : nat -> R) (i : nat) : R :=
  \prod_(j < p) cos ((digit t i j)%:R * theta j).

Hypotheses (p_gt0 : (0 < p)%N) (lower : forall phi, least <= kernel phi)
  (range : t = 1%N \/ - t%:R <= least <= 0).

Let kernel_le phi : kernel phi <= t%:R.
Proof.
rewrite /kernel (_ : t%:R = \sum_(v < t) (1 : R)); last by rewrite sumr_const card_ord.
by apply: ler_sum => v _; exact: (le_trans (ler_norm _) (cos_max _)).
Qed.

Let inner theta phi :
  \sum_(v < t) cos (v%:R * theta) * cos (v%:R * phi) =
  (kernel (theta + phi) + kernel (theta - phi)) / 2 :> R.
Proof.
rewrite /kernel -big_split mulr_suml; apply: eq_bigr => v _ /=.
by rewrite mulrDr mulrBr cosD cosB; field.
Qed.

Let inner_range theta phi :
  least <= \sum_(v < t) cos (v%:R * theta) * cos (v%:R * phi) <= (t%:R : R).
Proof.
rewrite inner ler_pdivl_mulr ?ltr0n// ler_pdivr_mulr ?ltr0n// !mulr_natr !mulr2n.
by rewrite !ler_add.
Qed.

Let product_range m (f : nat -> R) : (forall j, least <= f j <= t%:R) ->
  - t%:R <= least -> least <= 0 ->
  t%:R ^+ m * least <= \prod_(j < m.+1) f j <= t%:R ^+ m.+1.
Proof.
move=> fr l0 l1; elim: m => [|m /andP[q1 q2]].
  by rewrite big_ord_recl big_ord0 mulr1 expr0 mul1r expr1 fr.
rewrite big_ord_recr /=; set Q := \prod_(j < _) _ in q1 q2 *; set x := f m.+1.
have /andP[x1 x2] : least <= x <= t%:R := fr m.+1.
have t0 : 0 <= t%:R :> R by rewrite ler0n.
have T0 : 0 <= t%:R ^+ m.+1 :> R by rewrite exprn_ge0.
have q3 : - t%:R ^+ m.+1 <= Q.
  by rewrite (le_trans _ q1)// exprSr -mulrN ler_wpmul2l// exprn_ge0.
apply/andP; split; last first.
  rewrite (le_trans (ler_norm _))// normrM [leRHS]exprSr ler_pmul ?normr_ge0 ?ler_norml ?q3//.
  by rewrite x2 (le_trans l0 x1).
have low0 : t%:R ^+ m.+1 * least <= 0 by rewrite mulr_ge0_le0.
have [Q0|Q0] := leP 0 Q; have [x0|x0] := leP 0 x.
- by rewrite (le_trans low0)// mulr_ge0.
- rewrite -subr_ge0 (_ : _ - _ = Q * (x - least) + (t%:R ^+ m.+1 - Q) * - least); last by ring.
  by rewrite addr_ge0// mulr_ge0// ?subr_ge0// oppr_ge0.
- rewrite -subr_ge0 (_ : _ - _ = (Q - t%:R ^+ m * least) * x + t%:R ^+ m * (t%:R - x) * - least).
    by rewrite addr_ge0// !mulr_ge0 ?exprn_ge0 ?subr_ge0 ?oppr_ge0.
  by rewrite exprSr; ring.
- by rewrite (le_trans low0)// mulr_le0// ltW.
Qed.

Let apart (x y : R) : -1 <= x <= 1 -> -1 <= y <= 1 -> `|x - y| <= 1 - x * y.
Proof.
move=> /andP[a b] /andP[c d]; rewrite ler_norml; apply/andP; split; rewrite -subr_ge0.
  rewrite (_ : x - y - _ = (1 + x) * (1 - y)); last by ring.
  by rewrite mulr_ge0 ?subr_ge0// addrC -ler_subl_addr sub0r.
rewrite (_ : 1 - x * y - _ = (1 - x) * (1 + y)); last by ring.
by rewrite mulr_ge0 ?subr_ge0// addrC -ler_subl_addr sub0r.
Qed.

(** t^(p - 1) (t - min K): an inner product of features is a product of sums of two kernels. *)
Lemma feature_l1 theta phi :
  \sum_(i < t ^ p) `|feature theta i - feature phi i| <= t%:R ^+ p.-1 * (t%:R - least).
Proof.
have p1 : p = p.-1.+1 by rewrite prednK.
have F a i : -1 <= feature a i <= 1.
  rewrite -ler_norml /feature normr_prod (@le_trans _ _ (\prod_(j < p) 1))//; last by rewrite big1.
  by apply: ler_prod => j _; rewrite normr_ge0 cos_max.
apply: (@le_trans _ _ (\sum_(i < t ^ p) (1 - feature theta i * feature phi i))).
  by apply: ler_sum => i _; exact: apart.
rewrite sumrB sumr_const card_ord -/(t ^ p)%N natrX.
have -> : \sum_(i < t ^ p) feature theta i * feature phi i =
    \prod_(j < p) \sum_(v < t) cos (v%:R * theta j) * cos (v%:R * phi j).
  rewrite -(sum_of_products t p (fun j v => cos (v%:R * theta j) * cos (v%:R * phi j))).
  by apply: eq_bigr => i _; rewrite /feature -big_split.
have G j : least <= \sum_(v < t) cos (v%:R * theta j) * cos (v%:R * phi j) <= t%:R := inner_range _ _.
rewrite mulrBr -exprSr -p1 ler_sub//.
case: range => [t1|/andP[l0 l1]]; last first.
  by have := product_range p.-1 G l0 l1; rewrite prednK// => /andP[].
rewrite t1 expr1n mul1r big1 => [|j _]; last first.
  by rewrite big_ord_recl big_ord0 !mul0r cos0 mulr1 addr0.
by have := lower 0; rewrite /kernel t1 big_ord_recl big_ord0 mul0r cos0 addr0.
Qed.
End trigonometry.
