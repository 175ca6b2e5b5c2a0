(** The Laplace mechanism in any dimension, and the density of its noise. *)
From Touchstone.core Require Import Everything.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section vector.
Context {R : realType} (d : nat) (b : R) (b_gt0 : 0 < b).

Let measurable_laplace d0 (X : measurableType d0) (c y : X -> R) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => laplace b_gt0 (c x) (y x)).
Proof. exact: measurable_fun_laplace. Qed.

(** The density of independent Laplace noise of scale b in each of d coordinates of c. *)
Definition laplace_vector (c : nat -> R) : density (@vec R d) :=
  noisy_vec measurable_laplace (of_coord d c).

Definition l1_distance (u v : nat -> R) : R := \sum_(i < d) `|u i - v i|.

Lemma laplace_vector_ratio u v o :
  laplace_vector u o <= expR (l1_distance u v / b) * laplace_vector v o.
Proof.
have := noisy_vec_counted measurable_laplace (c := Pure) (fun a c => laplace_ratio b_gt0 a c)
  (of_coord d u) (of_coord d v) o.
by rewrite total_lossE -mulr_suml.
Qed.
End vector.

(** 004 Definition 2.1.2 (l.372-376), 003 Definition 2 (l.117), 002 Proposition 2.3 (l.81-83).
    Printed: q(D) + (Y_1, ..., Y_p), Y_i iid Lap(Delta_1(q)/epsilon), preserves epsilon-DP.
    Proved: the same, for every dimension d and every query whose l1 sensitivity is at most
    Delta; [q x i] is coordinate i. *)
Theorem laplace_mechanism {R : realType} D (near : D -> D -> Prop) (d : nat)
    (q : D -> nat -> R) (Delta epsilon : R) (epsilon_gt0 : 0 < epsilon) (Delta_gt0 : 0 < Delta) :
  (forall x x', near x x' -> l1_distance d (q x) (q x') <= Delta) ->
  DP near (fun x => [the measure _ _ of
    law (laplace_vector d (divr_gt0 Delta_gt0 epsilon_gt0) (q x))]) epsilon 0.
Proof.
move=> H; apply: densities_DP => x x' o n.
apply: (le_trans (laplace_vector_ratio _ (q x) (q x') o)).
rewrite ler_wpmul2r ?pdf_ge0// ler_expR ler_pdivr_mulr ?divr_gt0//.
by rewrite mulrCA divff ?mulr1 ?gt_eqF// H.
Qed.

(** * The integral of e^(-|x|/b) is 2b *)

Section density.
Context {R : realType} (b : R) (b_gt0 : 0 < b).

Let f : density (line R) := laplace b_gt0 0.
Let Z : R := normaliser (double_exp b).

Let fE x : f x = Z^-1 * expR (- (`|x| / b)).
Proof. by rewrite /= /noise_pdf /double_exp subr0. Qed.

Let Zi_gt0 : 0 < Z^-1.
Proof.
rewrite lt0r (_ : 0 <= Z^-1) ?andbT; last by have := pdf_ge0 f 0; rewrite fE pmulr_lge0 ?expR_gt0.
apply/eqP => Z0; have := pdf_mass f; rewrite (eq_integral (cst 0%E)) ?integral0 => [/eqP|x _].
  by rewrite eqe eq_sym oner_eq0.
by rewrite fE Z0 mul0r.
Qed.

(** Moving a half line by s moves its mass by the factor u. *)
Let law_moved (H : set R) (s u : R) : measurable H -> 0 <= u ->
  (forall x, H x -> f (x + s) = u * f x) ->
  (law f ((fun x => (x - s)%R) @^-1` H) = u%:E * law f H)%E.
Proof.
move=> mH u0 e; rewrite /law integral_mkcond [in RHS]integral_mkcond.
pose F : R -> \bar R := (EFin \o f) \_ H.
have F0 x : (0 <= F x)%E by rewrite /F /patch; case: ifP => // _; rewrite lee_fin pdf_ge0.
have mF : measurable_fun setT F.
  by apply/(measurable_restrict _ mH measurableT (@subsetT _ _)); exact: (@pdf_EFin _ _ f H).
rewrite -ge0_integralM ?lee_fin//.
have mG : measurable_fun setT (fun x => u%:E * F x)%E by exact: measurable_funeM.
have G0 x : (0 <= u%:E * F x)%E by rewrite mule_ge0 ?lee_fin.
apply: (etrans _ (integral_shift s mG G0)).
apply: eq_integral => x _; rewrite /F /patch.
have -> : (x \in (fun x => x - s) @^-1` H) = (x - s \in H) by apply/idP/idP; rewrite !in_setE.
case: (boolP (_ \in H)) => [|]; last by rewrite mule0.
by rewrite in_setE => /e; rewrite subrK /= => ->; rewrite EFinM.
Qed.

(** The mass of an interval K of length c within c of 0. *)
Let law_near0 (K : interval R) (c : R) : leb [set` K] = c%:E -> (forall x, x \in K -> `|x| <= c) ->
  ((Z^-1 * expR (- (c / b)) * c)%:E <= law f [set` K] <= (Z^-1 * c)%:E)%E.
Proof.
move=> len near0; have mK : measurable ([set` K] : set R) := measurable_itv K.
have cst_law (r : R) : (\int[base (line R)]_(x in [set` K]) (cst r%:E x : \bar R) = (r * c)%:E)%E.
  by rewrite integral_cst// EFinM -len.
rewrite -!cst_law /law; apply/andP; split; apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin mulr_ge0 ?expR_ge0// ltW.
- exact: measurable_fun_cst.
- by move=> x _; rewrite lee_fin pdf_ge0.
- exact: (@pdf_EFin _ _ f).
- move=> x /near0 xc; rewrite -/(f x) fE lee_fin ler_pmul2l// ler_expR ler_opp2.
  by rewrite ler_pmul2r ?invr_gt0.
- by move=> x _; rewrite lee_fin pdf_ge0.
- exact: (@pdf_EFin _ _ f).
- by move=> x _; rewrite lee_fin ltW.
- exact: measurable_fun_cst.
- move=> x _; rewrite -/(f x) fE lee_fin ger_pmulr// -[leRHS]expR0 ler_expR oppr_le0.
  by rewrite divr_ge0 ?normr_ge0 ?ltW.
Qed.

(** A mass that is e^(-c/b) times itself and that of such an interval, for every c. *)
Let self_similar (m : R) : 0 <= m ->
  (forall c, 0 < c -> Z^-1 * expR (- (c / b)) * c <= m - expR (- (c / b)) * m <= Z^-1 * c) ->
  m = Z^-1 * b.
Proof.
move=> m0 H; have k0 : 0 < Z^-1 * b by rewrite mulr_gt0.
have T e : 0 < e -> exists2 t : R, 0 < t & e = t * (Z^-1 * b).
  by move=> e0; exists (e / (Z^-1 * b)); [rewrite divr_gt0|rewrite divfK// gt_eqF].
apply/eqP; rewrite eq_le; apply/andP; split; apply/ler_addgt0Pr => e /T[t t0 ->];
  have := H (t * b) (mulr_gt0 t0 b_gt0); rewrite mulfK ?gt_eqF// => /andP[lo up];
  rewrite -(@ler_pmul2l _ t)//; rewrite -subr_ge0 in lo; rewrite -subr_ge0 in up;
  rewrite -subr_ge0.
  have u1 : expR (- t) * (1 + t) <= 1.
    by rewrite expRN ler_pdivr_mull ?expR_gt0// mulr1 expR_ge.
  have t1 : 0 <= 1 + t by rewrite addr_ge0// ltW.
  have h := ler_wpmul2l m0 u1; rewrite -subr_ge0 in h.
  rewrite (_ : _ - _ = (Z^-1 * (t * b) - (m - expR (- t) * m)) * (1 + t) +
    (m * 1 - m * (expR (- t) * (1 + t)))); last by ring.
  by rewrite addr_ge0 ?mulr_ge0.
have u1 : 1 - t <= expR (- t) := expR_ge (- t).
have h1 := ler_wpmul2l m0 u1; have h2 := ler_wpmul2r (mulr_ge0 (ltW t0) (ltW k0)) u1.
rewrite -subr_ge0 in h1; rewrite -subr_ge0 in h2.
rewrite (_ : _ - _ = m - expR (- t) * m - Z^-1 * expR (- t) * (t * b) +
  (m * expR (- t) - m * (1 - t)) + (expR (- t) * (t * (Z^-1 * b)) - (1 - t) * (t * (Z^-1 * b)))).
  by apply: addr_ge0 => //; apply: addr_ge0.
by ring.
Qed.

(** Each half line has half of the mass. *)
Let half (H : set R) (s : R -> R) (K : R -> interval R) : measurable H ->
  (forall c, 0 < c -> [set` K c] `&` ((fun x => x - s c) @^-1` H) = set0 /\
    H = [set` K c] `|` ((fun x => x - s c) @^-1` H) /\
    leb [set` K c] = c%:E /\ (forall x, x \in K c -> `|x| <= c) /\
    forall x, H x -> `|x + s c| = `|x| + c) ->
  (law f H = (Z^-1 * b)%:E)%E.
Proof.
move=> mH P; have fin : law f H \is a fin_num by exact: (probability_fin (law_probability f) mH).
rewrite -(fineK fin); congr EFin; apply: self_similar => [|c c0]; first exact/fine_ge0/measure_ge0.
have [dis [E [len [near0 far]]]] := P c c0.
have mK : measurable ([set` K c] : set R) := measurable_itv (K c).
have mS : measurable ((fun x => x - s c) @^-1` H).
  by rewrite -[X in measurable X]setTI; exact: (measurable_fun_shift (s c) measurableT mH).
have moved := law_moved mH (expR_ge0 (- (c / b))) (s := s c).
have {}moved : (law f ((fun x => (x - s c)%R) @^-1` H) = (expR (- (c / b)))%:E * law f H)%E.
  by apply: moved => x /far e; rewrite !fE e mulrDl opprD expRD mulrA mulrC.
have : (law f H = law f [set` K c] + (expR (- (c / b)))%:E * law f H)%E.
  rewrite -moved {1}E; exact: measureU.
rewrite -(fineK fin) => e; have := law_near0 len near0.
rewrite (_ : law f [set` K c] = (fine (law f H) - expR (- (c / b)) * fine (law f H))%:E)%E.
  by rewrite !lee_fin.
by rewrite EFinB EFinM {1}e -addeA -EFinM -EFinN -EFinD subrr adde0.
Qed.

Let left : set R := [set` `]-oo, 0[].
Let right : set R := [set` `[0, +oo[].

Lemma laplace_normaliser : normaliser (double_exp b) = 2 * b.
Proof.
have m1 : measurable right := measurable_itv _.
have m2 : measurable left := measurable_itv _.
have H1 : (law f right = (Z^-1 * b)%:E)%E.
  apply: (half (s := id) (K := fun c => `[0, c[)) => // c c0; split; [|split; [|split; [|split]]].
  - apply/seteqP; split => x //=; rewrite /right /left /= !in_itv /= !andbT => -[/andP[_ xc]].
    by rewrite subr_ge0 leNgt xc.
  - apply/seteqP; split => x /=; rewrite /right /left /= !in_itv /= !andbT subr_ge0.
      by move=> ->; case: (ltP x c); [left|right].
    by case=> [/andP[]//|]; apply: le_trans; exact: ltW.
  - by rewrite leb_itv hlength_itv/= lte_fin c0 -EFinD subr0.
  - by move=> x; rewrite in_itv /= => /andP[x0 /ltW xc]; rewrite ger0_norm.
  - by move=> x /=; rewrite /right /= in_itv /= andbT => x0; rewrite !ger0_norm// addr_ge0// ltW.
have H2 : (law f left = (Z^-1 * b)%:E)%E.
  apply: (half (s := -%R) (K := fun c => `[- c, 0[)) => // c c0; split; [|split; [|split; [|split]]].
  - apply/seteqP; split => x //=; rewrite /right /left /= !in_itv /= opprK => -[/andP[xc _]].
    by rewrite -ltr_subr_addr sub0r ltNge xc.
  - apply/seteqP; split => x /=; rewrite /right /left /= !in_itv /= opprK -ltr_subr_addr sub0r.
      by move=> ->; rewrite andbT; case: (ltP x (- c)); [right|left].
    by case=> [/andP[]//|]; move/lt_trans; apply; rewrite oppr_lt0.
  - by rewrite leb_itv hlength_itv/= lte_fin oppr_lt0 c0 -EFinD opprK add0r.
  - by move=> x; rewrite in_itv /= => /andP[xc x0]; rewrite ltr0_norm// ler_oppl.
  - move=> x; rewrite /left /= in_itv /= => x0.
    have xc : x - c < 0 by rewrite subr_lt0 (lt_trans x0).
    by rewrite (ltr0_norm xc) (ltr0_norm x0) opprB addrC.
have := law_probability f; rewrite /probability /=.
rewrite (_ : setT = left `|` right); last first.
  by apply/seteqP; split => x //= _; rewrite /right /left /= !in_itv /= andbT; case: (ltP x 0); [left|right].
have dis : left `&` right = set0.
  by apply/seteqP; split => x //=; rewrite /right /left /= !in_itv /= andbT => -[x0]; rewrite leNgt x0.
move=> one; have := etrans (esym one) (measureU [the measure _ _ of law f] m2 m1 dis); rewrite /= H1 H2 -EFinD => -[e].
have Z0 : Z != 0 by rewrite -invr_eq0 gt_eqF.
by have := congr1 ( *%R Z) e; rewrite mulr1 mulrDr !mulVKf// -/Z => E; rewrite -/Z {}E mulr2n mulrDl mul1r.
Qed.

(** 004 Definition 2.1.2, its density (l.374), corrected.
    Printed: exp(-x/lambda)/(2 lambda), without the absolute value of x; 003 (l.117) has it.
    Proved: with the absolute value it is the density of the noise here, around every centre c,
    and a density: its integral over the line is 1. *)
Theorem laplace_law (c : R) :
  (forall x, laplace b_gt0 c x = expR (- (`|x - c| / b)) / (2 * b)) /\
  (\int[@leb R]_x (expR (- (`|x - c| / b)) / (2 * b))%:E = 1)%E.
Proof.
have e x : laplace b_gt0 c x = expR (- (`|x - c| / b)) / (2 * b).
  by rewrite /= /noise_pdf laplace_normaliser mulrC.
split=> //; rewrite -(pdf_mass (laplace b_gt0 c)); by apply: eq_integral => x _; rewrite e.
Qed.
End density.
