"""Neighbouring data sets: where a record may lie, and how two data sets may differ.

A :class:`Domain` is the set of values one record may take. It can be searched in two ways: by
Hypothesis (:meth:`Domain.strategy`) and by an optimiser in [-1, 1]^k (:meth:`Domain.decode`).
Both reach the boundary and, where the domain is unbounded, huge values. Ready-made:

====================================  =============================================
a bounded number, bounded vectors     ``Box((), 0, 1)``, ``Box((3,), 0, 1)``
any finite numbers                    ``Everything((3,))``
an l2, l1 or linf ball                ``Ball(3, 1.0)``, ``norm=1``, ``norm=math.inf``
binary rows, small whole numbers      ``Integers((8,))``, ``Integers((), 1, 5)``
categories                            ``Choice(("yes", "no"))``
a vector of counts                    ``Counts(5)``
the rows of a real table              ``Table(rows)``
records with several parts            ``Product((Ball(3, 1.0), Choice((-1, 1))))``
====================================  =============================================

:func:`neighbours` is a Hypothesis strategy for pairs of data sets that differ as a privacy claim
allows; :func:`search_worst_pair` looks for the two records that make an objective largest.
"""

from auditor.core.neighbours.domains import (
    HUGE,
    LANDMARKS,
    Ball,
    Box,
    Choice,
    Counts,
    Domain,
    Everything,
    Integers,
    Product,
    Table,
    random_records,
)
from auditor.core.neighbours.pairs import Neighbourhood, RelationName, as_relation, neighbours
from auditor.core.neighbours.records import (
    differ_in_label,
    differing_records,
    is_frame,
    n_records,
    remove_record,
    replace_record,
    same_value,
    stack_records,
    with_label,
    with_one_attribute,
)
from auditor.core.neighbours.search import WorstPair, search_worst_pair

__all__ = [
    "HUGE",
    "LANDMARKS",
    "Ball",
    "Box",
    "Choice",
    "Counts",
    "Domain",
    "Everything",
    "Integers",
    "Neighbourhood",
    "Product",
    "RelationName",
    "Table",
    "WorstPair",
    "as_relation",
    "differ_in_label",
    "differing_records",
    "is_frame",
    "n_records",
    "neighbours",
    "random_records",
    "remove_record",
    "replace_record",
    "same_value",
    "search_worst_pair",
    "stack_records",
    "with_label",
    "with_one_attribute",
]
