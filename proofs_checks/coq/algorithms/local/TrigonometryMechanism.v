(** All smooth queries from users' products of cosines (diss-5.1.36). *)
From Touchstone.core Require Import Everything Trigonometry.

Section trigonometry_mechanism.
Context {R : realType} (X : Type) (n q p : nat) (least share eps : R).
(** The arccosines of a user's p entries, cut to [-1, 1]; a lower bound of the sum of the cosines
    of the q multiples of any angle; a share that is added for rounding. *)
Variable angles : X -> nat -> R.
Hypotheses (p_gt0 : (0 < p)%N) (eps_gt0 : 0 < eps) (share_ge0 : 0 <= share)
  (lower : forall phi, least <= kernel q phi) (below : least < q%:R)
  (range : q = 1%N \/ - q%:R <= least <= 0).

Let Delta : R := q%:R ^+ p.-1 * (q%:R - least) * (1 + share).
Let q_gt0 : (0 < q)%N.
Proof. by case: (posnP q) range below => // -> [|/andP[]]//; rewrite oppr0 => a _ /lt_geF; rewrite a. Qed.
Let Delta_gt0 : 0 < Delta.
Proof. by rewrite !mulr_gt0 ?exprn_gt0 ?ltr0n ?subr_gt0// ltr_spaddl. Qed.
Let scale : R := Delta / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Let diameter r r' :
  \sum_(i < q ^ p) `|feature q p (angles r) i - feature q p (angles r') i| <= Delta.
Proof.
apply: le_trans (feature_l1 p_gt0 lower range (angles r) (angles r')) _.
by rewrite /Delta ler_pmulr ?ler_addl// mulr_gt0 ?exprn_gt0 ?ltr0n ?subr_gt0.
Qed.

(** User t sends all products of cosines with Laplace noise. *)
Definition trigonometry_mechanism : algorithm R (@replace X n) Pure :=
  laplace_users n (message := fun r => feature q p (angles r)) scale_gt0 diameter.

(** Every user is eps-DP. *)
Theorem trigonometry_mechanism_private : private trigonometry_mechanism eps 0.
Proof.
apply: laplace_users_private; first exact: ltW.
by rewrite /scale invf_div mulrCA divff ?mulr1// gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold trigonometry_mechanism, scale, Delta in
  trigonometry_mechanism in exact (steps A, fun t => described (step_of A t))).
End trigonometry_mechanism.
