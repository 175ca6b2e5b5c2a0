"""The case of OffPairStrC."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from auditor.core.context import Context
from auditor.described import build_case
from auditor.described.data.pairs import ROOM, Target
from auditor.questions import sensitivity
from reference.constraint_sets import L2Ball
from reference.pairwise.offline import constants_for, off_pair_strongly_convex


def test_a_sensitivity_of_one_record_less_shows():
    # so few steps follow the record's that leaving out one of them, 1/n of the sum, shows
    right = build_case("diss-3.3.14").forms["corrected"]
    loss, ball = Target(feature_bound=1.0, smoothness=65.0), L2Ball(ROOM)
    budget = {"epsilon": 1.0, "delta": 1e-3}
    n = len(right.pair[0])

    def status(size):
        constants = constants_for(loss, radius=ball.largest_norm, n=size, **budget)

        def run(data, ledger):
            return off_pair_strongly_convex(
                data, loss, ball, initial=np.zeros(2), **budget, constants=constants, ledger=ledger
            )

        form = replace(right, run=run, exact_query=None, domain=None, no_search="the pair")
        return sensitivity.audit(form, Context(seed=3)).status

    assert [status(size) for size in (n, n - 1)] == ["holds", "violated"]
