(** Truncated gradients of three latent-variable models: measurable in the point, and how far those
    of two records can be apart in a coordinate; what they and sparse regression need of clipping. *)
From Touchstone.core Require Import Everything.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Clipping to an interval; pairs of numbers of one sign *)

Section clipping.
Context {R : realType} (b : R) (b_ge0 : 0 <= b).
Implicit Types v w : R.

Lemma measurable_fun_clip_entry d0 (Z : measurableType d0) (f : Z -> R) :
  measurable_fun setT f -> measurable_fun setT (fun z => clip_entry b (f z)).
Proof.
move=> mf; apply: measurable_fun_max; first exact: measurable_fun_cst.
rewrite (_ : (fun _ => _) = fun z => - Num.max (- f z) (- b)); last first.
  by apply/funext => z; rewrite oppr_max !opprK.
apply: measurable_funN => //; apply: measurable_fun_max; last exact: measurable_fun_cst.
exact: measurable_funN.
Qed.

Lemma clip_entry_mono v w : v <= w -> clip_entry b v <= clip_entry b w.
Proof.
move=> vw; rewrite /clip_entry le_maxl; apply/andP; split; first by rewrite le_maxr lexx.
by rewrite le_maxr le_minr !le_minl vw lexx !orbT.
Qed.

Lemma clip_entry0 : clip_entry b 0 = 0.
Proof. by rewrite /clip_entry min_l// max_r// oppr_le0. Qed.

Lemma clip_entry_ge0 v : 0 <= v -> 0 <= clip_entry b v.
Proof. by move=> v0; rewrite -clip_entry0 clip_entry_mono. Qed.

Lemma clip_entry_le0 v : v <= 0 -> clip_entry b v <= 0.
Proof. by move=> v0; rewrite -[leRHS]clip_entry0 clip_entry_mono. Qed.

(** Two numbers of size at most b and one sign. *)
Lemma one_sign v w : `|v| <= b -> `|w| <= b -> 0 <= v * w -> `|v - w| <= b.
Proof.
move=> vb wb vw; have P a c : 0 <= a -> 0 <= c -> `|a| <= b -> `|c| <= b -> `|a - c| <= b.
  move=> a0 c0; rewrite (ger0_norm a0) (ger0_norm c0) => ab cb; rewrite ler_norml; apply/andP; split.
    by rewrite (le_trans _ (_ : - c <= _)) ?ler_opp2// ler_addr.
  by rewrite (le_trans _ ab)// ler_subl_addr ler_addl.
have [->|v0] := eqVneq v 0; first by rewrite sub0r normrN.
case: (ltgtP v 0) v0 => // v0 _; last by rewrite P// ?(ltW v0)//; move: vw; rewrite pmulr_rge0.
rewrite (_ : v - w = - w - - v); last by ring.
by rewrite P ?normrN ?oppr_ge0 ?(ltW v0)//; move: vw; rewrite nmulr_rge0.
Qed.
End clipping.

(** * The l1 norm of d numbers *)

Lemma l1_norm_le {R : realType} d (w : nat -> R) :
  \sum_(i < d) w i ^+ 2 <= 1 -> \sum_(i < d) `|w i| <= Num.sqrt d%:R.
Proof.
move=> w1; have [->|d0] := posnP d; first by rewrite big_ord0 sqrtr_ge0.
set q := Num.sqrt _; have q0 : 0 < q by rewrite sqrtr_gt0 ltr0n.
have qq : q ^+ 2 = d%:R by rewrite sqr_sqrtr ?ler0n.
have square a : 2 * (q * a) <= q ^+ 2 * a ^+ 2 + 1.
  by rewrite -subr_ge0 (_ : _ - _ = (q * a - 1) ^+ 2) ?sqr_ge0//; ring.
rewrite -(ler_pmul2l q0) -(ler_pmul2l (ltr0Sn R 1)) -expr2 !mulr_sumr.
apply: (@le_trans _ _ (\sum_(i < d) (q ^+ 2 * w i ^+ 2 + 1))).
  apply: ler_sum => i _; rewrite -[w i ^+ 2]real_normK ?num_real//; exact: square.
rewrite big_split /= -mulr_sumr sumr_const card_ord -qq (mulrDl 1 1) mul1r ler_add2r.
by rewrite ler_pimulr// sqr_ge0.
Qed.

(** * The sign's conditional mean tanh z *)

Section weight.
Context {R : realType}.
Implicit Type z : R.

Definition tanh (z : R) : R := 1 - 2 / (1 + expR (2 * z)).

Let denominator z : 1 < 1 + expR (2 * z). Proof. by rewrite ltr_addl expR_gt0. Qed.
Let denominator_gt0 z : 0 < 1 + expR (2 * z). Proof. exact: (lt_trans ltr01 (denominator z)). Qed.

Lemma tanh_le1 z : `|tanh z| <= 1.
Proof.
rewrite ler_norml /tanh; apply/andP; split.
  by rewrite ler_subr_addr -ler_subr_addl opprK ler_pdivr_mulr// ler_pmulr// ltW.
by rewrite ler_subl_addr ler_addl divr_ge0 ?ler0n// ltW.
Qed.

Lemma tanh_ge0 z : 0 <= z -> 0 <= tanh z.
Proof.
move=> z0; rewrite subr_ge0 ler_pdivr_mulr// mul1r (_ : 2 = 1 + 1)// ler_add2l.
by rewrite -[leLHS]expR0 ler_expR mulr_ge0.
Qed.

Lemma tanh_le0 z : z <= 0 -> tanh z <= 0.
Proof.
move=> z0; rewrite subr_le0 ler_pdivl_mulr// mul1r (_ : 2 = 1 + 1)// ler_add2l.
by rewrite -[leRHS]expR0 ler_expR pmulr_rle0.
Qed.

Lemma measurable_fun_tanh d0 (Z : measurableType d0) (f : Z -> R) :
  measurable_fun setT f -> measurable_fun setT (fun y => tanh (f y)).
Proof.
move=> mf; apply: measurable_funB; first exact: measurable_fun_cst.
rewrite (_ : (fun _ => _) = fun y : Z => 2 * expR (- ln (1 + expR (2 * f y)))); last first.
  by apply/funext => y; rewrite expRN lnK ?posrE.
apply: measurable_funrM; apply: (measurable_fun_comp measurable_fun_expR).
apply: measurable_funN => //; apply: (measurable_fun_comp measurable_fun_ln).
apply: measurable_funD; first exact: measurable_fun_cst.
by apply: (measurable_fun_comp measurable_fun_expR); exact: measurable_funrM.
Qed.
End weight.

(** * The three models: records, points of p coordinates, truncation at b *)

Section models.
Context {R : realType} (p : nat) (sigma b : R).
Hypotheses (sigma_gt0 : 0 < sigma) (b_ge0 : 0 <= b).

Local Notation inner := (inner p).

Lemma measurable_fun_inner d0 (Z : measurableType d0) (u w : Z -> nat -> R) :
  (forall i, measurable_fun setT (u ^~ i)) -> (forall i, measurable_fun setT (w ^~ i)) ->
  measurable_fun setT (fun z => inner (u z) (w z)).
Proof. by move=> mu mw; apply: measurable_fun_bigsum => i; exact: measurable_funM. Qed.

(** Symmetric Gaussian mixture: records y. *)
Definition mixture (beta y : nat -> R) j : R :=
  tanh (inner y beta / sigma ^+ 2) * clip_entry b (y j) - beta j.

Lemma mixture_diameter beta y y' j : `|mixture beta y j - mixture beta y' j| <= 2 * b.
Proof.
have size z v : `|tanh z * clip_entry b v| <= b.
  by rewrite normrM (le_trans _ (clip_entry_le b_ge0 v))// ler_pimull// tanh_le1.
rewrite /mixture opprB addrA subrK (le_trans (ler_norm_sub _ _))// (mulrDl 1 1) mul1r.
by rewrite ler_add.
Qed.

Lemma measurable_fun_mixture d0 (Z : measurableType d0) (beta : Z -> nat -> R) y j :
  (forall i, measurable_fun setT (beta ^~ i)) -> measurable_fun setT (fun z => mixture (beta z) y j).
Proof.
move=> mbeta; apply: measurable_funB => //; apply: measurable_funM; last exact: measurable_fun_cst.
apply: measurable_fun_tanh; apply: measurable_funM; last exact: measurable_fun_cst.
by apply: measurable_fun_inner => // i; exact: measurable_fun_cst.
Qed.

(** Mixture of two symmetric regressions: records (x, y). *)
Definition regression (beta : nat -> R) (r : (nat -> R) * R) j : R :=
  let f := inner r.1 beta in
  (tanh (r.2 * f / sigma ^+ 2) * clip_entry b r.2 - clip_entry b f) * clip_entry b (r.1 j).

Lemma regression_le beta r j : `|regression beta r j| <= b * b.
Proof.
rewrite /regression normrM; set f := inner _ _; set z := _ / _.
apply: ler_pmul => //; last exact: clip_entry_le.
apply: one_sign => //; [|exact: clip_entry_le|].
  by rewrite normrM (le_trans _ (clip_entry_le b_ge0 r.2))// ler_pimull// tanh_le1.
have v0 : 0 <= (sigma ^+ 2)^-1 by rewrite invr_ge0 sqr_ge0.
have [y0|/ltW y0] := leP 0 r.2; have [f0|/ltW f0] := leP 0 f.
- by rewrite !mulr_ge0 ?tanh_ge0 ?clip_entry_ge0// mulr_ge0// mulr_ge0.
- rewrite mulr_le0 ?clip_entry_le0// mulr_le0_ge0 ?clip_entry_ge0// tanh_le0//.
  by rewrite mulr_le0_ge0// mulr_ge0_le0.
- rewrite mulr_ge0 ?clip_entry_ge0// mulr_le0 ?clip_entry_le0// tanh_le0//.
  by rewrite mulr_le0_ge0// mulr_le0_ge0.
- rewrite mulr_le0 ?clip_entry_le0// mulr_ge0_le0 ?clip_entry_le0// tanh_ge0//.
  by rewrite mulr_ge0// mulr_le0.
Qed.

Lemma regression_diameter beta r r' j :
  `|regression beta r j - regression beta r' j| <= 2 * (b * b).
Proof.
by rewrite (le_trans (ler_norm_sub _ _))// (mulrDl 1 1) mul1r ler_add// regression_le.
Qed.

Lemma measurable_fun_regression d0 (Z : measurableType d0) (beta : Z -> nat -> R) r j :
  (forall i, measurable_fun setT (beta ^~ i)) ->
  measurable_fun setT (fun z => regression (beta z) r j).
Proof.
move=> mbeta; have mf : measurable_fun setT (fun z => inner r.1 (beta z)).
  by apply: measurable_fun_inner => // i; exact: measurable_fun_cst.
apply: measurable_funM; last exact: measurable_fun_cst.
apply: measurable_funB; last exact: measurable_fun_clip_entry.
apply: measurable_funM; last exact: measurable_fun_cst.
apply: measurable_fun_tanh; apply: measurable_funM; last exact: measurable_fun_cst.
exact: measurable_funrM.
Qed.

(** Regression with missing covariates: records (x, y), where x_i may be missing. *)
Section missing.
Variables (beta : nat -> R) (r : (nat -> option R) * R).
Definition observed i : R := if r.1 i is Some x then x else 0.
Definition hidden i : R := if r.1 i is Some _ then 0 else beta i.
Definition variance : R := sigma ^+ 2 + inner hidden hidden.
Definition slope : R := (r.2 - inner observed beta) / variance.
Definition imputed i : R := observed i + slope * hidden i.
Definition missing j : R :=
  (clip_entry b r.2 - clip_entry b (inner imputed beta)) * clip_entry b (imputed j) -
  sigma ^+ 2 / variance * hidden j.

Lemma variance_ge : sigma ^+ 2 <= variance.
Proof. by rewrite ler_addl; apply: sumr_ge0 => i _; rewrite -expr2 sqr_ge0. Qed.

Let s2 : 0 < sigma ^+ 2. Proof. exact: exprn_gt0. Qed.

Lemma variance_gt0 : 0 < variance. Proof. exact: lt_le_trans variance_ge. Qed.

(** The residual of the imputed record has the sign of the slope. *)
Lemma residual : r.2 - inner imputed beta = slope * sigma ^+ 2.
Proof.
have -> : inner imputed beta = inner observed beta + slope * inner hidden hidden.
  rewrite /inner mulr_sumr -big_split; apply: eq_bigr => i _ /=.
  by rewrite mulrDl -mulrA; congr (_ + _ * _); rewrite /hidden; case: (r.1 i); rewrite ?mul0r.
have -> : inner hidden hidden = variance - sigma ^+ 2 by rewrite /variance addrC addKr.
rewrite mulrBr {1}/slope divfK ?gt_eqF ?variance_gt0//; ring.
Qed.

Let difference := clip_entry b r.2 - clip_entry b (inner imputed beta).

Lemma difference_sign : 0 <= slope -> 0 <= difference.
Proof.
move=> s0; rewrite subr_ge0 clip_entry_mono// -subr_ge0 residual.
by rewrite mulr_ge0// ltW.
Qed.

Lemma difference_signN : slope <= 0 -> difference <= 0.
Proof.
move=> s0; rewrite subr_le0 clip_entry_mono// -subr_le0 residual.
by rewrite mulr_le0_ge0// ltW.
Qed.

Lemma product_le j : `|difference * clip_entry b (imputed j)| <= 2 * (b * b).
Proof.
rewrite normrM mulrA ler_pmul//; last exact: clip_entry_le.
exact: clip_entry_diameter.
Qed.

Lemma missing_interval j : `|beta j| <= 4 * (b * b) ->
  if 0 <= beta j then - (4 * (b * b)) <= missing j <= 2 * (b * b)
  else - (2 * (b * b)) <= missing j <= 4 * (b * b).
Proof.
move=> small.
have := product_le j; rewrite ler_norml => /andP[low high].
have bb : 2 * (b * b) <= 4 * (b * b) by rewrite ler_wpmul2r ?mulr_ge0// ler_nat.
rewrite /missing -/difference; case e : (r.1 j) => [x|].
  have -> : hidden j = 0 by rewrite /hidden e.
  rewrite mulr0 subr0; case: ifP => _; rewrite ?high ?low ?andbT//=.
    by rewrite (le_trans _ low)// ler_opp2.
  exact: le_trans bb.
have hj : hidden j = beta j by rewrite /hidden e.
have ij : imputed j = slope * beta j by rewrite /imputed hj /observed e add0r.
have ratio : 0 <= sigma ^+ 2 / variance <= 1.
  rewrite divr_ge0 ?(ltW variance_gt0) ?(ltW s2)//= ler_pdivr_mulr ?variance_gt0// mul1r.
  exact: variance_ge.
move: ratio small => /andP[u0 u1]; rewrite hj ler_norml => /andP[blow bhigh].
set P := difference * _ in low high *; set u := _ / variance in u0 u1 *.
have up q : 0 <= u * q <= q -> q <= 4 * (b * b) -> 0 <= P ->
    - (4 * (b * b)) <= P - u * q <= 2 * (b * b).
  move=> /andP[q0 q1] q2 P0; rewrite (le_trans _ high) ?ler_subl_addr ?ler_addl// andbT.
  by rewrite (le_trans (_ : _ <= - (u * q)))// ?ler_opp2 ?ler_addr// (le_trans q1).
have down q : q <= u * q <= 0 -> - (4 * (b * b)) <= q -> P <= 0 ->
    - (2 * (b * b)) <= P - u * q <= 4 * (b * b).
  move=> /andP[q0 q1] q2 P0; rewrite (le_trans low) ?ler_addl ?oppr_ge0//=.
  by rewrite (le_trans (_ : _ <= - (u * q))) ?ger_addr// ler_oppl (le_trans q2).
have [b0|/ltW b0] := leP 0 (beta j).
  apply: up => //; first by rewrite mulr_ge0//= ler_pimull.
  rewrite /P ij; have [s0|/ltW s0] := leP 0 slope.
    by rewrite mulr_ge0 ?difference_sign// clip_entry_ge0// mulr_ge0.
  by rewrite mulr_le0 ?difference_signN// clip_entry_le0// mulr_le0_ge0.
apply: down => //; first by rewrite mulr_ge0_le0// andbT ler_nimull.
rewrite /P ij; have [s0|/ltW s0] := leP 0 slope.
  by rewrite mulr_ge0_le0 ?difference_sign// clip_entry_le0// mulr_ge0_le0.
by rewrite mulr_le0_ge0 ?difference_signN// clip_entry_ge0// mulr_le0.
Qed.
End missing.

Lemma missing_diameter beta r r' j : `|beta j| <= 4 * (b * b) ->
  `|missing beta r j - missing beta r' j| <= 6 * (b * b).
Proof.
move=> small; have := missing_interval r small; have := missing_interval r' small.
have D (lo hi g g' : R) : lo <= g <= hi -> lo <= g' <= hi -> `|g - g'| <= hi - lo.
  move=> /andP[l h] /andP[l' h']; rewrite ler_norml opprB.
  by apply/andP; split; rewrite ler_add// ler_opp2.
case: ifP => _ i' i; apply: (le_trans (D _ _ _ _ i i'));
  rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Lemma measurable_fun_missing d0 (Z : measurableType d0) (beta : Z -> nat -> R) r j :
  (forall i, measurable_fun setT (beta ^~ i)) -> measurable_fun setT (fun z => missing (beta z) r j).
Proof.
move=> mb; have mo i : measurable_fun setT (fun z : Z => observed r i) by exact: measurable_fun_cst.
have mh i : measurable_fun setT (fun z => hidden (beta z) r i).
  by rewrite /hidden; case: (r.1 i) => [x|//]; exact: measurable_fun_cst.
have mv : measurable_fun setT (fun z => (variance (beta z) r)^-1).
  rewrite (_ : (fun _ => _) = fun z => expR (- ln (variance (beta z) r))); last first.
    by apply/funext => z; rewrite expRN lnK ?posrE ?variance_gt0.
  apply: (measurable_fun_comp measurable_fun_expR); apply: measurable_funN => //.
  apply: (measurable_fun_comp measurable_fun_ln).
  by apply: measurable_funD; [exact: measurable_fun_cst|exact: measurable_fun_inner].
have ms : measurable_fun setT (fun z => slope (beta z) r).
  apply: measurable_funM => //; apply: measurable_funB; first exact: measurable_fun_cst.
  exact: measurable_fun_inner.
have mi i : measurable_fun setT (fun z => imputed (beta z) r i).
  by apply: measurable_funD => //; exact: measurable_funM.
apply: measurable_funB; apply: measurable_funM => //; last exact: measurable_funrM.
  apply: measurable_funB; first exact: measurable_fun_cst.
  by apply: measurable_fun_clip_entry; exact: measurable_fun_inner.
exact: measurable_fun_clip_entry.
Qed.
End models.
