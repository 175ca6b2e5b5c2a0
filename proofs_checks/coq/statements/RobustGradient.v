(** DP gradient EM with a robust mean, as a whole: sensitivity, noise, composition, conversion. *)
From Touchstone.core Require Import Everything.
From Touchstone.statements Require Import ZCDP Gaussian Sensitivity.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section robust_gradient.
Context {R : realType} (X : Type) (n d T : nat) (chi : {measure set R -> \bar R}) (s sigma : R).
Hypotheses (chi_probability : probability chi) (s_gt0 : 0 < s) (sigma_gt0 : 0 < sigma).
Let O (_ : nat) := @vec R d.

(** Coordinate j of a record's gradient at the parameter that follows from the releases so far. *)
Variable coordinate : forall t, transcript O t -> nat -> X -> R.
Hypothesis mcoordinate : forall t j r, measurable_fun setT (fun past => @coordinate t past j r).

(** The robust mean of the gradients, coordinate by coordinate. *)
Definition gradient t (data : 'I_n -> X) (past : transcript O t) (j : nat) : R :=
  average (smoothed chi s \o coordinate past j) data.

Lemma measurable_fun_gradient t data j :
  measurable_fun setT (fun past => @gradient t data past j).
Proof.
apply: (measurable_fun_mean n%:R xpredT
  (v := fun past r => smoothed chi s (@coordinate t past j r)) data) => r.
exact: (measurable_fun_comp (measurable_fun_smoothed s chi_probability) (@mcoordinate t j r)).
Qed.

(** The algorithm's releases: T noisy robust means. *)
Definition robust_gradient_releases (data : 'I_n -> X) : density (transcript O T) :=
  run (O := O) (fun t => gaussian_step d sigma_gt0 (@measurable_fun_gradient t data)) T.

(** 004 Theorem 7.2.2 (l.9621, proof l.9964-9978; Algorithm 7.2.56, l.9639).
    Printed: Algorithm 7.2.56 is (epsilon, delta)-DP for 0 < epsilon, delta < 1. In each of T
    iterations it releases the d coordinates of a robust mean of the n records' gradients, each
    with Gaussian noise of variance 8 tau d T/(9 beta n te^2), te^2 = [zCDP_budget epsilon delta].
    Proved: the same, for every epsilon > 0 and delta < 1, every law of eta and every measurable
    rule by which the next parameter, and so coordinate j of a record's gradient
    ([coordinate past j]), follows from the releases so far. The variance is
    16 s^2 d T/(9 n^2 te^2): at the algorithm's s = sqrt(n tau/(2 beta)) the printed one.
    000 Theorem 4 (l.273) is this on disjoint blocks of m records; as printed there the estimator
    (23) does not have the sensitivity that its proof uses. *)
Theorem robust_gradient_DP (epsilon delta : R) : 0 < epsilon -> 0 < delta < 1 ->
  sigma ^+ 2 = 16 * s ^+ 2 * d%:R * T%:R / (9 * n%:R ^+ 2 * zCDP_budget epsilon delta) ->
  DP (near (@replace X n)) (fun data => [the measure _ _ of law (robust_gradient_releases data)])
    epsilon delta.
Proof.
move=> e0 /andP[d0 d1] variance; set B := zCDP_budget epsilon delta in variance.
pose each : R := s / n%:R * (4 * Num.sqrt 2 / 3).
have each0 : 0 <= each.
  by rewrite mulr_ge0 ?divr_ge0 ?mulr_ge0 ?sqrtr_ge0 ?ler0n// ltW.
have := exprn_gt0 2 sigma_gt0; rewrite variance.
have [->|n0] := eqVneq (n%:R : R) 0; first by rewrite expr0n mulr0 mul0r invr0 mulr0 ltxx.
have [->|B0] := eqVneq B 0; first by rewrite mulr0 invr0 mulr0 ltxx.
have [->|T0] := eqVneq (T%:R : R) 0; first by rewrite mulr0 mul0r ltxx.
have [->|dR0] := eqVneq (d%:R : R) 0; first by rewrite mulr0 !mul0r ltxx.
move=> _; apply: (@adaptive_gaussian_DP R d sigma sigma_gt0 _ _ gradient measurable_fun_gradient
  (Num.sqrt d%:R * each)) => //.
- exact: ltW.
- by rewrite d0 ltW.
- move=> t past data data' [k N]; rewrite /l2_distance.
  have -> : Num.sqrt d%:R * each = Num.sqrt (\sum_(i < d) each ^+ 2).
    by rewrite sumr_const card_ord -[in RHS]mulr_natl sqrtrM ?ler0n// sqrtr_sqr ger0_norm.
  rewrite ler_wsqrtr//; apply: ler_sum => i _.
  rewrite -[_ ^+ 2]ger0_norm ?sqr_ge0// normrX ler_expn2r ?nnegrE ?normr_ge0//.
  exact: (robust_mean_sensitivity chi_probability s_gt0 (coordinate past i) N).
rewrite -/B variance exprMn sqr_sqrtr ?ler0n//.
have -> : each ^+ 2 = s ^+ 2 / n%:R ^+ 2 * (16 * Num.sqrt 2 ^+ 2 / 9) by rewrite /each; field.
rewrite sqr_sqrtr ?ler0n//; field.
by rewrite n0 B0 T0 dR0 gt_eqF.
Qed.
End robust_gradient.
