(** What every file needs of MathComp and MathComp-Analysis. *)
From HB Require Export structures.
From mathcomp Require Export all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp.classical Require Export boolp classical_sets functions cardinality fsbigop
  mathcomp_extra.
From mathcomp.analysis Require Export signed reals ereal topology normedtype sequences
  esum measure lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Export ring.
Export Order.TTheory GRing.Theory Num.Def Num.Theory.
#[export] Set Implicit Arguments.
#[export] Unset Strict Implicit.
#[export] Unset Printing Implicit Defensive.
Global Open Scope ring_scope.
