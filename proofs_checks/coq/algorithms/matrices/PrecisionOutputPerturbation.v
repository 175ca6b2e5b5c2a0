(** Output of a graphical lasso of a public number of steps, with Laplace noise (diss-6.3.50). *)
From Touchstone.core Require Import Everything Once Triangles Moments Splitting.

Section precision_output_perturbation.
Context {R : realType} (X : Type) (n p T : nat) (rho e eps : R).
(** A record scaled to norm at most 1; e is what the code allows for rounding. A p x p matrix is a
    vector of its rows, one after the other. The proximal operator of -log det, continued with the
    curvature at low and high beyond them, over 1/(low high); a public start. *)
Variables (row : X -> nat -> R) (prox : (nat -> R) -> nat -> R) (start : nat -> R).

Let low : R := 1 / (1 + rho * p%:R).
Let high : R := p%:R / rho.
Definition symmetric (u : nat -> R) : Prop :=
  forall a b, (a < p)%N -> (b < p)%N -> u (a * p + b)%N = u (b * p + a)%N.

Hypotheses (n_gt0 : (0 < n)%N) (p_gt0 : (0 < p)%N) (rho_gt0 : 0 < rho) (eps_gt0 : 0 < eps)
  (e_ge0 : 0 <= e) (e_lt : e < rho)
  (unit_ball : forall r, \sum_(a <- iota 0 p) row r a * row r a <= 1)
  (prox_close : forall u v, norm2 (p * p) (fun i => prox u i - prox v i) <=
    (high / (low + high)) ^+ 2 * norm2 (p * p) (fun i => u i - v i))
  (reflection_close : forall u v,
    norm2 (p * p) (fun i => (2 * prox u i - u i) - (2 * prox v i - v i)) <=
    ((high - low) / (high + low)) ^+ 2 * norm2 (p * p) (fun i => u i - v i))
  (prox_symmetric : forall u, symmetric u -> symmetric (prox u)) (start_symmetric : symmetric start).

Let pR : 0 < p%:R :> R. Proof. by rewrite ltr0n. Qed.
Let nR : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Let low_gt0 : 0 < low. Proof. by rewrite divr_gt0// addr_gt0// mulr_gt0. Qed.
Let low_high : low <= high.
Proof.
rewrite /low /high ler_pdivr_mulr ?addr_gt0 ?mulr_gt0// mulrDr mulr1.
have -> : p%:R / rho * (rho * p%:R) = (p * p)%:R by rewrite natrM mulrA divfK ?gt_eqF.
rewrite -[leLHS]add0r ler_add ?divr_ge0 ?(ltW rho_gt0) ?ler0n//.
by rewrite ler1n muln_gt0 p_gt0.
Qed.
Let k_ge0 : 0 <= rho * (low * high).
Proof.
have h0 : 0 <= high by apply: le_trans low_high; exact: ltW.
exact: (mulr_ge0 (ltW rho_gt0) (mulr_ge0 (ltW low_gt0) h0)).
Qed.

Let second_moment (x : 'I_n -> X) (i : nat) : R :=
  mean n%:R xpredT (fun r => row r (i %/ p)%N * row r (i %% p)%N) x.

Let theta (x : 'I_n -> X) : nat -> R :=
  result low high (rho * (low * high)) prox start (second_moment x) T.

(** The upper triangle of the result. *)
Let statistic (x : 'I_n -> X) (i : nat) : R :=
  let ab := nth (0%N, 0%N) (pairs p) i in theta x (ab.1 * p + ab.2)%N.

Let divp a b : (b < p)%N -> ((a * p + b) %/ p)%N = a.
Proof. by move=> bp; rewrite divnMDl// divn_small// addn0. Qed.
Let modp a b : (b < p)%N -> ((a * p + b) %% p)%N = b.
Proof. by move=> bp; rewrite modnMDl modn_small. Qed.

Let moment_symmetric x : symmetric (second_moment x).
Proof.
move=> a b ap bp; rewrite /second_moment /mean; congr (_ * _); apply: eq_bigr => j _.
by rewrite !divp// !modp// mulrC.
Qed.

Let reflected_symmetric x V : symmetric V ->
  symmetric (reflected low high prox (second_moment x) V).
Proof.
move=> sV a b ap bp; rewrite /reflected sV//; congr (2 * _ - _); apply: prox_symmetric => // c d cp dp.
by rewrite sV// moment_symmetric.
Qed.

Let theta_symmetric x : symmetric (theta x).
Proof.
have sP t : symmetric (point low high (rho * (low * high)) prox start (second_moment x) t).
  elim: t => //= t IH a b ap bp; have H := reflected_symmetric x IH.
  by rewrite /next_point (H a b ap bp).
by move=> a b ap bp; rewrite /theta /result (reflected_symmetric x (sP T) ap bp).
Qed.

(** Largest Frobenius norm of x x^T - y y^T. *)
Let far : R := if p == 1%N then 1 else Num.sqrt 2.
Let far_ge0 : 0 <= far. Proof. by rewrite /far; case: ifP; rewrite ?sqrtr_ge0. Qed.

Let cells r r' : norm2 (p * p)
  (fun i => row r (i %/ p)%N * row r (i %% p)%N - row r' (i %/ p)%N * row r' (i %% p)%N) <= far ^+ 2.
Proof.
rewrite /norm2 (sum_digits p p
  (fun i => (row r (i %/ p)%N * row r (i %% p)%N - row r' (i %/ p)%N * row r' (i %% p)%N) ^+ 2)).
have -> : \sum_(a < p) \sum_(b < p) (row r ((a * p + b) %/ p)%N * row r ((a * p + b) %% p)%N -
      row r' ((a * p + b) %/ p)%N * row r' ((a * p + b) %% p)%N) ^+ 2 =
    \sum_(a < p) \sum_(b < p) (row r a * row r b - row r' a * row r' b) ^+ 2.
  by apply: eq_bigr => a _; apply: eq_bigr => b _; rewrite divp// modp.
rewrite /far; have [p1|_] := eqVneq p 1%N; last first.
  by rewrite sqr_sqrtr ?ler0n//; exact: moment_frobenius.
have := unit_ball r; have := unit_ball r'; rewrite p1 => b' b.
rewrite !big_ord_recl !big_ord0 !addr0 expr1n /= -[leLHS]ger0_norm ?sqr_ge0// normrX.
by rewrite exprn_ile1 ?normr_ge0// moment_one.
Qed.

Let theta_apart k x x' : replace k x x' ->
  norm2 (p * p) (fun i => theta x i - theta x' i) <= (high ^+ 2 * (far / n%:R)) ^+ 2.
Proof.
move=> ex; apply: result_apart => //; first by rewrite divr_ge0// ltW.
exact: (mean_l2_diameter n%:R xpredT ex
  (v := fun r i => row r (i %/ p)%N * row r (i %% p)%N) cells).
Qed.

Let Delta : R := (p%:R / (rho - e)) ^+ 2 *
  (moment_l1 p / n%:R + Num.sqrt (p * (p + 3))%:R * p%:R * e).

Let triangle k x x' : replace k x x' ->
  \sum_(i < size (pairs p)) `|statistic x i - statistic x' i| <= high ^+ 2 * (moment_l1 p / n%:R).
Proof.
move=> ex; have := theta_apart ex.
pose D a b : R := theta x (minn a b * p + maxn a b)%N - theta x' (minn a b * p + maxn a b)%N.
have -> : \sum_(i < size (pairs p)) `|statistic x i - statistic x' i| =
    \sum_(ab <- pairs p) `|D ab.1 ab.2|.
  rewrite -(big_mkord xpredT (fun i => `|statistic x i - statistic x' i|)).
  rewrite /statistic -(big_nth (0%N, 0%N) xpredT
    (fun ab => `|theta x (ab.1 * p + ab.2)%N - theta x' (ab.1 * p + ab.2)%N|)).
  apply: eq_big_seq => -[a b] /=; rewrite mem_filter /= => /andP[ab _].
  by rewrite /D (minn_idPl ab) (maxn_idPr ab).
rewrite /norm2 (sum_digits p p (fun i => (theta x i - theta x' i) ^+ 2)).
have -> : \sum_(a < p) \sum_(b < p) (theta x (a * p + b)%N - theta x' (a * p + b)%N) ^+ 2 =
    \sum_(a < p) \sum_(b < p) D a b ^+ 2.
  apply: eq_bigr => a _; apply: eq_bigr => b _; rewrite /D; have [//|ba] := leqP a b.
  by rewrite (theta_symmetric x (ltn_ord a)) ?(theta_symmetric x' (ltn_ord a)).
have high_gt0 : 0 < high by exact: lt_le_trans low_gt0 low_high.
have B0 : 0 < high ^+ 2 / n%:R by rewrite divr_gt0// exprn_gt0.
rewrite /far /moment_l1; have [p1|_] := eqVneq p 1%N => le.
  move: le; rewrite mul1r; move: D; rewrite p1 => D.
  rewrite !big_ord_recl !big_ord0 big_cons big_nil !addr0 => le.
  rewrite -(ler_pexpn2r (isT : (0 < 2)%N)) ?nnegrE ?normr_ge0 ?(ltW B0)//.
  by rewrite real_normK ?num_real.
rewrite mulrCA; apply: triangle_l1_le => // [a b|]; first by rewrite /D minnC maxnC.
by apply: (le_trans le); rewrite mulrCA exprMn sqr_sqrtr ?ler0n.
Qed.

Let moves k x x' : replace k x x' ->
  \sum_(i < size (pairs p)) `|statistic x i - statistic x' i| <= Delta.
Proof.
move=> ex; apply: (le_trans (triangle ex)); rewrite /Delta /high.
have l0 : 0 <= moment_l1 p / n%:R :> R by rewrite divr_ge0// ltW// moment_l1_gt0.
apply: ler_pmul => //; first exact: sqr_ge0.
  rewrite ler_expn2r ?nnegrE ?divr_ge0 ?(ltW rho_gt0) ?subr_ge0 ?(ltW e_lt)//.
  by rewrite ler_wpmul2l ?(ltW pR)// lef_pinv ?posrE ?subr_gt0// ler_subl_addr ler_addl.
by rewrite ler_addl !mulr_ge0 ?sqrtr_ge0.
Qed.

Let Delta_gt0 : 0 < Delta.
Proof.
rewrite mulr_gt0 ?exprn_gt0 ?divr_gt0 ?subr_gt0//.
by rewrite ltr_spaddl ?divr_gt0 ?moment_l1_gt0// !mulr_ge0 ?sqrtr_ge0.
Qed.

Let scale : R := Delta / eps.
Let scale_gt0 : 0 < scale. Proof. exact: divr_gt0. Qed.

Definition precision_output_perturbation : algorithm R (@replace X n) Pure :=
  laplace_once scale_gt0 moves.

Theorem precision_output_perturbation_private : private precision_output_perturbation eps 0.
Proof.
apply: laplace_once_private.
by rewrite /scale invf_div mulrCA divff ?mulr1// gt_eqF.
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed_moments in ltac:(let A := eval unfold precision_output_perturbation, scale, Delta in
  precision_output_perturbation in exact (steps A, fun t => described (step_of A t))).
End precision_output_perturbation.
