(** Report noisy max with Laplace noise: the candidate with the largest noisy score is selected. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * A step, followed by a function with values among k + 1 candidates *)

Section coarsening.
Context {R : realType} (X Y : space R) (k : nat) (p : step X Y) (f : X * Y -> nat).
Hypotheses (mf : measurable_fun setT f) (f_le : forall z, (f z <= k)%N).

Let weight j (z : X * Y) : R := (f z == j)%:R * p z.1 z.2.

Let weight_ge0 j z : 0 <= weight j z.
Proof. by rewrite mulr_ge0 ?ler0n ?next_ge0. Qed.

Let weight_le j z : weight j z <= p z.1 z.2.
Proof. by rewrite ler_pimull ?next_ge0// lern1; case: (_ == _). Qed.

Let mweight j : measurable_fun setT (weight j).
Proof.
apply: measurable_funM; last exact: next_measurable.
by apply: (@measurable_fun_comp _ _ _ _ _ _ (fun i : nat => (i == j)%:R : R)).
Qed.

Let mass x j : \bar R := (\int[base Y]_y (weight j (x, y))%:E)%E.

Let mslice j x : measurable_fun setT (fun y => (weight j (x, y))%:E).
Proof. by apply/EFin_measurable_fun; exact: (measurable_fun_prod1 x (mweight j)). Qed.

Lemma coarse_ge0 x j : (0 <= mass x j)%E.
Proof. by apply: integral_ge0 => y _; rewrite lee_fin. Qed.

Lemma coarse_fin x j : mass x j \is a fin_num.
Proof.
rewrite ge0_fin_numE ?coarse_ge0// (@le_lt_trans _ _ 1%E)// ?ltry//.
rewrite -(next_mass p x); apply: (ge0_le_integral _ measurableT) => [y _||y _||y _].
- by rewrite lee_fin.
- exact: mslice.
- by rewrite lee_fin next_ge0.
- exact: next_EFin.
- by rewrite lee_fin weight_le.
Qed.

(** The probability of outcome j. *)
Definition coarse_pmf x j : R := fine (mass x j).

Lemma coarse_pmfE x j : (coarse_pmf x j)%:E = mass x j.
Proof. by rewrite fineK// coarse_fin. Qed.

Definition coarse : step X (candidates k).
Proof.
refine (@Step R X (candidates k) coarse_pmf _ _ _).
- by move=> x j; rewrite fine_ge0// coarse_ge0.
- apply: measurable_fun_nat => j.
  have m : measurable_fun setT (EFin \o weight j) by exact/EFin_measurable_fun.
  have := measurable_fun_fubini_tonelli_F (base_sigma_finite Y) _ m
    (fun z => (weight_ge0 j z : (0 <= (EFin \o weight j) z)%E)).
  by move=> mF; apply/EFin_measurable_fun; rewrite (_ : _ \o _ = mass^~ j)//;
    apply/funext => x; exact: coarse_pmfE.
- move=> x; rewrite integral_candidates => [|j]; last by rewrite fine_ge0// coarse_ge0.
  rewrite -sumEFin; under eq_bigr do rewrite coarse_pmfE.
  rewrite -ge0_integral_sum//; last first.
    by move=> j y _; rewrite lee_fin.
  rewrite -(next_mass p x); apply: eq_integral => y _.
  rewrite sumEFin /weight /= -mulr_suml; congr EFin.
  rewrite (bigD1 (Ordinal (f_le (x, y) : (f (x, y) < k.+1)%N)))//= eqxx big1 ?addr0 ?mul1r//.
  by move=> j /negbTE; rewrite -val_eqE /= eq_sym => ->.
Defined.
End coarsening.

(** * The winner: the first candidate of largest score among those that are left *)

Section winner.
Context {R : realType} (k : nat).
Implicit Types (excluded : nat -> bool) (y : nat -> R).

Definition wins excluded y i : bool :=
  ~~ excluded i && all (fun j => excluded j || (y j <= y i)) (iota 0 k.+1).

(** 0 if all are excluded. *)
Definition winner excluded y : nat :=
  if all excluded (iota 0 k.+1) then 0%N else find (wins excluded y) (iota 0 k.+1).

Let somebody excluded y : ~~ all excluded (iota 0 k.+1) ->
  has (wins excluded y) (iota 0 k.+1).
Proof.
rewrite -has_predC => /hasP[i0 i0s left0].
have i0k : (i0 < k.+1)%N by rewrite mem_iota in i0s.
case: (@Order.TotalTheory.arg_maxP _ _ _ (Ordinal i0k) (fun i : 'I_k.+1 => ~~ excluded i)
  (fun i : 'I_k.+1 => y i) left0) => i lefti largest.
apply/hasP; exists (val i); first by rewrite mem_iota /= add0n.
apply/andP; split => //; apply/allP => j; rewrite mem_iota => /andP[_ jk].
by case: (boolP (excluded j)) => //= leftj; exact: (largest (Ordinal jk)).
Qed.

Lemma winner_le excluded y : (winner excluded y <= k)%N.
Proof.
rewrite /winner; case: ifPn => // /somebody - /(_ y).
by rewrite has_find size_iota ltnS.
Qed.

(** A winner still wins if no score is raised by more than its own. *)
Lemma winner_keeps excluded y y' j : (forall i, y' i - y i <= y' j - y j) ->
  winner excluded y = j -> winner excluded y' = j.
Proof.
move=> raised; rewrite /winner; case: ifPn => // /somebody nobody e.
have h := nobody y; have jk : (j < k.+1)%N by rewrite -e has_find size_iota in h *.
have nthj i : (i < k.+1)%N -> nth 0%N (iota 0 k.+1) i = i by move=> ik; rewrite nth_iota.
have beaten i : y i <= y j -> y' i <= y' j.
  by move=> le; rewrite -(subrK (y i) (y' i)) -(subrK (y j) (y' j)) ler_add.
have beats i : y' j <= y' i -> y j <= y i.
  move=> le; have := raised i; rewrite ler_subl_addr => /(le_trans le).
  by rewrite -addrA ler_addl addrC subr_ge0.
have wj : wins excluded y j by have := nth_find 0%N h; rewrite e nthj.
have w'j : wins excluded y' j.
  move: wj => /andP[leftj /allP largest]; apply/andP; split => //; apply/allP => i ik.
  by have /orP[->//|le] := largest i ik; rewrite beaten ?orbT.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  by rewrite leqNgt; apply/negP => jf; have := before_find 0%N jf; rewrite nthj// w'j.
rewrite leqNgt; apply/negP => fj; set i := find _ _ in fj.
have h' := nobody y'; have ik : (i < k.+1)%N by rewrite (ltn_trans fj).
have w'i : wins excluded y' i by have := nth_find 0%N h'; rewrite nthj.
have : wins excluded y i.
  move: w'i => /andP[lefti /allP largest]; apply/andP; split => //; apply/allP => l lk.
  move: wj => /andP[leftj /allP top]; have /orP[->//|le] := top l lk.
  rewrite (le_trans le) ?orbT// beats//.
  by have := largest j; rewrite mem_iota jk (negbTE leftj) => /(_ isT).
by rewrite -e in fj; have := before_find 0%N fj; rewrite nthj// => ->.
Qed.

Section measurability.
Context d0 (Z : measurableType d0).

Lemma measurable_fun_all (q : Z -> nat -> bool) s : (forall i, measurable_fun setT (q ^~ i)) ->
  measurable_fun setT (fun z => all (q z) s).
Proof.
move=> mq; elim: s => [|i s IH] /=; first exact: measurable_fun_cst.
by apply: measurable_fun_ifT => //; exact: measurable_fun_cst.
Qed.

Lemma measurable_fun_find (q : Z -> nat -> bool) s : (forall i, measurable_fun setT (q ^~ i)) ->
  measurable_fun setT (fun z => find (q z) s).
Proof.
move=> mq; elim: s => [|i s IH] /=; first exact: measurable_fun_cst.
apply: measurable_fun_ifT => //; first exact: measurable_fun_cst.
exact: (@measurable_fun_comp _ _ _ _ _ _ S).
Qed.

Lemma measurable_fun_winner (excluded : Z -> nat -> bool) (y : Z -> nat -> R) :
  (forall i, measurable_fun setT (excluded ^~ i)) -> (forall i, measurable_fun setT (y ^~ i)) ->
  measurable_fun setT (fun z => winner (excluded z) (y z)).
Proof.
move=> me my; apply: measurable_fun_ifT.
- exact: measurable_fun_all.
- exact: measurable_fun_cst.
- apply: measurable_fun_find => i; apply: measurable_fun_ifT; last exact: measurable_fun_cst.
    exact: (@measurable_fun_comp _ _ _ _ _ _ negb).
  apply: measurable_fun_all => j; apply: measurable_fun_ifT => //; first exact: measurable_fun_cst.
  by apply: (measurable_fun_bool true); rewrite (_ : _ @^-1` _ = [set z | y z j <= y z i])//;
    exact: measurable_le.
Qed.
End measurability.
End winner.

(** * Translations of vectors *)

Section translation.
Context {R : realType}.

Fixpoint add_vec (d : nat) : @vec R d -> @vec R d -> @vec R d :=
  match d with 0%N => fun v _ => v | e.+1 => fun v c => (add_vec v.1 c.1, v.2 + c.2) end.

Lemma coord_add d (v c : @vec R d) i : coord (add_vec v c) i = coord v i + coord c i.
Proof. by elim: d v c => [|d IH] v c /=; [rewrite addr0|case: eqP]. Qed.

Lemma add_of_coord d f g :
  add_vec (@of_coord R d f) (of_coord d g) = of_coord d (fun i => f i + g i).
Proof. by elim: d => [//|d IH] /=; rewrite IH. Qed.

Lemma coord_of_coord d f i : coord (@of_coord R d f) i = if (i < d)%N then f i else 0.
Proof.
elim: d => [//|d IH] /=; rewrite IH ltnS [in RHS]leq_eqVlt; case: eqP => [->|]//.
Qed.

Lemma measurable_fun_add_vec d (c : @vec R d) : measurable_fun setT (fun v : @vec R d => add_vec v c).
Proof.
elim: d c => [|d IH] c; first exact: measurable_fun_id.
apply: measurable_fun_pair.
  exact: (measurable_fun_comp (IH c.1) (@measurable_fun_fst _ _ (vec d) (line R))).
apply: measurable_funD; last exact: measurable_fun_cst.
exact: (@measurable_fun_snd _ _ (vec d) (line R)).
Qed.

Lemma integral_add_vec d (F : @vec R d -> \bar R) (c : @vec R d) :
  measurable_fun setT F -> (forall y, 0 <= F y)%E ->
  (\int[base (vec d)]_y F (add_vec y c) = \int[base (vec d)]_y F y)%E.
Proof.
elim: d F c => [//|d IH] F c mF F0.
have mFc : measurable_fun setT (F \o (fun v : @vec R d.+1 => add_vec v c)).
  exact: (measurable_fun_comp mF (measurable_fun_add_vec c)).
rewrite [LHS](fubini_tonelli1 (@leb_sigma_finite R) _ mFc (fun z => F0 _)).
rewrite [RHS](fubini_tonelli1 (@leb_sigma_finite R) _ mF F0).
pose G (y : @vec R d) := (\int[@leb R]_z F (y, z))%E.
have mG : measurable_fun setT G.
  exact: (measurable_fun_fubini_tonelli_F (@leb_sigma_finite R) F mF F0).
have G0 y : (0 <= G y)%E by apply: integral_ge0.
rewrite -[RHS](IH G c.1 mG G0); apply: eq_integral => y _.
have := @integral_shift R (- c.2) (fun z => F (add_vec y c.1, z))
  (@measurable_fun_prod1 _ _ _ _ _ _ F (add_vec y c.1) mF) (fun z => F0 _).
by under eq_integral do rewrite opprK.
Qed.
End translation.

(** * The release *)

Section noisy_max.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop) (past : space R) (k : nat).
(** The score of candidate j, and who is left out, given what was released before. *)
Variables (score : D -> past -> nat -> R) (excluded : past -> nat -> bool).
Hypotheses (mscore : forall x i, measurable_fun setT (score x ^~ i))
  (mexcluded : forall i, measurable_fun setT (excluded ^~ i)).
Variables (Delta : I -> R) (s : R).
Hypothesis s_gt0 : 0 < s.
Hypothesis sensitivity : forall i x x' h j, differ i x x' ->
  `|score x h j - score x' h j| <= Delta i.

Let mlaplace d0 (X : measurableType d0) (c y : X -> R) :
  measurable_fun setT c -> measurable_fun setT y ->
  measurable_fun setT (fun x => laplace s_gt0 (c x) (y x)).
Proof. exact: measurable_fun_laplace. Qed.

Let q x h : @vec R k.+1 := of_coord k.+1 (score x h).
Let mq x : measurable_fun setT (q x).
Proof. by apply: measurable_fun_of_coord => i; exact: mscore. Qed.

Let noisy_scores x := vec_step mlaplace (mq x).

Let select (z : past * @vec R k.+1) : nat := winner k (excluded z.1) (coord z.2).

Let mselect : measurable_fun setT select.
Proof.
apply: measurable_fun_winner => i.
  by apply: (measurable_fun_comp (mexcluded i)); exact: measurable_fun_fst.
apply: (@measurable_fun_comp _ _ _ _ _ _ ((@coord R k.+1)^~ i)); first exact: measurable_fun_coord.
exact: (@measurable_fun_snd _ _ past (@vec R k.+1)).
Qed.

Definition noisy_max_step (x : D) : step past (candidates k) :=
  coarse (noisy_scores x) mselect (fun z => winner_le k (excluded z.1) (coord z.2)).

Let p (a : @vec R k.+1) : density (@vec R k.+1) := noisy_vec mlaplace a.
Let won h j (y : @vec R k.+1) : R := (winner k (excluded h) (coord y) == j)%:R.
Let chance h j a : \bar R := (\int[base (@vec R k.+1)]_y (won h j y * p a y)%:E)%E.

Let shifted d (c y a : @vec R d) :
  noisy_vec mlaplace (add_vec a c) (add_vec y c) = noisy_vec mlaplace a y.
Proof.
elim: d c y a => [//|d IH] c y a /=; rewrite /both_pdf /= IH; congr (_ * _).
by rewrite /noise_pdf opprD addrACA subrr addr0.
Qed.

Let mwon h j a : measurable_fun setT (fun y => (won h j y * p a y)%:E).
Proof.
apply/EFin_measurable_fun; apply: measurable_funM; last exact: pdf_measurable.
apply: (@measurable_fun_comp _ _ _ _ _ _ (fun i : nat => (i == j)%:R : R)) => //.
apply: measurable_fun_winner => i; first exact: measurable_fun_cst.
exact: measurable_fun_coord.
Qed.

Let won_ge0 h j a y : (0 <= (won h j y * p a y)%:E)%E.
Proof. by rewrite lee_fin mulr_ge0 ?ler0n ?pdf_ge0. Qed.

(** Scores that are raised by c, with candidate j's raised most: j wins more often. *)
Let raise h j a (c : nat -> R) : (forall i, c i <= c j) -> 0 <= c j ->
  (chance h j a <= chance h j (add_vec a (of_coord k.+1 c)))%E.
Proof.
move=> top cj; set v := of_coord _ _.
rewrite -[leRHS](integral_add_vec v (mwon h j _) (won_ge0 h j _)).
apply: (ge0_le_integral _ measurableT) => // [|y _].
  exact: (measurable_fun_comp (mwon h j _) (measurable_fun_add_vec v)).
have e : p (add_vec a v) (add_vec y v) = p a y := shifted v y a.
suff le : won h j y <= won h j (add_vec y v).
  have := ler_wpmul2r (pdf_ge0 (p a) y) le; rewrite -{2}e -lee_fin; exact.
rewrite /won; case: eqP => [w|_]; last by rewrite ler0n.
rewrite (winner_keeps _ w) ?eqxx// => i; have jk : (j < k.+1)%N by rewrite ltnS -w winner_le.
have E l : coord (add_vec y v) l - coord y l = coord v l by rewrite coord_add addrAC subrr add0r.
by rewrite !E !coord_of_coord jk; case: ifP.
Qed.

Let bigger h j a a' r : (forall y, p a y <= r * p a' y) -> 0 <= r ->
  (chance h j a <= r%:E * chance h j a')%E.
Proof.
move=> le r0; rewrite -(ge0_integralM _ measurableT (mwon h j a') (fun y _ => won_ge0 h j a' y))//.
apply: (ge0_le_integral _ measurableT) => [y _||y _||y _].
- exact: won_ge0.
- exact: mwon.
- by rewrite mule_ge0.
- exact: (measurable_funeM _ (mwon h j a')).
have w0 : 0 <= won h j y by rewrite ler0n.
  by have := ler_wpmul2l w0 (le y); rewrite (mulrCA (won h j y) r (p a' y)) -lee_fin (EFinM r).
Qed.

(** One selection costs 2 Delta/s: the winner's score is raised by 2 Delta. *)
Definition noisy_max_release : release differ Pure past (candidates k).
Proof.
refine (Release (Description Noisy_max k.+1 Delta s) noisy_max_step
  (fun i => 2 * Delta i / s) _) => i x x' h n j.
have D0 : 0 <= 2 * Delta i by rewrite mulr_ge0// (le_trans _ (sensitivity h 0 n)).
have E y : (noisy_max_step y h j)%:E = chance h j (q y h) by exact: coarse_pmfE.
suff : (chance h j (q x h) <= (expR (2 * Delta i / s))%:E * chance h j (q x' h))%E.
  by rewrite -(E x) -(E x') -(EFinM (expR _)) lee_fin.
pose c l : R := score x' h l - score x h l + if l == j then 2 * Delta i else 0.
have up l : 0 <= Delta i - (score x' h l - score x h l).
  by rewrite subr_ge0 (le_trans (ler_norm _))// distrC sensitivity.
have down l : 0 <= Delta i - (score x h l - score x' h l).
  by rewrite subr_ge0 (le_trans (ler_norm _))// sensitivity.
have c_le l : c l <= c j.
  rewrite /c eqxx; case: eqP => [->//|_]; rewrite -subr_ge0.
  rewrite [leRHS](_ : _ = Delta i - (score x' h l - score x h l) +
    (Delta i - (score x h j - score x' h j))); last by ring.
  by rewrite addr_ge0.
have cj : 0 <= c j.
  rewrite /c eqxx [leRHS](_ : _ = Delta i + (Delta i - (score x h j - score x' h j))); last by ring.
  by rewrite addr_ge0// (le_trans _ (sensitivity h 0 n)).
apply: (le_trans (raise h (q x h) c_le cj)); apply: bigger; last exact: expR_ge0.
move=> y; have := noisy_vec_counted mlaplace (c := Pure) (fun a b => laplace_ratio s_gt0 a b)
  (add_vec (q x h) (of_coord k.+1 c)) (q x' h).
move=> /(_ y)/le_trans; apply; rewrite ler_wpmul2r ?pdf_ge0// ler_expR.
rewrite /q add_of_coord total_lossE -mulr_suml ler_pmul2r ?invr_gt0//.
have t l : score x h l + c l - score x' h l = if l == j then 2 * Delta i else 0.
  by rewrite /c; ring.
under eq_bigr do rewrite t.
have others (l : 'I_k.+1) : val l != j -> `|if val l == j then 2 * Delta i else 0| = 0.
  by move=> /negbTE ->; rewrite normr0.
have [jk|jk] := ltnP j k.+1.
  by rewrite (bigD1 (Ordinal jk))//= eqxx ger0_norm// big1 ?addr0.
rewrite big1// => l _; apply: others; by apply: contraTneq (ltn_ord l) => ->; rewrite -leqNgt.
Defined.
End noisy_max.
