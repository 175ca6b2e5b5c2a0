(** All that an instance imports, and the settings that all of them have. *)
From HB Require Export structures.
From mathcomp Require Export all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp.classical Require Export boolp classical_sets functions cardinality fsbigop
  mathcomp_extra.
From mathcomp.analysis Require Export signed reals ereal topology normedtype sequences
  esum measure lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Export ring.
From Touchstone.core Require Export DP Density ZCDP Line Noise Steps Domination Plane GaussianDP
  BoundedRange Release Mechanisms Sensitivity Templates TwoKinds PairStreams PairBuffers
  Batches.
Export Order.TTheory GRing.Theory Num.Def Num.Theory.
#[export] Set Implicit Arguments.
#[export] Unset Strict Implicit.
#[export] Unset Printing Implicit Defensive.
Global Open Scope ring_scope.
