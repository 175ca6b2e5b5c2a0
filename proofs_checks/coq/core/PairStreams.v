(** Streams of records, each paired with earlier ones: projected gradient steps on strongly convex
    losses of pairs, without noise on the path. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms Sensitivity Templates TwoKinds
  Contractions.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Definition mean_of {R : realType} (J : Type) (s : seq J) (f : J -> R) : R :=
  (size s)%:R^-1 * \sum_(j <- s) f j.

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

Let eta_alpha t : (T1 <= t)%N -> eta t * alpha <= 1.
Proof.
move=> le; rewrite -(ler_pmul2l (ltr0Sn R 1)) mulr1 mulrCA; apply: le_trans (eta_short le).
by rewrite ler_wpmul2l// mulr_natl mulr2n ler_add2r.
Qed.

Let shrinks t : (T1 <= t)%N -> 0 <= 1 - eta t * alpha.
Proof. by move=> le; rewrite subr_ge0 eta_alpha. Qed.

Let eta_L t : (T1 <= t)%N -> eta t * (L - alpha) <= 2 * (1 - eta t * alpha).
Proof.
move=> /eta_short; move: (eta t) => e le; rewrite -subr_ge0.
by rewrite [leRHS](_ : _ = 2 - e * (L + alpha)) ?subr_ge0//; ring.
Qed.

Let step_moves (i : 'I_n) (x x' : 'I_n -> X) (u u' : nat -> R) D (c : 'I_n -> R) :
  (T1 <= i < n)%N -> 0 <= D -> norm2 d (fun k => u k - u' k) <= D ^+ 2 -> (forall j, 0 <= c j) ->
  (forall j, norm2 d (fun k => grad (x i) (x j) u' k - grad (x' i) (x' j) u' k) <= c j ^+ 2) ->
  norm2 d (fun k => pair_step x i u k - pair_step x' i u' k) <=
  ((1 - eta i * alpha) * D + eta i * mean_of (partners i) c) ^+ 2.
Proof.
move=> i1 D0 uD c0 cle; rewrite /pair_step; case: insubP => [l _ li|]; last by rewrite ltn_ord.
have {l li} -> : l = i by exact: val_inj.
apply: (le_trans (projection_contracts _ _ nearest)).
have s0 := some_partner i1; have /andP[iT _] := i1; set s := partners i in s0 *.
have b0 : 0 <= (size s)%:R^-1 :> R by rewrite invr_ge0 ler0n.
apply: (step_apart (eta_ge0 i) (eta_alpha iT) (eta_L iT) (C := xpredT)
  (F := fun w k => mean_of s (fun j => grad (x i) (x j) w k))
  (F' := fun w k => mean_of s (fun j => grad (x' i) (x' j) w k))) => //.
- exact: (coercive_mean (P := xpredT) s0 (count_predT s) (fun j _ =>
    coercive_strong_smooth (strong (x i) (x j)) (smooth_loss (x i) (x j)) alpha_le)).
- by apply: mulr_ge0 => //; exact: sumr_ge0.
- rewrite /mean_of; under eq_fun do rewrite -mulrBr -sumrB.
  by rewrite norm2_scale [leRHS]exprMn ler_wpmul2l ?sqr_ge0//; exact: norm2_sum.
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
have moved j : norm2 d (fun l => grad (x i) (x j) (path x' t) l -
    grad (x' i) (x' j) (path x' t) l) <= touched k i j ^+ 2.
  rewrite /touched; case: ifP => [_|/negbT]; last first.
    rewrite negb_or => /andP[ik jk]; rewrite (e i ik) (e j jk).
    by rewrite /norm2 big1 ?sqr_ge0// => l _; rewrite subrr expr0n.
  by apply: norm_diameter; exact: lipschitz (path_in _ _).
have t0 j : 0 <= touched k i j.
  by rewrite /touched; case: ifP => // _; rewrite mulr_ge0 ?ler0n// ltW.
have i1 : (T1 <= i < n)%N by rewrite leq_addr.
apply: (le_trans (step_moves i1 (far_ge0 k i) IH t0 moved)).
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
