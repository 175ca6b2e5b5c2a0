(** The sensitivity of means of bounded terms: clipped records, and the robust mean. *)

From Coq Require Import Reals Lra Psatz List.
From Touchstone Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** Neighbours: one record is replaced. *)
Definition replace_one {X} (data data' : list X) : Prop :=
  exists before x x' rest, data = before ++ x :: rest /\ data' = before ++ x' :: rest.

(** (1/n) times the sum of [g] over the records. *)
Definition mean {X} (g : X -> R) (data : list X) : R := sum data g / INR (length data).

(** 002 (33), l.959-960.
    Printed: ||f_T - f_T'||_inf <= 2 T N_0/n for a mean over n/N_0 records of terms that a
    truncation h_T bounds by T in the l-infinity norm.
    Proved: the same of every coordinate [g], with n for the number of records in the mean. *)
Theorem bounded_mean_sensitivity {X} (g : X -> R) (bound : R) (data data' : list X) :
  (forall x, Rabs (g x) <= bound) -> replace_one data data' ->
  Rabs (mean g data - mean g data') <= 2 * bound / INR (length data).
Proof.
  intros B (before & x & x' & rest & -> & ->). unfold mean.
  assert (L : length (before ++ x' :: rest) = length (before ++ x :: rest))
    by (rewrite !app_length; reflexivity).
  rewrite L.
  assert (N : 0 < INR (length (before ++ x :: rest))).
  { apply lt_0_INR. rewrite app_length. simpl. lia. }
  rewrite !sum_app. simpl.
  set (n := INR (length (before ++ x :: rest))) in *.
  replace ((sum before g + (g x + sum rest g)) / n - (sum before g + (g x' + sum rest g)) / n)
    with ((g x - g x') * / n) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ n)) by (left; apply Rinv_0_lt_compat; auto).
  unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  pose proof (B x). pose proof (B x'). pose proof (Rabs_triang (g x) (- g x')).
  rewrite Rabs_Ropp in *. unfold Rminus. lra.
Qed.

(** Projection onto [-T, T]: sign(x) min(|x|, T), as in 003 (l.256) and 002's Pi_T. *)
Definition clip (T x : R) : R := Rmax (- T) (Rmin x T).

Lemma clip_bounded T x : 0 <= T -> Rabs (clip T x) <= T.
Proof.
  intros HT. unfold clip, Rmax, Rmin. apply Rabs_le. repeat destruct Rle_dec; lra.
Qed.

(** The mean of clipped records, before which no statement of the papers is printed on its own:
    002 (23), l.802-805, is this one with a weight in front (next theorem). *)
Theorem clipped_mean_sensitivity (T : R) (data data' : list R) :
  0 <= T -> replace_one data data' ->
  Rabs (mean (clip T) data - mean (clip T) data') <= 2 * T / INR (length data).
Proof. intros HT. apply bounded_mean_sensitivity. intros x. apply clip_bounded. auto. Qed.

(** 002 (23), l.802-805.
    Printed: ||f_T - f_T'||_inf <= 2 T N_0/n for the terms (2 w(y) - 1) Pi_T(y), w(y) a
    probability.
    Proved: the same of every coordinate ([coordinate y] is y's), for every weight [w] with
    values in [0, 1], which may depend on the whole record. *)
Theorem weighted_clipped_mean_sensitivity {X} (w coordinate : X -> R) (T : R)
    (data data' : list X) :
  0 <= T -> (forall y, 0 <= w y <= 1) -> replace_one data data' ->
  let term := fun y => (2 * w y - 1) * clip T (coordinate y) in
  Rabs (mean term data - mean term data') <= 2 * T / INR (length data).
Proof.
  intros HT W N term. apply bounded_mean_sensitivity; auto. intros y. unfold term.
  rewrite Rabs_mult. pose proof (clip_bounded T (coordinate y) HT) as C.
  assert (A : Rabs (2 * w y - 1) <= 1) by (specialize (W y); apply Rabs_le; lra).
  pose proof (Rabs_pos (clip T (coordinate y))). pose proof (Rabs_pos (2 * w y - 1)). nra.
Qed.

(** * The robust mean *)

(** 000 (14), l.207; 003 (2); 004 (3.65), l.1579; 004 l.9571. *)
Definition phi (x : R) : R :=
  if Rlt_dec (sqrt 2) x then 2 * sqrt 2 / 3
  else if Rlt_dec x (- sqrt 2) then - (2 * sqrt 2 / 3)
  else x - x ^ 3 / 6.

(** 000 (14), l.209: |phi(x)| <= 2 sqrt(2)/3. Proved as printed. *)
Theorem phi_bounded x : Rabs (phi x) <= 2 * sqrt 2 / 3.
Proof.
  pose proof (sqrt_sqrt 2 ltac:(lra)) as S. pose proof (sqrt_lt_R0 2 ltac:(lra)) as P.
  unfold phi. apply Rabs_le.
  destruct (Rlt_dec (sqrt 2) x); [split; lra|]. destruct (Rlt_dec x (- sqrt 2)); [split; lra|].
  assert (H1 : 0 <= (x - sqrt 2) ^ 2 * (x + 2 * sqrt 2))
    by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]).
  assert (H2 : 0 <= (x + sqrt 2) ^ 2 * (2 * sqrt 2 - x))
    by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]).
  set (r := sqrt 2) in *. simpl in *. split; nra.
Qed.

(** The term of one record in 000 (16): s times the mean of phi((x + eta x)/s) over eta, whose
    law has density [chi]. *)
Definition smoothed {E} (I : integral E) (chi : E -> R) (eta : E -> R) (s x : R) : R :=
  s * int I (fun e => chi e * phi ((x + eta e * x) / s)).

(** 000 (18), l.243; 003 (4), l.199; 004 (3.80), l.1648; 004 l.9607.
    Printed: the sensitivity of x-hat, the mean over the records of [smoothed], is
    (s/n)(4 sqrt(2)/3).
    Proved: it is at most that, for every law of eta, also if what is averaged is a [coordinate]
    of the record (of its gradient, say). *)
Theorem robust_mean_sensitivity {X E} (I : integral E) (chi eta : E -> R) (s : R)
    (coordinate : X -> R) (data data' : list X) :
  0 < s -> law I chi ->
  (forall x, integrable I (fun e => chi e * phi ((x + eta e * x) / s))) ->
  replace_one data data' ->
  let term := fun record => smoothed I chi eta s (coordinate record) in
  Rabs (mean term data - mean term data') <= s / INR (length data) * (4 * sqrt 2 / 3).
Proof.
  intros Hs (P & Hc & One) M N term.
  replace (s / INR (length data) * (4 * sqrt 2 / 3)) with
    (2 * (s * (2 * sqrt 2 / 3)) / INR (length data)) by (unfold Rdiv; ring).
  apply bounded_mean_sensitivity; auto. intros record. unfold term, smoothed.
  generalize (coordinate record). intros x.
  set (b := 2 * sqrt 2 / 3).
  assert (Up : int I (fun e => chi e * phi ((x + eta e * x) / s)) <= b).
  { apply Rle_trans with (int I (fun e => b * chi e)).
    - apply int_le; [apply M | apply integrable_scale; auto|]. intros e.
      pose proof (Rle_trans _ _ _ (Rle_abs _) (phi_bounded ((x + eta e * x) / s))) as B.
      fold b in B. specialize (P e). nra.
    - rewrite int_scale by auto. rewrite One. lra. }
  assert (Low : - b <= int I (fun e => chi e * phi ((x + eta e * x) / s))).
  { apply Rle_trans with (int I (fun e => - b * chi e)).
    - rewrite int_scale by auto. rewrite One. lra.
    - apply int_le; [apply integrable_scale; auto | apply M|]. intros e.
      pose proof (phi_bounded ((x + eta e * x) / s)) as B. fold b in B.
      pose proof (Rle_abs (- phi ((x + eta e * x) / s))) as C. rewrite Rabs_Ropp in C.
      specialize (P e). nra. }
  apply Rabs_le. split; nra.
Qed.
