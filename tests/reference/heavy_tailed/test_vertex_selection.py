import numpy as np
import pytest
from scipy import stats

from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed.vertex_selection import select_vertex
from reference.privacy.ledger import Ledger, RecordingLedger

DATA = np.array([[0.5, -1.0], [0.5, 3.0]])  # the mean, once cut to [-1, 1], is (0.5, 0)


def run(constraint=L1Ball(2.0), data=DATA, **options):  # noqa: B008
    options = {"epsilon": 1.0, "bound": 1.0, "ledger": Ledger(0), **options}
    return select_vertex(data, constraint, **options)


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


def far_pair():
    """The neighbours that are furthest apart on two points near 1e16, which are doubles."""
    points = Polytope([[1e16], [1e16 + 2]])
    pair = [np.full((100, 1), -0.0707399) for _ in range(2)]
    pair[0][0], pair[1][0] = -1.0, 1.0
    return points, pair


def test_scores_are_not_rounded_where_the_polytope_lies():
    points, pair = far_pair()
    scores = []
    for data in pair:
        ledger = RecordingLedger(0)
        run(points, data, ledger=ledger)
        release = ledger.transcript.releases[0]
        scores.append(release.value)
        np.testing.assert_allclose(release.value, [0.0, -2 * data.mean()], rtol=1e-13)
    assert np.ptp(scores[1] - scores[0]) <= release.claim.sensitivity * (1 + 1e-12)


def test_the_first_of_two_far_points_is_selected_as_often_as_the_law_says():
    """3,000 seeds on either data set; an exact test each, false alarm 1e-4 in total."""
    points, pair = far_pair()
    for data in pair:
        firsts = sum(run(points, data, ledger=Ledger(k))[0] == 1e16 for k in range(3000))
        # scores 0 and -2 mean, sensitivity 2 * 2/100
        likely = 1 / (1 + np.exp(-2 * data.mean() / (2 * 0.04)))
        assert stats.binomtest(firsts, 3000, likely).pvalue > 5e-5


@pytest.mark.parametrize("scale", [1e258, 1e308])
@pytest.mark.parametrize("value", [0.0, 1.0, -1e60])
def test_whether_points_are_too_far_apart_does_not_depend_on_the_data(scale, value):
    points = np.full((2, 20), scale)
    points[0] *= -1 if scale > 1e300 else 1 + 1e-12
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match="the largest l1 distance of two points of constraint"):
        run(Polytope(points), np.full((3, 20), value), bound=1e50, ledger=ledger)
    assert not ledger.transcript.releases


@pytest.mark.parametrize("value", [0.0, 1e300, -1e300])
def test_up_to_the_limits_no_data_make_it_fail(value):
    points = [[1e300, 4e49], [1e300, -4e49]]
    assert run(Polytope(points), np.full((5, 2), value), bound=1e50).shape == (2,)
