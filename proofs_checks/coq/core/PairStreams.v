(** Streams of records, each paired with earlier ones: projected gradient steps on strongly convex
    losses of pairs, without noise on the path. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp.classical Require Import boolp classical_sets functions cardinality fsbigop
  mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype sequences
  esum measure lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From Touchstone.core Require Import DP Density ZCDP Line Noise Steps Domination Plane GaussianDP BoundedRange Release Mechanisms Sensitivity Templates TwoKinds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Lengths of vectors *)

Section lengths.
Context {R : realType} (d : nat).
Implicit Types u v : nat -> R.
Local Notation norm2 := (norm2 d).

Lemma product_le u v A B : 0 <= A -> 0 <= B -> norm2 u <= A ^+ 2 -> norm2 v <= B ^+ 2 ->
  \sum_(i < d) u i * v i <= A * B.
Proof.
move=> A0 B0 bu bv.
have zero (w : nat -> R) : norm2 w <= 0 -> forall i : 'I_d, w i = 0.
  move=> w0 i; apply/eqP; rewrite -sqrf_eq0; apply/eqP.
  apply: (psumr_eq0P (P := xpredT) (F := fun i : 'I_d => w i ^+ 2)) => // [j _|].
    exact: sqr_ge0.
  by apply/eqP; rewrite eq_le w0 norm2_ge0.
have [A1|A1] := eqVneq A 0.
  rewrite A1 expr0n in bu; rewrite A1 mul0r big1// => i _.
  by rewrite (zero u bu) mul0r.
have [B1|B1] := eqVneq B 0.
  rewrite B1 expr0n in bv; rewrite B1 mulr0 big1// => i _.
  by rewrite (zero v bv) mulr0.
have AB : 0 < A * B by rewrite mulr_gt0// lt0r ?A1 ?B1.
rewrite -(ler_pmul2l AB) -subr_ge0.
have : 0 <= norm2 (fun i => B * u i - A * v i) by exact: norm2_ge0.
have -> : norm2 (fun i => B * u i - A * v i) =
    B ^+ 2 * norm2 u + A ^+ 2 * norm2 v - 2 * (A * B * \sum_(i < d) u i * v i).
  rewrite /norm2 !mulr_sumr -big_split -sumrB /=; apply: eq_bigr => i _; ring.
move=> le; rewrite -(pmulr_rge0 _ (ltr0Sn R 1)) mulrBr; apply: (le_trans le).
rewrite ler_add2r; have -> : 2 * (A * B * (A * B)) = B ^+ 2 * A ^+ 2 + A ^+ 2 * B ^+ 2 by ring.
by rewrite ler_add// ler_wpmul2l// sqr_ge0.
Qed.

Lemma norm2_add u v A B : 0 <= A -> 0 <= B -> norm2 u <= A ^+ 2 -> norm2 v <= B ^+ 2 ->
  norm2 (fun i => u i + v i) <= (A + B) ^+ 2.
Proof.
move=> A0 B0 bu bv.
have -> : norm2 (fun i => u i + v i) = norm2 u + norm2 v + 2 * \sum_(i < d) u i * v i.
  rewrite /norm2 mulr_sumr -!big_split /=; apply: eq_bigr => i _; ring.
have -> : (A + B) ^+ 2 = A ^+ 2 + B ^+ 2 + 2 * (A * B) by ring.
by rewrite ler_add ?ler_add// ler_wpmul2l ?ler0n// product_le.
Qed.

Lemma norm2_scale c u : norm2 (fun i => c * u i) = c ^+ 2 * norm2 u.
Proof. by rewrite /norm2 mulr_sumr; apply: eq_bigr => i _; rewrite exprMn. Qed.

Lemma norm2_sum (I : Type) (s : seq I) (f : I -> nat -> R) (c : I -> R) :
  (forall j, 0 <= c j) -> (forall j, norm2 (f j) <= c j ^+ 2) ->
  norm2 (fun i => \sum_(j <- s) f j i) <= (\sum_(j <- s) c j) ^+ 2.
Proof.
move=> c0 le; elim: s => [|j s IH].
  by rewrite big_nil expr0n /norm2 big1// => i _; rewrite big_nil expr0n.
rewrite big_cons (_ : norm2 _ = norm2 (fun i => f j i + \sum_(l <- s) f l i)).
  by apply: norm2_add => //; exact: sumr_ge0.
by apply: eq_bigr => i _; rewrite big_cons.
Qed.
End lengths.

(** * A gradient step of a strongly convex, smooth function contracts; projections do not expand *)

Section contraction.
Context {R : realType} (d : nat) (alpha L : R).
Local Notation norm2 := (norm2 d).

Definition strongly_convex (F : (nat -> R) -> R) (g : (nat -> R) -> nat -> R) := forall u v : nat -> R,
  F u + \sum_(i < d) g u i * (v i - u i) + alpha / 2 * norm2 (fun i => v i - u i) <= F v.

Definition smooth (F : (nat -> R) -> R) (g : (nat -> R) -> nat -> R) := forall u v : nat -> R,
  F v <= F u + \sum_(i < d) g u i * (v i - u i) + L / 2 * norm2 (fun i => v i - u i).

Variables (F : (nat -> R) -> R) (g : (nat -> R) -> nat -> R).
Hypotheses (strong : strongly_convex F g) (smooth_F : smooth F g) (alpha_le : alpha <= L).

Section points.
Variables u v : nat -> R.
Let a i := u i - v i.
Let h i := g u i - g v i - alpha * a i.

Let cocoercive s :
  (2 * s - (L - alpha) * s ^+ 2) * norm2 h <= \sum_(i < d) h i * a i.
Proof.
pose z i := v i + s * h i; pose z' i := u i - s * h i.
have := ler_add (le_trans (strong u z) (smooth_F v z)) (le_trans (strong v z') (smooth_F u z')).
set S1 := \sum_(i < d) g u i * (z i - u i); set S3 := \sum_(i < d) g v i * (z i - v i).
set S2 := \sum_(i < d) g v i * (z' i - v i); set S4 := \sum_(i < d) g u i * (z' i - u i).
set k1 := norm2 _; set k2 := norm2 _; set k3 := norm2 _; set k4 := norm2 _.
have key : \sum_(i < d) h i * a i - (2 * s - (L - alpha) * s ^+ 2) * norm2 h =
    (S3 + L / 2 * k3 + (S4 + L / 2 * k4)) - (S1 + alpha / 2 * k1 + (S2 + alpha / 2 * k2)).
  rewrite /S1 /S2 /S3 /S4 /k1 /k2 /k3 /k4 /norm2 !mulr_sumr -!big_split -!sumrB /=.
  by apply: eq_bigr => i _; rewrite /z /z' /h /a; field.
move=> le; rewrite -subr_ge0 key subr_ge0; rewrite -subr_ge0 in le; rewrite -subr_ge0.
by apply: (le_trans le); rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Variable eta : R.
Hypotheses (eta_ge0 : 0 <= eta) (short : eta * (L + alpha) <= 2).

Lemma gradient_step_contracts :
  norm2 (fun i => (u i - eta * g u i) - (v i - eta * g v i)) <=
  (1 - eta * alpha) ^+ 2 * norm2 (fun i => u i - v i).
Proof.
pose c := 1 - eta * alpha; pose Q := norm2 h; pose P := \sum_(i < d) h i * a i.
have Q0 : 0 <= Q by exact: norm2_ge0.
have c2 : eta * (L - alpha) <= 2 * c.
  rewrite -subr_ge0 (_ : _ - _ = 2 - eta * (L + alpha)) ?subr_ge0// /c; ring.
have c0 : 0 <= c.
  have : 0 <= 2 * c by apply: le_trans c2; rewrite mulr_ge0 ?subr_ge0.
  by rewrite pmulr_rge0 ?ltr0Sn.
have -> : norm2 (fun i => (u i - eta * g u i) - (v i - eta * g v i)) =
    c ^+ 2 * norm2 a - eta * (2 * c * P - eta * Q).
  rewrite /norm2 /P /Q /norm2 !mulr_sumr -!sumrB mulr_sumr -sumrB.
  by apply: eq_bigr => i _; rewrite /h /a /c; ring.
rewrite ler_subl_addr ler_addl mulr_ge0// subr_ge0.
have [c1|c1] := eqVneq c 0; last first.
  have cp : 0 < c by rewrite lt0r c1.
  have cc : 0 < 2 * c by rewrite mulr_gt0.
  pose s := eta / (2 * c); have s0 : 0 <= s by rewrite divr_ge0// ltW.
  have s1 : (L - alpha) * s <= 1 by rewrite mulrA ler_pdivr_mulr// mul1r mulrC.
  have e : 2 * c * s = eta by rewrite mulrC divfK// gt_eqF.
  rewrite -{1}e -mulrA ler_wpmul2l ?(ltW cc)//; apply: le_trans (cocoercive s).
  rewrite ler_wpmul2r// -subr_ge0 (_ : _ - s = s * (1 - (L - alpha) * s)); last by ring.
  by rewrite mulr_ge0// subr_ge0.
have [Q1|Q1] := eqVneq Q 0; first by rewrite Q1 c1 !mulr0 mul0r.
have e1 : eta * alpha = 1 by apply/eqP; rewrite eq_sym -subr_eq0; apply/eqP.
have L1 : L - alpha = 0.
  have e0 : 0 < eta by rewrite lt0r eta_ge0 andbT; apply: contra_eq_neq e1 => ->; rewrite mul0r eq_sym oner_eq0.
  apply/eqP; rewrite eq_le subr_ge0 alpha_le andbT -(pmulr_rle0 _ e0).
  by rewrite (le_trans c2)// c1 mulr0.
have := cocoercive ((P + 1) / (2 * Q)); rewrite -/Q -/P L1 mul0r subr0.
have -> : 2 * ((P + 1) / (2 * Q)) * Q = P + 1 by field; rewrite Q1.
by rewrite -subr_ge0 opprD addrA subrr sub0r oppr_ge0 ler10.
Qed.
End points.
End contraction.

Section projection.
Context {R : realType} (d : nat) (C : (nat -> R) -> Prop) (project : (nat -> R) -> nat -> R).

(** The projection on a convex set: no point of the set lies beyond the nearest one. *)
Definition projection := forall u, C (project u) /\
  forall z, C z -> \sum_(i < d) (u i - project u i) * (z i - project u i) <= 0.

Lemma projection_contracts u v : projection ->
  norm2 d (fun i => project u i - project v i) <= norm2 d (fun i => u i - v i).
Proof.
move=> H; have [Cu Hu] := H u; have [Cv Hv] := H v.
have le := ler_add (Hu _ Cv) (Hv _ Cu); rewrite addr0 in le.
rewrite -subr_ge0; set e := fun i => project u i - project v i.
have -> : norm2 d (fun i => u i - v i) - norm2 d e = norm2 d (fun i => (u i - v i) - e i) -
    2 * (\sum_(i < d) (u i - project u i) * (project v i - project u i) +
         \sum_(i < d) (v i - project v i) * (project u i - project v i)).
  rewrite /norm2 -big_split mulr_sumr -!sumrB /=; apply: eq_bigr => i _; rewrite /e; ring.
by rewrite subr_ge0 (le_trans _ (norm2_ge0 _ _))// pmulr_rle0 ?ltr0Sn.
Qed.
End projection.

(** * The mean of functions *)

Section means.
Context {R : realType} (d : nat) (J : Type) (s : seq J) (F : J -> (nat -> R) -> R)
  (g : J -> (nat -> R) -> nat -> R).
Hypothesis s_gt0 : (0 < size s)%N.
Let b : R := (size s)%:R.

Definition mean_of (f : J -> R) : R := b^-1 * \sum_(j <- s) f j.

Let b1 : b^-1 * b = 1. Proof. by rewrite mulVf// pnatr_eq0 -lt0n. Qed.

Let meanE (k : R) u v : mean_of (F ^~ u) +
    \sum_(i < d) mean_of (fun j => g j u i) * (v i - u i) + k =
  mean_of (fun j => F j u + \sum_(i < d) g j u i * (v i - u i) + k).
Proof.
rewrite /mean_of !big_split /= !mulrDr; congr (_ + _ + _).
  rewrite exchange_big /= mulr_sumr; apply: eq_bigr => i _.
  by rewrite -mulrA mulr_suml.
by rewrite big_const_seq count_predT iter_addr_0 -mulr_natl mulrA b1 mul1r.
Qed.

Let mean_le (f h : J -> R) : (forall j, f j <= h j) -> mean_of f <= mean_of h.
Proof. by move=> le; rewrite ler_wpmul2l ?invr_ge0 ?ler0n//; exact: ler_sum. Qed.

Lemma strongly_convex_mean alpha : (forall j, strongly_convex d alpha (F j) (g j)) ->
  strongly_convex d alpha (fun u => mean_of (F ^~ u)) (fun u i => mean_of (fun j => g j u i)).
Proof. by move=> H u v; rewrite meanE; apply: mean_le => j; exact: H. Qed.

Lemma smooth_mean L : (forall j, smooth d L (F j) (g j)) ->
  smooth d L (fun u => mean_of (F ^~ u)) (fun u i => mean_of (fun j => g j u i)).
Proof. by move=> H u v; rewrite meanE; apply: mean_le => j; exact: H. Qed.
End means.

(** * The path without noise, and its release at every step *)

Section pair_stream.
Context {R : realType} (X : Type) (n d T1 : nat) (alpha L G : R).
(** The loss of a pair and its gradient; the set and its projection; for each record the earlier
    ones with which it is paired, which depend on no record: all of them or a buffer's. *)
Variables (loss : X -> X -> (nat -> R) -> R) (grad : X -> X -> (nat -> R) -> nat -> R)
  (C : (nat -> R) -> Prop) (project : (nat -> R) -> nat -> R) (initial : nat -> R)
  (partners : nat -> seq 'I_n).
Hypotheses (strong : forall r r', strongly_convex d alpha (loss r r') (grad r r'))
  (smooth_loss : forall r r', smooth d L (loss r r') (grad r r'))
  (lipschitz : forall r r' u, C u -> norm2 d (grad r r' u) <= G ^+ 2)
  (nearest : projection d C project) (initial_in : C initial)
  (alpha_gt0 : 0 < alpha) (alpha_le : alpha <= L) (G_gt0 : 0 < G)
  (first_phase : L <= alpha * T1%:R)
  (some_partner : forall t, (T1 <= t < n)%N -> (0 < size (partners t))%N)
  (distinct : forall t, (T1 <= t < n)%N -> uniq (partners t))
  (earlier : forall t (j : 'I_n), (T1 <= t < n)%N -> j \in partners t -> (j < t)%N).

Let eta t : R := 2 / (alpha * t.+1%:R).

(** The step of record t, whose round is t + 1: a mean gradient of its pairs, then the projection. *)
Definition pair_step (x : 'I_n -> X) t (u : nat -> R) : nat -> R :=
  if insub t is Some i then
    project (fun k => u k - eta t * mean_of (partners t) (fun j => grad (x i) (x j) u k))
  else initial.

Fixpoint path (x : 'I_n -> X) t : nat -> R :=
  if t is s.+1 then pair_step x (T1 + s) (path x s) else initial.

Lemma path_in x t : C (path x t).
Proof.
by case: t => //= t; rewrite /pair_step; case: insubP => // i _ _; exact: (nearest _).1.
Qed.

Let T1_gt0 : (0 < T1)%N.
Proof.
rewrite lt0n; apply: contraTneq (le_trans alpha_le first_phase) => ->.
by rewrite mulr0 -ltNge.
Qed.

Let eta_ge0 t : 0 <= eta t.
Proof. by rewrite divr_ge0 ?ler0n// mulr_ge0 ?ler0n// ltW. Qed.

Let eta_short t : (T1 <= t)%N -> eta t * (L + alpha) <= 2.
Proof.
move=> le; have p : 0 < alpha * t.+1%:R by rewrite mulr_gt0 ?ltr0Sn.
rewrite /eta mulrAC ler_pdivr_mulr// ler_pmul2l ?ltr0Sn// -[t.+1]addn1 natrD mulrDr mulr1.
by rewrite ler_add2r (le_trans first_phase)// ler_pmul2l// ler_nat.
Qed.

Let shrinks t : (T1 <= t)%N -> 0 <= 1 - eta t * alpha.
Proof.
move=> le; rewrite subr_ge0 -(ler_pmul2l (ltr0Sn R 1)) mulr1 mulrCA.
apply: le_trans (eta_short le); rewrite ler_wpmul2l// mulr_natl mulr2n ler_add2r.
exact: alpha_le.
Qed.

Let step_moves (i : 'I_n) (x x' : 'I_n -> X) (u u' : nat -> R) D (c : 'I_n -> R) :
  (T1 <= i < n)%N -> C u' -> 0 <= D ->
  norm2 d (fun k => u k - u' k) <= D ^+ 2 -> (forall j, 0 <= c j) ->
  (forall j, norm2 d (fun k => grad (x' i) (x' j) u' k - grad (x i) (x j) u' k) <= c j ^+ 2) ->
  norm2 d (fun k => pair_step x i u k - pair_step x' i u' k) <=
  ((1 - eta i * alpha) * D + eta i * mean_of (partners i) c) ^+ 2.
Proof.
move=> i1 Cu' D0 uD c0 cle; rewrite /pair_step; case: insubP => [l _ li|]; last by rewrite ltn_ord.
have {l li} -> : l = i by exact: val_inj.
apply: (le_trans (projection_contracts _ _ nearest)).
have s0 := some_partner i1; have /andP[iT _] := i1; set s := partners i in s0 *.
pose m y w k := mean_of s (fun j => grad (y i) (y j) w k).
have -> : norm2 d (fun k => u k - eta i * m x u k - (u' k - eta i * m x' u' k)) =
    norm2 d (fun k => (u k - eta i * m x u k - (u' k - eta i * m x u' k)) +
      eta i * mean_of s (fun j => grad (x' i) (x' j) u' k - grad (x i) (x j) u' k)).
  apply: eq_bigr => k _; congr (_ ^+ 2); rewrite /m /mean_of sumrB; ring.
have c1 := shrinks iT.
have b0 : 0 <= (size s)%:R^-1 :> R by rewrite invr_ge0 ler0n.
apply: norm2_add; first exact: mulr_ge0.
- by apply: mulr_ge0 => //; apply: mulr_ge0 => //; exact: sumr_ge0.
- rewrite exprMn; apply: le_trans (ler_wpmul2l (sqr_ge0 _) uD).
  apply: (@gradient_step_contracts R d alpha L (fun w => mean_of s (fun j => loss (x i) (x j) w))
    (fun w k => mean_of s (fun j => grad (x i) (x j) w k))) => //.
  + exact: strongly_convex_mean.
  + exact: smooth_mean.
  + exact: eta_short.
- rewrite norm2_scale [leRHS]exprMn ler_wpmul2l ?sqr_ge0// norm2_scale [leRHS]exprMn.
  rewrite ler_wpmul2l ?sqr_ge0//.
  exact: norm2_sum.
Qed.

(** A record's pairs are all those of its own step and one of a later step at most. *)
Variable E : nat -> R.
Hypotheses (E_ge1 : forall t, (T1 < t)%N -> 1 <= E t)
  (E_grows : forall t, (T1 < t < n)%N ->
    (t%:R - 1) * E t + t%:R / (size (partners t))%:R <= t%:R * E t.+1).

Let K : R := 4 * G / alpha.
Let K_ge0 : 0 <= K. Proof. by rewrite divr_ge0 ?(ltW alpha_gt0)// mulr_ge0 ?ler0n// ltW. Qed.

(** How far the parameter of round t moves. *)
Definition pair_moves t : R := 4 * G / alpha / t%:R * E t.

Let far (k : 'I_n) t : R := if (T1 < t)%N && (k < t)%N then pair_moves t else 0.

Let moves_ge0 t : (T1 < t)%N -> 0 <= pair_moves t.
Proof.
move=> lt; apply: mulr_ge0; last exact: le_trans ler01 (E_ge1 lt).
exact: divr_ge0 K_ge0 (ler0n _ _).
Qed.

Let far_ge0 k t : 0 <= far k t.
Proof. by rewrite /far; case: andP => // -[lt _]; exact: moves_ge0. Qed.

Let touched (k i j : 'I_n) : R := if (i == k) || (j == k) then 2 * G else 0.

Let next_neq0 t : 1 + t%:R != 0 :> R.
Proof. by rewrite gt_eqF// ltr_spaddl ?ltr01 ?ler0n. Qed.

Let own t : eta t * (2 * G) = K / t.+1%:R.
Proof. by rewrite /eta /K; field; rewrite next_neq0 (gt_eqF alpha_gt0). Qed.

Let own_le t : (T1 <= t)%N -> K / t.+1%:R <= pair_moves t.+1.
Proof. by move=> le; rewrite ler_pemulr ?E_ge1// (divr_ge0 K_ge0)// ler0n. Qed.

Let far_grows (k i : 'I_n) : (T1 <= i)%N ->
  (1 - eta i * alpha) * far k i + eta i * mean_of (partners i) (touched k i) <= far k i.+1.
Proof.
move=> le; have i1 : (T1 <= i < n)%N by rewrite le ltn_ord.
have b0 : 0 < (size (partners i))%:R :> R by rewrite ltr0n some_partner.
have [ik|ki|/val_inj ik] := ltngtP i k.
- have -> : far k i = 0 by rewrite /far (ltnNge k i) (ltnW ik) andbF.
  have -> : far k i.+1 = 0 by rewrite /far (ltnS k i) (leqNgt k i) ik andbF.
  rewrite mulr0 add0r.
  rewrite /mean_of big1_seq ?mulr0// => j /andP[_ js]; rewrite /touched.
  have jk := ltn_trans (earlier i1 js) ik.
  by rewrite -!val_eqE /= (ltn_eqF ik) (ltn_eqF jk).
- have ik : (i == k) = false by rewrite -val_eqE /= gtn_eqF.
  have c1 : mean_of (partners i) (touched k i) <= 2 * G / (size (partners i))%:R.
    rewrite /mean_of mulrC ler_pdivr_mulr// divfK ?gt_eqF//.
    rewrite (eq_bigr (fun j => if j == k then 2 * G else 0)); last by move=> j _; rewrite /touched ik.
    rewrite -big_mkcond /= big_const_seq iter_addr_0 count_uniq_mem ?distinct//.
    by case: (_ \in _); rewrite ?mulr1n// mulr0n mulr_ge0 ?ler0n// ltW.
  have ke : far k i.+1 = pair_moves i.+1 by rewrite /far ltnS le ltnS (ltnW ki).
  have [lt|ge] := ltnP T1 i; last first.
    rewrite {1}/far ltnNge ge mulr0 add0r ke; apply: le_trans (own_le le).
    rewrite -own ler_wpmul2l//; apply: (le_trans c1).
    by rewrite ler_pdivr_mulr// ler_pemulr ?mulr_ge0 ?ler0n ?(ltW G_gt0)// ler1n some_partner.
  rewrite {1}/far lt ki ke.
  apply: (@le_trans _ _ ((1 - eta i * alpha) * pair_moves i +
      eta i * (2 * G / (size (partners i))%:R))); first by rewrite ler_add2l ler_wpmul2l.
  have i0 : 0 < i%:R :> R by rewrite ltr0n (leq_trans _ le).
  have -> : pair_moves i.+1 = K / i.+1%:R / i%:R * (i%:R * E i.+1).
    by rewrite /pair_moves /K; field; rewrite next_neq0 (gt_eqF alpha_gt0) (gt_eqF i0).
  have -> : (1 - eta i * alpha) * pair_moves i + eta i * (2 * G / (size (partners i))%:R) =
      K / i.+1%:R / i%:R * ((i%:R - 1) * E i + i%:R / (size (partners i))%:R).
    by rewrite /pair_moves /eta /K; field;
      rewrite next_neq0 (gt_eqF alpha_gt0) (gt_eqF i0) (gt_eqF b0).
  apply: ler_wpmul2l; last by rewrite E_grows// lt ltn_ord.
  exact: divr_ge0 (divr_ge0 K_ge0 (ler0n _ _)) (ler0n _ _).
- rewrite {1}/far -ik ltnn andbF mulr0 add0r /far ltnS le ltnSn; apply: le_trans (own_le le).
  rewrite /mean_of (eq_bigr (fun=> 2 * G)) => [|j _]; last by rewrite /touched ik eqxx.
  by rewrite big_const_seq count_predT iter_addr_0 -(mulr_natl (2 * G)) mulKf ?gt_eqF// own.
Qed.

Let same k : norm2 d (fun i => initial i - initial i) <= far k (T1 + 0) ^+ 2.
Proof. by rewrite /norm2 big1 ?sqr_ge0// => i _; rewrite subrr expr0n. Qed.

Lemma path_moves k x x' t : replace k x x' ->
  norm2 d (fun i => path x t i - path x' t i) <= far k (T1 + t) ^+ 2.
Proof.
move=> e; elim: t => [|t IH]; first exact: same.
have [lt|ge] := ltnP (T1 + t) n; last first.
  rewrite /= /pair_step insubF ?ltnNge ?ge// /norm2 big1 ?sqr_ge0// => i _.
  by rewrite subrr expr0n.
pose i := Ordinal lt; rewrite addnS.
have moved j : norm2 d (fun l => grad (x' i) (x' j) (path x' t) l -
    grad (x i) (x j) (path x' t) l) <= touched k i j ^+ 2.
  rewrite /touched; case: ifP => [_|/negbT]; last first.
    rewrite negb_or => /andP[ik jk]; rewrite (e i ik) (e j jk).
    by rewrite /norm2 big1 ?sqr_ge0// => l _; rewrite subrr expr0n.
  by apply: norm_diameter; exact: lipschitz (path_in _ _).
have t0 j : 0 <= touched k i j.
  by rewrite /touched; case: ifP => // _; rewrite mulr_ge0 ?ler0n// ltW.
have i1 : (T1 <= i < n)%N by rewrite leq_addr.
apply: (le_trans (step_moves i1 (path_in x' t) (far_ge0 k i) IH t0 moved)).
have le := @far_grows k i (leq_addr _ _); apply: ler_expn2r => //; rewrite nnegrE ?far_ge0//.
apply: addr_ge0; first exact: mulr_ge0 (shrinks (leq_addr _ _)) (far_ge0 _ _).
apply: mulr_ge0 => //; apply: mulr_ge0; first by rewrite invr_ge0 ler0n.
exact: sumr_ge0.
Qed.

Variables (multiplier : R) (multiplier_gt0 : 0 < multiplier).
Let O (_ : nat) := @vec R d.

(** What is released in round T1 + t + 1: the parameter, which depends on no noise. *)
Let query t x (h : transcript O t) i : R := path x t.+1 i.
Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof. exact: measurable_fun_cst. Qed.

Let moves_gt0 t : 0 < pair_moves (T1 + t.+1).
Proof.
have lt : (T1 < T1 + t.+1)%N by rewrite addnS ltnS leq_addr.
apply: mulr_gt0; last exact: lt_le_trans ltr01 (E_ge1 lt).
by rewrite !divr_gt0 ?mulr_gt0 ?ltr0n// (leq_ltn_trans _ lt).
Qed.

Let scale_gt0 t : 0 < multiplier * pair_moves (T1 + t.+1).
Proof. exact: mulr_gt0. Qed.

Let moves t k x x' (h : transcript O t) : replace k x x' ->
  \sum_(i < d) (query x h i - query x' h i) ^+ 2 <= pair_moves (T1 + t.+1) ^+ 2.
Proof.
move=> e; apply: (le_trans (path_moves t.+1 e)).
apply: ler_expn2r; rewrite ?nnegrE ?far_ge0// ?(ltW (moves_gt0 t))//.
by rewrite /far; case: ifP => // _; exact: ltW.
Qed.

(** The parameters of all rounds after T1, each with Gaussian noise in proportion to how far it
    moves. *)
Definition pair_stream : algorithm R (@replace X n) Gaussian :=
  Algorithm (out := O) (n - T1) (fun t => gaussian_release (@mquery t)
    (Delta := fun=> pair_moves (T1 + t.+1)) (scale_gt0 t) (@moves t)).

Theorem pair_stream_private mu : 0 <= mu ->
  (n - T1)%:R / multiplier ^+ 2 <= mu ^+ 2 -> gaussian_private pair_stream mu.
Proof.
move=> mu0 le; apply: (gaussian_every_step (r := (multiplier ^+ 2)^-1) mu0) => // t k.
have e (y : R) : 0 < y -> y ^+ 2 / (multiplier * y) ^+ 2 = (multiplier ^+ 2)^-1.
  by move=> y0; rewrite exprMn invfM mulrCA divff ?mulr1// expf_neq0// gt_eqF.
exact: e.
Qed.
End pair_stream.

(** Unfold an instance down to what its releases say of themselves. *)
Declare Reduction printed_pairs := cbv beta iota zeta delta [pair_stream pair_moves steps step_of
  described gaussian_release].
