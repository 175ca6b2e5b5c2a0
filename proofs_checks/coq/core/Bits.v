(** One bit of every user, 1 with a chance that is computed from the user's record and
    what was released before; the l2-ball randomizer as such a bit. *)
From Touchstone.core Require Import Everything Once.
Local Open Scope ring_scope.

(** * The chance of a bit that imitates Laplace noise *)

Section chances.
Context {R : realType} (eps : R) (eps_gt0 : 0 < eps).

(** e^(eps (|y| - |y - v|))/2 for the loss v, clipped to [0, 1], and the public number y. *)
Definition bit_chance (y loss : R) : R :=
  let v := clip_between 1 loss in expR (eps * clip_entry v (2 * y - v)) / 2.

Let v01 (l : R) : 0 <= clip_between 1 l <= 1.
Proof. by rewrite /clip_between le_maxr lexx /= le_maxl ler01 le_minl lexx orbT. Qed.

Let clip_le (a b y : R) : a - b <= 1 -> b - a <= 1 ->
  clip_entry a (2 * y - a) <= clip_entry b (2 * y - b) + 1.
Proof.
rewrite !ler_subl_addr [1 + b]addrC [1 + a]addrC /clip_entry => ab ba.
rewrite le_maxl; apply/andP; split.
  apply: (@le_trans _ _ (- b + 1)); last by rewrite ler_add2r le_maxr lexx.
  by rewrite ler_oppl opprD opprK ler_subl_addr.
apply: (@le_trans _ _ (Num.min (2 * y - b) b + 1)); last by rewrite ler_add2r le_maxr lexx orbT.
rewrite -ler_subl_addr le_minr !ler_subl_addr; apply/andP; split.
  by rewrite le_minl -addrA ler_add2l ler_oppl opprD opprK ler_subl_addr ba.
by rewrite le_minl ab orbT.
Qed.

Let half_gt0 : 0 < 2^-1 :> R. Proof. by rewrite invr_gt0. Qed.

Let gain_size (y l : R) : -1 <= clip_entry (clip_between 1 l) (2 * y - clip_between 1 l) <= 1.
Proof.
have /andP[a b] := v01 l; rewrite -ler_norml.
exact: (le_trans (clip_entry_le a _) b).
Qed.

Lemma bit_chance_gt0 y l : 0 < bit_chance y l.
Proof. by rewrite mulr_gt0 ?expR_gt0. Qed.

Lemma bit_chance_le y l : bit_chance y l <= expR eps / 2.
Proof.
have /andP[_ b] := gain_size y l; rewrite /bit_chance ler_pmul2r// ler_expR.
by rewrite ler_pimulr// ltW.
Qed.

Lemma bit_chance_ge y l : (2 * expR eps)^-1 <= bit_chance y l.
Proof.
have /andP[a _] := gain_size y l.
rewrite invfM mulrC /bit_chance ler_pmul2r// -expRN ler_expR -[- eps]mulr1 mulNr -mulrN.
by rewrite ler_wpmul2l// ltW.
Qed.

Lemma bit_chance_ratio y l l' : bit_chance y l' <= expR eps * bit_chance y l.
Proof.
rewrite /bit_chance mulrA ler_pmul2r// -expRD ler_expR -{2}[eps]mulr1 -mulrDr [1 + _]addrC.
rewrite ler_wpmul2l ?(ltW eps_gt0)//; have /andP[a b] := v01 l; have /andP[a' b'] := v01 l'.
by apply: clip_le; rewrite ler_subl_addr (le_trans b' _, le_trans b _) ?ler_addl// ler_addr.
Qed.
End chances.

(** * Bits *)

Section bits.
Context {R : realType} (X : Type) (n : nat) (rate Delta : R).
Let O (_ : nat) := @candidates R 1.
(** The chance of a 1 in message t, given the past, of a record: a measurable function of the
    past. *)
Variable chance : forall t, transcript O t -> X -> R.
Arguments chance : clear implicits.
Hypotheses (rate_gt0 : 0 < rate) (Delta_ge0 : 0 <= Delta)
  (mchance : forall t r, measurable_fun setT (fun h => chance t h r))
  (chance01 : forall t h r, 0 < chance t h r < 1)
  (one : forall t h r r', chance t h r' <= expR (rate * Delta) * chance t h r)
  (zero : forall t h r r', 1 - chance t h r' <= expR (rate * Delta) * (1 - chance t h r)).

Let weight t h r (j : nat) : R := if j == 0%N then 1 - chance t h r else chance t h r.
Arguments weight : clear implicits.
Let weight_gt0 t h r j : 0 < weight t h r j.
Proof. by have /andP[a b] := chance01 h r; rewrite /weight; case: ifP; rewrite ?subr_gt0. Qed.
Let weight_le t h r r' j : weight t h r' j <= expR (rate * Delta) * weight t h r j.
Proof. by rewrite /weight; case: ifP. Qed.

(** The bit is a selection by the logarithms of its chances, over the rate. *)
Let score t (x : 'I_n -> X) (h : transcript O t) (j : nat) : R :=
  mean 1 (user t) (fun r => ln (weight t h r j) / rate) x.
Let mscore t x j : measurable_fun setT (score (t := t) x ^~ j).
Proof.
apply: (@measurable_fun_mean R X n _ _ 1 (user t) (fun h r => ln (weight t h r j) / rate)) => r.
under eq_fun do rewrite mulrC; apply: measurable_funrM.
apply: (measurable_fun_comp measurable_fun_ln); rewrite /weight; case: (j == 0%N) => //.
by apply: measurable_funB => //; exact: measurable_fun_cst.
Qed.

Let ln_le t h r r' j : ln (weight t h r' j) / rate - ln (weight t h r j) / rate <= Delta.
Proof.
by rewrite -mulrBl ler_pdivr_mulr// mulrC ler_subl_addr -ler_expR expRD !lnK ?posrE.
Qed.

Let moves t i x x' (h : transcript O t) j : replace i x x' ->
  `|score x h j - score x' h j| <= if user t i then Delta / 1 else 0.
Proof.
move=> e; apply: mean_abs => // r r'.
by rewrite ler_norml ler_oppl opprB !ln_le.
Qed.

Let same t i x x' (h : transcript O t) : replace i x x' ->
  \sum_(j < 2) expR (rate * score x h j) = \sum_(j < 2) expR (rate * score x' h j).
Proof.
move=> e; have [u|u] := boolP (user t i); last first.
  apply: eq_bigr => j _; congr (expR (rate * _)); apply/eqP; rewrite -subr_eq0.
  by rewrite /score (mean_difference _ _ _ e) (negbTE u).
have S (y : 'I_n -> X) : \sum_(j < 2) expR (rate * score y h j) = 1.
  have E j : expR (rate * score y h j) = weight t h (y i) j.
    rewrite /score /mean (big_pred1 i) ?invr1 ?mul1r => [|j' /=]; last first.
      by move: u; rewrite /user => /eqP <-.
    by rewrite mulrC divfK ?lnK ?posrE// gt_eqF.
  by rewrite !big_ord_recl big_ord0 !E /weight /= addr0 subrK.
by rewrite !S.
Qed.

Definition bit_users : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) n (fun t => fair_selection (@mscore t) rate_gt0 (@moves t) (@same t)).

Theorem bit_users_private e : rate * Delta <= e -> private bit_users e 0.
Proof.
move=> le; apply: pure_algorithm => i; apply: (total_disjoint (@user_disjoint n)) => [|t].
  by apply: le_trans le; rewrite mulr_ge0// ltW.
by rewrite /=; case: (user t i); [right; rewrite divr1|left; rewrite mulr0].
Qed.
End bits.

(** * The l2-ball randomizer: which side of a public random direction *)

Section balls.
Context {R : realType} (X : Type) (n d : nat) (radius eps : R).
Let O (_ : nat) := @candidates R 1.
(** Public: the direction of message t. A user's vector, a measurable function of the past. *)
Variables (direction : nat -> nat -> R) (vector : forall t, transcript O t -> X -> nat -> R).
Arguments vector : clear implicits.
Hypotheses (eps_gt0 : 0 < eps) (radius_gt0 : 0 < radius)
  (mvector : forall t r i, measurable_fun setT (fun h => vector t h r i)).

(** The coin that tells the true side; that of the vector's norm, 1 for a vector outside the ball;
    the message is B times the direction, or minus that, B public: the sign is the bit. *)
Definition truth : R := expR eps / (1 + expR eps).
Definition towards (v : nat -> R) : R := Num.min 1 (2^-1 + Num.sqrt (norm2 d v) / (2 * radius)).
Definition side (u v : nat -> R) : R :=
  let a := towards v in let w := a * truth + (1 - a) * (1 - truth) in
  if 0 < \sum_(i < d) u i * v i then w else 1 - w.

Let E := expR eps.
Let E1 : 1 < E. Proof. by rewrite -expR0 ltr_expR. Qed.
Let den : 0 < 1 + E. Proof. by rewrite addr_gt0// expR_gt0. Qed.
Let lie : 1 - truth = (1 + E)^-1.
Proof. by rewrite /truth -/E; field; rewrite gt_eqF. Qed.
Let truthE : truth = E * (1 - truth). Proof. by rewrite lie. Qed.
Let lie_gt0 : 0 < 1 - truth. Proof. by rewrite lie invr_gt0. Qed.
Let lie_le : 1 - truth <= truth.
Proof. by rewrite [leRHS]truthE ler_pmull// ltW. Qed.

Let side_range u v : 1 - truth <= side u v <= truth.
Proof.
have a1 : towards v <= 1 by rewrite /towards le_minl lexx.
have a0 : 0 <= towards v.
  by rewrite /towards le_minr ler01 /= addr_ge0 ?invr_ge0// divr_ge0 ?sqrtr_ge0// mulr_ge0// ltW.
have W : 1 - truth <= towards v * truth + (1 - towards v) * (1 - truth) <= truth.
  set a := towards v in a0 a1 *; rewrite -subr_ge0 -[X in _ && X]subr_ge0.
  have -> : a * truth + (1 - a) * (1 - truth) - (1 - truth) = a * (truth - (1 - truth)) by ring.
  have -> : truth - (a * truth + (1 - a) * (1 - truth)) = (1 - a) * (truth - (1 - truth)) by ring.
  by rewrite !mulr_ge0 ?subr_ge0.
rewrite /side; case: ifP => _ //; move: W; set w := _ + _ => /andP[b c].
by rewrite ler_add2l ler_opp2 c /= ler_subl_addr -ler_subl_addl.
Qed.

Let chance t (h : transcript O t) r := side (direction t) (vector t h r).

Let ratio t (h : transcript O t) r r' : chance h r' <= expR (eps * 1) * chance h r.
Proof.
have /andP[a _] := side_range (direction t) (vector t h r).
have /andP[_ b] := side_range (direction t) (vector t h r').
by rewrite mulr1 (le_trans b)// truthE ler_pmul2l ?expR_gt0.
Qed.

Let ratio0 t (h : transcript O t) r r' : 1 - chance h r' <= expR (eps * 1) * (1 - chance h r).
Proof.
have /andP[_ a] := side_range (direction t) (vector t h r).
have /andP[b _] := side_range (direction t) (vector t h r').
rewrite mulr1; apply: (@le_trans _ _ truth); first by rewrite ler_subl_addr -ler_subl_addl.
by rewrite truthE ler_pmul2l ?expR_gt0// ler_add2l ler_opp2.
Qed.

Let chance01 t (h : transcript O t) r : 0 < chance h r < 1.
Proof.
have /andP[a b] := side_range (direction t) (vector t h r).
by rewrite (lt_le_trans lie_gt0 a) (le_lt_trans b)// -subr_gt0.
Qed.

Lemma measurable_fun_sqrt d0 (Y : measurableType d0) (f : Y -> R) :
  measurable_fun setT f -> measurable_fun setT (fun y => Num.sqrt (f y)).
Proof.
move=> mf; rewrite (_ : (fun _ => _) = fun y => if f y <= 0 then 0 else expR (2^-1 * ln (f y))).
  apply: measurable_fun_ifT; [|exact: measurable_fun_cst|].
    by apply: (measurable_fun_bool true); apply: measurable_le => //; exact: measurable_fun_cst.
  apply: (measurable_fun_comp measurable_fun_expR); apply: measurable_funrM.
  exact: (measurable_fun_comp measurable_fun_ln).
by apply/funext => y; case: ifPn => [/ler0_sqrtr//|]; rewrite -ltNge; exact: sqrtE.
Qed.

Let mchance t r : measurable_fun setT (fun h => chance (t := t) h r).
Proof.
have mt : measurable_fun setT (fun h : transcript O t => towards (vector t h r)).
  have ms : measurable_fun setT (fun h : transcript O t =>
      2^-1 + Num.sqrt (norm2 d (vector t h r)) / (2 * radius)).
    apply: measurable_funD; first exact: measurable_fun_cst.
    under eq_fun do rewrite mulrC; apply: measurable_funrM; apply: measurable_fun_sqrt.
    by apply: measurable_fun_bigsum => i; exact: measurable_fun_exprn.
  apply: measurable_fun_ifT => //; last exact: measurable_fun_cst.
  by apply: (measurable_fun_bool true); apply: measurable_lt => //; exact: measurable_fun_cst.
have mw : measurable_fun setT (fun h : transcript O t =>
    towards (vector t h r) * truth + (1 - towards (vector t h r)) * (1 - truth)).
  apply: measurable_funD; apply: measurable_funM => //; try exact: measurable_fun_cst.
  by apply: measurable_funB => //; exact: measurable_fun_cst.
apply: measurable_fun_ifT => //; last by apply: measurable_funB => //; exact: measurable_fun_cst.
apply: (measurable_fun_bool true); apply: measurable_lt; first exact: measurable_fun_cst.
by apply: measurable_fun_bigsum => i; exact: measurable_funrM.
Qed.

Definition ball_users : algorithm R (@replace X n) Pure :=
  bit_users n eps_gt0 mchance chance01 ratio ratio0.

(** At any public directions. *)
Theorem ball_users_private : private ball_users eps 0.
Proof. by apply: bit_users_private; rewrite ?mulr1. Qed.
End balls.

Lemma measurable_fun_clip_entry {R : realType} d0 (Y : measurableType d0) (b : R) (f : Y -> R) :
  measurable_fun setT f -> measurable_fun setT (fun y => clip_entry b (f y)).
Proof.
move=> mf; have mmin : measurable_fun setT (fun y => Num.min (f y) b).
  apply: measurable_fun_ifT => //; last exact: measurable_fun_cst.
  by apply: (measurable_fun_bool true); apply: measurable_lt => //; exact: measurable_fun_cst.
apply: measurable_fun_ifT => //; last exact: measurable_fun_cst.
by apply: (measurable_fun_bool true); apply: measurable_lt => //; exact: measurable_fun_cst.
Qed.

(** As [printed], with the names of this file. *)
Declare Reduction printed_bits := cbv beta iota zeta delta [bit_users ball_users steps step_of
  described fair_selection user].
