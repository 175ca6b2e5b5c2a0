"""Helpers that checks are written with: each does the work and sets the level of its outcome.

========================  ========================================================================
:func:`identity`          left = right for all values of the symbols, by sympy
:func:`for_all`           a polynomial claim for all real values under hypotheses, by z3
:func:`nonnegative`       f >= 0 on a whole box, by ball arithmetic; a part of a domain is said so
:func:`less`              a < b for two numbers enclosed by balls
:func:`exactly`           left <= right (or =) at points, in rational arithmetic
:func:`precisely`         the same with mpmath
:func:`searched`          the worst value that a search found against a bound
:func:`rare`              a frequency of failures against a probability, with its confidence
:func:`average_at_most`   a mean of bounded samples against a bound, with its confidence
:func:`refuted`           a counterexample: left > right where the statement says left <= right
:func:`definition`        a definition or an assumption, with a check of what it is used for
:func:`derived`           a derivation in words whose steps were checked
:func:`every`             a conjunction, as strong as its weakest part
:func:`coq`               a theorem of ``proofs_checks/coq``
========================  ========================================================================
"""

from proofs_checks.vocabulary.chance import average_at_most, rare
from proofs_checks.vocabulary.combine import definition, derived, every
from proofs_checks.vocabulary.numeric import exactly, precisely, refuted, searched
from proofs_checks.vocabulary.subdivision import less, nonnegative
from proofs_checks.vocabulary.symbolic import for_all, identity, rational, reals, symbols

__all__ = [
    "average_at_most",
    "definition",
    "derived",
    "every",
    "exactly",
    "for_all",
    "identity",
    "less",
    "nonnegative",
    "precisely",
    "rare",
    "rational",
    "reals",
    "refuted",
    "searched",
    "symbols",
]
