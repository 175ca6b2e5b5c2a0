(** Steps along gradients of strongly convex, smooth functions bring two points closer. *)
From Touchstone.core Require Import Prelude Sensitivity.
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

Lemma norm2_sum (I : Type) (s : seq I) (f : I -> nat -> R) (c : I -> R) :
  (forall j, 0 <= c j) -> (forall j, norm2 d (f j) <= c j ^+ 2) ->
  norm2 d (fun i => \sum_(j <- s) f j i) <= (\sum_(j <- s) c j) ^+ 2.
Proof.
move=> c0 le; elim: s => [|j s IH].
  by rewrite big_nil expr0n /norm2 big1// => i _; rewrite big_nil expr0n.
rewrite big_cons (_ : norm2 _ _ = norm2 d (fun i => f j i + \sum_(l <- s) f l i)).
  by apply: norm2_add => //; exact: sumr_ge0.
by apply: eq_bigr => i _; rewrite big_cons.
Qed.
End norms.

Section means.
Context {R : realType} (I : Type) (s : seq I) (P : pred I) (m : nat).
Hypotheses (m_gt0 : (0 < m)%N) (counted_P : count P s = m).
Let mR : 0 < m%:R :> R. Proof. by rewrite ltr0n. Qed.

Lemma mean_const (c : R) : m%:R^-1 * (\sum_(j <- s | P j) c) = c.
Proof. by rewrite big_const_seq counted_P iter_addr_0 -[c *+ m]mulr_natl mulKf ?gt_eqF. Qed.

(** The square of a mean is at most the mean of the squares. *)
Lemma sqr_mean (y : I -> R) :
  (m%:R^-1 * \sum_(j <- s | P j) y j) ^+ 2 <= m%:R^-1 * \sum_(j <- s | P j) y j ^+ 2.
Proof.
set S := \sum_(j <- s | P j) y j; set M := m%:R^-1 * S.
rewrite ler_pdivl_mull// -subr_ge0.
suff -> : \sum_(j <- s | P j) y j ^+ 2 - m%:R * M ^+ 2 = \sum_(j <- s | P j) (y j - M) ^+ 2.
  by apply: sumr_ge0 => j _; exact: sqr_ge0.
have E (a b : R) : (a - b) ^+ 2 = a ^+ 2 + (b ^+ 2 - 2 * b * a) by ring.
under [RHS]eq_bigr do rewrite E.
have SE : S = m%:R * M by rewrite /M mulrA divff ?mul1r// gt_eqF.
have A : \sum_(j <- s | P j) (M ^+ 2 - 2 * M * y j) = m%:R * M ^+ 2 - 2 * M * S.
  by rewrite sumrB -mulr_sumr -[in RHS](mean_const (M ^+ 2)) mulVKf ?gt_eqF.
by rewrite big_split /= A SE; congr (_ + _); ring.
Qed.
End means.

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

Lemma coercive_mean I (s : seq I) (P : pred I) (m : nat) (F : I -> (nat -> R) -> nat -> R) :
  (0 < m)%N -> count P s = m -> (forall j, P j -> coercive (F j)) ->
  coercive (fun u i => m%:R^-1 * \sum_(j <- s | P j) F j u i).
Proof.
move=> m0 Pm co u v Cu Cv; have mR : 0 < m%:R :> R by rewrite ltr0n.
set D := rest _ u v.
have DE i : D i = m%:R^-1 * \sum_(j <- s | P j) rest (F j) u v i.
  by rewrite /D /rest !sumrB !mulrBr !(mean_const m0 Pm).
have IE : inner d D (fun i => u i - v i) =
    m%:R^-1 * \sum_(j <- s | P j) inner d (rest (F j) u v) (fun i => u i - v i).
  rewrite /inner exchange_big /= mulr_sumr; apply: eq_bigr => i _.
  by rewrite DE -mulrA mulr_suml.
split.
  rewrite IE mulr_ge0 ?invr_ge0 ?(ltW mR)//; apply: sumr_ge0 => j Pj.
  exact: (co j Pj u v Cu Cv).1.
rewrite IE mulrCA [L * _]mulr_sumr.
apply: (@le_trans _ _ (m%:R^-1 * \sum_(j <- s | P j) norm2 d (rest (F j) u v))).
  rewrite /norm2 exchange_big /= mulr_sumr; apply: ler_sum => i _; rewrite DE.
  exact: (sqr_mean m0 Pm).
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

(** * Functions, and the projection on a convex set *)

Section functions.
Context {R : realType} (d : nat) (alpha L : R).
Variables (F : (nat -> R) -> R) (g : (nat -> R) -> nat -> R).

Definition strongly_convex := forall u v : nat -> R,
  F u + \sum_(i < d) g u i * (v i - u i) + alpha / 2 * norm2 d (fun i => v i - u i) <= F v.

Definition smooth := forall u v : nat -> R,
  F v <= F u + \sum_(i < d) g u i * (v i - u i) + L / 2 * norm2 d (fun i => v i - u i).

Hypotheses (strong : strongly_convex) (smooth_F : smooth) (alpha_le : alpha <= L).

Let descent u v s : (2 * s - (L - alpha) * s ^+ 2) * norm2 d (rest alpha g u v) <=
  inner d (rest alpha g u v) (fun i => u i - v i).
Proof.
set h := rest alpha g u v; pose z i := v i + s * h i; pose z' i := u i - s * h i.
have := ler_add (le_trans (strong u z) (smooth_F v z)) (le_trans (strong v z') (smooth_F u z')).
set S1 := \sum_(i < d) g u i * (z i - u i); set S3 := \sum_(i < d) g v i * (z i - v i).
set S2 := \sum_(i < d) g v i * (z' i - v i); set S4 := \sum_(i < d) g u i * (z' i - u i).
set k1 := norm2 _ _; set k2 := norm2 _ _; set k3 := norm2 _ _; set k4 := norm2 _ _.
have key : inner d h (fun i => u i - v i) - (2 * s - (L - alpha) * s ^+ 2) * norm2 d h =
    (S3 + L / 2 * k3 + (S4 + L / 2 * k4)) - (S1 + alpha / 2 * k1 + (S2 + alpha / 2 * k2)).
  rewrite /inner /S1 /S2 /S3 /S4 /k1 /k2 /k3 /k4 /norm2 !mulr_sumr -!big_split -!sumrB /=.
  by apply: eq_bigr => i _; rewrite /z /z' /h /rest; field.
move=> le; rewrite -subr_ge0 key subr_ge0; rewrite -subr_ge0 in le; rewrite -subr_ge0.
by apply: (le_trans le); rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Lemma coercive_strong_smooth : coercive d xpredT alpha (L - alpha) g.
Proof.
move=> u v _ _; set Q := norm2 _ _; set P := inner _ _ _.
have le s : (2 * s - (L - alpha) * s ^+ 2) * Q <= P by exact: descent.
split; first by apply: le_trans (le 0); rewrite mulr0 expr0n mulr0 subrr mul0r.
have [L0|L0] := eqVneq (L - alpha) 0; last first.
  have Lp : 0 < L - alpha by rewrite lt0r L0 subr_ge0.
  rewrite -ler_pdivr_mull//; apply: le_trans (le (L - alpha)^-1).
  by rewrite [leRHS](_ : _ = (L - alpha)^-1 * Q)//; field.
rewrite L0 mul0r; have [->//|Q0] := eqVneq Q 0.
have := le ((P + 1) / (2 * Q)); rewrite L0 mul0r subr0.
have -> : 2 * ((P + 1) / (2 * Q)) * Q = P + 1 by field.
by rewrite -subr_ge0 opprD addrA subrr sub0r oppr_ge0 ler10.
Qed.
End functions.

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
