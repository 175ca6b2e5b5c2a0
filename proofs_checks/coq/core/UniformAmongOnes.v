(** An index drawn uniformly among those whose bits are 1, or among all if no bit is: how far its
    probability moves with the chances of the bits. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section law.
Context {R : realType}.
Implicit Types (ps ls : seq R) (f : nat -> R) (a p q c : R).

(** E f(j + N), N the number of ones among bits of chances ps. *)
Fixpoint expect f ps (j : nat) : R :=
  if ps is p :: ps' then (1 - p) * expect f ps' j + p * expect f ps' j.+1 else f j.

Let share : nat -> R := fun j => j%:R^-1.

(** The probability of an index of chance a, among others of chances ps: alone, with N others of
    which one is drawn, or because no bit is 1. *)
Definition chosen_probability a ps : R :=
  a * expect share ps 1 + (1 - a) * expect (fun j => (j == 0%N)%:R) ps 0 / (size ps).+1%:R.

Let none : nat -> R := fun j => (j == 0%N)%:R.
Let in01 ps := all (fun p => (0 <= p) && (p <= 1)) ps.

Lemma expect_le f g ps j : in01 ps ->
  (forall k, (k <= size ps)%N -> f (j + k)%N <= g (j + k)%N) -> expect f ps j <= expect g ps j.
Proof.
elim: ps j => [|p ps IH] j /=; first by move=> _ /(_ 0%N isT); rewrite addn0.
move=> /andP[/andP[p0 p1] h] fg; apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0//.
  by apply: IH => // k ks; apply: fg; rewrite leqW.
by apply: IH => // k ks; rewrite addSnnS; exact: fg.
Qed.

Lemma expect_shift f ps j : expect f ps j.+1 = expect (fun k => f k.+1) ps j.
Proof. by elim: ps j => //= p ps IH j; rewrite !IH. Qed.

Lemma expect_linear f g u v ps j :
  expect (fun k => u * f k + v * g k) ps j = u * expect f ps j + v * expect g ps j.
Proof. by elim: ps j => //= p ps IH j; rewrite !IH; ring. Qed.

Lemma expect_scale f u ps j : expect (fun k => u * f k) ps j = u * expect f ps j.
Proof. by elim: ps j => //= p ps IH j; rewrite !IH; ring. Qed.

(** Of a function that falls, it falls in every chance. *)
Lemma expect_mono f ps qs j : (forall k, f k.+1 <= f k) -> size ps = size qs -> in01 ps -> in01 qs ->
  (forall i, nth 0 qs i <= nth 0 ps i) -> expect f ps j <= expect f qs j.
Proof.
move=> fall; elim: ps qs j => [|p ps IH] [|q qs] j //= [sz] /andP[/andP[p0 p1] hp] /andP[/andP[q0 q1] hq] le.
have qp : q <= p := le 0%N.
have le' i : nth 0 qs i <= nth 0 ps i := le i.+1.
have d : expect f ps j.+1 <= expect f ps j by rewrite expect_shift; apply: expect_le.
apply: (@le_trans _ _ ((1 - q) * expect f ps j + q * expect f ps j.+1)).
  rewrite -subr_ge0 (_ : _ - _ = (p - q) * (expect f ps j - expect f ps j.+1)); last by ring.
  by rewrite mulr_ge0 ?subr_ge0.
by rewrite ler_add// ler_wpmul2l ?subr_ge0//; apply: IH.
Qed.

(** Chances l q are mixtures: of 0 and q. *)
Lemma expect_mixture f q ls j :
  expect f [seq l * q | l <- ls] j = expect (fun k => expect f (nseq k q) j) ls 0.
Proof.
elim: ls j => //= l ls IH j; rewrite !IH expect_shift /= expect_linear; ring.
Qed.

Let V k q j := expect share (nseq k q) j.
Let VS k q j : V k.+1 q j = (1 - q) * V k q j + q * V k q j.+1. Proof. by []. Qed.

Let parts q k j : (0 < j)%N -> j%:R * V k.+1 q j + k.+1%:R * q * V k q j.+1 = 1.
Proof.
elim: k j => [|k IH] j j0.
  have n1 : j%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
  have n2 : j%:R + 1 != 0 :> R by rewrite natr1 pnatr_eq0.
  by rewrite VS /V /= /share -natr1 mul1r; field; rewrite ?n1 ?n2.
have h1 := IH j j0; have h2 := IH j.+1 isT.
have -> : j%:R * V k.+2 q j + k.+2%:R * q * V k.+1 q j.+1 =
    (1 - q) * (j%:R * V k.+1 q j + k.+1%:R * q * V k q j.+1) +
    q * (j.+1%:R * V k.+1 q j.+1 + k.+1%:R * q * V k q j.+2).
  by rewrite [V k.+2 q j]VS [V k.+1 q j.+1]VS -!natr1; ring.
by rewrite h1 h2; ring.
Qed.

(** q (k + 1) E 1/(1 + N) = 1 - (1 - q)^(k + 1) for k equal chances. *)
Let closed q k : q * k.+1%:R * V k q 1 = 1 - (1 - q) ^+ k.+1.
Proof.
elim: k => [|k IH]; first by rewrite /V /= /share invr1 expr1; ring.
have h := @parts q k 1 isT; rewrite mul1r in h.
have -> : q * k.+2%:R * V k.+1 q 1 = q * (V k.+1 q 1 + k.+1%:R * q * V k q 2) +
    (1 - q) * (q * k.+1%:R * V k q 1).
  by rewrite [V k.+1 q 1]VS -!natr1; ring.
by rewrite h IH [in RHS]exprS; ring.
Qed.

Let none_S ps j : expect none ps j.+1 = 0.
Proof. by elim: ps j => [|p ps IH] j //=; rewrite !IH !mulr0 addr0. Qed.

Let none_nseq q k : expect none (nseq k q) 0 = (1 - q) ^+ k.
Proof. by elim: k => [|k IH]; rewrite ?expr0//= IH none_S mulr0 addr0 exprS. Qed.

(** Equal chances q of k others, against 1/2, where q is c/2: the inequality at each k < T. *)
Let pointwise c a a' k T : 1 <= c -> c <= 2 -> 2^-1 <= a -> a' <= a -> a <= c * a' -> a <= 1 ->
  (k < T)%N ->
  a * V k 2^-1 1 + (1 - a) * expect none (nseq k 2^-1) 0 / T%:R <=
  c ^+ 2 * (a' * V k (c / 2) 1 + (1 - a') * expect none (nseq k (c / 2)) 0 / T%:R).
Proof.
move=> c1 c2 ha aa ac a1 kT; rewrite !none_nseq.
have T0 : 0 < T%:R :> R by rewrite ltr0n (leq_ltn_trans _ kT).
have K0 : 0 < k.+1%:R :> R by rewrite ltr0n.
set th : R := k.+1%:R / T%:R.
have th0 : 0 <= th by rewrite divr_ge0// ltW.
have th1 : th <= 1 by rewrite ler_pdivr_mulr// mul1r ler_nat.
have half : 1 - 2^-1 = 2^-1 :> R by field.
have q1 : 0 <= 1 - c / 2 by rewrite subr_ge0 ler_pdivr_mulr// mul1r.
have q2 : 1 - c / 2 <= 1 - 2^-1.
  by rewrite ler_add2l ler_opp2 -[leLHS]mul1r ler_wpmul2r// invr_ge0.
set y := (1 - c / 2) ^+ k; set x := (1 - 2^-1 : R) ^+ k.
have y0 : 0 <= y by rewrite exprn_ge0.
have yx : y <= x by rewrite ler_expn2r ?nnegrE// half invr_ge0.
rewrite -(ler_pmul2l K0).
have L : k.+1%:R * (a * V k 2^-1 1 + (1 - a) * x / T%:R) = 2 * a * (1 - x / 2) + th * (1 - a) * x.
  have -> : k.+1%:R * (a * V k 2^-1 1 + (1 - a) * x / T%:R) =
      2 * a * (2^-1 * k.+1%:R * V k 2^-1 1) + k.+1%:R / T%:R * (1 - a) * x by field; rewrite gt_eqF.
  by rewrite closed exprS -/x half [x / 2]mulrC.
have M : k.+1%:R * (c ^+ 2 * (a' * V k (c / 2) 1 + (1 - a') * y / T%:R)) =
    2 * c * a' * (1 - (1 - c / 2) * y) + th * c ^+ 2 * (1 - a') * y.
  have -> : k.+1%:R * (c ^+ 2 * (a' * V k (c / 2) 1 + (1 - a') * y / T%:R)) =
      2 * c * a' * (c / 2 * k.+1%:R * V k (c / 2) 1) + k.+1%:R / T%:R * c ^+ 2 * (1 - a') * y.
    by field; rewrite gt_eqF.
  by rewrite closed exprS -/y.
rewrite {}L {}M -subr_ge0.
have half1 : 2^-1 <= 1 :> R by rewrite invf_le1// ler1n.
have y1 : (1 - c / 2) * y <= 1.
  by rewrite mulr_ile1// ?exprn_ile1// (le_trans q2)// half.
have a'1 : a' <= 1 by exact: le_trans aa a1.
have a0 : 0 <= a by apply: le_trans ha; rewrite invr_ge0.
have c0 : 0 <= c + 1 by rewrite addr_ge0// (le_trans _ c1).
have twice : th * (1 - a) <= a.
  apply: (@le_trans _ _ (1 - a)); first by rewrite ler_pimull// subr_ge0.
  by rewrite ler_subl_addr -ler_subl_addl (le_trans _ ha)// -[leRHS]half ler_add2l ler_opp2.
have -> : 2 * c * a' * (1 - (1 - c / 2) * y) + th * c ^+ 2 * (1 - a') * y -
    (2 * a * (1 - x / 2) + th * (1 - a) * x) =
    2 * ((c * a' - a) * (1 - (1 - c / 2) * y)) + th * ((c - 1) * (c + 1) * ((1 - a') * y)) +
    (x - y) * (a - th * (1 - a)) + y * (a * (c - 1) + th * (a - a')) by field.
apply: addr_ge0; [apply: addr_ge0; [apply: addr_ge0|]|].
- by rewrite mulr_ge0// mulr_ge0// subr_ge0.
- rewrite mulr_ge0//; apply: mulr_ge0; [by rewrite mulr_ge0// subr_ge0|].
  by rewrite mulr_ge0// subr_ge0.
- by rewrite mulr_ge0// subr_ge0.
- rewrite mulr_ge0//; apply: addr_ge0; first by rewrite mulr_ge0// subr_ge0.
  by rewrite mulr_ge0// subr_ge0.
Qed.

Lemma expect_ge0 f ps j : (forall k, 0 <= f k) -> in01 ps -> 0 <= expect f ps j.
Proof.
move=> f0; elim: ps j => //= p ps IH j /andP[/andP[p0 p1] h].
by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0// IH.
Qed.

Let share_ge0 k : 0 <= share k. Proof. by rewrite invr_ge0. Qed.
Let none_ge0 k : 0 <= none k. Proof. by rewrite /none ler0n. Qed.
Let none_share ps : in01 ps -> expect none ps 0 <= expect share ps 1.
Proof.
move=> h; rewrite expect_shift; apply: expect_le => // k _; rewrite add0n /none.
by case: k => [|k]; rewrite /share ?invr1 //= invr_ge0.
Qed.

Let TR ps : 0 < (size ps).+1%:R :> R. Proof. by rewrite ltr0n. Qed.

(** It grows with the own chance. *)
Let own_mono a a' ps : in01 ps -> a <= a' -> chosen_probability a ps <= chosen_probability a' ps.
Proof.
move=> h le; rewrite -subr_ge0 /chosen_probability -/none.
have -> (A H t : R) : a' * A + (1 - a') * H / t - (a * A + (1 - a) * H / t) = (a' - a) * (A - H / t).
  by ring.
rewrite mulr_ge0 ?subr_ge0//; apply: le_trans (none_share h).
by rewrite ler_pdivr_mulr ?TR// ler_pemulr ?expect_ge0// ler1n.
Qed.

(** It falls in those of the others. *)
Let others_mono a ps qs : 0 <= a <= 1 -> size ps = size qs -> in01 ps -> in01 qs ->
  (forall i, nth 0 qs i <= nth 0 ps i) -> chosen_probability a ps <= chosen_probability a qs.
Proof.
move=> /andP[a0 a1] sz hp hq le; rewrite /chosen_probability -/none sz; apply: ler_add.
  rewrite ler_wpmul2l// !expect_shift; apply: expect_mono => // k.
  by rewrite /share lef_pinv ?posrE ?ltr0n// ler_nat.
by rewrite ler_wpmul2r ?invr_ge0 ?(ltW (TR _))// ler_wpmul2l ?subr_ge0//; apply: expect_mono.
Qed.

Let mixed a c ls : chosen_probability a [seq l * c | l <- ls] =
  expect (fun k => a * V k c 1 + (1 - a) / (size ls).+1%:R * expect none (nseq k c) 0) ls 0.
Proof.
rewrite (expect_linear (fun k => V k c 1) (fun k => expect none (nseq k c) 0)).
by rewrite /chosen_probability -/none size_map !expect_mixture [_ * _ / _]mulrAC.
Qed.

(** Chances in [1/(2 c), c/2], each within the factor c of its counterpart: within c^2. *)
Theorem chosen_ratio c a a' ps ps' : 1 <= c -> c <= 2 -> size ps = size ps' ->
  a <= c / 2 -> (2 * c)^-1 <= a' -> a' <= c / 2 -> a <= c * a' ->
  in01 ps -> all (fun p => (0 <= p) && (p <= c / 2)) ps' ->
  (forall i, nth 0 ps' i <= c * nth 0 ps i) ->
  chosen_probability a ps <= c ^+ 2 * chosen_probability a' ps'.
Proof.
move=> c1 c2 sz ac a'l a'c aa hp hp' near.
have c0 : 0 < c by apply: lt_le_trans c1.
have q0 : 0 < c / 2 by rewrite divr_gt0.
have q1 : c / 2 <= 1 by rewrite ler_pdivr_mulr// mul1r.
pose m := Num.min (c * a') (c / 2).
have half_m : 2^-1 <= m.
  rewrite /m le_minr; apply/andP; split; last by rewrite -[leLHS]mul1r ler_wpmul2r// invr_ge0.
  by rewrite -ler_pdivr_mull// -invfM [c * 2]mulrC.
have m1 : m <= 1 by rewrite (le_trans _ q1)// /m le_minl lexx orbT.
have m0 : 0 <= m by apply: le_trans half_m; rewrite invr_ge0.
have a'0 : 0 <= a' by apply: le_trans a'l; rewrite invr_ge0 mulr_ge0// ltW.
apply: (le_trans (own_mono (a' := m) hp _)); first by rewrite /m le_minr aa ac.
pose ls := [seq p / (c / 2) | p <- ps'].
have E' : ps' = [seq l * (c / 2) | l <- ls].
  rewrite -map_comp -[LHS]map_id; apply: eq_map => p /=.
  by rewrite divfK// gt_eqF.
have lsz : size ls = size ps' by rewrite size_map.
have l01 : in01 ls.
  apply/allP => l /mapP[p pp ->]; have /andP[p0 p1] := allP hp' p pp.
  by rewrite divr_ge0 ?(ltW q0)//= ler_pdivr_mulr// mul1r.
have h01 : in01 [seq l * 2^-1 | l <- ls].
  apply/allP => l /mapP[p pp ->]; have /andP[p0 p1] := allP l01 p pp.
  by rewrite mulr_ge0 ?invr_ge0//= mulr_ile1 ?invr_ge0// invf_le1// ler1n.
apply: (@le_trans _ _ (chosen_probability m [seq l * 2^-1 | l <- ls])).
  apply: others_mono => //; first by rewrite m0.
    by rewrite size_map lsz.
  move=> i; have [ii|ii] := ltnP i (size ps'); last by rewrite !nth_default ?size_map ?lsz ?sz.
  rewrite -(ler_pmul2l c0) (le_trans _ (near i))// E' !(nth_map 0) ?size_map// -?map_comp.
  by rewrite mulrCA.
rewrite [X in chosen_probability a' X]E' !mixed.
rewrite -expect_scale; apply: expect_le => // k kl; rewrite add0n.
have := @pointwise c m a' k (size ls).+1 c1 c2 half_m _ _ m1 kl.
rewrite ![_ * expect _ _ _ / _]mulrAC; apply.
  by rewrite /m le_minr a'c ler_pemull.
by rewrite /m le_minl lexx.
Qed.

Lemma chosen_gt0 a ps : 0 < a < 1 -> all (fun p => (0 < p) && (p < 1)) ps ->
  0 < chosen_probability a ps.
Proof.
move=> /andP[a0 a1] h.
have h01 : in01 ps by apply/allP => p ph; have /andP[x y] := allP h p ph; rewrite !ltW.
have pos : 0 < expect none ps 0.
  elim: ps h {h01} => [|p ps IH] /=; first by rewrite /none ltr0n.
  move=> /andP[/andP[p0 p1] h].
  by rewrite none_S mulr0 addr0 mulr_gt0 ?subr_gt0// IH.
rewrite /chosen_probability -/none ltr_spaddr//.
  by rewrite divr_gt0 ?TR// mulr_gt0 ?subr_gt0.
by rewrite mulr_ge0 ?(ltW a0)// expect_ge0.
Qed.
End law.
