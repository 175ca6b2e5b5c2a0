(** Steps along gradients of strongly convex, smooth functions bring two points closer. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section norms.
Context {R : realType} (d : nat).
Implicit Types (u v : nat -> R) (a b c : R).

Definition inner u v : R := \sum_(i < d) u i * v i.

Lemma norm2_scale c u : norm2 d (fun i => c * u i) = c ^+ 2 * norm2 d u.
Proof. by rewrite /norm2 mulr_sumr; apply: eq_bigr => i _; rewrite exprMn. Qed.

Lemma norm2_eq0 u : norm2 d u <= 0 -> forall i : 'I_d, u i = 0.
Proof.
move=> u0 i; apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT; apply: le_trans u0.
by rewrite /norm2 (bigD1 i)//= ler_addl; apply: sumr_ge0 => j _; exact: sqr_ge0.
Qed.

(** The triangle inequality. *)
Lemma norm2_add u v a b : 0 <= a -> 0 <= b -> norm2 d u <= a ^+ 2 -> norm2 d v <= b ^+ 2 ->
  norm2 d (fun i => u i + v i) <= (a + b) ^+ 2.
Proof.
rewrite le_eqVlt => /orP[/eqP <- b0|a0].
  rewrite expr0n => /norm2_eq0 u0 vb; rewrite add0r; apply: le_trans vb.
  by rewrite /norm2; apply: ler_sum => i _; rewrite u0 add0r.
rewrite le_eqVlt => /orP[/eqP <- ua|b0 ua vb].
  rewrite expr0n => /norm2_eq0 v0; rewrite addr0; apply: le_trans ua.
  by rewrite /norm2; apply: ler_sum => i _; rewrite v0 addr0.
have ab : 0 < a + b by rewrite addr_gt0.
apply: (@le_trans _ _ ((a + b) / a * norm2 d u + (a + b) / b * norm2 d v)); last first.
  rewrite (_ : (a + b) ^+ 2 = (a + b) / a * a ^+ 2 + (a + b) / b * b ^+ 2).
    by rewrite ler_add// ler_wpmul2l// divr_ge0// ltW.
  by field; rewrite !gt_eqF.
rewrite /norm2 !mulr_sumr -big_split /=; apply: ler_sum => i _; rewrite -subr_ge0.
have -> (x y : R) : (a + b) / a * x ^+ 2 + (a + b) / b * y ^+ 2 - (x + y) ^+ 2 =
    (b * x - a * y) ^+ 2 / (a * b) by field; rewrite !gt_eqF.
by rewrite divr_ge0 ?sqr_ge0// mulr_ge0// ltW.
Qed.

Lemma norm2_diameter u v c : norm2 d u <= c ^+ 2 -> norm2 d v <= c ^+ 2 -> 0 <= c ->
  norm2 d (fun i => u i - v i) <= (2 * c) ^+ 2.
Proof.
move=> uc vc c0; rewrite mulr2n mulrDl mul1r; apply: norm2_add => //.
by rewrite /norm2; under eq_bigr do rewrite sqrrN.
Qed.
End norms.

(** The square of a mean is at most the mean of the squares. *)
Lemma sqr_mean {R : realType} n (P : pred 'I_n) (m : nat) (y : 'I_n -> R) :
  (0 < m)%N -> #|P| = m ->
  (m%:R^-1 * \sum_(j | P j) y j) ^+ 2 <= m%:R^-1 * \sum_(j | P j) y j ^+ 2.
Proof.
move=> m0 Pm; set S := \sum_(j | P j) y j; set M := m%:R^-1 * S.
have mR : 0 < m%:R :> R by rewrite ltr0n.
rewrite ler_pdivl_mull// -subr_ge0.
suff -> : \sum_(j | P j) y j ^+ 2 - m%:R * M ^+ 2 = \sum_(j | P j) (y j - M) ^+ 2.
  by apply: sumr_ge0 => j _; exact: sqr_ge0.
have E (a b : R) : (a - b) ^+ 2 = a ^+ 2 + (b ^+ 2 - 2 * b * a) by ring.
under [RHS]eq_bigr do rewrite E.
have SE : S = m%:R * M by rewrite /M mulrA divff ?mul1r// gt_eqF.
have A : \sum_(j | P j) (M ^+ 2 - 2 * M * y j) = m%:R * M ^+ 2 - 2 * M * S.
  by rewrite sumrB sumr_const Pm -mulr_sumr -[M ^+ 2 *+ m]mulr_natl.
by rewrite big_split /= A SE; congr (_ + _); ring.
Qed.

Section contraction.
Context {R : realType} (d : nat) (C : (nat -> R) -> Prop) (al L : R).
Implicit Types (F : (nat -> R) -> nat -> R) (u v : nat -> R).

(** Less the strong convexity's part. *)
Definition rest F u v (i : nat) : R := (F u i - al * u i) - (F v i - al * v i).

(** Gradients of functions on C that are al-strongly convex and (L + al)-smooth: less al times the
    point they are gradients of convex, L-smooth functions, which are monotone and of which the
    square of a difference is at most L times the inner product with that of the points. *)
Definition coercive F : Prop := forall u v, C u -> C v ->
  0 <= inner d (rest F u v) (fun i => u i - v i) /\
  norm2 d (rest F u v) <= L * inner d (rest F u v) (fun i => u i - v i).

Lemma coercive_mean n (P : pred 'I_n) (m : nat) (F : 'I_n -> (nat -> R) -> nat -> R) :
  (0 < m)%N -> #|P| = m -> (forall j, P j -> coercive (F j)) ->
  coercive (fun u i => m%:R^-1 * \sum_(j | P j) F j u i).
Proof.
move=> m0 Pm co u v Cu Cv; have mR : 0 < m%:R :> R by rewrite ltr0n.
set D := rest _ u v.
have DE i : D i = m%:R^-1 * \sum_(j | P j) rest (F j) u v i.
  have const (c : R) : m%:R^-1 * (\sum_(j | P j) c) = c.
    by rewrite sumr_const Pm -[c *+ m]mulr_natl mulrA mulVf ?mul1r// gt_eqF.
  by rewrite /D /rest !sumrB !mulrBr !const.
have IE : inner d D (fun i => u i - v i) =
    m%:R^-1 * \sum_(j | P j) inner d (rest (F j) u v) (fun i => u i - v i).
  rewrite /inner exchange_big /= mulr_sumr; apply: eq_bigr => i _.
  by rewrite DE -mulrA mulr_suml.
split.
  rewrite IE mulr_ge0 ?invr_ge0 ?(ltW mR)//; apply: sumr_ge0 => j Pj.
  exact: (co j Pj u v Cu Cv).1.
rewrite IE mulrCA [L * _]mulr_sumr.
apply: (@le_trans _ _ (m%:R^-1 * \sum_(j | P j) norm2 d (rest (F j) u v))).
  rewrite /norm2 exchange_big /= mulr_sumr; apply: ler_sum => i _; rewrite DE.
  exact: sqr_mean.
rewrite ler_wpmul2l ?invr_ge0 ?(ltW mR)//; apply: ler_sum => j Pj.
exact: (co j Pj u v Cu Cv).2.
Qed.

Variable eta : R.
Hypotheses (eta_ge0 : 0 <= eta) (eta_al : eta * al <= 1) (eta_L : eta * L <= 2 * (1 - eta * al)).

Lemma step_contracts F u v : coercive F -> C u -> C v ->
  norm2 d (fun i => (u i - eta * F u i) - (v i - eta * F v i)) <=
  (1 - eta * al) ^+ 2 * norm2 d (fun i => u i - v i).
Proof.
move=> co Cu Cv; have [mono smooth] := co u v Cu Cv; set q := 1 - eta * al.
have -> : norm2 d (fun i => (u i - eta * F u i) - (v i - eta * F v i)) =
    q ^+ 2 * norm2 d (fun i => u i - v i) +
    (eta ^+ 2 * norm2 d (rest F u v) - 2 * eta * q * inner d (rest F u v) (fun i => u i - v i)).
  rewrite /norm2 /inner !mulr_sumr -sumrB -big_split /=; apply: eq_bigr => i _.
  by rewrite /rest /q; ring.
rewrite ger_addl subr_le0.
apply: (@le_trans _ _ (eta ^+ 2 * (L * inner d (rest F u v) (fun i => u i - v i)))).
  by rewrite ler_wpmul2l// sqr_ge0.
have algebra : 2 * eta * q = eta * (2 * q) by ring.
by rewrite mulrA ler_wpmul2r// algebra expr2 -mulrA ler_wpmul2l.
Qed.

(** One step each, along gradients that are within c of each other at the second point. *)
Lemma step_apart F F' u v a c : coercive F -> C u -> C v -> 0 <= a -> 0 <= c ->
  norm2 d (fun i => u i - v i) <= a ^+ 2 -> norm2 d (fun i => F v i - F' v i) <= c ^+ 2 ->
  norm2 d (fun i => (u i - eta * F u i) - (v i - eta * F' v i)) <=
  ((1 - eta * al) * a + eta * c) ^+ 2.
Proof.
move=> co Cu Cv a0 c0 ua Fc.
have q0 : 0 <= 1 - eta * al by rewrite subr_ge0.
have -> : norm2 d (fun i => (u i - eta * F u i) - (v i - eta * F' v i)) =
    norm2 d (fun i => ((u i - eta * F u i) - (v i - eta * F v i)) + - eta * (F v i - F' v i)).
  by apply: eq_bigr => i _; congr (_ ^+ 2); ring.
apply: norm2_add; rewrite ?mulr_ge0//.
  by rewrite (le_trans (step_contracts co Cu Cv))// exprMn ler_wpmul2l// sqr_ge0.
by rewrite norm2_scale sqrrN exprMn ler_wpmul2l// sqr_ge0.
Qed.
End contraction.
