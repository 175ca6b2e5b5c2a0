(** Selections among the vertices of a polytope by an inner product with a mean gradient. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section polytope.
Context {R : realType} (X : Type) (n p k T : nat) (G W eps : R).
Let O (_ : nat) := @candidates R k.
(** k + 1 vertices within l1 distance W of a public centre; gradients [g t past] of the records, of
    l-infinity norm at most G, any measurable function of what was chosen before. *)
Variables (vertex : nat -> nat -> R) (centre : nat -> R)
  (g : forall t, transcript O t -> X -> nat -> R).
Arguments g : clear implicits.
Hypotheses (eps_gt0 : 0 < eps) (G_gt0 : 0 < G) (W_gt0 : 0 < W)
  (mg : forall t r i, measurable_fun setT (fun h => g t h r i))
  (bounded : forall t h r i, `|g t h r i| <= G)
  (l1_distance : forall j, \sum_(i < p) `|vertex j i - centre i| <= W).

Definition product t (h : transcript O t) (j : nat) (r : X) : R :=
  \sum_(i < p) - (vertex j i - centre i) * g t h r i.

Lemma product_le t (h : transcript O t) j r : `|product h j r| <= G * W.
Proof.
apply: (le_trans (ler_norm_sum _ _ _)); rewrite mulrC.
apply: (@le_trans _ _ (\sum_(i < p) `|vertex j i - centre i| * G)).
  by apply: ler_sum => i _; rewrite normrM normrN ler_wpmul2l ?normr_ge0.
by rewrite -mulr_suml ler_wpmul2r// ltW.
Qed.

Lemma measurable_fun_product t j r : measurable_fun setT (fun h : transcript O t => product h j r).
Proof. by apply: measurable_fun_bigsum => i; apply: measurable_funrM; exact: mg. Qed.

Lemma product_diameter t (h : transcript O t) j r r' :
  `|product h j r - product h j r'| <= 2 * G * W.
Proof.
apply: (le_trans (ler_norm_sub _ _)); rewrite -mulrA (mulrDl 1 1 (G * W)) mul1r.
by rewrite ler_add ?product_le.
Qed.

Section reading.
Variable m : R.
Hypothesis m_gt0 : 0 < m.
Definition polytope_rate : R := eps / (2 * (2 * G * W / m)).
Lemma polytope_rate_gt0 : 0 < polytope_rate.
Proof. by rewrite divr_gt0// mulr_gt0// divr_gt0// !mulr_gt0. Qed.
Lemma polytope_cost : 2 * polytope_rate * (2 * G * W / m) = eps.
Proof. by rewrite /polytope_rate; field; rewrite !gt_eqF. Qed.
End reading.

Section everybody.
Hypothesis n_gt0 : (0 < n)%N.
Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.

Definition polytope_selections : algorithm R (@replace X n) Concentrated :=
  mean_selections T measurable_fun_product (polytope_rate_gt0 nR) product_diameter n_gt0.

(** T selections of budget eps each, of bounded range: eps^2/8-zCDP each. *)
Theorem polytope_selections_private :
  concentrated_private polytope_selections (T%:R * (eps ^+ 2 / 8)).
Proof.
have := mean_selections_private T measurable_fun_product (polytope_rate_gt0 nR) product_diameter
  n_gt0.
by rewrite polytope_cost.
Qed.

Definition pure_polytope_selections : algorithm R (@replace X n) Pure :=
  pure_mean_selections T measurable_fun_product (polytope_rate_gt0 nR) product_diameter n_gt0.

Theorem pure_polytope_selections_private : private pure_polytope_selections (T%:R * eps) 0.
Proof.
have := @pure_mean_selections_private R X n k T _ _ _ measurable_fun_product
  (polytope_rate_gt0 nR) product_diameter n_gt0.
by rewrite polytope_cost.
Qed.
End everybody.

Section in_blocks.
Variable m : nat.
Hypothesis m_gt0 : (0 < m)%N.
Let mR : 0 < m%:R :> R. Proof. by rewrite ltr0n. Qed.

Definition block_polytope_selections : algorithm R (@replace X n) Pure :=
  block_selections n T measurable_fun_product (polytope_rate_gt0 mR) product_diameter m_gt0.

(** Every record is in one block: there is no factor T. *)
Theorem block_polytope_selections_private : private block_polytope_selections eps 0.
Proof.
have C0 : 0 <= 2 * G * W by rewrite !mulr_ge0 ?ltW.
have := @block_selections_private R X n k T _ _ _ measurable_fun_product (polytope_rate_gt0 mR)
  product_diameter m m_gt0 C0.
by rewrite polytope_cost.
Qed.
End in_blocks.
End polytope.

(** As [printed], with the names of this file. *)
Declare Reduction printed_selections := cbv beta iota zeta delta [polytope_selections
  pure_polytope_selections block_polytope_selections polytope_rate selections pure_selections
  mean_selections pure_mean_selections block_selections steps step_of described
  selection_release pure_selection block].
