"""Runs of mechanisms: of functions, in worker processes, of programs in any language."""
