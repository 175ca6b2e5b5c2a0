(** One bit of every user, 1 with a chance that is computed from the user's record. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section bits.
Context {R : realType} (X : Type) (n : nat) (loss : R).
(** The chance of a 1 in message t, of a record. *)
Variable chance : nat -> X -> R.
Hypotheses (loss_ge0 : 0 <= loss) (chance01 : forall t r, 0 < chance t r < 1)
  (one : forall t r r', chance t r' <= expR loss * chance t r)
  (zero : forall t r r', 1 - chance t r' <= expR loss * (1 - chance t r)).

Let O (_ : nat) := @candidates R 1.
Let weight t r (j : nat) : R := if j == 0%N then 1 - chance t r else chance t r.
Let weight_gt0 t r j : 0 < weight t r j.
Proof. by have /andP[a b] := chance01 t r; rewrite /weight; case: ifP; rewrite ?subr_gt0. Qed.
Let weight_le t r r' j : weight t r' j <= expR loss * weight t r j.
Proof. by rewrite /weight; case: ifP. Qed.

(** The bit is a selection by the logarithms of its chances. *)
Let score t (x : 'I_n -> X) (h : transcript O t) (j : nat) : R :=
  mean 1 (user t) (fun r => ln (weight t r j)) x.
Let mscore t x j : measurable_fun setT (score (t := t) x ^~ j).
Proof. exact: measurable_fun_cst. Qed.

Let ln_le t r r' j : ln (weight t r' j) - ln (weight t r j) <= loss.
Proof.
rewrite ler_subl_addr -ler_expR expRD !lnK ?posrE//; exact: weight_le.
Qed.

Let moves t i x x' (h : transcript O t) j : replace i x x' ->
  `|score x h j - score x' h j| <= if user t i then loss / 1 else 0.
Proof.
move=> e; apply: mean_abs => // r r'.
by rewrite ler_norml ler_oppl opprB !ln_le.
Qed.

Let same t i x x' (h : transcript O t) : replace i x x' ->
  \sum_(j < 2) expR (1 * score x h j) = \sum_(j < 2) expR (1 * score x' h j).
Proof.
move=> e; have [u|u] := boolP (user t i); last first.
  apply: eq_bigr => j _; congr (expR (1 * _)); apply/eqP; rewrite -subr_eq0.
  by rewrite /score (mean_difference _ _ _ e) (negbTE u).
have S (y : 'I_n -> X) : \sum_(j < 2) expR (1 * score y h j) = 1.
  have E j : expR (1 * score y h j) = weight t (y i) j.
    rewrite /score /mean (big_pred1 i) ?invr1 ?mul1r ?lnK ?posrE// => j' /=.
    by move: u; rewrite /user => /eqP <-.
  by rewrite !big_ord_recl big_ord0 !E /weight /= addr0 subrK.
by rewrite !S.
Qed.

Definition bit_users : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) n (fun t => fair_selection (@mscore t) (ltr01 : 0 < 1 :> R) (@moves t)
    (@same t)).

Theorem bit_users_private : private bit_users loss 0.
Proof.
apply: pure_algorithm => i; apply: (total_disjoint (@user_disjoint n)) => [//|t].
by rewrite /=; case: (user t i); [right; rewrite divr1 mul1r|left; rewrite mul1r].
Qed.
End bits.

(** As [printed], with the names of this file. *)
Declare Reduction printed_bits := cbv beta iota zeta delta [bit_users steps step_of described
  fair_selection user].
