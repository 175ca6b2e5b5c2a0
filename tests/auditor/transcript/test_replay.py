import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from auditor.transcript.replay import (
    _difference,
    log_likelihood,
    loss_between,
    privacy_loss,
    record,
    release_distance,
    replay,
    replay_with_output,
    subsample_entries,
    unit_distances,
)
from reference.privacy.ledger import ControlFlowError

DATA = np.array([0.0, 1.0, 2.0, 3.0])
OTHER = np.array([0.0, 1.0, 2.0, 7.0])


def means(data, ledger):
    """Two releases, the second of which depends on the first."""
    first = ledger.gaussian(data.mean(), sensitivity=1.0, scale=2.0)
    second = ledger.laplace(data.mean() + first, sensitivity=1.0, scale=3.0)
    return {"first": float(first), "second": float(second)}


def test_replay_freezes_the_outputs_and_recomputes_the_values():
    transcript, output = record(means, DATA, 0)
    replayed, again = replay_with_output(means, OTHER, transcript)
    assert again == output
    for old, new in zip(transcript.releases, replayed.releases, strict=True):
        assert new.output == old.output
        # the second value contains the first output, which is frozen: only the mean moves
        assert new.value - old.value == pytest.approx(1.0, abs=1e-12)
        assert release_distance(old, new) == pytest.approx(1.0, abs=1e-12)


def test_replay_on_the_same_data_reproduces_every_value():
    transcript, _ = record(means, DATA, 1)
    for old, new in zip(transcript.releases, replay(means, DATA, transcript).releases, strict=True):
        assert np.array_equal(old.value, new.value)


def test_privacy_loss_is_the_difference_of_the_log_densities_written_out():
    transcript, output = record(means, DATA, 2)
    first, second = output["first"], output["second"]
    gaussian = norm.logpdf(first, DATA.mean(), 2) - norm.logpdf(first, OTHER.mean(), 2)
    laplace = (abs(second - OTHER.mean() - first) - abs(second - DATA.mean() - first)) / 3
    loss = privacy_loss(means, DATA, OTHER, transcript)
    assert loss == pytest.approx(gaussian + laplace, rel=1e-12)
    assert loss == loss_between(transcript, replay(means, OTHER, transcript))
    assert loss == pytest.approx(
        log_likelihood(means, DATA, transcript) - log_likelihood(means, OTHER, transcript), rel=1e-9
    )


def test_a_private_scale_tells_the_data_apart_where_the_value_does_not():
    def run(data, ledger):
        bound = 1.0 + float(data.max())
        ledger.smooth(
            0.0, smooth_bound=bound, smoothness=1.0, divisor=1.0, rho=0.5, noise="gaussian"
        )

    transcript, _ = record(run, DATA, 0)
    z = float(transcript.releases[0].output)
    # N(0, 4^2) against N(0, 8^2)
    expected = norm.logpdf(z, scale=4.0) - norm.logpdf(z, scale=8.0)
    assert privacy_loss(run, OTHER, DATA, record(run, OTHER, 0)[0]) != 0
    assert privacy_loss(run, DATA, OTHER, transcript) == pytest.approx(expected)


def test_privacy_loss_keeps_the_digits_of_a_long_transcript():
    # 2000 releases with a shift of 1e-12 each: the two sums of log-densities, about 1e3, agree in
    # fourteen digits
    def many(data, ledger):
        for _ in range(2000):
            ledger.gaussian(data[0], sensitivity=1.0, scale=1.0)

    data, other = np.array([0.0]), np.array([1e-12])
    transcript, _ = record(many, data, 3)
    exact = math.fsum(-1e-12 * float(release.output) for release in transcript.releases)
    assert privacy_loss(many, data, other, transcript) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize(("sizes", "replace"), [((1, 1), False), ((1, 3), True)])
def test_subsamples_have_the_loss_of_mixtures_of_their_own(sizes, replace):
    def run(data, ledger):
        for size in sizes:
            sample = ledger.subsample(len(data), size, replace=replace)
            total = data[sample.indices].sum()
            ledger.gaussian(total, sensitivity=12.0, scale=2.0, sample=sample)

    # all records but the target's are zero: what else is drawn does not matter
    data, other = np.zeros(4), np.array([0.0, 4.0, 0.0, 0.0])
    transcript, _ = record(run, other, 4, target=1)
    assert len(subsample_entries(transcript)) == 2
    expected = 0.0
    for release, size in zip(transcript.releases, sizes, strict=True):
        out = float(release.output)
        times = np.arange(size + 1)
        mixture = binom.pmf(times, size, 0.25) @ norm.pdf(out, 4 * times, 2)
        expected += math.log(mixture / norm.pdf(out, 0, 2))
    assert privacy_loss(run, other, data, transcript) == pytest.approx(expected, rel=1e-9)


def test_an_output_outside_of_its_own_support_tells_nothing():
    assert _difference([-math.inf, -1.0], [-math.inf, -3.0]) == 2.0
    assert _difference([-math.inf], [0.0]) == 0.0
    assert _difference([0.0], [-math.inf]) == math.inf


def test_loss_is_infinite_where_the_neighbour_cannot_make_the_output():
    def wishart(data, ledger):
        ledger.wishart(np.outer(data[0], data[0]), sensitivity=1.0, degrees=3.0, scale=0.1)

    zero, unit = np.zeros((1, 2)), np.array([[1.0, 0.0]])
    transcripts = (record(wishart, zero, seed)[0] for seed in range(50))
    # P(chi^2_2 < 10) = 0.993: fifty finite losses have probability below 1e-100
    assert any(privacy_loss(wishart, zero, unit, found) == math.inf for found in transcripts)


def test_distances_are_per_unit():
    def local(data, ledger):
        ledger.gaussian(data, sensitivity=1.0, scale=1.0, unit="record")
        ledger.randomized_response(data > 2, epsilon=1.0, unit="attribute")

    data = np.zeros((3, 2))
    other = data.copy()
    other[1] = [3.0, 4.0]
    transcript, _ = record(local, data, 5)
    first, second = zip(transcript.releases, replay(local, other, transcript).releases, strict=True)
    assert unit_distances(*first).tolist() == [0.0, 5.0, 0.0]
    assert release_distance(*first) == 5.0
    assert unit_distances(*second).tolist() == [[0, 0], [1, 1], [0, 0]]


def test_a_different_number_of_releases_is_a_control_flow_error():
    def hasty(data, ledger):
        ledger.gaussian(0.0, sensitivity=1.0, scale=1.0)
        if data[0] > 0:
            ledger.gaussian(0.0, sensitivity=1.0, scale=1.0)

    transcript, _ = record(hasty, np.array([1.0]), 6)
    with pytest.raises(ControlFlowError, match="1 of 2 entries"):
        replay(hasty, np.array([0.0]), transcript)
