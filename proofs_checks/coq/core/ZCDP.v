(** Zero-concentrated differential privacy: adaptive composition, conversion. *)
From Touchstone.core Require Import Prelude DP Density.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * The integrand p^a q^(1-a) of the Renyi divergence; 0 where p is *)

Section term.
Context {R : realType}.
Local Open Scope ring_scope.

Definition renyi_term (a p q : R) : R :=
  if p == 0 then 0 else expR (a * ln p + (1 - a) * ln q).

Lemma renyi_term_ge0 a p q : 0 <= renyi_term a p q.
Proof. by rewrite /renyi_term; case: ifP => // _; exact: expR_ge0. Qed.

Lemma renyi_termM a p q p' q' : 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  0 <= p' -> 0 <= q' -> (q' = 0 -> p' = 0) ->
  renyi_term a (p * p') (q * q') = renyi_term a p q * renyi_term a p' q'.
Proof.
move=> P Q A P' Q' A'; rewrite /renyi_term mulf_eq0.
have [//|p0] := eqVneq p 0; first by rewrite mul0r.
have [//|p'0] := eqVneq p' 0; first by rewrite mulr0.
have q0 : q != 0 by apply: contra_neq p0.
have q'0 : q' != 0 by apply: contra_neq p'0.
rewrite /= !lnM ?posrE ?lt0r ?p0 ?p'0 ?q0 ?q'0//.
by rewrite -expRD; congr expR; ring.
Qed.

(** Where p exceeds e^e q, it is at most its share of the integral. *)
Lemma tail a e p q : 1 < a -> 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  p <= expR e * q + expR (- ((a - 1) * e)) * renyi_term a p q.
Proof.
move=> a1 P Q A; have [L|L] := leP p (expR e * q).
  by rewrite (le_trans L)// ler_addl mulr_ge0 ?expR_ge0 ?renyi_term_ge0.
have p0 : 0 < p by apply: le_lt_trans L; rewrite mulr_ge0 ?expR_ge0.
have q0 : 0 < q by rewrite lt0r Q andbT; apply: contraTneq p0 => /A ->; rewrite ltxx.
have l : e + ln q <= ln p.
  by rewrite -(expK e) -lnM ?posrE ?expR_gt0// ler_ln ?posrE ?mulr_gt0 ?expR_gt0// ltW.
rewrite ler_paddl ?mulr_ge0 ?expR_ge0//.
rewrite /renyi_term gt_eqF// -expRD -[leLHS]lnK ?posrE// ler_expR -subr_ge0.
rewrite [leRHS](_ : _ = (a - 1) * (ln p - (e + ln q))); last by ring.
by rewrite mulr_ge0 ?subr_ge0// ltW.
Qed.

Lemma measurable_fun_ln : measurable_fun setT (@ln R).
Proof.
rewrite (_ : @ln R = fun x : R => if 0 < x then ln x else 0); last first.
  by apply/funext => x; case: ltP => // /ln0.
have mpos : measurable [set x : R | 0 < x].
  by apply: measurable_lt; [exact: measurable_fun_cst|exact: measurable_fun_id].
apply: measurable_fun_if => //.
- by apply: (measurable_fun_bool true); rewrite (_ : _ @^-1` _ = [set x : R | 0 < x]).
- rewrite setTI; apply: open_continuous_measurable_fun; first exact: open_gt.
  by move=> x; rewrite inE /= => x0; exact: continuous_ln.
- exact: measurable_fun_cst.
Qed.

Lemma measurable_fun_expR : measurable_fun setT (@expR R).
Proof. by apply: continuous_measurable_fun; exact: continuous_expR. Qed.

Lemma measurable_fun_renyi_term d (T : measurableType d) a (p q : T -> R) :
  measurable_fun setT p -> measurable_fun setT q ->
  measurable_fun setT (fun x => renyi_term a (p x) (q x)).
Proof.
move=> mp mq; apply: measurable_fun_ifT.
- apply: (measurable_fun_bool true).
  rewrite (_ : _ @^-1` _ = setT `&` p @^-1` [set 0]); first exact: mp.
  by rewrite setTI; apply/seteqP; split => x /= /eqP.
- exact: measurable_fun_cst.
- apply: (measurable_fun_comp measurable_fun_expR).
  by apply: measurable_funD; apply: measurable_funrM; exact: (measurable_fun_comp measurable_fun_ln).
Qed.
End term.

(** * Zero-concentrated differential privacy *)

Section zCDP.
Context {R : realType}.
Implicit Types X Y : space R.

Definition moment X (a : R) (p q : X -> R) :=
  \int[base X]_x (renyi_term a (p x) (q x))%:E.

(** The Renyi divergence of every order a is at most rho a. *)
Definition zclose X (rho : R) (p q : X -> R) :=
  (forall x, q x = 0%R -> p x = 0%R) /\
  forall a : R, (1 < a)%R -> moment a p q <= (expR (a * (a - 1) * rho))%:E.

Definition zCDP D (near : D -> D -> Prop) X (M : D -> density X) (rho : R) :=
  forall x x', near x x' -> zclose rho (M x) (M x').

Theorem zclose_both X Y (p q : density X) (k l : step X Y) r1 r2 :
  zclose r1 p q -> (forall x, zclose r2 (k x) (l x)) ->
  zclose (r1 + r2)%R (both p k) (both q l).
Proof.
move=> [A1 H1] H2; split => [[x y]|a a1].
  rewrite /= /both_pdf /= => /eqP; rewrite mulf_eq0 => /orP[] /eqP z.
    by rewrite A1// mul0r.
  by rewrite (proj1 (H2 x))// mulr0.
set t := fun x => renyi_term a (p x) (q x).
have t0 x : (0 <= t x)%R by exact: renyi_term_ge0.
have mt : measurable_fun setT (EFin \o t).
  apply/EFin_measurable_fun; apply: measurable_fun_renyi_term; exact: pdf_measurable.
have mk (k' : step X Y) x : measurable_fun setT (k' x).
  exact: (measurable_fun_prod1 x (@next_measurable _ _ _ k')).
have mb : measurable_fun setT (EFin \o fun z => renyi_term a (both p k z) (both q l z)).
  apply/EFin_measurable_fun; apply: measurable_fun_renyi_term.
    exact: (@pdf_measurable _ _ (both p k)).
  exact: (@pdf_measurable _ _ (both q l)).
set c := (expR (a * (a - 1) * r2)).
apply: (@le_trans _ _ (\int[base X]_x ((t x)%:E * c%:E))).
  rewrite /moment [leLHS]fubini_tonelli1; last 2 first.
  - exact: mb.
  - by move=> z; rewrite lee_fin renyi_term_ge0.
  apply: (ge0_le_integral _ measurableT) => [x _||x _||x _].
  - by apply: integral_ge0 => y _; rewrite lee_fin renyi_term_ge0.
  - apply: measurable_fun_fubini_tonelli_F; [exact: base_sigma_finite|exact: mb|].
    by move=> z; rewrite lee_fin renyi_term_ge0.
  - by rewrite mule_ge0// lee_fin// expR_ge0.
  - by apply: emeasurable_funM => //; exact: measurable_fun_cst.
  - rewrite /fubini_F /=.
    under eq_integral => y _.
      rewrite /both_pdf /= renyi_termM ?pdf_ge0 ?next_ge0 ?EFinM//; last 2 first.
      + exact: A1.
      + exact: (proj1 (H2 x)).
      over.
    have mkl : measurable_fun setT (EFin \o fun y => renyi_term a (k x y) (l x y)).
      by apply/EFin_measurable_fun; exact: measurable_fun_renyi_term.
    have kl0 y : setT y -> 0 <= (EFin \o fun y => renyi_term a (k x y) (l x y)) y.
      by move=> _; rewrite lee_fin renyi_term_ge0.
    rewrite (ge0_integralM _ measurableT mkl kl0); last by rewrite lee_fin renyi_term_ge0.
    by rewrite lee_wpmul2l ?lee_fin ?renyi_term_ge0//; exact: (proj2 (H2 x) a a1).
under eq_integral do rewrite muleC.
rewrite ge0_integralM ?lee_fin ?expR_ge0//; last by move=> x _; rewrite lee_fin.
rewrite mulrDr addrC expRD EFinM lee_wpmul2l ?lee_fin ?expR_ge0//.
exact: H1.
Qed.

(** * Conversion to (e, dl) *)

Lemma zclose_tail X (p q : density X) rho a e : zclose rho p q -> (1 < a)%R ->
  close e (expR ((a - 1) * (a * rho - e)))%R (law p) (law q).
Proof.
move=> [A H] a1 S mS.
set t := fun x => renyi_term a (p x) (q x); set c := expR (- ((a - 1) * e)).
have t0 x : (0 <= t x)%R by exact: renyi_term_ge0.
have mt D : measurable_fun D (EFin \o t).
  apply: measurable_funTS; apply/EFin_measurable_fun; apply: measurable_fun_renyi_term;
    exact: pdf_measurable.
have q0 x : S x -> 0 <= (q x)%:E by rewrite lee_fin pdf_ge0.
have ce x : S x -> 0 <= c%:E * (t x)%:E by rewrite mule_ge0 ?lee_fin ?expR_ge0.
have qe x : S x -> 0 <= (expR e)%:E * (q x)%:E.
  by rewrite mule_ge0 ?lee_fin ?expR_ge0 ?pdf_ge0.
have mq : measurable_fun S (fun x => (expR e)%:E * (q x)%:E).
  by apply: measurable_funeM; exact: pdf_EFin.
have mc D : measurable_fun D (fun x => c%:E * (t x)%:E) by apply: measurable_funeM; exact: mt.
apply: (@le_trans _ _ (\int[base X]_(x in S) ((expR e)%:E * (q x)%:E + c%:E * (t x)%:E))).
  apply: (ge0_le_integral _ mS _ (@pdf_EFin _ _ p S)) => [x _|x Sx||x _].
  - by rewrite lee_fin pdf_ge0.
  - by rewrite adde_ge0 ?qe ?ce.
  - exact: emeasurable_funD.
  - rewrite -!EFinM -EFinD lee_fin; apply: tail => //; try exact: pdf_ge0; exact: A.
rewrite (ge0_integralD _ mS qe mq ce (mc S)).
rewrite (ge0_integralM _ mS (@pdf_EFin _ _ q S) q0) ?lee_fin ?expR_ge0//.
rewrite lee_add2l//.
apply: (@le_trans _ _ (\int[base X]_x (c%:E * (t x)%:E))).
  by apply: subset_integral => // x _; rewrite mule_ge0 ?lee_fin ?expR_ge0.
rewrite ge0_integralM ?lee_fin ?expR_ge0//; last by move=> x _; rewrite lee_fin.
have /lee_wpmul2l := H a a1; move=> /(_ c%:E); rewrite lee_fin expR_ge0 => /(_ isT) le.
apply: (le_trans le); rewrite -EFinM -expRD lee_fin ler_expR le_eqVlt.
by apply/orP; left; apply/eqP; ring.
Qed.

Theorem zclose_close X (p q : density X) rho dl :
  (0 < rho)%R -> (0 < dl < 1)%R -> zclose rho p q ->
  close (rho + 2 * Num.sqrt (rho * ln (dl^-1)))%R dl (law p) (law q).
Proof.
move=> r0 /andP[d0 d1] H.
set l := ln dl^-1; have l0 : (0 < l)%R by rewrite ln_gt0// invf_gt1.
have Ed : expR (- l) = dl by rewrite /l lnV ?posrE// opprK lnK.
rewrite sqrtrM ?ltW//; set r := Num.sqrt rho; set k := Num.sqrt l.
have rr : (r * r = rho)%R by rewrite -expr2 sqr_sqrtr// ltW.
have kk : (k * k = l)%R by rewrite -expr2 sqr_sqrtr// ltW.
have rp : (0 < r)%R by rewrite sqrtr_gt0.
have kp : (0 < k)%R by rewrite sqrtr_gt0.
have a1 : (1 < 1 + k / r)%R by rewrite ltr_addl divr_gt0.
have := @zclose_tail X p q rho (1 + k / r)%R (rho + 2 * (r * k))%R H a1.
rewrite (_ : (1 + k / r - 1) * _ = - l)%R ?Ed//.
by rewrite -rr -kk; field; rewrite gt_eqF.
Qed.

Theorem zCDP_to_DP D (near : D -> D -> Prop) X (M : D -> density X) rho dl :
  (0 < rho)%R -> (0 < dl < 1)%R -> zCDP near M rho ->
  DP near (fun x => [the measure _ _ of law (M x)])
    (rho + 2 * Num.sqrt (rho * ln (dl^-1)))%R dl.
Proof. by move=> r0 d01 H x x' n; apply: zclose_close => //; exact: H. Qed.
End zCDP.
