(** Last iterate of gradient descent with Gaussian noise (diss-3.1.baselines). *)
From Touchstone.core Require Import Everything Once.

Section output_perturbation.
Context {R : realType} (X : Type) (n d T : nat) (G L lam eta sigma : R).
(** Gradients of a convex, G-Lipschitz, L-smooth loss; a ridge of strength lam; steps of at most
    2/(L + 2 lam). *)
Variables (gradient : X -> (nat -> R) -> nat -> R) (initial : nat -> R).
Hypotheses (n_gt0 : (0 < n)%N) (sigma_gt0 : 0 < sigma) (G_ge0 : 0 <= G) (lam_ge0 : 0 <= lam)
  (eta_ge0 : 0 <= eta) (eta_lam : eta * lam <= 1) (eta_L : eta * L <= 2 * (1 - eta * lam))
  (lipschitz : forall r u, norm2 d (gradient r u) <= G ^+ 2)
  (convex_smooth : forall r, coercive d xpredT 0 L (gradient r)).

Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Let ridge r (u : nat -> R) (i : nat) : R := gradient r u i + lam * u i.
Let risk (x : 'I_n -> X) (u : nat -> R) (i : nat) : R := n%:R^-1 * \sum_(j < n) ridge (x j) u i.

Fixpoint iterate (x : 'I_n -> X) (t : nat) : nat -> R :=
  match t with
  | 0%N => initial
  | t.+1 => fun i => iterate x t i - eta * risk x (iterate x t) i
  end.

Let coercive_risk x : coercive d xpredT lam L (risk x).
Proof.
apply: (coercive_mean (P := xpredT) n_gt0) => [|j _ u v _ _].
  by rewrite -sum1_count sum1_card card_ord.
have E : rest lam (ridge (x j)) u v = rest 0 (gradient (x j)) u v.
  by apply/funext => i; rewrite /rest /ridge !addrK !mul0r !subr0.
by rewrite E; exact: convex_smooth.
Qed.

Let risk_apart k x x' u : replace k x x' ->
  norm2 d (fun i => risk x u i - risk x' u i) <= (2 * G / n%:R) ^+ 2.
Proof.
move=> e; apply: (mean_l2_diameter n%:R xpredT e (v := fun r => ridge r u) (C := 2 * G)) => r r'.
apply: le_trans (norm_diameter (lipschitz r u) (lipschitz r' u)).
by rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /ridge; ring.
Qed.

(** The sum over the steps of eta (1 - eta lam)^s. *)
Let moved (t : nat) : R :=
  if lam == 0 then t%:R * eta else (1 - (1 - eta * lam) ^+ t) / lam.

Let moved_ge0 t : 0 <= moved t.
Proof.
rewrite /moved; case: eqP => _; first by rewrite mulr_ge0.
rewrite divr_ge0// subr_ge0 exprn_ile1 ?subr_ge0// ler_subl_addr ler_addl mulr_ge0//.
Qed.

Let movedS t : moved t.+1 = (1 - eta * lam) * moved t + eta.
Proof.
rewrite /moved; have [->|l0] := eqVneq lam 0.
  by rewrite mulr0 subr0 mul1r -natr1 mulrDl mul1r.
by rewrite exprS; field.
Qed.

Let Delta : R := 2 * G / n%:R * moved T.

Let apart k x x' t : replace k x x' ->
  norm2 d (fun i => iterate x t i - iterate x' t i) <= (2 * G / n%:R * moved t) ^+ 2.
Proof.
move=> e; elim: t => [|t IH] /=.
  by rewrite /norm2 big1 ?sqr_ge0// => i _; rewrite subrr expr0n.
have c0 : 0 <= 2 * G / n%:R by rewrite divr_ge0 ?mulr_ge0// ltW.
rewrite (_ : _ * moved t.+1 = (1 - eta * lam) * (2 * G / n%:R * moved t) + eta * (2 * G / n%:R)).
  exact: (step_apart eta_ge0 eta_lam eta_L (coercive_risk x) isT isT
    (mulr_ge0 c0 (moved_ge0 t)) c0 IH (risk_apart _ e)).
by rewrite movedS; ring.
Qed.

(** The iterate after T steps, once. *)
Definition output_perturbation : algorithm R (@replace X n) Gaussian :=
  gaussian_once (d := d) (statistic := fun x => iterate x T) (Delta := Delta) sigma_gt0
    (fun k x x' e => apart T e).

Theorem output_perturbation_private mu : 0 <= mu -> Delta ^+ 2 / sigma ^+ 2 <= mu ^+ 2 ->
  gaussian_private output_perturbation mu.
Proof. exact: gaussian_once_private. Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_once in ltac:(let A := eval unfold output_perturbation, Delta, moved in
  output_perturbation in exact (steps A, fun t => described (step_of A t))).
End output_perturbation.
