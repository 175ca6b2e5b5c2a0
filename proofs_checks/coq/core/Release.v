(** Algorithms as sequences of releases; what one unit of the data bears. *)
From Touchstone.core Require Import Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Three ways to count: pure (epsilon), concentrated (rho), Gaussian (mu^2) *)

Inductive notion := Pure | Concentrated | Gaussian.

Section notions.
Context {R : realType}.

Definition pclose (X : space R) (e : R) (p q : X -> R) := forall x, p x <= expR e * q x.

Definition counted (c : notion) (X : space R) : R -> (X -> R) -> (X -> R) -> Prop :=
  match c with Pure => @pclose X | Concentrated => @zclose R X | Gaussian => @gclose R X end.

Lemma pclose_both (X Y : space R) (p q : density X) (k l : step X Y) a b :
  pclose a p q -> (forall x, pclose b (k x) (l x)) -> pclose (a + b) (both p k) (both q l).
Proof.
move=> H1 H2 [x y]; rewrite /= /both_pdf /= expRD mulrACA.
by rewrite ler_pmul ?pdf_ge0 ?next_ge0//; exact: H2.
Qed.

Lemma counted_both c (X Y : space R) (p q : density X) (k l : step X Y) a b :
  counted c a p q -> (forall x, counted c b (k x) (l x)) ->
  counted c (a + b) (both p k) (both q l).
Proof. by case: c; [exact: pclose_both|exact: zclose_both|exact: gclose_both]. Qed.

Lemma counted_same c (X : space R) (p : density X) : counted c 0 p p.
Proof. by case: c; [move=> x; rewrite expR0 mul1r|exact: zclose_same|exact: gclose_same]. Qed.

Lemma counted_le c (X : space R) (p q : density X) a b :
  a <= b -> counted c a p q -> counted c b p q.
Proof.
case: c => ab; [|exact: zclose_le|exact: gclose_le].
by move=> H x; apply: (le_trans (H x)); rewrite ler_wpmul2r ?pdf_ge0// ler_expR.
Qed.
End notions.

(** * Releases and algorithms: what an instance fills in *)

Section algorithms.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop).

(** [differ i x x']: the data sets x and x' differ in unit i only (a record, a user, a label). *)
Definition near (x x' : D) := exists i, differ i x x'.

(** What a release says of itself: its constructor fills it in with the terms of its own noise. *)
Inductive kind :=
  Gaussian_noise | Laplace_noise | Exponential_selection | Noisy_max | Smooth_noise.
Record description := Description {
  kind_of : kind;
  dimension : nat;
  sensitivity_of : I -> R;
  scale_of : R }.

(** One release, given all that was released before ([past]); [cost i] is what unit i bears. *)
Record release (c : notion) (past out : space R) := Release {
  described : description;
  noisy : D -> step past out;
  cost : I -> R;
  bears : forall i x x' h, differ i x x' -> counted c (cost i) (noisy x h) (noisy x' h) }.

Variable c : notion.

(** An algorithm: what its steps release; everything that it returns is computed from that. *)
Record algorithm := Algorithm {
  out : nat -> space R;
  steps : nat;
  step_of : forall t, release c (transcript out t) (out t) }.

Definition execute (A : algorithm) (x : D) : density (transcript (out A) (steps A)) :=
  run (fun t => noisy (step_of A t) x) (steps A).

Definition total (A : algorithm) (i : I) : R := \sum_(t < steps A) cost (step_of A t) i.

Lemma total_const (A : algorithm) i r :
  (forall t, cost (step_of A t) i = r) -> total A i = (steps A)%:R * r.
Proof. by move=> e; rewrite /total (eq_bigr (fun=> r))// sumr_const card_ord mulr_natl. Qed.

(** Disjoint blocks, local users: unit i bears one release at most. *)
Lemma total_once (A : algorithm) i r : 0 <= r ->
  (forall t, cost (step_of A t) i = 0 \/ cost (step_of A t) i <= r) ->
  (forall t u, cost (step_of A t) i != 0 -> cost (step_of A u) i != 0 -> t = u) ->
  total A i <= r.
Proof.
move=> r0 c01 once; rewrite /total.
have [[u u0]|none] := pselect (exists u : 'I_(steps A), cost (step_of A u) i != 0).
  rewrite (bigD1 u)//= big1 ?addr0 => [|t tu]; last first.
    apply/eqP; apply: contraNT tu => t0; apply/eqP/val_inj; exact: once.
  by have [z|//] := c01 u; rewrite z eqxx in u0.
rewrite big1// => t _; apply/eqP; apply: contrapT => /negP t0; apply: none; by exists t.
Qed.

Lemma counted_run (O : nat -> space R) (M M' : forall t, step (transcript O t) (O t)) r T :
  (forall t h, counted c (r t) (M t h) (M' t h)) ->
  counted c (\sum_(t < T) r t) (run M T) (run M' T).
Proof.
move=> H; elim: T => [|T IH]; first by rewrite big_ord0; exact: counted_same.
by rewrite big_ord_recr /=; apply: counted_both.
Qed.

Theorem algorithm_counted (A : algorithm) i x x' :
  differ i x x' -> counted c (total A i) (execute A x) (execute A x').
Proof.
move=> n; apply: (counted_run (M := fun t => noisy (step_of A t) x)
  (M' := fun t => noisy (step_of A t) x') (r := fun t => cost (step_of A t) i)) => t h.
exact: bears.
Qed.
End algorithms.
Arguments near {D I}.
Arguments release {R D I}.
Arguments algorithm R {D I}.
Arguments Release {R D I differ c past out}.
Arguments Algorithm {R D I differ c out}.

(** * The theorems that every instance uses *)

Section theorems.
Context {R : realType} (D I : Type) (differ : I -> D -> D -> Prop).
Local Notation near := (near differ).

(** Everything that is computed from an outcome of M is (e, dl)-DP. *)
Definition private_density (X : space R) (M : D -> density X) (e dl : R) : Prop :=
  forall d (U : measurableType d) (f : X -> U) (mf : measurable_fun setT f),
  DP near (fun x => [the measure _ _ of pushforward [the measure _ _ of law (M x)] mf]) e dl.

(** Everything that is computed from the releases is (e, dl)-DP. *)
Definition private c (A : algorithm R differ c) (e dl : R) : Prop :=
  private_density (execute A) e dl.

(** mu-Gaussian-DP: (e, dl)-DP for every e, with the exact dl of normal noise. *)
Definition gaussian_private (A : algorithm R differ Gaussian) (mu : R) : Prop :=
  forall e dl, (gaussian_delta mu e <= dl%:E)%E -> private A e dl.

(** rho-zCDP, hence (e, dl)-DP with e = rho + 2 sqrt(rho log(1/dl)) for every dl. *)
Definition concentrated_private c (A : algorithm R differ c) (rho : R) : Prop :=
  zCDP near (execute A) rho /\
  (0 < rho -> forall dl, 0 < dl < 1 -> private A (rho + 2 * Num.sqrt (rho * ln dl^-1)) dl).

Theorem gaussian_algorithm (A : algorithm R differ Gaussian) mu :
  0 <= mu -> (forall i, total A i <= mu ^+ 2) -> gaussian_private A mu.
Proof.
move=> mu0 le e dl delta d U f mf; apply: post_processing => x x' [i n].
apply: (@gclose_close _ _ _ _ (mu ^+ 2)).
  exact: (gclose_le (le i) (@algorithm_counted R D I differ Gaussian A i x x' n)).
by rewrite sqrtr_sqr ger0_norm.
Qed.

Theorem concentrated_algorithm (A : algorithm R differ Concentrated) rho :
  (forall i, total A i <= rho) -> concentrated_private A rho.
Proof.
move=> le; have z : zCDP near (execute A) rho.
  move=> x x' [i n]; apply: (zclose_le (le i)).
  exact: (@algorithm_counted R D I differ Concentrated A i x x' n).
by split => // r0 dl d01 d U f mf; apply: post_processing; exact: zCDP_to_DP.
Qed.

Theorem pure_algorithm (A : algorithm R differ Pure) e :
  (forall i, total A i <= e) -> private A e 0.
Proof.
move=> le d U f mf; apply: post_processing; apply: densities_DP => x x' o [i n].
exact: (counted_le (le i) (@algorithm_counted R D I differ Pure A i x x' n)).
Qed.
End theorems.
