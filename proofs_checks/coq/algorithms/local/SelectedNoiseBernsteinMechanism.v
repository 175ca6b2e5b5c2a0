(** Smooth risk from an index of a public number of each user (diss-5.1.37). *)
From Touchstone.core Require Import Everything Once UniformAmongOnes Bits.

Section selected_noise_bernstein.
Context {R : realType} (X : Type) (n k : nat) (base moved : R).
(** Public: the k + 1 numbers of user t, and its loss function, that of its point of the grid. *)
Variables (noise : nat -> nat -> R) (value : nat -> X -> R).
Hypotheses (base_gt0 : 0 < base) (base_lt : expR base < 2) (budget : 2 * base <= moved).

(** The chance of the bit of candidate s: e^(base (|y| - |y - v|))/2 for the loss v, clipped to
    [0, 1], and the public number y. *)
Let chance t r (s : nat) : R := bit_chance base (noise t s) (value t r).

(** The others among the k + 1 candidates. *)
Let others t r j : seq R := [seq chance t r s | s <- iota 0 k.+1 & s != j].

Let score t (_ : transcript (fun=> @candidates R k) t) (j : nat) (r : X) : R :=
  ln (chosen_probability (chance t r j) (others t r j)).
Arguments score : clear implicits.

Let C1 : 1 <= expR base. Proof. by rewrite -expR0 ler_expR ltW. Qed.
Let C2 : expR base <= 2. Proof. exact: ltW. Qed.
Let half1 : expR base / 2 < 1. Proof. by rewrite ltr_pdivr_mulr// mul1r. Qed.

Let chance01 t r s : 0 < chance t r s < 1.
Proof. by rewrite bit_chance_gt0 (le_lt_trans (bit_chance_le base_gt0 _ _)). Qed.

Let probability_gt0 t r j : 0 < chosen_probability (chance t r j) (others t r j).
Proof. by apply: chosen_gt0 => //; apply/allP => p /mapP[s _ ->]. Qed.

Let ratio t r r' j : chosen_probability (chance t r j) (others t r j) <=
  expR base ^+ 2 * chosen_probability (chance t r' j) (others t r' j).
Proof.
apply: chosen_ratio => //.
- by rewrite !size_map.
- exact: bit_chance_le.
- exact: bit_chance_ge.
- exact: bit_chance_le.
- exact: bit_chance_ratio.
- by apply/allP => p /mapP[s _ ->]; have /andP[a b] := chance01 t r s; rewrite !ltW.
- by apply/allP => p /mapP[s _ ->]; rewrite (ltW (bit_chance_gt0 _ _ _)) bit_chance_le.
move=> i; have [ii|ii] := ltnP i (size [seq s <- iota 0 k.+1 | s != j]).
  by rewrite !(nth_map 0%N)//; exact: bit_chance_ratio.
by rewrite !nth_default ?size_map// mulr0.
Qed.

Let diameter t (h : transcript (fun=> @candidates R k) t) j r r' :
  `|score t h j r - score t h j r'| <= moved.
Proof.
have H u v : score t h j u - score t h j v <= moved.
  rewrite (le_trans _ budget)// ler_subl_addr -ler_expR expRD !lnK ?posrE//.
  by rewrite mulr2n mulrDl mul1r expRD -expr2; exact: ratio.
by rewrite ler_norml ler_oppl opprB !H.
Qed.

Let mscore t j r : measurable_fun setT (fun h => score t h j r).
Proof. exact: measurable_fun_cst. Qed.

(** User t sends the index of one of its public numbers. *)
Definition selected_noise_bernstein : algorithm R (@replace X n) Pure :=
  pure_selections n mscore ltr01 diameter (@user n) ltr01.

(** Every user is 2 moved-DP, at any public numbers: a selection costs twice what its scores move
    by, and moved is 2 base or more. *)
Theorem selected_noise_bernstein_private : private selected_noise_bernstein (2 * moved) 0.
Proof.
have m0 : 0 <= moved by rewrite (le_trans _ budget)// mulr_ge0// ltW.
apply: pure_algorithm => i; apply: (total_disjoint (@user_disjoint n)) => [|t].
  by rewrite mulr_ge0.
by rewrite /=; case: (user t i); [right; rewrite divr1 mulr1|left; rewrite mulr0].
Qed.

(** Read by the test that compares the releases with the transcript of the code. *)
Eval printed in ltac:(let A := eval unfold selected_noise_bernstein in selected_noise_bernstein in
  exact (steps A, fun t => described (step_of A t))).
End selected_noise_bernstein.
