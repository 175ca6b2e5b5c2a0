(** Smooth risk from one bit of every user and public noise (diss-5.1.32). *)
From Touchstone.core Require Import Everything Once Bits.

Section one_bit_bernstein.
Context {R : realType} (X : Type) (n : nat) (eps0 loss : R).
(** Public: user t's number and loss function, that of its point of the grid. *)
Variables (noise : nat -> R) (value : nat -> X -> R).
Hypotheses (eps0_gt0 : 0 < eps0) (budget : expR eps0 <= 2 - expR (- loss)).

Let E : R := expR eps0.
Let E1 : 1 <= E. Proof. by rewrite -expR0 ler_expR ltW. Qed.
Let E2 : E < 2. Proof. by rewrite (le_lt_trans budget)// ltr_subl_addr ltr_addl expR_gt0. Qed.
Let loss_le : 1 <= expR loss * (2 - E).
Proof.
have H : expR (- loss) <= 2 - E by rewrite ler_subr_addr addrC -ler_subr_addr.
by have := ler_wpmul2l (ltW (expR_gt0 loss)) H; rewrite -expRD subrr expR0.
Qed.

Let chance t r : R := bit_chance eps0 (noise t) (value t r).
Let chance_le t r : chance t r <= E / 2. Proof. exact: bit_chance_le. Qed.
Let chance_ratio t r r' : chance t r' <= E * chance t r. Proof. exact: bit_chance_ratio. Qed.
Let half_gt0 : 0 < 2^-1 :> R. Proof. by rewrite invr_gt0. Qed.

Let chance01 t r : 0 < chance t r < 1.
Proof.
rewrite bit_chance_gt0 (le_lt_trans (chance_le t r))//.
by rewrite ltr_pdivr_mulr// mul1r.
Qed.

Let one t r r' : chance t r' <= expR (1 * loss) * chance t r.
Proof.
rewrite mul1r.
have /andP[c _] := chance01 t r; apply: (le_trans (chance_ratio t r r')).
rewrite ler_pmul2r// -(ler_pmul2r (_ : 0 < 2 - E)) ?subr_gt0//; apply: le_trans loss_le.
rewrite -subr_ge0 (_ : _ - _ = (E - 1) ^+ 2); first exact: sqr_ge0.
by ring.
Qed.

Let zero t r r' : 1 - chance t r' <= expR (1 * loss) * (1 - chance t r).
Proof.
rewrite mul1r.
have c2 : 0 < 2 - E by rewrite subr_gt0.
suff H : (1 - chance t r') * (2 - E) <= 1 - chance t r.
  rewrite -(ler_pmul2r c2) mulrAC; apply: (@le_trans _ _ (1 - chance t r)) => //.
  by rewrite -[leLHS]mul1r ler_wpmul2r// subr_ge0; have /andP[_ /ltW] := chance01 t r.
have [h|h] := leP (chance t r') 2^-1.
  apply: (@le_trans _ _ (1 - E * chance t r')); last by rewrite ler_add2l ler_opp2 chance_ratio.
  have algebra (e c : R) : 1 - e * c - (1 - c) * (2 - e) = (e - 1) * (1 - 2 * c) by ring.
  rewrite -subr_ge0 algebra mulr_ge0 ?subr_ge0//.
  by rewrite -ler_pdivl_mull// mulr1.
apply: (@le_trans _ _ (1 - E / 2)); last by rewrite ler_add2l ler_opp2 chance_le.
rewrite (_ : 1 - E / 2 = 2^-1 * (2 - E)); last by field.
rewrite ler_pmul2r// ler_subl_addr -ler_subl_addl (_ : 1 - 2^-1 = 2^-1); last by field.
exact: ltW.
Qed.

Let loss_ge0 : 0 <= loss.
Proof.
rewrite -ler_expR expR0; apply: (le_trans loss_le).
by rewrite ler_pimulr ?(ltW (expR_gt0 _))// ler_subl_addr ler_add2l.
Qed.

(** User t sends one bit, with the public number and point of its own. *)
Definition one_bit_bernstein : algorithm R (@replace X n) Pure :=
  @bit_users R X n 1 loss (fun t _ r => chance t r) ltr01
    (fun t r => measurable_fun_cst (chance t r)) (fun t _ => chance01 t) (fun t _ => one t)
    (fun t _ => zero t).

(** Every user is loss-DP, at any public numbers: e^loss = 1/(2 - e^eps0) or more. *)
Theorem one_bit_bernstein_private : private one_bit_bernstein loss 0.
Proof. by apply: bit_users_private; rewrite ?mul1r. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_bits in ltac:(let A := eval unfold one_bit_bernstein in one_bit_bernstein in
  exact (steps A, fun t => described (step_of A t))).
End one_bit_bernstein.
