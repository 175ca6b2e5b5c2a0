(** The sensitivity of means of bounded terms: clipped records, and the robust mean.

    A data set is n records, ['I_n -> X]; neighbours ([replace k]) differ in record k. *)
From Touchstone.core Require Import Everything.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section means.
Context {R : realType} (X : Type) (n : nat).
Variables (k : 'I_n) (data data' : 'I_n -> X).
Hypothesis neighbours : replace k data data'.

(** (1/n) times the sum of [g] over the records. *)
Definition average (g : X -> R) (records : 'I_n -> X) : R := mean n%:R xpredT g records.

(** 002 (33), l.959-960.
    Printed: ||f_T - f_T'||_inf <= 2 T N_0/n for a mean over n/N_0 records of terms that a
    truncation h_T bounds by T in the l-infinity norm.
    Proved: the same of every coordinate [g], with n for the number of records in the mean. *)
Theorem bounded_mean_sensitivity (g : X -> R) (bound : R) :
  (forall x, `|g x| <= bound) ->
  `|average g data - average g data'| <= 2 * bound / n%:R.
Proof.
move=> B; apply: (mean_abs (C := 2 * bound) xpredT _ neighbours) => [|x x'].
  by rewrite ltr0n (leq_ltn_trans _ (ltn_ord k)).
by rewrite (le_trans (ler_norm_sub _ _))// mulr2n mulrDl mul1r ler_add.
Qed.

(** 002 (23), l.802-805.
    Printed: ||f_T - f_T'||_inf <= 2 T N_0/n for the terms (2 w(y) - 1) Pi_T(y), w(y) a
    probability.
    Proved: the same of every coordinate ([coordinate y] is y's), for every weight [w] with
    values in [0, 1], which may depend on the whole record. Pi_T is sign(x) min(|x|, T), as in
    003 (l.256): [clip_entry T]. *)
Theorem weighted_clipped_mean_sensitivity (w coordinate : X -> R) (T : R) :
  0 <= T -> (forall y, 0 <= w y <= 1) ->
  `|average (fun y => (2 * w y - 1) * clip_entry T (coordinate y)) data -
    average (fun y => (2 * w y - 1) * clip_entry T (coordinate y)) data'| <= 2 * T / n%:R.
Proof.
move=> T0 W; apply: (bounded_mean_sensitivity (bound := T)) => y.
rewrite normrM -[leRHS]mul1r ler_pmul ?normr_ge0 ?clip_entry_le//.
have /andP[w0 w1] := W y; rewrite ler_norml ler_subr_addr addNr mulr_ge0//= ler_subl_addr.
by rewrite -[leRHS]mulr1 ler_pmul2l ?ltr0n.
Qed.
End means.

(** * The robust mean *)

Section robust_mean.
Context {R : realType}.
Local Notation sqrt2 := (Num.sqrt (2 : R)).

(** 000 (14), l.207; 003 (2); 004 (3.65), l.1579; 004 l.9571. *)
Definition phi (x : R) : R :=
  if sqrt2 < x then 2 * sqrt2 / 3
  else if x < - sqrt2 then - (2 * sqrt2 / 3)
  else x - x ^+ 3 / 6.

(** 000 (14), l.209: |phi(x)| <= 2 sqrt(2)/3. Proved as printed. *)
Theorem phi_bounded x : `|phi x| <= 2 * sqrt2 / 3.
Proof.
have r2 : sqrt2 ^+ 2 = 2 by rewrite sqr_sqrtr.
have r0 : 0 <= sqrt2 := sqrtr_ge0 _; set r := sqrt2 in r2 r0 *.
have b0 : 0 <= 2 * r / 3 by rewrite divr_ge0 ?mulr_ge0 ?ler0n.
rewrite /phi -/r; case: ltP => [_|xr]; first by rewrite ger0_norm.
case: ltP => [_|rx]; first by rewrite normrN ger0_norm.
rewrite ler_norml; apply/andP; split; rewrite -subr_ge0.
  rewrite (_ : _ - _ = ((x + r) ^+ 2 * (r - x + r)) / 6).
    apply: divr_ge0; last by rewrite ler0n.
    by apply: mulr_ge0; rewrite ?sqr_ge0// addr_ge0// subr_ge0.
  transitivity (x - x ^+ 3 / 6 + r ^+ 2 * r / 3); first by rewrite r2; field.
  transitivity (x * (r ^+ 2 / 2) - x ^+ 3 / 6 + r ^+ 2 * r / 3); first by rewrite r2; field.
  by field.
rewrite (_ : _ - _ = ((x - r) ^+ 2 * (x + r + r)) / 6).
  apply: divr_ge0; last by rewrite ler0n.
  by apply: mulr_ge0; rewrite ?sqr_ge0// addr_ge0// -ler_subl_addr sub0r.
transitivity (r ^+ 2 * r / 3 - x + x ^+ 3 / 6); first by rewrite r2; field.
transitivity (r ^+ 2 * r / 3 - x * (r ^+ 2 / 2) + x ^+ 3 / 6); first by rewrite r2; field.
by field.
Qed.

Lemma measurable_fun_phi : measurable_fun setT phi.
Proof.
have m c : measurable_fun setT (cst c : R -> R) := measurable_fun_cst c.
have id : measurable_fun setT (fun x : R => x) := @measurable_fun_id _ _ _.
apply: measurable_fun_ifT.
- exact: (measurable_fun_bool true (measurable_lt (m sqrt2) id)).
- exact: m.
apply: measurable_fun_ifT.
- exact: (measurable_fun_bool true (measurable_lt id (m (- sqrt2)))).
- exact: m.
apply: measurable_funB => //.
rewrite (_ : (fun x => _) = fun x => 6^-1 * x ^+ 3); last by apply/funext => x; rewrite mulrC.
by apply: measurable_funrM; exact: measurable_fun_exprn.
Qed.

(** The term of one record in 000 (16): s times the mean of phi((x + eta x)/s) over eta, whose
    law is [chi]. *)
Variables (chi : {measure set R -> \bar R}) (s : R).
Hypotheses (chi_probability : probability chi) (s_gt0 : 0 < s).

Definition smoothed (x : R) : R := s * fine (\int[chi]_eta (phi ((x + eta * x) / s))%:E)%E.

Let b : R := 2 * sqrt2 / 3.
Let inner (z : R * R) : R := phi ((z.1 + z.2 * z.1) / s).

Let measurable_inner : measurable_fun setT inner.
Proof.
have f1 : measurable_fun setT (fst : R * R -> R) := @measurable_fun_fst _ _ _ _.
have f2 : measurable_fun setT (snd : R * R -> R) := @measurable_fun_snd _ _ _ _.
apply: (measurable_fun_comp measurable_fun_phi).
rewrite (_ : (fun z => _) = fun z : R * R => s^-1 * (z.1 + z.2 * z.1)); last first.
  by apply/funext => z; rewrite mulrC.
by apply: measurable_funrM; apply: measurable_funD => //; exact: measurable_funM.
Qed.

Lemma measurable_fun_smoothed : measurable_fun setT smoothed.
Proof.
apply: measurable_funrM; apply: (measurable_fun_comp (measurable_fun_fine measurableT)).
pose f z : \bar R := (inner z)%:E.
have mf : measurable_fun setT f by apply/EFin_measurable_fun.
have sigma : sigma_finite setT chi := probability_sigma_finite chi_probability.
rewrite (_ : (fun x => _) = fun x => fubini_F chi f^\+ x - fubini_F chi f^\- x)%E; last first.
  by apply/funext => x; rewrite integralE.
apply: emeasurable_funB; apply: measurable_fun_fubini_tonelli_F => //.
- exact: emeasurable_fun_funepos.
- exact: emeasurable_fun_funeneg.
Qed.

Lemma smoothed_bounded x : `|smoothed x| <= s * b.
Proof.
rewrite /smoothed normrM gtr0_norm// ler_pmul2l//.
have mf : measurable_fun setT (fun eta : R => (phi ((x + eta * x) / s))%:E).
  by apply/EFin_measurable_fun; exact: (measurable_fun_prod1 x measurable_inner).
have := le_abse_integral chi measurableT mf.
have le : (\int[chi]_eta `|(phi ((x + eta * x) / s))%:E| <= b%:E)%E.
  have -> : (b%:E = \int[chi]_eta cst b%:E eta)%E by rewrite integral_cst// chi_probability mule1.
  apply: ge0_le_integral => //.
  - exact: (measurable_fun_comp (@measurable_fun_abse _ setT) mf).
  - by move=> eta _; rewrite lee_fin divr_ge0 ?mulr_ge0 ?sqrtr_ge0 ?ler0n.
  - exact: measurable_fun_cst.
  - by move=> eta _; rewrite lee_fin phi_bounded.
by move=> /le_trans /(_ le); case: (integral _ _ _) => [r| |].
Qed.

(** 000 (18), l.243; 003 (4), l.199; 004 (3.80), l.1648; 004 l.9607.
    Printed: the sensitivity of x-hat, the mean over the records of [smoothed], is
    (s/n)(4 sqrt(2)/3).
    Proved: it is at most that, for every law of eta, also if what is averaged is a [coordinate]
    of the record (of its gradient, say). *)
Theorem robust_mean_sensitivity (X : Type) n (coordinate : X -> R) (k : 'I_n)
    (data data' : 'I_n -> X) : replace k data data' ->
  `|average (smoothed \o coordinate) data - average (smoothed \o coordinate) data'| <=
  s / n%:R * (4 * sqrt2 / 3).
Proof.
move=> N; have -> : s / n%:R * (4 * sqrt2 / 3) = 2 * (s * b) / n%:R by rewrite /b; ring.
exact: (bounded_mean_sensitivity N (fun x => smoothed_bounded (coordinate x))).
Qed.
End robust_mean.
