(** One release of a statistic of all records, and rounds in which every user sends a message. *)
From Touchstone.core Require Import Everything.
Local Open Scope ring_scope.

(** * One release of any statistic of the data *)

Section once.
Context {R : realType} (X : Type) (n d : nat) (Delta scale : R).
Variable statistic : ('I_n -> X) -> nat -> R.
Hypothesis scale_gt0 : 0 < scale.

Let O (_ : nat) := @vec R d.
Let query t (x : 'I_n -> X) (_ : transcript O t) : nat -> R := statistic x.
Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof. exact: measurable_fun_cst. Qed.

Section laplace.
Hypothesis moves : forall k x x', replace k x x' ->
  \sum_(i < d) `|statistic x i - statistic x' i| <= Delta.

Definition laplace_once : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) 1 (fun t => laplace_release (@mquery t) (Delta := fun=> Delta) scale_gt0
    (fun k x x' h e => moves e)).

Theorem laplace_once_private e : Delta / scale <= e -> private laplace_once e 0.
Proof.
by move=> le; apply: pure_algorithm => k; rewrite (total_const (r := Delta / scale))// mul1r.
Qed.
End laplace.

Section gaussian.
Hypothesis moves : forall k x x', replace k x x' ->
  \sum_(i < d) (statistic x i - statistic x' i) ^+ 2 <= Delta ^+ 2.

Definition gaussian_once : algorithm R (@replace X n) Gaussian :=
  Algorithm (out := O) 1 (fun t => gaussian_release (@mquery t) (Delta := fun=> Delta) scale_gt0
    (fun k x x' h e => moves e)).

Theorem gaussian_once_private mu : 0 <= mu -> Delta ^+ 2 / scale ^+ 2 <= mu ^+ 2 ->
  gaussian_private gaussian_once mu.
Proof.
move=> mu0 le; apply: gaussian_algorithm => // k.
by rewrite (total_const (r := Delta ^+ 2 / scale ^+ 2))// mul1r.
Qed.
End gaussian.
End once.

(** * Clipping to [0, upper] *)

Section clip_between.
Context {R : realType} (upper : R) (upper_ge0 : 0 <= upper).

Definition clip_between (v : R) : R := Num.max 0 (Num.min v upper).

Lemma clip_between_diameter v w : `|clip_between v - clip_between w| <= upper.
Proof.
have c y : 0 <= clip_between y <= upper.
  by rewrite /clip_between le_maxr lexx /= le_maxl upper_ge0 le_minl lexx orbT.
have /andP[a b] := c v; have /andP[a' b'] := c w.
rewrite ler_norml ler_subr_addr ler_subl_addr; apply/andP; split.
  by rewrite (le_trans _ a)// addrC subr_le0.
by rewrite (le_trans b)// ler_addl.
Qed.

(** One number. *)
Lemma clip_between_l1 v w : \sum_(i < 1) `|clip_between v - clip_between w| <= upper.
Proof. by rewrite big_ord_recl big_ord0 addr0 clip_between_diameter. Qed.
End clip_between.

(** * T rounds of messages of n users *)

Section rounds.
Context {R : realType} (X : Type) (n d T : nat) (C b : R).
(** Message t is that of user t modulo n about the public question t. *)
Variable message : nat -> X -> nat -> R.
Hypotheses (b_gt0 : 0 < b) (C_ge0 : 0 <= C)
  (bound : forall t r r', \sum_(i < d) `|message t r i - message t r' i| <= C).

Definition turn (t : nat) : pred 'I_n := fun k => val k == (t %% n)%N.

Let O (_ : nat) := @vec R d.
Let query t (x : 'I_n -> X) (_ : transcript O t) i : R := mean 1 (turn t) (message t ^~ i) x.
Let mquery t x i : measurable_fun setT (query (t := t) x ^~ i).
Proof. exact: measurable_fun_cst. Qed.
Let moves t k x x' (h : transcript O t) (e : @replace X n k x x') :=
  mean_l1_diameter (turn t) (ltr01 : 0 < 1 :> R) e (bound t).

Definition laplace_rounds : algorithm R (@replace X n) Pure :=
  Algorithm (out := O) (T * n) (fun t => laplace_release (@mquery t) b_gt0 (@moves t)).

(** A user sends T messages. *)
Theorem laplace_rounds_private e : T%:R * (C / b) <= e -> private laplace_rounds e 0.
Proof.
move=> le; apply: pure_algorithm => k; apply: le_trans le.
have n0 : (0 < n)%N by apply: leq_ltn_trans (ltn_ord k).
rewrite /total /= -(big_mkord xpredT
  (fun t => (if turn t k then C / 1 else 0) / b)).
have -> : \sum_(0 <= t < T * n) (if turn t k then C / 1 else 0) / b = T%:R * (C / b).
  elim: T => [|m IH]; first by rewrite mul0n big_geq// mul0r.
  rewrite mulSn addnC (big_cat_nat _ _ (n := (m * n)%N))//= ?leq_addr// IH.
  rewrite -{1}[(m * n)%N]add0n big_addn addKn big_mkord (bigD1 k)//= big1 ?addr0 => [|t tk].
    by rewrite /turn addnC modnMDl modn_small// eqxx divr1 -natr1 mulrDl mul1r.
  rewrite /turn addnC modnMDl modn_small// ifN ?mul0r//.
  by apply: contraNneq tk => kt; apply/eqP/val_inj.
by [].
Qed.
End rounds.

(** Unfold an instance down to what its releases say of themselves. *)
Declare Reduction printed_once := cbv beta iota zeta delta [laplace_once gaussian_once laplace_rounds
  steps step_of described gaussian_release laplace_release turn].
