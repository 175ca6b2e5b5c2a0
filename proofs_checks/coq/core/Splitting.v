(** Peaceman-Rachford splitting with soft thresholding: how far its result moves with its input. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

Section soft.
Context {R : realType} (k : R) (k_ge0 : 0 <= k).

Lemma clip_entry_firm x y : x <= y -> 0 <= clip_entry k y - clip_entry k x <= y - x.
Proof.
move=> xy; rewrite subr_ge0; apply/andP; split.
  rewrite /clip_entry le_maxl !le_maxr lexx /=; apply/orP; right.
  by rewrite le_minr !le_minl xy lexx orbT.
rewrite ler_subl_addr /clip_entry le_maxl; apply/andP; split.
  apply: (@le_trans _ _ (0 + - k)); first by rewrite add0r.
  by rewrite ler_add ?subr_ge0// le_maxr lexx.
apply: (@le_trans _ _ (y - x + Num.min x k)); last by rewrite ler_add2l le_maxr lexx orbT.
by rewrite -ler_subl_addl le_minr !ler_subl_addl subrK !le_minl lexx /= ler_addr subr_ge0 xy orbT.
Qed.

Definition soft (x : R) : R := x - clip_entry k x.

Lemma soft_close (c x y : R) : 0 <= c <= 2 ->
  (x - c * clip_entry k x - (y - c * clip_entry k y)) ^+ 2 <= (x - y) ^+ 2.
Proof.
move=> /andP[c0 c2]; pose g := clip_entry k.
have H a b : a <= b -> (a - c * g a - (b - c * g b)) ^+ 2 <= (a - b) ^+ 2.
  move=> ab; have /andP[u v] := clip_entry_firm ab.
  rewrite -subr_ge0 (_ : _ - _ = c * (g b - g a) * ((b - a) + (b - a - (g b - g a)) + (1 - c) * (g b - g a))).
    rewrite mulr_ge0 ?(mulr_ge0 c0)//.
    have -> : b - a + (b - a - (g b - g a)) + (1 - c) * (g b - g a) =
        2 * (b - a - (g b - g a)) + (2 - c) * (g b - g a) by ring.
    by apply: addr_ge0; apply: mulr_ge0; rewrite // subr_ge0.
  by rewrite /g; ring.
have [xy|/ltW yx] := leP x y; first exact: H.
have -> : (x - c * clip_entry k x - (y - c * clip_entry k y)) ^+ 2 =
    (y - c * g y - (x - c * g x)) ^+ 2 by rewrite /g; ring.
by rewrite (_ : (x - y) ^+ 2 = (y - x) ^+ 2) ?H//; ring.
Qed.
End soft.

(** Vectors of length d; prox and 2 prox - 1 move two points closer, by b/(a + b) and
    (b - a)/(b + a); S enters through prox (V - S/mu), mu = 1/(a b). *)
Section splitting.
Context {R : realType} (d : nat) (a b k D : R).
Variables (prox : (nat -> R) -> nat -> R) (start : nat -> R).
Hypotheses (a_gt0 : 0 < a) (ab : a <= b) (k_ge0 : 0 <= k) (D_ge0 : 0 <= D)
  (prox_close : forall u v, norm2 d (fun i => prox u i - prox v i) <=
    (b / (a + b)) ^+ 2 * norm2 d (fun i => u i - v i))
  (reflection_close : forall u v,
    norm2 d (fun i => (2 * prox u i - u i) - (2 * prox v i - v i)) <=
    ((b - a) / (b + a)) ^+ 2 * norm2 d (fun i => u i - v i)).

Definition reflected (S V : nat -> R) (i : nat) : R :=
  2 * prox (fun i => V i - a * b * S i) i - V i.

(** The next point; the result is the last [soft k (reflected S V)]. *)
Definition next_point (S V : nat -> R) (i : nat) : R :=
  2 * soft k (reflected S V i) - reflected S V i.

Fixpoint point (S : nat -> R) (t : nat) : nat -> R :=
  match t with 0%N => start | t.+1 => next_point S (point S t) end.

Definition result (S : nat -> R) (t : nat) (i : nat) : R := soft k (reflected S (point S t) i).

Variables (S S' : nat -> R).
Hypothesis input : norm2 d (fun i => S i - S' i) <= D ^+ 2.

Let b_gt0 : 0 < b. Proof. exact: lt_le_trans ab. Qed.
Let c0 : 0 <= (b - a) / (b + a). Proof. by rewrite divr_ge0 ?subr_ge0// addr_ge0// ltW. Qed.

Let reflected_apart V V' : norm2 d (fun i => V i - V' i) <= (b ^+ 2 * D) ^+ 2 ->
  norm2 d (fun i => reflected S V i - reflected S' V' i) <= (b ^+ 2 * D) ^+ 2.
Proof.
move=> VV; pose w (V S : nat -> R) (i : nat) : R := V i - a * b * S i.
have -> : b ^+ 2 * D =
    (b - a) / (b + a) * (b ^+ 2 * D) + 2 * (b / (a + b)) * (a * b * D).
  by field; rewrite ?gt_eqF// addr_gt0.
have -> : norm2 d (fun i => reflected S V i - reflected S' V' i) =
    norm2 d (fun i => ((2 * prox (w V S) i - w V S i) - (2 * prox (w V' S) i - w V' S i)) +
      2 * (prox (w V' S) i - prox (w V' S') i)).
  by apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /reflected -/(w V S) -/(w V' S') /w; ring.
apply: norm2_add.
- by rewrite mulr_ge0// mulr_ge0// exprn_ge0// ltW.
- by rewrite !mulr_ge0 ?invr_ge0 ?addr_ge0 ?(ltW a_gt0) ?(ltW b_gt0).
- rewrite (le_trans (reflection_close _ _))// [leRHS]exprMn ler_wpmul2l ?sqr_ge0//.
  rewrite (_ : norm2 d _ = norm2 d (fun i => V i - V' i))//.
  by apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /w; ring.
- rewrite norm2_scale -mulrA [leRHS]exprMn ler_wpmul2l ?sqr_ge0// [leRHS]exprMn.
  rewrite (le_trans (prox_close _ _))// ler_wpmul2l ?sqr_ge0//.
  rewrite (_ : norm2 d _ = norm2 d (fun i => - (a * b) * (S i - S' i))); last first.
    by apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /w; ring.
  by rewrite norm2_scale sqrrN [leRHS]exprMn ler_wpmul2l ?sqr_ge0.
Qed.

Let thresholded c u v : 0 <= c <= 2 ->
  norm2 d (fun i => (u i - c * clip_entry k (u i)) - (v i - c * clip_entry k (v i))) <=
  norm2 d (fun i => u i - v i) :> R.
Proof. by move=> c02; apply: ler_sum => i _; exact: soft_close. Qed.

Let point_apart t : norm2 d (fun i => point S t i - point S' t i) <= (b ^+ 2 * D) ^+ 2.
Proof.
elim: t => [|t IH]; first by rewrite /norm2 big1 ?sqr_ge0// => i _; rewrite subrr expr0n.
apply: le_trans (reflected_apart IH).
have two : 0 <= (2 : R) <= 2 by rewrite lexx ler0n.
rewrite (_ : norm2 d _ = norm2 d (fun i =>
  (reflected S (point S t) i - 2 * clip_entry k (reflected S (point S t) i)) -
  (reflected S' (point S' t) i - 2 * clip_entry k (reflected S' (point S' t) i)))).
  exact: thresholded.
by apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /= /next_point /soft; ring.
Qed.

(** By b^2 times the input, after any number of steps. *)
Lemma result_apart t : norm2 d (fun i => result S t i - result S' t i) <= (b ^+ 2 * D) ^+ 2.
Proof.
apply: le_trans (reflected_apart (point_apart t)).
have one : 0 <= (1 : R) <= 2 by rewrite ler01 ler1n.
rewrite (_ : norm2 d _ = norm2 d (fun i =>
  (reflected S (point S t) i - 1 * clip_entry k (reflected S (point S t) i)) -
  (reflected S' (point S' t) i - 1 * clip_entry k (reflected S' (point S' t) i)))).
  exact: thresholded.
by apply: eq_bigr => i _; congr (_ ^+ 2); rewrite /result /soft !mul1r.
Qed.
End splitting.
