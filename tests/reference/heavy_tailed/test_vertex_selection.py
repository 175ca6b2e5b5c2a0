import numpy as np
import pytest
from scipy import stats

from reference.constraint_sets import L1Ball, L2Ball, Polytope
from reference.heavy_tailed.vertex_selection import l1_diameter, select_vertex
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

DATA = np.array([[0.5, -1.0], [0.5, 3.0]])  # the mean, once cut to [-1, 1], is (0.5, 0)


def run(constraint=L1Ball(2.0), data=DATA, **options):  # noqa: B008
    options = {"epsilon": 1.0, "bound": 1.0, "ledger": Ledger(0), **options}
    return select_vertex(data, constraint, **options)


def test_without_noise_the_best_vertex_is_selected():
    np.testing.assert_array_equal(run(ledger=NoiselessLedger(0)), [-2.0, 0.0])
    np.testing.assert_array_equal(run(Polytope(np.eye(2)), ledger=NoiselessLedger(0)), [0.0, 1.0])


def test_vertices_have_the_law_of_the_definition():
    """Delta = ||W||_1 2 bound/n = 4; chi-square over four vertices, false alarm 1e-4."""
    ledger = Ledger(1)
    found = np.array([run(epsilon=8.0, ledger=ledger) for _ in range(3000)])
    vertices = 2.0 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    weights = np.exp(-8.0 * (vertices @ [0.5, 0.0]) / (2 * 4))
    counts = [(found == vertex).all(axis=1).sum() for vertex in vertices]
    assert stats.chisquare(counts, 3000 * weights / weights.sum()).pvalue > 1e-4


def test_moving_the_polytope_changes_nothing():
    """Though its vertices' own scores then change by a hundred times the sensitivity."""
    near, far = (
        run(Polytope(np.eye(2) + shift), ledger=Ledger(3)) - shift for shift in (0.0, 1000.0)
    )
    np.testing.assert_allclose(near, far, atol=1e-9)
    ledgers = [RecordingLedger(0), RecordingLedger(0)]
    for ledger, shift in zip(ledgers, (0.0, 1000.0), strict=True):
        run(Polytope(np.eye(2) + shift), ledger=ledger)
    first, second = (ledger.transcript.releases[0] for ledger in ledgers)
    np.testing.assert_allclose(first.value, second.value, atol=1e-9)
    assert first.claim.sensitivity == second.claim.sensitivity == 2.0


def test_the_scores_differences_move_by_the_claimed_sensitivity_at_most():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((6, 2))
    worst = 0.0
    for _ in range(200):
        data = rng.uniform(-3, 3, (3, 2))
        other = data.copy()
        other[0] = rng.uniform(-3, 3, 2)
        changes = points @ (np.clip(data, -1, 1) - np.clip(other, -1, 1)).mean(axis=0)
        worst = max(worst, float(np.ptp(changes)))
    claimed = l1_diameter(Polytope(points), 2) * 2 / 3
    assert 0.5 * claimed < worst <= claimed


def test_the_budget_is_spent():
    ledger = Ledger(0)
    run(epsilon=0.7, ledger=ledger)
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize(
    ("constraint", "change", "message"),
    [
        (L2Ball(1.0), {}, "constraint"),
        (Polytope([[1.0, 0.0], [1.0, 0.0]]), {}, "two different points"),
        (Polytope(np.eye(3)), {}, "coordinates"),
        (L1Ball(1.0), {"bound": -1.0}, "bound"),
        (L1Ball(1.0), {"epsilon": 0.0}, "epsilon"),
        (L1Ball(1.0), {"data": [1.0]}, "data"),
    ],
)
def test_bad_input(constraint, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(constraint, **change)
