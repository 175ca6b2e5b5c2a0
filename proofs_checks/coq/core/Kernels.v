(** Markov kernels: adaptive composition, randomized post-processing. *)
From Touchstone.core Require Import Prelude DP.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Markov kernels, which this version of the library does not have *)

Record kernel d d' (X : measurableType d) (Y : measurableType d') (R : realType) := Kernel {
  kfun :> X -> {measure set Y -> \bar R};
  kernel_measurable : forall A, measurable A -> measurable_fun setT (fun x => kfun x A);
  kernel_probability : forall x, probability (kfun x) }.

Section semidirect.
Context {R : realType} d1 d2 (X : measurableType d1) (Y : measurableType d2).
Variables (P : {measure set X -> \bar R}) (K : kernel X Y R).

Let phi (A : set (X * Y)) := fun x => K x (xsection A x).
Let B := [set A : set (X * Y) | measurable A /\ measurable_fun setT (phi A)].

Let ndseq_closed_B : ndseq_closed B.
Proof.
move=> F ndF BF; split; first by apply: bigcupT_measurable => n; have [] := BF n.
apply: (emeasurable_fun_cvg (phi \o F)) => [n|x _]; first by have [] := BF n.
rewrite /phi /= xsection_bigcup; apply: nondecreasing_cvg_mu.
- by move=> n; apply: measurable_xsection; case: (BF n).
- by apply: bigcupT_measurable => i; apply: measurable_xsection; case: (BF i).
- by move=> m n mn; exact/subsetPset/le_xsection/subsetPset/ndF.
Qed.

Lemma measurable_fun_kernel_xsection A : measurable A -> measurable_fun setT (phi A).
Proof.
suff: measurable `<=` B by move=> + mA; move=> /(_ _ mA)[].
rewrite measurable_prod_measurableType.
set C := [set A1 `*` A2 | A1 in measurable & A2 in measurable].
have CI : setI_closed C.
  move=> U V [X1 mX1 [X2 mX2 <-{U}]] [Y1 mY1 [Y2 mY2 <-{V}]].
  exists (X1 `&` Y1); first exact: measurableI.
  by exists (X2 `&` Y2); [exact: measurableI|rewrite setMI].
have CT : C setT by exists setT => //; exists setT => //; rewrite setMTT.
have CB : C `<=` B.
  move=> U [X1 mX1 [X2 mX2 <-{U}]]; split; first exact: measurableM.
  have -> : phi (X1 `*` X2) = (fun x => K x X2 * (\1_X1 x)%:E).
    apply/funext => x; rewrite indicE /phi.
    have [xX1|xX1] := boolP (x \in X1); first by rewrite mule1 in_xsectionM.
    by rewrite mule0 notin_xsectionM// measure0.
  apply: emeasurable_funM; first exact: kernel_measurable.
  exact/EFin_measurable_fun/measurable_fun_indic.
suff monoB : monotone_class setT B by exact: monotone_class_subset.
split => //; first exact: CB.
move=> U V UV [mU mphiU] [mV mphiV]; split; first exact: measurableD.
have -> : phi (U `\` V) = (fun x => phi U x - phi V x).
  apply/funext => x; rewrite /phi/= xsectionD// measureD.
  - by rewrite setIidr//; exact: le_xsection.
  - exact: measurable_xsection.
  - exact: measurable_xsection.
  - rewrite (le_lt_trans (probability_le1 (kernel_probability K x) _)) ?ltry//.
    exact: measurable_xsection.
exact: emeasurable_funB.
Qed.

(** The law of the pair: first [P], then [K]. *)
Definition semidirect (A : set (X * Y)) : \bar R := \int[P]_x K x (xsection A x).

Let semidirect0 : semidirect set0 = 0.
Proof.
rewrite /semidirect (eq_integral (cst 0)) ?integral0// => x _.
by rewrite xsection0 measure0.
Qed.

Let semidirect_ge0 A : 0 <= semidirect A.
Proof. by apply: integral_ge0 => x _; exact: measure_ge0. Qed.

Let semidirect_sigma_additive : semi_sigma_additive semidirect.
Proof.
move=> F mF tF mUF.
have -> : semidirect (\bigcup_n F n) = \sum_(n <oo) semidirect (F n).
  transitivity (\int[P]_x \sum_(n <oo) K x (xsection (F n) x)).
    apply: eq_integral => x _; apply/esym/cvg_lim => //=.
    rewrite xsection_bigcup; apply: (measure_sigma_additive _ (trivIset_xsection tF)).
    by move=> n; exact: measurable_xsection.
  by rewrite integral_nneseries // => n; exact: measurable_fun_kernel_xsection.
apply/cvg_closeP; split; last by rewrite closeE.
by apply: is_cvg_nneseries => *; exact: integral_ge0.
Qed.

HB.instance Definition _ := isMeasure.Build _ _ _ semidirect
  semidirect0 semidirect_ge0 semidirect_sigma_additive.

Lemma semidirect_probability : probability P -> probability [the measure _ _ of semidirect].
Proof.
move=> P1; rewrite /probability /= /semidirect (eq_integral (cst 1)).
  by rewrite integral_cst// mul1e.
by move=> x _; rewrite -setMTT in_xsectionM ?inE// kernel_probability.
Qed.
End semidirect.

(** * Adaptive composition *)

Section composition.
Context {R : realType} d1 d2 (X : measurableType d1) (Y : measurableType d2).

Lemma fine_kernel (K : kernel X Y R) A x : measurable A -> (fine (K x A))%:E = K x A.
Proof. by move=> mA; rewrite fineK// probability_fin//; exact: kernel_probability. Qed.

Theorem compose (P Q : {measure set X -> \bar R}) (K L : kernel X Y R) e1 d1' e2 d2' :
  probability P -> probability Q -> (0 <= d1')%R -> (0 <= d2')%R ->
  close e1 d1' P Q -> (forall x, close e2 d2' (K x) (L x)) ->
  close (e1 + e2)%R (d1' + d2')%R (semidirect P K) (semidirect Q L).
Proof.
move=> P1 Q1 d10 d20 H1 H2 A mA; rewrite /semidirect.
set k := fun x => K x (xsection A x); set l := fun x => L x (xsection A x).
have mk : measurable_fun setT k by exact: measurable_fun_kernel_xsection.
have ml : measurable_fun setT l by exact: measurable_fun_kernel_xsection.
have mX x : measurable (xsection A x) by exact: measurable_xsection.
(* h = min(1, e^e2 l) *)
have l0 x : 0 <= l x by exact: measure_ge0.
pose h x := Num.min 1%R (expR e2 * fine (l x))%R.
have hE x : (h x)%:E = mine 1 ((expR e2)%:E * l x).
  by rewrite -minEFin EFinM /l fine_kernel.
have h01 x : (0 <= h x <= 1)%R.
  by rewrite /h le_minr le_minl lexx ler01 mulr_ge0 ?expR_ge0 ?fine_ge0.
have mhE : measurable_fun setT (EFin \o h).
  rewrite (_ : _ \o _ = fun x => mine 1 ((expR e2)%:E * l x)); last exact/funext.
  by apply: emeasurable_fun_min; [exact: measurable_fun_cst|exact: measurable_funeM].
have mh : measurable_fun setT h by exact/EFin_measurable_fun.
have kh x : k x <= (h x)%:E + d2'%:E.
  rewrite hE /mine; case: ifP => _; last exact: H2.
  rewrite -[leLHS]adde0 lee_add ?lee_fin//.
  by apply: probability_le1 => //; exact: kernel_probability.
have hl x : (h x)%:E <= (expR e2)%:E * l x.
  by rewrite hE /mine; case: ifP => // /ltW.
have h0 x : 0 <= (h x)%:E by rewrite lee_fin; case/andP: (h01 x).
apply: (@le_trans _ _ (\int[P]_x ((h x)%:E + cst d2'%:E x))).
  apply: (ge0_le_integral _ measurableT (fun x _ => measure_ge0 (K x) _) mk) => [x _||x _].
  - by apply: adde_ge0; rewrite ?h0 ?lee_fin.
  - by apply: emeasurable_funD => //; exact: measurable_fun_cst.
  - exact: kh.
rewrite (ge0_integralD _ measurableT (fun x _ => h0 x) mhE) => [|x _|]; last 2 first.
- by rewrite lee_fin.
- exact: measurable_fun_cst.
rewrite integral_cst// [P setT]P1 mule1 EFinD addeA lee_add2r//.
apply: (le_trans (events_to_functions mh h01 P1 Q1 d10 H1)); rewrite lee_add2r//.
rewrite expRD EFinM -muleA lee_wpmul2l ?lee_fin ?expR_ge0//.
rewrite -(ge0_integralM _ measurableT ml (fun x _ => l0 x)) ?lee_fin ?expR_ge0//.
apply: (ge0_le_integral _ measurableT (fun x _ => h0 x) mhE) => [x _||x _].
- by apply: mule_ge0; rewrite ?l0 ?lee_fin ?expR_ge0.
- exact: measurable_funeM.
- exact: hl.
Qed.

(** Two mechanisms, the second chosen in the light of the first one's outcome. *)
Theorem composition D (near : D -> D -> Prop) (M : D -> {measure set X -> \bar R})
    (N : D -> kernel X Y R) e1 d1' e2 d2' :
  (forall x, probability (M x)) -> (0 <= d1')%R -> (0 <= d2')%R ->
  DP near M e1 d1' -> (forall a, DP near (fun x => N x a) e2 d2') ->
  DP near (fun x => [the measure _ _ of semidirect (M x) (N x)]) (e1 + e2)%R (d1' + d2')%R.
Proof.
move=> M1 d10 d20 H1 H2 x x' n; apply: compose => //; first exact: H1.
by move=> a; exact: H2.
Qed.

(** Post-processing by a randomized function. *)
Theorem randomized_post_processing D (near : D -> D -> Prop)
    (M : D -> {measure set X -> \bar R}) (K : kernel X Y R) e dl :
  (forall x, probability (M x)) -> (0 <= dl)%R -> DP near M e dl ->
  DP near (fun x => [the measure _ _ of
    pushforward [the measure _ _ of semidirect (M x) K] (@measurable_fun_snd _ _ X Y)]) e dl.
Proof.
move=> M1 dl0 H; apply: post_processing.
rewrite -[e]addr0 -[dl]addr0; apply: composition => // a x x' n A mA.
by rewrite expR0 mul1e adde0.
Qed.
End composition.
