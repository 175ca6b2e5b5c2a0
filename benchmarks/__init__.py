"""Benchmarks, each run from the root of a clone; a package of this name is installed by others."""
