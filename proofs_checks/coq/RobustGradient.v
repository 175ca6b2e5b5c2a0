(** DP gradient EM with a robust mean, as a whole: sensitivity, noise, composition, conversion. *)

From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Touchstone Require Import Definitions Composition ZCDP Line Gaussian Sensitivity.
Import ListNotations.
Open Scope R_scope.

(** Many Gaussian releases of one number, each query chosen in the light of all earlier outputs
    ([query past]), together (epsilon, delta)-DP. The last hypothesis is that transcripts have a
    divergence, that is, that what depends on the past does so measurably. *)
Theorem adaptive_gaussian_DP {D} (near : D -> D -> Prop) (query : list R -> D -> R)
    (Delta sigma epsilon delta : R) (steps : nat) :
  0 < sigma -> 0 <= epsilon -> 0 < delta <= 1 ->
  (forall past x x', near x x' -> Rabs (query past x - query past x') <= Delta) ->
  INR steps * (Delta ^ 2 / (2 * sigma ^ 2)) = zCDP_budget epsilon delta ->
  let M := fun past x => normal sigma (query past x) in
  (forall x x' alpha t, near x x' -> 1 < alpha -> integrable (power line t)
    (fun past => renyi_term alpha (transcript M x past) (transcript M x' past))) ->
  DP near (power line steps) (transcript M) epsilon delta.
Proof.
  intros Hs He Hd Sens Budget M Meas.
  assert (Hr : 0 <= Delta ^ 2 / (2 * sigma ^ 2)).
  { unfold Rdiv. apply Rmult_le_pos; [apply pow2_ge_0|]. left. apply Rinv_0_lt_compat.
    assert (0 < sigma ^ 2) by (apply pow_lt; auto). lra. }
  apply zCDP_budget_suffices; auto.
  { intros x. apply transcript_law. intros past. apply normal_law. auto. }
  assert (E : sum (seq 0 steps) (fun _ => Delta ^ 2 / (2 * sigma ^ 2)) =
              zCDP_budget epsilon delta).
  { rewrite <- Budget. generalize (Delta ^ 2 / (2 * sigma ^ 2)). clear. intros c.
    generalize 0%nat. induction steps as [|k IH]; intros n; [simpl; lra|].
    change (c + sum (seq (S n) k) (fun _ => c) = INR (S k) * c). rewrite IH, S_INR. lra. }
  rewrite <- E. apply zCDP_composition; auto.
  - intros past x o. left. apply normal_pos. auto.
  - intros past x x' Hn. split.
    { intros o Z. pose proof (normal_pos sigma (query past x') o Hs). unfold M in Z. lra. }
    intros alpha Ha. pose proof (normal_renyi sigma alpha (query past x) (query past x') Hs) as R.
    split; [exact (line_integrable _ _ R)|].
    apply le_renyi; auto. unfold M. rewrite (line_value _ _ R). apply exp_le.
    specialize (Sens past x x' Hn). set (w := query past x - query past x') in *.
    assert (w ^ 2 <= Delta ^ 2).
    { rewrite <- (pow2_abs w). pose proof (Rabs_pos w). apply pow_incr. lra. }
    assert (0 < / (2 * sigma ^ 2)).
    { apply Rinv_0_lt_compat. assert (0 < sigma ^ 2) by (apply pow_lt; auto). lra. }
    unfold Rdiv. replace ((alpha - 1) * (Delta ^ 2 * / (2 * sigma ^ 2) * alpha)) with
      (alpha * (alpha - 1) * Delta ^ 2 * / (2 * sigma ^ 2)) by ring.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [|auto].
    apply Rmult_le_pos; lra.
Qed.

(** 004 Theorem 7.2.2 (l.9621, proof l.9964-9978; Algorithm 7.2.56, l.9639).
    Printed: Algorithm 7.2.56 is (epsilon, delta)-DP for 0 < epsilon, delta < 1. In each of T
    iterations it releases the d coordinates of a robust mean of the records' gradients, each
    with Gaussian noise that makes it te^2/(dT)-zCDP, te^2 = [zCDP_budget epsilon delta].
    Proved: the same, with steps = dT and n records, for every epsilon > 0 and delta < 1, every
    law of eta and every rule by which the next parameter, and so the next [coordinate] of a
    record's gradient, follows from the releases so far. The noise is the one that the printed
    proof asks for, sigma^2 = steps Delta^2/(2 te^2), Delta = (s/n)(4 sqrt(2)/3), that is,
    16 s^2 d T/(9 n^2 te^2); at s = sqrt(n tau/(2 beta)), the printed 8 tau d T/(9 beta n te^2).
    000 Theorem 4 (l.273) is this with disjoint blocks of m records, each read by d releases; as
    printed there the estimator (23) does not have the sensitivity that its proof uses. *)
Theorem robust_gradient_DP {X E} (I : integral E) (chi eta : E -> R) (s : R)
    (coordinate : list R -> X -> R) (n steps : nat) (sigma epsilon delta : R) :
  0 < s -> 0 < sigma -> 0 < epsilon -> 0 < delta < 1 ->
  law I chi ->
  (forall x, integrable I (fun e => chi e * phi ((x + eta e * x) / s))) ->
  sigma ^ 2 = 16 * s ^ 2 * INR steps / (9 * INR n ^ 2 * zCDP_budget epsilon delta) ->
  let near := fun data data' => length data = n /\ replace_one data data' in
  let robust_mean := fun past => mean (fun r => smoothed I chi eta s (coordinate past r)) in
  let M := fun past data => normal sigma (robust_mean past data) in
  (forall data data' alpha t, near data data' -> 1 < alpha -> integrable (power line t)
    (fun past => renyi_term alpha (transcript M data past) (transcript M data' past))) ->
  DP near (power line steps) (transcript M) epsilon delta.
Proof.
  intros Hs Hsigma He Hd Hchi Hphi Variance near robust_mean M Meas.
  set (B := zCDP_budget epsilon delta) in *.
  assert (S2 : 0 < sigma ^ 2) by (apply pow_lt; auto).
  assert (N : INR n <> 0).
  { intros Z. rewrite Z in Variance. unfold Rdiv in Variance.
    replace (9 * 0 ^ 2 * B) with 0 in Variance by ring. rewrite Rinv_0 in Variance. lra. }
  assert (NB : B <> 0).
  { intros Z. rewrite Z, Rmult_0_r in Variance. unfold Rdiv in Variance.
    rewrite Rinv_0 in Variance. lra. }
  assert (NT : INR steps <> 0).
  { intros Z. rewrite Z in Variance. unfold Rdiv in Variance. lra. }
  apply (adaptive_gaussian_DP near robust_mean (s / INR n * (4 * sqrt 2 / 3))); auto; try lra.
  - intros past data data' [L R]. rewrite <- L. apply robust_mean_sensitivity; auto.
  - fold B. rewrite Variance. replace ((s / INR n * (4 * sqrt 2 / 3)) ^ 2) with
      (s ^ 2 / INR n ^ 2 * (16 * (sqrt 2 * sqrt 2) / 9)) by (field; auto).
    rewrite sqrt_sqrt by lra. field. repeat split; auto; lra.
Qed.
