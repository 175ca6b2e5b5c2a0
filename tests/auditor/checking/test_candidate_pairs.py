"""Pairs made of records: how records and pairs are changed, and which stay neighbours."""

import numpy as np
import pytest

from auditor.checking.candidate_pairs import Breeder, Genes
from auditor.core.neighbours import (
    Box,
    Integers,
    Neighbourhood,
    Product,
    differ_in_label,
    differing_records,
)
from reference.privacy.guarantees import Relation


def test_a_record_is_changed_in_one_coordinate_or_a_little_or_drawn_anew() -> None:
    breeder = Breeder(Neighbourhood(Box((3,), -1, 1), 4), np.random.default_rng(0))
    record = np.array([0.21, -0.32, 0.43])
    moves = np.array([breeder._changed(record) for _ in range(600)]) - record
    sizes = np.abs(moves).max(axis=1)
    moved = (np.abs(moves) > 1e-9).sum(axis=1)
    # a third each, of which about a half to three quarters look like nothing else
    assert (moved == 1).mean() == pytest.approx(1 / 3, abs=0.05)
    assert 0.1 < ((moved == 3) & (sizes < 0.2)).mean() < 0.3
    assert 0.15 < ((moved == 3) & (sizes > 0.9)).mean() < 0.4


def test_every_kind_of_change_occurs() -> None:
    breeder = Breeder(Neighbourhood(Integers((), 0, 9), 4), np.random.default_rng(0))
    parent = Genes([np.asarray(x) for x in (1.0, 2.0, 3.0, 4.0)], 1, np.asarray(7.0))
    other = Genes([np.asarray(x) for x in (5.0, 6.0, 8.0, 9.0)], 2, np.asarray(0.0))
    kinds = set()
    for _ in range(300):
        child = breeder.child([parent])
        records = [float(record) for record in child.records]
        old, others = records.pop(child.index), sorted(records)
        kinds.add((old != 2, float(child.new) != 7, others != [1, 3, 4], child.index != 1))
    alone = np.eye(4, dtype=bool)
    assert {tuple(kind) for kind in alone.tolist()} <= kinds
    crossed = [breeder.child([parent, other]).records for _ in range(300)]
    assert [5.0, 2.0, 8.0, 9.0] in crossed


def test_neighbours_in_a_label_keep_their_features() -> None:
    pairs = Neighbourhood(Product((Box((2,), -50, 50), Box((), -5, 5))), 3, Relation.REPLACE_LABEL)
    breeder = Breeder(pairs, np.random.default_rng(0))
    parents = list(breeder.first(60))
    children = [breeder.child(parents) for _ in range(200)]
    made = [breeder.pair(genes) for genes in [*parents, *children]]
    assert all(differ_in_label(*pair) for pair in made)
    assert sum(bool(differing_records(*pair)) for pair in made) > 200
