(** All that most instances need. *)
From Touchstone.core Require Export Prelude DP Density ZCDP Line Noise Steps Domination Plane
  GaussianDP BoundedRange Release Mechanisms Sensitivity Templates TwoKinds Contractions PairStreams
  PairBuffers Batches.
