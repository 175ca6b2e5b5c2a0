(** Peeling: s selections by noisy max of the largest coordinates of a vector, then s releases of
    single coordinates with Laplace noise; T times. *)
From Touchstone.core Require Import Everything NoisyMax.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * One of two releases, by a public bit *)

Section either.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (c : notion).
Variables (past U V : space R) (b : bool) (r : release differ c past U)
  (r' : release differ c past V).

Definition either : release differ c past (if b then U else V).
Proof.
refine (Release (if b then described r else described r')
  (if b return D -> step past (if b then U else V) then noisy r else noisy r')
  (fun i => if b then cost r i else cost r' i) _).
by case: b => i x x' h; [exact: (@bears _ _ _ _ _ _ _ r)|exact: (@bears _ _ _ _ _ _ _ r')].
Defined.
End either.

(** * Pure algorithms counted in zCDP *)

Section counted_in_zCDP.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop).
Variable A : algorithm R differ Pure.
Hypotheses (sym : forall i x x', differ i x x' -> differ i x' x)
  (cost_ge0 : forall t i, 0 <= cost (step_of A t) i).

(** A release of epsilon is epsilon^2/2-zCDP. *)
Theorem pure_in_zCDP rho : (forall i, \sum_(t < steps A) cost (step_of A t) i ^+ 2 / 2 <= rho) ->
  concentrated_private A rho.
Proof.
exact: (@concentrated_algorithm R D I differ
  (Algorithm (steps A) (fun t => concentrated_of_pure sym (cost_ge0 t)))).
Qed.
End counted_in_zCDP.

(** * Sums over rounds *)

Section rounds.
Context {R : realType} (s T : nat).

Definition selects t : bool := (t %% (2 * s) < s)%N.

Lemma sum_rounds (f : nat -> bool -> R) :
  \sum_(t < T * (2 * s)) f (t %/ (2 * s))%N (selects t) =
  \sum_(u < T) s%:R * (f u true + f u false).
Proof.
elim: T => [|u IH]; first by rewrite !big_ord0.
rewrite mulSn addnC big_split_ord big_ord_recr /= IH; congr (_ + _).
have [->|s_gt0] := posnP s; first by rewrite muln0 big_ord0 mul0r.
have e v : (v < 2 * s)%N ->
    f ((u * (2 * s) + v) %/ (2 * s))%N (selects (u * (2 * s) + v)) = f u (v < s)%N.
  move=> vs; rewrite /selects modnMDl (modn_small vs) divnMDl ?muln_gt0// (divn_small vs).
  by rewrite addn0.
under eq_bigr => v _ do rewrite e //.
rewrite mul2n -addnn big_split_ord /= mulrDr; congr (_ + _).
  under eq_bigr => v _ do rewrite ltn_ord.
  by rewrite sumr_const card_ord mulr_natl.
under eq_bigr => v _ do rewrite ltnNge leq_addr /=.
by rewrite sumr_const card_ord mulr_natl.
Qed.

Lemma sum_once (reads : nat -> bool) (r : R) : 0 <= r ->
  (forall u u', (u < T)%N -> (u' < T)%N -> reads u -> reads u' -> u = u') ->
  \sum_(u < T) (if reads u then r else 0) <= r.
Proof.
move=> r0 once; have [[u ru]|none] := pselect (exists u : 'I_T, reads u).
  rewrite (bigD1 u)//= ru big1 ?addr0// => u' u'u; case: ifP => // ru'.
  by case/eqP: u'u; apply: val_inj; exact: (once _ _ (ltn_ord u') (ltn_ord u)).
by rewrite big1// => u _; case: ifP => // ru; case: none; exists u.
Qed.
End rounds.

(** * Peeling *)

Section peeling.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop).
Variables (k s T : nat) (lambda b : R).

Definition peeled t : space R := if selects s t then candidates k else @vec R 1.
Let O := peeled.
Let q t := (t %/ (2 * s))%N.

(** Peeling u reads the units [reads u]. [v t x past]: the vector of k + 1 coordinates, which the
    data x and all that was released before determine. Who is left out of a selection and which
    coordinate is released with noise may be any measurable functions of what was released before:
    in the code, those that this peeling selected before, and the one of its round. *)
Variables (reads : nat -> I -> bool) (v : forall t, D -> transcript O t -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
Hypotheses (mv : forall t x j, measurable_fun setT (fun h => v (t := t) x h j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t))
  (lambda_ge0 : 0 <= lambda) (b_gt0 : 0 < b)
  (moves : forall t i x x' h j, differ i x x' ->
    `|v (t := t) x h j - v x' h j| <= if reads (t %/ (2 * s)) i then lambda else 0)
  (sym : forall i x x', differ i x x' -> differ i x' x)
  (once : forall u u' i, (u < T)%N -> (u' < T)%N -> reads u i -> reads u' i -> u = u').

Let Delta t i := if reads (t %/ (2 * s)) i then lambda else 0.

Let mabs t x j : measurable_fun setT (fun h : transcript O t => `|v x h j|).
Proof.
apply: (@measurable_fun_comp _ _ _ _ _ _ (fun z : R => `|z|)) => //.
exact: measurable_fun_normr.
Qed.

Let abs_moves t i x x' (h : transcript O t) j : differ i x x' ->
  `| `|v x h j| - `|v x' h j| | <= Delta t i.
Proof. by move=> e; apply: (le_trans (ler_dist_dist _ _)); exact: moves. Qed.

Let mvalue t x (j : nat) : measurable_fun setT (fun h : transcript O t => v x h (chosen h)).
Proof.
apply: (@measurable_fun_comp _ _ _ _ _ _ (fun z : transcript O t * nat => v x z.1 z.2)
  setT (fun h => (h, chosen h))); first exact: measurable_fun_nat.
apply: (measurable_fun_pair (f := fun h : transcript O t => h)) => //; exact: measurable_fun_id.
Qed.

Let value_moves t i x x' (h : transcript O t) : differ i x x' ->
  \sum_(j < 1) `|v x h (chosen h) - v x' h (chosen h)| <= Delta t i.
Proof. by move=> e; rewrite big_ord_recl big_ord0 addr0; exact: moves. Qed.

Definition peeling : algorithm R differ Pure :=
  Algorithm (out := O) (T * (2 * s)) (fun t => either (selects s t)
    (noisy_max_release k (@mabs t) (@mexcluded t) b_gt0 (@abs_moves t))
    (laplace_release (d := 1) (@mvalue t) b_gt0 (@value_moves t))).

Let cost_ge0 t i : 0 <= cost (step_of peeling t) i.
Proof.
rewrite /= /Delta; case: (selects _ _); case: (reads _ _);
  by rewrite ?mulr0 ?mul0r// divr_ge0// ?mulr_ge0// ltW.
Qed.

(** No unit is read by two peelings: s selections of 2 lambda/b and s values of lambda/b, whatever
    the number of peelings. *)
Theorem peeling_private : private peeling (s%:R * (3 * (lambda / b))) 0 /\
  concentrated_private peeling (s%:R * (5 / 2 * (lambda / b) ^+ 2)).
Proof.
have e0 : 0 <= lambda / b by rewrite divr_ge0// ltW.
have bound i (f : nat -> bool -> R) r : 0 <= r ->
    (forall u, s%:R * (f u true + f u false) = if reads u i then r else 0) ->
    \sum_(t < T * (2 * s)) f (t %/ (2 * s))%N (selects s t) <= r.
  move=> r0 e; rewrite sum_rounds; under eq_bigr do rewrite e.
  by apply: (sum_once (reads := reads^~ i)) => // u u'; exact: once.
split; [apply: pure_algorithm|apply: (pure_in_zCDP sym cost_ge0)] => i; rewrite /total /= /Delta.
  apply: (bound i (fun u w => let D := if reads u i then lambda else 0 in
    if w then 2 * D / b else D / b)); first by rewrite mulr_ge0 ?ler0n// mulr_ge0 ?ler0n.
  by move=> u /=; case: (reads u i); ring.
apply: (bound i (fun u w => let D := if reads u i then lambda else 0 in
  (if w then 2 * D / b else D / b) ^+ 2 / 2)); first by rewrite mulr_ge0 ?ler0n// mulr_ge0 ?sqr_ge0// divr_ge0 ?ler0n.
by move=> u /=; case: (reads u i); field; rewrite gt_eqF.
Qed.
End peeling.

(** * Peelings of gradient steps on disjoint blocks *)

Section block_peeling.
Context {R : realType} (X : Type) (n k s T m : nat) (eta C b : R).
Let O := @peeled R k s.
(** Peeling u reads the u-th block of m records. [g past r]: the gradient of record r, of which any
    two differ by C at most in every coordinate; [point past]: what eta times their mean is added to.
    Both are measurable functions of what was released before. *)
Variables (point : forall t, transcript O t -> nat -> R)
  (g : forall t, transcript O t -> X -> nat -> R)
  (excluded : forall t, transcript O t -> nat -> bool) (chosen : forall t, transcript O t -> nat).
Hypotheses (m_gt0 : (0 < m)%N) (eta_ge0 : 0 <= eta) (C_ge0 : 0 <= C) (b_gt0 : 0 < b)
  (mpoint : forall t j, measurable_fun setT (fun h => point (t := t) h j))
  (mg : forall t r j, measurable_fun setT (fun h => g (t := t) h r j))
  (mexcluded : forall t j, measurable_fun setT (fun h => excluded (t := t) h j))
  (mchosen : forall t, measurable_fun setT (@chosen t))
  (bound : forall t h r r' j, `|g (t := t) h r j - g h r' j| <= C).

Let reads t : pred 'I_n := block m (t %/ (2 * s)).
Let v t (x : 'I_n -> X) (h : transcript O t) j : R :=
  point h j + mean m%:R (reads t) (fun r => eta * g h r j) x.

Let mv t x j : measurable_fun setT (fun h : transcript O t => v x h j).
Proof.
apply: measurable_funD => //.
apply: (measurable_fun_mean _ _ (v := fun h r => eta * g h r j)) => r.
exact: measurable_funrM.
Qed.

Let moves t i x x' (h : transcript O t) j : @replace X n i x x' ->
  `|v x h j - v x' h j| <= if reads t i then eta * C / m%:R else 0.
Proof.
move=> e; rewrite /v opprD addrACA subrr add0r; apply: mean_abs => // [|r r']; first by rewrite ltr0n.
by rewrite -mulrBr normrM ger0_norm// ler_wpmul2l.
Qed.

Definition block_peeling : algorithm R (@replace X n) Pure :=
  peeling (reads := @block n m) T mv mexcluded mchosen b_gt0 moves.

(** A record is in one block: there is no factor T. *)
Theorem block_peeling_private : private block_peeling (s%:R * (3 * (eta * C / m%:R / b))) 0 /\
  concentrated_private block_peeling (s%:R * (5 / 2 * (eta * C / m%:R / b) ^+ 2)).
Proof.
apply: peeling_private; first by rewrite divr_ge0// mulr_ge0.
- exact: replace_sym.
- by move=> u u' i _ _; exact: block_disjoint.
Qed.
End block_peeling.

(** * Steps against a gradient of size at most B *)

Section opposite.
Context {R : realType} (X : Type) (O : nat -> space R) (B : R).
Variable g : forall t, transcript O t -> X -> nat -> R.

Lemma measurable_opposite : (forall t r j, measurable_fun setT (fun h => g (t := t) h r j)) ->
  forall t r j, measurable_fun setT (fun h => - g (t := t) h r j).
Proof. by move=> mg t r j; exact: measurable_funN. Qed.

Lemma opposite_diameter : (forall t h r j, `|g (t := t) h r j| <= B) ->
  forall t h r r' j, `|- g (t := t) h r j - - g h r' j| <= 2 * B.
Proof.
move=> bound t h r r' j; rewrite (le_trans (ler_norm_sub _ _))// !normrN (mulrDl 1 1) mul1r.
by rewrite ler_add.
Qed.
End opposite.

(** As [printed], with the names of this file. *)
Declare Reduction printed_peeling := cbv beta iota zeta delta [block_peeling peeling either selects steps step_of
  described noisy_max_release laplace_release block].
