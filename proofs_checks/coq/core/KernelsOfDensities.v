(** Densities are measures and steps are kernels: the two compositions are the same; and a
    countable set of outcomes is one of the spaces. *)
From Touchstone.core Require Import Prelude DP Kernels Density.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section countable.
Variable R : realType.
Let counting_sigma_finite : sigma_finite setT (@counting _ nat R).
Proof.
exists (fun n => [set n]); first by apply/seteqP; split => n // _; exists n.
by move=> n; split => //; rewrite /counting asboolT ?ltry.
Qed.
Definition naturals : space R :=
  @Space R _ [the measurableType _ of (nat : Type)] [the measure _ _ of @counting _ nat R]
    counting_sigma_finite.
End countable.

Section integral_law.
Context {R : realType} (X : space R) (p : density X).
Local Notation mu := (base X).

Lemma integral_law (f : X -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x) ->
  \int[law p]_x f x = \int[mu]_x (f x * (p x)%:E).
Proof.
move=> mf f0; have p0 x : 0 <= (p x)%:E by rewrite lee_fin pdf_ge0.
have mp := @pdf_EFin _ _ p setT.
have [f_ [ndf_ f_f]] := approximation measurableT mf (fun t _ => f0 t).
transitivity (lim (fun n => \int[law p]_x (f_ n x)%:E)).
  rewrite -monotone_convergence//.
  - by apply: eq_integral => y _; apply/esym/cvg_lim => //; exact: f_f.
  - by move=> n; exact/EFin_measurable_fun.
  - by move=> n y _; rewrite lee_fin.
  - by move=> y _ m n mn; rewrite lee_fin; apply/lefP/ndf_.
transitivity (lim (fun n => \int[mu]_x ((f_ n x)%:E * (p x)%:E))); last first.
  rewrite -monotone_convergence//.
  - apply: eq_integral => x _; apply/cvg_lim => //.
    by under eq_fun do rewrite muleC; rewrite muleC; apply: cvgeMl => //; exact: f_f.
  - by move=> n; apply: emeasurable_funM => //; exact/EFin_measurable_fun.
  - by move=> n x _; rewrite mule_ge0// lee_fin.
  - by move=> x _ m n mn; rewrite lee_wpmul2r// lee_fin; exact/lefP/ndf_.
congr (lim _); apply/funext => n.
have mi r : measurable_fun setT (fun x => (\1_(f_ n @^-1` [set r]) x)%:E * (p x)%:E : \bar R).
  apply: emeasurable_funM => //; apply/EFin_measurable_fun.
  by apply: measurable_fun_indic; exact: measurable_sfunP.
rewrite integralT_nnsfun sintegralE.
transitivity (\sum_(r \in range (f_ n)) \int[mu]_x (r%:E * ((\1_(f_ n @^-1` [set r]) x)%:E * (p x)%:E))).
  apply: eq_fsbigr => r; rewrite inE => -[x _ <-].
  rewrite (ge0_integralM _ measurableT (mi _)) ?lee_fin//.
    congr (_ * _); rewrite [LHS]/= /law -[X in \int[_]_(_ in X) _](setTI (f_ n @^-1` _)).
    rewrite integral_setI_indic//.
    by apply: eq_integral => y _; rewrite muleC.
  by move=> y _; rewrite mule_ge0// lee_fin.
rewrite -ge0_integral_fsum//; last 2 first.
- by move=> r; apply: measurable_funeM.
- by move=> r x _; rewrite muleA mule_ge0// nnfun_muleindic_ge0.
apply: eq_integral => x _; under eq_fsbigr do rewrite muleA.
rewrite -ge0_mule_fsuml; last by move=> r; rewrite nnfun_muleindic_ge0.
by congr (_ * _); rewrite fimfunE -fsumEFin.
Qed.
End integral_law.

(** A step as a kernel; a density followed by a step as a measure. *)

Section step_kernel.
Context {R : realType} (X Y : space R) (k : step X Y).

Let slice (x : X) : density Y.
Proof.
refine (@Density R Y (k x) (next_ge0 k x) _ (next_mass k x)).
exact: (measurable_fun_prod1 x (@next_measurable _ _ _ k)).
Defined.

Let slice_measurable A : measurable A -> measurable_fun setT (fun x => law (slice x) A).
Proof.
move=> mA; pose f (z : X * Y) := (next k z.1 z.2)%:E * (\1_A z.2)%:E.
have mf : measurable_fun setT f.
  apply: emeasurable_funM; first by apply/EFin_measurable_fun; exact: (@next_measurable _ _ _ k).
  apply/EFin_measurable_fun; apply: (@measurable_fun_comp _ _ _ _ _ _ (\1_A : Y -> R)).
    exact: measurable_fun_indic.
  exact: measurable_fun_snd.
have f0 z : 0 <= f z by apply: mule_ge0; rewrite lee_fin ?next_ge0.
have := measurable_fun_fubini_tonelli_F (base_sigma_finite Y) f mf f0.
rewrite (_ : fubini_F _ _ = fun x => law (slice x) A)//.
apply/funext => x; rewrite /fubini_F /law -[in RHS](setTI A) integral_setI_indic//.
Qed.

Definition step_kernel : kernel X Y R :=
  @Kernel _ _ X Y R (fun x => [the measure _ _ of law (slice x)]) slice_measurable
    (fun x => law_probability (slice x)).

Theorem law_both (p : density X) A : measurable A ->
  law (both p k) A = semidirect (law p) step_kernel A.
Proof.
move=> mA; have pk z : 0 <= ((both_pdf p k z)%:E * (\1_A z)%:E : \bar R).
  by apply: mule_ge0; rewrite lee_fin// mulr_ge0 ?pdf_ge0 ?next_ge0.
have mpk : measurable_fun setT (fun z => (both_pdf p k z)%:E * (\1_A z)%:E : \bar R).
  apply: emeasurable_funM; first exact: (@pdf_EFin _ _ (both p k) setT).
  exact/EFin_measurable_fun/measurable_fun_indic.
rewrite /law -[in LHS](setTI A) integral_setI_indic// [LHS]fubini_tonelli1//.
rewrite /semidirect integral_law; last 2 first.
- exact: measurable_fun_kernel_xsection.
- by move=> x; exact: measure_ge0.
apply: eq_integral => x _; rewrite /fubini_F /= /law -[in RHS](setTI (xsection A x)).
have mx : measurable (xsection A x) by exact: measurable_xsection.
rewrite integral_setI_indic// muleC -ge0_integralM ?lee_fin ?pdf_ge0//; last 2 first.
- apply: emeasurable_funM; first exact: (@pdf_EFin _ _ (slice x) setT).
  exact/EFin_measurable_fun/measurable_fun_indic.
- by move=> y _; apply: mule_ge0; rewrite lee_fin ?next_ge0.
apply: eq_integral => y _; rewrite /both_pdf EFinM -muleA; congr (_ * (_ * _)).
by rewrite !indicE mem_xsection.
Qed.
End step_kernel.
