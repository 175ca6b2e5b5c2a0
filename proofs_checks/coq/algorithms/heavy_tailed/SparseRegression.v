(** Sparse regression by shrunken data and noisy hard thresholding (hu-3). *)
From Touchstone.core Require Import Everything NoisyMax Peeling TruncatedModels.

Section sparse_regression.
Context {R : realType} (n k s T m : nat) (eta K b : R).
Let O := @peeled R k s.
(** Records are k + 1 features and a label. The point has s entries at most, [value] at [index],
    any measurable functions of what was released before, and is projected on the unit ball;
    [excluded], [chosen]: as in Peeling.v. *)
Variables (index : forall t, transcript O t -> nat -> nat)
  (value : forall t, transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (K_ge0 : 0 <= K) (b_gt0 : 0 < b)
  (mindex : forall t a, measurable_fun setT (fun h => index (t := t) h a))
  (mvalue : forall t a, measurable_fun setT (fun h => value (t := t) h a))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t)).

Let w t (h : transcript O t) j : R :=
  \sum_(a < s) (index h a == j)%:R * clip s 1 (value h) a.
Let mw t j : measurable_fun setT (fun h : transcript O t => w h j).
Proof.
apply: measurable_fun_bigsum => a; apply: measurable_funM; last exact: measurable_fun_clip.
by apply: (@measurable_fun_comp _ _ _ _ _ _ (fun i : nat => (i == j)%:R : R)).
Qed.

(** A shrunken record's gradient, half that of the squared error. *)
Let shrunken (r : (nat -> R) * R) j : R := clip_entry K (r.1 j).
Let gradient t (h : transcript O t) r j : R :=
  (inner k.+1 (shrunken r) (w h) - clip_entry K r.2) * shrunken r j.
Let mgradient t r j : measurable_fun setT (fun h : transcript O t => gradient h r j).
Proof.
apply: measurable_funM; last exact: measurable_fun_cst.
apply: measurable_funB; last exact: measurable_fun_cst.
by apply: measurable_fun_inner => // i; exact: measurable_fun_cst.
Qed.

Let product_le t (h : transcript O t) r : `|inner k.+1 (shrunken r) (w h)| <= K * Num.sqrt s%:R.
Proof.
apply: (le_trans (ler_norm_sum _ _ _)).
apply: (@le_trans _ _
  (K * \sum_(j < k.+1) \sum_(a < s) (index h a == j)%:R * `|clip s 1 (value h) a|)).
  rewrite mulr_sumr; apply: ler_sum => j _; rewrite normrM ler_pmul ?clip_entry_le//.
  apply: (le_trans (ler_norm_sum _ _ _)); apply: ler_sum => a _.
  by rewrite normrM normr_nat.
rewrite ler_wpmul2l// exchange_big /=.
apply: (le_trans _ (l1_norm_le _)); last first.
  by have := @norm2_clip R s 1 (value h); rewrite expr1n; exact.
apply: ler_sum => a _; rewrite -mulr_suml ler_pimull//.
have [jk|jk] := ltnP (index h a) k.+1; last first.
  by rewrite big1// => j _; rewrite gtn_eqF// (leq_trans (ltn_ord j)).
rewrite (bigD1 (Ordinal jk))//= eqxx big1 ?addr0// => j /negbTE.
by rewrite -val_eqE /= eq_sym => ->.
Qed.

Let size t (h : transcript O t) r j : `|gradient h r j| <= K * (Num.sqrt s%:R + 1) * K.
Proof.
rewrite normrM ler_pmul ?clip_entry_le// (le_trans (ler_norm_sub _ _))// mulrDr mulr1.
by rewrite ler_add ?clip_entry_le.
Qed.

(** T peelings of w - eta times the mean gradient over a block of m records. *)
Definition sparse_regression : algorithm R (@replace ((nat -> R) * R) n) Pure :=
  block_peeling n T m_gt0 eta_ge0 b_gt0 mw (measurable_opposite mgradient) mexcluded mchosen
    (opposite_diameter size).

(** (epsilon, delta)-DP by the smaller of two accounts: pure, and zCDP. *)
Let lambda : R := eta * (2 * (K * (Num.sqrt s%:R + 1) * K)) / m%:R.
Theorem sparse_regression_private :
  private sparse_regression (s%:R * (3 * (lambda / b))) 0 /\
  concentrated_private sparse_regression (s%:R * (5 / 2 * (lambda / b) ^+ 2)).
Proof. by apply: block_peeling_private; rewrite mulr_ge0 ?ler0n// mulr_ge0// mulr_ge0. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_peeling in ltac:(let A := eval unfold sparse_regression in sparse_regression in
  exact (steps A, fun t => described (step_of A t))).
End sparse_regression.
