(** DP gradient EM with a robust mean, as a whole: sensitivity, noise, composition, conversion. *)

From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions Composition ZCDP Line Gaussian Sensitivity.
Import ListNotations.
Open Scope R_scope.

(** 004 l.2738, the noise, corrected (L, a smoothness, is printed where the Lipschitz constant G
    must be, and epsilon outside the root). T Gaussian releases of a vector, each query chosen in
    the light of all earlier outputs ([query past]), are together (epsilon, delta)-DP if
    T Delta^2/(2 sigma^2) = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2; for a mean of n
    gradients of norm at most G, Delta = 2G/n, that is sigma^2 = 2 G^2 T/(n^2 (...)^2).
    The last hypothesis is that transcripts have a divergence, that is, that what depends on the
    past does so measurably. *)
Theorem adaptive_gaussian_DP {D} (near : D -> D -> Prop) (d : nat)
    (query : list (list R) -> D -> list R) (Delta sigma epsilon delta : R) (T : nat) :
  0 < sigma -> 0 <= Delta -> 0 <= epsilon -> 0 < delta <= 1 ->
  (forall past x, length (query past x) = d) ->
  (forall past x x', near x x' ->
    sqrt (squared_distance (query past x) (query past x')) <= Delta) ->
  INR T * (Delta ^ 2 / (2 * sigma ^ 2)) = zCDP_budget epsilon delta ->
  let M := fun past x => normal_vector sigma (query past x) in
  (forall x x' alpha t, near x x' -> 1 < alpha -> integrable (power (power line d) t)
    (fun past => renyi_term alpha (transcript M x past) (transcript M x' past))) ->
  DP near (power (power line d) T) (transcript M) epsilon delta.
Proof.
  intros Hs HD He Hd Hl Sens Budget M Meas.
  apply zCDP_budget_suffices; auto.
  { intros x. apply transcript_law. intros past. rewrite <- (Hl past x).
    apply normal_vector_law. auto. }
  assert (E : sum (seq 0 T) (fun _ => Delta ^ 2 / (2 * sigma ^ 2)) =
              zCDP_budget epsilon delta).
  { rewrite <- Budget. generalize (Delta ^ 2 / (2 * sigma ^ 2)). clear. intros c.
    generalize 0%nat. induction T as [|k IH]; intros n; [simpl; lra|].
    change (c + sum (seq (S n) k) (fun _ => c) = INR (S k) * c). rewrite IH, S_INR. lra. }
  rewrite <- E. apply zCDP_composition; auto.
  - intros past x o. left. apply normal_vector_pos. auto.
  - intros _. unfold Rdiv. apply Rmult_le_pos; [apply pow2_ge_0|]. left.
    apply Rinv_0_lt_compat. assert (0 < sigma ^ 2) by (apply pow_lt; auto). lra.
  - intros past. apply gaussian_zCDP; auto.
Qed.

(** The l2 distance of vectors whose d coordinates differ by at most [c]. *)
Lemma squared_distance_le (f g : nat -> R) (c : R) (indices : list nat) :
  (forall j, Rabs (f j - g j) <= c) ->
  squared_distance (map f indices) (map g indices) <= INR (length indices) * c ^ 2.
Proof.
  intros H. induction indices as [|j rest IH]; [simpl; lra|].
  change ((f j - g j) ^ 2 + squared_distance (map f rest) (map g rest) <=
    INR (S (length rest)) * c ^ 2).
  rewrite S_INR. specialize (H j). pose proof (Rabs_pos (f j - g j)).
  assert ((f j - g j) ^ 2 <= c ^ 2); [|lra].
  rewrite <- (pow2_abs (f j - g j)). apply pow_incr. lra.
Qed.

(** 004 Theorem 7.2.2 (l.9621, proof l.9964-9978; Algorithm 7.2.56, l.9639).
    Printed: Algorithm 7.2.56 is (epsilon, delta)-DP for 0 < epsilon, delta < 1. In each of T
    iterations it releases the d coordinates of a robust mean of the n records' gradients, each
    with Gaussian noise of variance 8 tau d T/(9 beta n te^2), te^2 = [zCDP_budget epsilon delta].
    Proved: the same, for every epsilon > 0 and delta < 1, every law of eta and every rule by
    which the next parameter, and so coordinate j of a record's gradient ([coordinate past j]),
    follows from the releases so far. The variance is 16 s^2 d T/(9 n^2 te^2): at the algorithm's
    s = sqrt(n tau/(2 beta)) the printed one. The last hypothesis is measurability, as above.
    000 Theorem 4 (l.273) is this on disjoint blocks of m records; as printed there the estimator
    (23) does not have the sensitivity that its proof uses. *)
Theorem robust_gradient_DP {X E} (I : integral E) (chi eta : E -> R) (s : R)
    (coordinate : list (list R) -> nat -> X -> R) (n d T : nat) (sigma epsilon delta : R) :
  0 < s -> 0 < sigma -> 0 < epsilon -> 0 < delta < 1 ->
  law I chi ->
  (forall x, integrable I (fun e => chi e * phi ((x + eta e * x) / s))) ->
  sigma ^ 2 = 16 * s ^ 2 * INR d * INR T / (9 * INR n ^ 2 * zCDP_budget epsilon delta) ->
  let near := fun data data' => length data = n /\ replace_one data data' in
  let gradient := fun past data => map (fun j =>
    mean (fun r => smoothed I chi eta s (coordinate past j r)) data) (seq 0 d) in
  let M := fun past data => normal_vector sigma (gradient past data) in
  (forall data data' alpha t, near data data' -> 1 < alpha ->
    integrable (power (power line d) t)
      (fun past => renyi_term alpha (transcript M data past) (transcript M data' past))) ->
  DP near (power (power line d) T) (transcript M) epsilon delta.
Proof.
  intros Hs Hsigma He Hd Hchi Hphi Variance near gradient M Meas.
  set (B := zCDP_budget epsilon delta) in *.
  assert (S2 : 0 < sigma ^ 2) by (apply pow_lt; auto).
  assert (N : INR n <> 0).
  { intros Z. rewrite Z in Variance. unfold Rdiv in Variance.
    replace (9 * 0 ^ 2 * B) with 0 in Variance by ring. rewrite Rinv_0 in Variance. lra. }
  assert (NB : B <> 0).
  { intros Z. rewrite Z, Rmult_0_r in Variance. unfold Rdiv in Variance.
    rewrite Rinv_0 in Variance. lra. }
  assert (NT : INR T <> 0).
  { intros Z. rewrite Z in Variance. unfold Rdiv in Variance. lra. }
  assert (ND : INR d <> 0).
  { intros Z. rewrite Z in Variance. unfold Rdiv in Variance. lra. }
  set (each := s / INR n * (4 * sqrt 2 / 3)).
  assert (P : 0 <= each).
  { unfold each, Rdiv. pose proof (pos_INR n). pose proof (sqrt_pos 2).
    assert (0 < / INR n) by (apply Rinv_0_lt_compat; lra). repeat apply Rmult_le_pos; lra. }
  apply (adaptive_gaussian_DP near d gradient (sqrt (INR d) * each)); auto; try lra.
  - apply Rmult_le_pos; [apply sqrt_pos | exact P].
  - intros past data. unfold gradient. rewrite map_length, seq_length. reflexivity.
  - intros past data data' [L R].
    rewrite <- (sqrt_pow2 each P), <- sqrt_mult by (try apply pos_INR; apply pow2_ge_0).
    apply sqrt_le_1_alt. unfold gradient.
    replace (INR d) with (INR (length (seq 0 d))) by (rewrite seq_length; reflexivity).
    apply squared_distance_le.
    intros j. unfold each. rewrite <- L. apply robust_mean_sensitivity; auto.
  - fold B. rewrite Variance.
    assert (Q : (sqrt (INR d) * each) ^ 2 =
      (sqrt (INR d) * sqrt (INR d)) * (s ^ 2 / INR n ^ 2 * (16 * (sqrt 2 * sqrt 2) / 9)))
      by (unfold each; field; auto).
    rewrite Q, !sqrt_sqrt by (try apply pos_INR; lra). field. repeat split; auto; lra.
Qed.
