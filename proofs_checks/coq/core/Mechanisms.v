(** Gaussian and Laplace noise and selection as releases. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Measurability, paid for once *)

Section measurability.
Context {R : realType} d0 (X : measurableType d0).

Lemma measurable_fun_nat (f : X -> nat -> R) : (forall i, measurable_fun setT (f ^~ i)) ->
  measurable_fun setT (fun z : X * nat => f z.1 z.2).
Proof.
move=> mf _ A mA; rewrite setTI (_ : _ @^-1` A = \bigcup_i ((f ^~ i) @^-1` A `*` [set i])).
  apply: bigcupT_measurable => i; apply: measurableM => //.
  by rewrite -[X in measurable X]setTI; exact: mf.
by apply/seteqP; split => [[x i] /= H|[x i] [j _ [/= H ->]]//]; exists i.
Qed.

Lemma measurable_fun_bigsum (I : Type) (s : seq I) (P : pred I) (f : I -> X -> R) :
  (forall i, measurable_fun setT (f i)) ->
  measurable_fun setT (fun x => \sum_(i <- s | P i) f i x).
Proof.
move=> mf; elim: s => [|i s IH].
  by under eq_fun do rewrite big_nil; exact: measurable_fun_cst.
under eq_fun do rewrite big_cons; case: (P i) => //.
by apply: measurable_funD.
Qed.
End measurability.

(** * Noise in every coordinate of a vector *)

Section vectors.
Context {R : realType}.
Variable f : R -> density (line R).
Hypothesis mf : forall d0 (X : measurableType d0) (c y : X -> R),
  measurable_fun setT c -> measurable_fun setT y -> measurable_fun setT (fun x => f (c x) (y x)).

Definition constant_step (X : space R) (c : R) : step X (line R).
Proof.
refine (@Step R X (line R) (fun _ y => f c y) _ _ _).
- by move=> x y; exact: pdf_ge0.
- apply: mf; first exact: measurable_fun_cst.
  exact: (@measurable_fun_snd _ _ X (line R)).
- by move=> x; exact: (pdf_mass (f c)).
Defined.

Fixpoint noisy_vec (d : nat) : vec d -> density (vec d) :=
  match d with
  | 0%N => fun _ => nothing
  | e.+1 => fun c => both (noisy_vec c.1) (constant_step (vec e) c.2)
  end.

Lemma noisy_vecS d (c : @vec R d.+1) :
  noisy_vec c = both (noisy_vec c.1) (constant_step (vec d) c.2).
Proof. by []. Qed.

Lemma measurable_fun_noisy_vec d d0 (X : measurableType d0) (c y : X -> @vec R d) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => noisy_vec (c x) (y x)).
Proof.
elim: d c y => [|d IH] c y mc my; first exact: measurable_fun_cst.
have f1 := @measurable_fun_fst _ _ (@vec R d) (line R).
have f2 := @measurable_fun_snd _ _ (@vec R d) (line R).
apply: measurable_funM.
  by apply: IH; apply: (measurable_fun_comp f1).
by apply: mf; apply: (measurable_fun_comp f2).
Qed.

Variables (c : notion) (loss : R -> R -> R).
Hypothesis f_counted : forall a b, counted c (loss a b) (f a) (f b).

Fixpoint total_loss (d : nat) : @vec R d -> @vec R d -> R :=
  match d with
  | 0%N => fun _ _ => 0
  | e.+1 => fun u v => total_loss u.1 v.1 + loss u.2 v.2
  end.

Lemma noisy_vec_counted d (u v : @vec R d) :
  counted c (total_loss u v) (noisy_vec u) (noisy_vec v).
Proof.
elim: d u v => [|d IH] u v /=; first exact: (counted_same c nothing).
by apply: counted_both => // x; exact: f_counted.
Qed.

Lemma total_lossE d g h :
  total_loss (of_coord d g) (of_coord d h) = \sum_(i < d) loss (g i) (h i).
Proof. by elim: d => [|d IH]; rewrite ?big_ord0// big_ord_recr /= IH. Qed.

(** One release of a vector that depends measurably on the past. *)
Definition vec_step (X : space R) d (q : X -> @vec R d) (mq : measurable_fun setT q) :
  step X (@vec R d).
Proof.
refine (@Step R X (@vec R d) (fun x y => noisy_vec (q x) y) _ _ _).
- by move=> x y; exact: pdf_ge0.
- apply: measurable_fun_noisy_vec; last exact: (@measurable_fun_snd _ _ X (@vec R d)).
  exact: (measurable_fun_comp mq (@measurable_fun_fst _ _ X (@vec R d))).
- by move=> x; exact: (pdf_mass (noisy_vec (q x))).
Defined.
End vectors.

(** * Gaussian and Laplace releases *)

Section additive.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (past : space R) (d : nat).
(** A query: coordinate i of what is released, given the data and the past. *)
Variables (query : D -> past -> nat -> R).
Hypothesis mquery : forall x i, measurable_fun setT (query x ^~ i).
Variables (Delta : I -> R) (s : R).
Hypothesis s_gt0 : 0 < s.

Let q x h : @vec R d := of_coord d (query x h).
Let mq x : measurable_fun setT (q x).
Proof. by apply: measurable_fun_of_coord => i; exact: mquery. Qed.

Section gaussian.
Hypothesis sensitivity : forall i x x' h, differ i x x' ->
  \sum_(j < d) (query x h j - query x' h j) ^+ 2 <= Delta i ^+ 2.

Let mnormal d0 (X : measurableType d0) (c y : X -> R) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => normal s_gt0 (c x) (y x)).
Proof. exact: measurable_fun_normal. Qed.

Let gaussian_noise x := vec_step mnormal (mq x).

Definition gaussian_release : release differ Gaussian past (@vec R d).
Proof.
refine (Release (Description Gaussian_noise d Delta s) gaussian_noise
  (fun i => Delta i ^+ 2 / s ^+ 2) _) => i x x' h n.
have H := noisy_vec_counted mnormal (c := Gaussian) (normal_gclose s_gt0) (q x h) (q x' h).
apply: (counted_le (c := Gaussian) (p := noisy_vec mnormal (q x h))
  (q := noisy_vec mnormal (q x' h)) _ H).
rewrite total_lossE -mulr_suml ler_wpmul2r ?sensitivity//.
by rewrite invr_ge0 exprn_ge0// ltW.
Defined.

(** The same noise, counted in zCDP: among selections. *)
Definition concentrated_gaussian_release : release differ Concentrated past (@vec R d).
Proof.
refine (Release (Description Gaussian_noise d Delta s) gaussian_noise
  (fun i => Delta i ^+ 2 / (2 * s ^+ 2)) _) => i x x' h n.
have H := noisy_vec_counted mnormal (c := Concentrated) (normal_zclose s_gt0) (q x h) (q x' h).
apply: (counted_le (c := Concentrated) (p := noisy_vec mnormal (q x h))
  (q := noisy_vec mnormal (q x' h)) _ H).
rewrite total_lossE -mulr_suml ler_wpmul2r ?sensitivity//.
by rewrite invr_ge0 mulr_ge0 ?ler0n// exprn_ge0// ltW.
Defined.
End gaussian.

Section laplace.
Hypothesis sensitivity : forall i x x' h, differ i x x' ->
  \sum_(j < d) `|query x h j - query x' h j| <= Delta i.

Let mlaplace d0 (X : measurableType d0) (c y : X -> R) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => laplace s_gt0 (c x) (y x)).
Proof. exact: measurable_fun_laplace. Qed.

Let noise_step x := vec_step mlaplace (mq x).

Definition laplace_release : release differ Pure past (@vec R d).
Proof.
refine (Release (Description Laplace_noise d Delta s) noise_step (fun i => Delta i / s) _) => i x x' h n.
have H := noisy_vec_counted mlaplace (c := Pure) (fun a b => laplace_ratio s_gt0 a b)
  (q x h) (q x' h).
apply: (counted_le (c := Pure) (p := noisy_vec mlaplace (q x h)) (q := noisy_vec mlaplace (q x' h)) _ H).
rewrite total_lossE -mulr_suml ler_pmul2r ?invr_gt0//; exact: sensitivity.
Defined.
End laplace.
End additive.

(** * Selection: the exponential mechanism over k + 1 candidates *)

Section finite.
Context {R : realType} (k : nat).

Let mu : {measure set nat -> \bar R} :=
  [the measure _ _ of @msum _ nat R (fun n => [the measure _ _ of @dirac _ nat n R]) k.+1].

Let mu_finite : (mu setT < +oo)%E.
Proof.
rewrite /mu /= /msum; apply/lte_sum_pinfty => i _.
by rewrite /= diracE; case: (_ \in _); rewrite ltry.
Qed.

Let mu_sigma_finite : sigma_finite setT mu.
Proof.
exists (fun=> setT); first by rewrite bigcup_const//; exists 0%N.
by move=> _; split.
Qed.

Definition candidates : space R :=
  @Space R _ [the measurableType _ of (nat : Type)] mu mu_sigma_finite.

Lemma integral_candidates (f : nat -> R) : (forall i, 0 <= f i) ->
  (\int[base candidates]_i (f i)%:E = (\sum_(i < k.+1) f i)%:E)%E.
Proof.
move=> f0; rewrite [LHS]ge0_integral_measure_sum//; last by move=> i _; rewrite lee_fin.
rewrite -sumEFin; apply: eq_bigr => i _.
by rewrite integral_dirac// indicE in_setT mul1e.
Qed.
End finite.

Section selection.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (past : space R) (k : nat).
Variables (score : D -> past -> nat -> R).
Hypothesis mscore : forall x i, measurable_fun setT (score x ^~ i).
Variables (Delta : I -> R) (rate : R).
Hypothesis rate_gt0 : 0 < rate.
Hypothesis sensitivity : forall i x x' h j, differ i x x' ->
  `|score x h j - score x' h j| <= Delta i.

Let Z x h : R := \sum_(j < k.+1) expR (rate * score x h j).

Lemma partition_gt0 x h : 0 < Z x h.
Proof.
rewrite /Z big_ord_recl ltr_spaddl ?expR_gt0//.
by apply: sumr_ge0 => i _; exact: expR_ge0.
Qed.

Definition chosen x h j : R := expR (rate * score x h j - ln (Z x h)).

Definition selection_step (x : D) : step past (candidates k).
Proof.
refine (@Step R past (candidates k) (chosen x) _ _ _).
- by move=> h j; exact: expR_ge0.
- apply: measurable_fun_nat => j; apply: (measurable_fun_comp measurable_fun_expR).
  apply: measurable_funB; first exact: measurable_funrM.
  apply: (measurable_fun_comp measurable_fun_ln); apply: measurable_fun_bigsum => i.
  by apply: (measurable_fun_comp measurable_fun_expR); exact: measurable_funrM.
- move=> h; rewrite integral_candidates => [|j]; last exact: expR_ge0.
  congr EFin; rewrite /chosen; under eq_bigr do rewrite expRD.
  rewrite -mulr_suml -/(Z x h) expRN lnK ?posrE ?partition_gt0// divff//.
  by rewrite gt_eqF// partition_gt0.
Defined.

Let score_le i x x' h j : differ i x x' ->
  rate * score x h j <= rate * Delta i + rate * score x' h j.
Proof.
move=> n; rewrite -mulrDr ler_wpmul2l ?(ltW rate_gt0)// -ler_subl_addr.
exact: (le_trans (ler_norm _) (sensitivity h j n)).
Qed.

Let partition_le i x x' h : differ i x x' -> ln (Z x h) <= rate * Delta i + ln (Z x' h).
Proof.
move=> n; rewrite -ler_expR lnK ?posrE ?partition_gt0// expRD lnK ?posrE ?partition_gt0//.
rewrite /Z mulr_sumr; apply: ler_sum => j _; rewrite -expRD ler_expR; exact: score_le.
Qed.

Hypothesis sym : forall i x x', differ i x x' -> differ i x' x.

Definition pure_selection : release differ Pure past (candidates k).
Proof.
refine (Release (Description Exponential_selection k.+1 Delta rate) selection_step (fun i => 2 * rate * Delta i) _) => i x x' h n j /=.
rewrite /chosen -expRD ler_expR (_ : 2 * rate * Delta i = rate * Delta i + rate * Delta i);
  last by ring.
have a := @score_le i x x' h j n; have b := @partition_le i x' x h (sym n).
rewrite ler_subl_addr (le_trans a)// -subr_ge0.
rewrite [leRHS](_ : _ = rate * Delta i + ln (Z x h) - ln (Z x' h)); last by ring.
by rewrite subr_ge0.
Defined.

(** The loss lies in an interval of length 2 rate Delta: (2 rate Delta)^2/8-zCDP. *)
Definition selection_release : release differ Concentrated past (candidates k).
Proof.
refine (Release (Description Exponential_selection k.+1 Delta rate) selection_step (fun i => (2 * rate * Delta i) ^+ 2 / 8) _) => i x x' h n /=.
have ms x0 : measurable_fun setT (selection_step x0 h).
  exact: (measurable_fun_prod1 h (@next_measurable _ _ _ (selection_step x0))).
pose slice x0 := @Density R (candidates k) (selection_step x0 h)
  (next_ge0 (selection_step x0) h) (ms x0) (next_mass (selection_step x0) h).
apply: (@bounded_range_zclose R (candidates k) (slice x) (slice x')
  (ln (Z x' h) - ln (Z x h) - rate * Delta i)).
  by rewrite mulr_ge0// ?mulr_ge0 ?ler0n ?(ltW rate_gt0)// (le_trans _ (sensitivity h 0 n)).
move=> j /=; rewrite /chosen -!expRD !ler_expR -subr_ge0 -[X in _ && X]subr_ge0.
have a := @score_le i x x' h j n; have b := @score_le i x' x h j (sym n).
rewrite -subr_ge0 in a; rewrite -subr_ge0 in b.
rewrite (_ : rate * score x h j - ln (Z x h) - _ =
  rate * Delta i + rate * score x h j - rate * score x' h j); last by ring.
rewrite b /= (_ : _ - (rate * score x h j - ln (Z x h)) =
  rate * Delta i + rate * score x' h j - rate * score x h j)//; ring.
Defined.
End selection.

(** * A pure release among concentrated ones *)

Section pure_to_concentrated.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (past out : space R).
Hypothesis sym : forall i x x', differ i x x' -> differ i x' x.
Variable r : release differ Pure past out.
Hypothesis cost_ge0 : forall i, 0 <= cost r i.

Definition concentrated_of_pure : release differ Concentrated past out.
Proof.
refine (Release (described r) (noisy r) (fun i => cost r i ^+ 2 / 2) _) => i x x' h n /=.
have m x0 : measurable_fun setT (noisy r x0 h).
  exact: (measurable_fun_prod1 h (@next_measurable _ _ _ (noisy r x0))).
pose slice x0 := @Density R out (noisy r x0 h) (next_ge0 (noisy r x0) h) (m x0)
  (next_mass (noisy r x0) h).
apply: (@pure_zclose R out (slice x) (slice x') _ (cost_ge0 i)) => o.
- exact: (bears r h n o).
- exact: (bears r h (sym n) o).
Defined.
End pure_to_concentrated.

(** * Selection whose partition does not depend on the data: randomized response *)

Section fair_selection.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (past : space R) (k : nat).
Variables (score : D -> past -> nat -> R).
Hypothesis mscore : forall x i, measurable_fun setT (score x ^~ i).
Variables (Delta : I -> R) (rate : R).
Hypothesis rate_gt0 : 0 < rate.
Hypothesis sensitivity : forall i x x' h j, differ i x x' ->
  `|score x h j - score x' h j| <= Delta i.
Hypothesis same_partition : forall i x x' h, differ i x x' ->
  \sum_(j < k.+1) expR (rate * score x h j) = \sum_(j < k.+1) expR (rate * score x' h j).

Definition fair_selection : release differ Pure past (candidates k).
Proof.
refine (Release (Description Exponential_selection k.+1 Delta rate)
  (selection_step k mscore rate) (fun i => rate * Delta i) _) => i x x' h n j /=.
rewrite /chosen (same_partition h n) -expRD ler_expR addrA ler_add2r -ler_subl_addr -mulrBr.
by rewrite ler_wpmul2l ?(ltW rate_gt0)// (le_trans (ler_norm _))// (sensitivity h j n).
Defined.
End fair_selection.
