(** Partners in a stream of pairs: all earlier records or those in a buffer; regularised losses. *)
From Touchstone.core Require Import Prelude Sensitivity Release TwoKinds Contractions PairStreams.
Local Open Scope ring_scope.

Section all_earlier.
Context {R : realType} (n T1 : nat).

Definition all_earlier t : seq 'I_n := pmap insub (iota 0 t).

Lemma all_earlier_uniq t : uniq (all_earlier t).
Proof. by apply: (pmap_uniq (insubK _)); exact: iota_uniq. Qed.

Lemma all_earlier_lt t (j : 'I_n) : j \in all_earlier t -> (j < t)%N.
Proof. by rewrite mem_pmap_sub mem_iota. Qed.

Lemma all_earlier_size t : (t < n)%N -> size (all_earlier t) = t.
Proof.
move=> lt; rewrite size_pmap_sub -[RHS](size_iota 0); apply/eqP; rewrite -all_count.
by apply/allP => j; rewrite mem_iota add0n /= => jt; exact: ltn_trans jt lt.
Qed.

Lemma all_earlier_some : (0 < T1)%N ->
  forall t, (T1 <= t < n)%N -> (0 < size (all_earlier t))%N.
Proof. by move=> T1_gt0 t /andP[lt tn]; rewrite all_earlier_size// (leq_trans _ lt). Qed.

(** Every record before is a partner: the sensitivity is that of a record's own step. *)
Lemma all_earlier_grows t : (T1 < t < n)%N ->
  (t%:R - 1) * 1 + t%:R / (size (all_earlier t))%:R <= t%:R * 1 :> R.
Proof.
move=> /andP[lt tn]; rewrite all_earlier_size// divff ?subrK ?mulr1 ?subrK//.
by rewrite pnatr_eq0 -lt0n (leq_ltn_trans _ lt).
Qed.
End all_earlier.

Section buffers.
Context {R : realType} (n T1 s : nat) (buffer : nat -> seq 'I_n).
Hypotheses (s_gt0 : (0 < s)%N) (T1_gt0 : (0 < T1)%N)
  (full : forall t, (T1 <= t < n)%N -> size (buffer t) = minn s t).

Lemma buffer_some t : (T1 <= t < n)%N -> (0 < size (buffer t))%N.
Proof. by move=> lt; rewrite full// leq_min s_gt0; case/andP: lt => /(leq_trans T1_gt0). Qed.

(** By how much a record that stays in a buffer of s raises the sensitivity of round t. *)
Definition buffer_growth t : R :=
  1 + if (s.+1 < t)%N then (t%:R - s%:R - 1) * (t%:R - s%:R) / (2 * s%:R * (t%:R - 1)) else 0.

Lemma buffer_growth_ge1 t : 1 <= buffer_growth t.
Proof.
rewrite ler_addl; case: ifP => // lt.
have a : 0 <= t%:R - s%:R - 1 :> R.
  by rewrite -addrA -opprD subr_ge0 -[1]/(1%:R) -natrD ler_nat addn1 ltnW.
have t1 : 0 <= t%:R - 1 :> R by rewrite subr_ge0 ler1n (leq_trans _ lt).
by rewrite divr_ge0 ?mulr_ge0 ?ler0n// subr_ge0 ler_nat (leq_trans _ (ltnW lt)).
Qed.

Lemma buffer_grows t : (T1 < t < n)%N ->
  (t%:R - 1) * buffer_growth t + t%:R / (size (buffer t))%:R <= t%:R * buffer_growth t.+1.
Proof.
move=> /andP[lt tn]; rewrite full ?(ltnW lt)//.
have t0 : 0 < t%:R :> R by rewrite ltr0n (leq_ltn_trans _ lt).
have t1 : 0 < t%:R - 1 :> R by rewrite subr_gt0 ltr1n (leq_ltn_trans _ lt).
have sR : 0 < s%:R :> R by rewrite ltr0n.
rewrite /buffer_growth ltnS; have [ts|st] := leqP t s.
  have -> : (s.+1 < t)%N = false by rewrite ltnNge (leq_trans ts).
  by rewrite !addr0 !mulr1 divff ?gt_eqF// subrK.
rewrite -[t.+1]addn1 natrD le_eqVlt; apply/orP; left; apply/eqP; case: ifPn => [_|].
  by field; rewrite addrK (gt_eqF t0) (gt_eqF t1) (gt_eqF sR).
rewrite -leqNgt => ts; have e : t = s.+1 by apply/eqP; rewrite eqn_leq ts.
rewrite e -[s.+1]addn1 natrD; field; rewrite addrK (gt_eqF sR) andbT.
by rewrite gt_eqF// addr_gt0.
Qed.
End buffers.

(** * The regulariser strength |u - centre|^2/2, the same for every pair *)

Section regularized.
Context {R : realType} (X : Type) (d : nat) (alpha L G strength radius : R).
Variables (loss : X -> X -> (nat -> R) -> R) (grad : X -> X -> (nat -> R) -> nat -> R)
  (C : (nat -> R) -> Prop) (centre : nat -> R).
Hypotheses (strong : forall r r', strongly_convex d alpha (loss r r') (grad r r'))
  (smooth_loss : forall r r', smooth d L (loss r r') (grad r r'))
  (lipschitz : forall r r' u, C u -> norm2 d (grad r r' u) <= G ^+ 2)
  (centre_in : C centre) (inside : forall u, C u -> norm2 d u <= radius ^+ 2)
  (G_ge0 : 0 <= G) (strength_ge0 : 0 <= strength) (radius_ge0 : 0 <= radius).

Definition regularized r r' u : R :=
  loss r r' u + strength / 2 * norm2 d (fun i => u i - centre i).
Definition regularized_grad r r' u (i : nat) : R := grad r r' u i + strength * (u i - centre i).

Let regularizer (g u v : nat -> R) a F :
  F + strength / 2 * norm2 d (fun i => u i - centre i) +
    \sum_(i < d) (g i + strength * (u i - centre i)) * (v i - u i) +
    (a + strength) / 2 * norm2 d (fun i => v i - u i) =
  F + \sum_(i < d) g i * (v i - u i) + a / 2 * norm2 d (fun i => v i - u i) +
    strength / 2 * norm2 d (fun i => v i - centre i).
Proof.
rewrite -!addrA; congr (F + _); rewrite /norm2 !mulr_sumr -!big_split /=.
by apply: eq_bigr => i _; field.
Qed.

Lemma regularized_strong r r' :
  strongly_convex d (alpha + strength) (regularized r r') (regularized_grad r r').
Proof. by move=> u v; rewrite regularizer ler_add2r; exact: strong. Qed.

Lemma regularized_smooth r r' :
  smooth d (L + strength) (regularized r r') (regularized_grad r r').
Proof. by move=> u v; rewrite regularizer ler_add2r; exact: smooth_loss. Qed.

Lemma regularized_lipschitz r r' u : C u ->
  norm2 d (regularized_grad r r' u) <= (G + strength * (2 * radius)) ^+ 2.
Proof.
move=> Cu; apply: norm2_add => //; [by rewrite !mulr_ge0|exact: lipschitz|].
rewrite norm2_scale [leRHS]exprMn ler_wpmul2l ?sqr_ge0//.
by apply: norm_diameter; exact: inside.
Qed.

Lemma regularized_le : alpha <= L -> alpha + strength <= L + strength.
Proof. by rewrite ler_add2r. Qed.

Lemma regularized_gt0 : 0 < G -> 0 < G + strength * (2 * radius).
Proof. by move=> G0; rewrite ltr_spaddl// !mulr_ge0. Qed.
End regularized.
