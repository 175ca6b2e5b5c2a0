(** Averaged paths of projected gradient steps on pairs of records, released once. *)
From Touchstone.core Require Import Everything Once.
Local Open Scope ring_scope.

Section paths.
Context {R : realType} (X : Type) (n d T1 : nat) (G L al H sigma : R).
(** Gradients of an al-strongly convex, (L + al)-smooth, G-Lipschitz loss of pairs on a convex set C,
    the projection on it, which does not expand; a public start. *)
Variables (C : (nat -> R) -> Prop) (gradient : X -> X -> (nat -> R) -> nat -> R)
  (project : (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (G_ge0 : 0 <= G) (al_gt0 : 0 < al) (sigma_gt0 : 0 < sigma)
  (lipschitz : forall r r' u, C u -> norm2 d (gradient r r' u) <= G ^+ 2)
  (convex_smooth : forall r r', coercive d C al L (gradient r r'))
  (initial_in : C initial) (project_in : forall u, C (project u))
  (project_close : forall u v,
    norm2 d (fun i => project u i - project v i) <= norm2 d (fun i => u i - v i))
  (T1_gt0 : (0 < T1)%N) (first_phase : L + 2 * al <= al * T1.+1%:R)
  (harmonic : \sum_(T1 <= t < n) t.+1%:R^-1 = H).

(** That of the mean loss of record s with those before it. *)
Let slope (x : 'I_n -> X) (s : nat) (u : nat -> R) (i : nat) : R :=
  \sum_(k < n | val k == s) (s%:R^-1 * \sum_(j < n | (j < s)%N) gradient (x k) (x j) u i).

Let eta (s : nat) : R := 2 / (al * s.+1%:R).

(** The point after t rounds, of which the first T1 do nothing. *)
Fixpoint path (x : 'I_n -> X) (t : nat) : nat -> R :=
  match t with
  | 0%N => initial
  | s.+1 => if (s < T1)%N then path x s
    else project (fun i => path x s i - eta s * slope x s (path x s) i)
  end.

Let average (x : 'I_n -> X) (i : nat) : R := n%:R^-1 * \sum_(t < n) path x t.+1 i.

Let path_in x t : C (path x t).
Proof. by elim: t => //= s IH; case: ifP. Qed.

Let alS s : 0 < al * s.+1%:R. Proof. by rewrite mulr_gt0 ?ltr0n. Qed.
Let eta_ge0 s : 0 <= eta s. Proof. by rewrite divr_ge0// ltW. Qed.
Let eta_al s : (T1 <= s)%N -> eta s * al <= 1.
Proof.
move=> Ts; rewrite /eta mulrAC ler_pdivr_mulr// mul1r mulrC ler_pmul2l// ler_nat.
by rewrite ltnS (leq_trans T1_gt0).
Qed.
Let eta_L s : (T1 <= s)%N -> eta s * L <= 2 * (1 - eta s * al).
Proof.
move=> Ts; rewrite mulrBr mulr1 ler_subr_addr mulrCA -mulrDr /eta mulrAC ler_pdivr_mulr//.
rewrite ler_pmul2l// (le_trans first_phase)// ler_pmul2l// ler_nat ltnS//.
Qed.

Let slopeE x (k : 'I_n) u i :
  slope x k u i = k%:R^-1 * \sum_(j < n | (j < k)%N) gradient (x k) (x j) u i.
Proof. by rewrite /slope (big_pred1 k). Qed.

Let count_before (k : 'I_n) : count [pred j : 'I_n | (j < k)%N] (index_enum _) = k.
Proof. by rewrite -sum1_count (big_ord_narrow (ltnW (ltn_ord k))) sum1_card card_ord. Qed.

Let coercive_slope x (k : 'I_n) : (0 < k)%N -> coercive d C al L (slope x k).
Proof.
move=> k0; rewrite (_ : slope x k =
    fun u i => k%:R^-1 * \sum_(j | [pred j : 'I_n | (j < k)%N] j) gradient (x k) (x j) u i).
  exact: (coercive_mean k0 (count_before k)).
by apply/funext => u; apply/funext => i; rewrite slopeE.
Qed.

Let slope_le x (k : 'I_n) u : (0 < k)%N -> C u -> norm2 d (slope x k u) <= G ^+ 2.
Proof.
move=> k0 Cu; have kR : 0 < k%:R :> R by rewrite ltr0n.
apply: (@le_trans _ _ (k%:R^-1 * \sum_(j < n | (j < k)%N) norm2 d (gradient (x k) (x j) u))).
  rewrite /norm2 exchange_big /= mulr_sumr; apply: ler_sum => i _; rewrite slopeE.
  exact: (sqr_mean k0 (count_before k)).
apply: (@le_trans _ _ (k%:R^-1 * \sum_(j < n | (j < k)%N) G ^+ 2)).
  by rewrite ler_wpmul2l ?invr_ge0 ?(ltW kR)//; apply: ler_sum => j _; exact: lipschitz.
by rewrite (mean_const k0 (count_before k)).
Qed.

Section neighbours.
Variables (k : 'I_n) (x x' : 'I_n -> X).
Hypothesis e : replace k x x'.

(** Record k is not read before round k. *)
Let path_same t : (t <= k)%N -> path x t = path x' t.
Proof.
elim: t => [//|s IH sk] /=; rewrite -(IH (ltnW sk)); case: ifP => [//|_]; congr (project _).
apply/funext => i; congr (path x s i - eta s * _); rewrite /slope; apply: eq_bigr => l /eqP ls.
congr (_ * _); apply: eq_bigr => j js; rewrite !e//.
  by apply: contraTneq js => ->; rewrite -leqNgt ltnW.
by apply: contraTneq sk => lk; rewrite -ls lk ltnn.
Qed.

Let slope_apart (s : 'I_n) u : (k < s)%N -> C u ->
  norm2 d (fun i => slope x s u i - slope x' s u i) <= (2 * G / s%:R) ^+ 2.
Proof.
move=> ks Cu; under eq_fun do rewrite !slopeE.
rewrite -(e (j := s)); last by apply: contraTneq ks => ->; rewrite ltnn.
have D r r' : norm2 d (fun i => gradient (x s) r u i - gradient (x s) r' u i) <= (2 * G) ^+ 2.
  by apply: norm_diameter; exact: lipschitz.
have := mean_l2_diameter (v := fun r => gradient (x s) r u) s%:R [pred j : 'I_n | (j < s)%N] e D.
by rewrite /= ks.
Qed.

Let apart t : (t <= n)%N ->
  norm2 d (fun i => path x t i - path x' t i) <=
  (if (t <= T1)%N then 0 else 4 * G / (al * t%:R)) ^+ 2.
Proof.
have same u a : norm2 d (fun i => u i - u i) <= a ^+ 2 :> R.
  by rewrite /norm2 big1 ?sqr_ge0// => i _; rewrite subrr expr0n.
elim: t => [|s IH] sn; first exact: same.
have [sk|] := leqP s.+1 k; first by rewrite -(path_same sk); exact: same.
rewrite ltnS => ks /=.
case: ltnP => Ts; first by have := IH (ltnW sn); rewrite ltnW.
apply: le_trans (project_close _ _) _; pose o := Ordinal sn.
have s0 : (0 < o)%N by apply: leq_trans Ts.
have G2 : 0 <= 2 * G by rewrite mulr_ge0.
have co := coercive_slope x s0.
move: ks; rewrite leq_eqVlt => /orP[/eqP ks|ks].
  rewrite -(path_same (t := s)) ?ks// (_ : 4 * G / _ = (1 - eta s * al) * 0 + eta s * (2 * G)).
    apply: (step_apart (eta_ge0 s) (eta_al Ts) (eta_L Ts) co) => //.
    by apply: norm_diameter; apply: (@slope_le _ o).
  by rewrite mulr0 add0r /eta; ring.
rewrite (_ : 4 * G / _ = (1 - eta s * al) * (4 * G / (al * s%:R)) + eta s * (2 * G / s%:R)).
  apply: (step_apart (eta_ge0 s) (eta_al Ts) (eta_L Ts) co) => //.
  + by rewrite divr_ge0 ?mulr_ge0 ?(ltW al_gt0) ?ler0n ?ler0z.
  + by rewrite divr_ge0.
  + by apply: (le_trans (IH (ltnW sn))); case: ifP => // _; rewrite expr0n sqr_ge0.
  + exact: (slope_apart (s := o)).
have sR : s%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have sR1 : s%:R + 1 != 0 :> R by rewrite natr1 pnatr_eq0.
by rewrite /eta -natr1; field; rewrite ?sR ?sR1 ?gt_eqF.
Qed.

Let sum_apart m : (m <= n)%N ->
  norm2 d (fun i => \sum_(t < m) path x t.+1 i - \sum_(t < m) path x' t.+1 i) <=
  (4 * G / al * \sum_(t < m | (T1 <= t)%N) t.+1%:R^-1) ^+ 2.
Proof.
elim: m => [|m IH] mn; first by rewrite
  /norm2 big1 ?sqr_ge0// => i _; rewrite !big_ord0 subrr expr0n.
have ge0 l : 0 <= 4 * G / al * \sum_(t < l | (T1 <= t)%N) t.+1%:R^-1.
  by rewrite !mulr_ge0 ?invr_ge0 ?(ltW al_gt0) ?ler0z// sumr_ge0.
under eq_fun do rewrite !big_ord_recr /= opprD addrACA.
have -> : \sum_(t < m.+1 | (T1 <= t)%N) t.+1%:R^-1 =
    \sum_(t < m | (T1 <= t)%N) t.+1%:R^-1 + (if (T1 <= m)%N then m.+1%:R^-1 else 0) :> R.
  by rewrite big_mkcond big_ord_recr /= -big_mkcond.
rewrite mulrDr.
apply: norm2_add => //; [|exact: (IH (ltnW mn))|].
  by case: ifP; rewrite ?mulr0// => _; rewrite !mulr_ge0 ?invr_ge0 ?(ltW al_gt0) ?ler0z.
apply: (le_trans (apart mn)); rewrite leqNgt ltnS; case: (T1 <= m)%N => /=; last by rewrite mulr0.
by rewrite invfM !mulrA.
Qed.

Lemma average_apart :
  \sum_(i < d) (average x i - average x' i) ^+ 2 <= (4 * G / (al * n%:R) * H) ^+ 2.
Proof.
have := sum_apart (leqnn n); rewrite -harmonic big_geq_mkord => le.
have -> : \sum_(i < d) (average x i - average x' i) ^+ 2 =
    n%:R^-1 ^+ 2 * norm2 d (fun i => \sum_(t < n) path x t.+1 i - \sum_(t < n) path x' t.+1 i).
  by rewrite -norm2_scale; apply: eq_bigr => i _; rewrite /average mulrBr.
have -> : 4 * G / (al * n%:R) = n%:R^-1 * (4 * G / al) by rewrite invfM mulrA mulrC.
rewrite -[_ * (_ / al) * _]mulrA [leRHS]exprMn.
by apply: ler_wpmul2l; [exact: sqr_ge0|exact: le].
Qed.
End neighbours.

(** The average of the points, once. *)
Definition averaged_path : algorithm R (@replace X n) Gaussian :=
  gaussian_once (d := d) (statistic := average) (Delta := 4 * G / (al * n%:R) * H) sigma_gt0
    average_apart.

Theorem averaged_path_private mu : 0 <= mu ->
  (4 * G / (al * n%:R) * H) ^+ 2 / sigma ^+ 2 <= mu ^+ 2 -> gaussian_private averaged_path mu.
Proof. exact: gaussian_once_private. Qed.
End paths.

(** As [printed_once], with the names of this file. *)
Declare Reduction printed_paths := cbv beta iota zeta delta [averaged_path gaussian_once steps
  step_of described gaussian_release].
