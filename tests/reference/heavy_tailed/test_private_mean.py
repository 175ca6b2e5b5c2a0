"""The private means of heavy-tailed numbers, central and local (wang-mean, wang-ldp-mean).

False alarms: the statistical tests have probability below 1e-6 each, and fixed seeds.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from auditor.transcript.replay import privacy_loss, record
from reference.constants import PositiveConstants, with_constants
from reference.errata.heavy_tailed.local_private_mean import (
    printed_constants as local_printed_constants,
)
from reference.errata.heavy_tailed.private_mean import printed_constants, printed_lemma_1_constants
from reference.heavy_tailed import local_private_mean as local_module
from reference.heavy_tailed import private_mean as central_module
from reference.heavy_tailed.local_private_mean import local_private_mean
from reference.heavy_tailed.private_mean import Constants, private_mean
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_epsilon, gaussian_dp_mu, zcdp_epsilon
from reference.privacy.mechanisms import Gaussian

FUNCTIONS = [private_mean, local_private_mean]
RULES: dict[str, tuple[bool, Any]] = {
    "theorem-2": (False, central_module.constants_for),
    "lemma-1": (False, central_module.constants_for_lemma_1),
    "theorem-3": (True, local_module.constants_for),
}
"""Whether it is local, and the constants: all that are private."""
DATA = 1 + np.random.default_rng(0).standard_t(3, 60)


def parameters(**changes: Any) -> dict[str, Any]:
    return {
        "second_moment": 4.0,
        "failure_probability": 0.05,
        "epsilon": 0.9,
        "delta": 1e-5,
        **changes,
    }


def by_rule(rule: str) -> Any:
    """Return the algorithm with the constants of a rule."""
    local, constants_for = RULES[rule]
    return with_constants(
        FUNCTIONS[local], lambda data, **given: constants_for(n=len(data), **given)
    )


# ---------------------------------------------------------------------------- constants


def test_constants_by_hand() -> None:
    # zeta = e^-4, delta = e^-16, n = 100, tau = 9, epsilon = 0.25
    given: dict[str, Any] = {
        "epsilon": 0.25, "delta": math.exp(-16), "second_moment": 9.0,
        "failure_probability": math.exp(-4),
    }  # fmt: skip
    # sqrt(100 * 0.25 * 9) = 15; 16^(1/4) = 2; and 100^(1/4) sqrt(2.25) = sqrt(10) 1.5
    expected = {
        "lemma-1": (8, math.sqrt(900 / 8)),
        "theorem-2": (2, 15 / 4),
        "theorem-3": (2, math.sqrt(10) * 1.5 / 4),
    }
    root_rho = math.sqrt(16.25) - 4
    for rule, (precision, scale) in expected.items():
        local, constants_for = RULES[rule]
        found = constants_for(n=100, **given, method="zcdp")
        read = 1 if local else 100
        assert found.precision == pytest.approx(precision)
        assert found.truncation_scale == pytest.approx(scale)
        assert found.sensitivity == pytest.approx(4 * math.sqrt(2) / 3 * scale / read)
        assert found.noise_scale == pytest.approx(4 * scale / (3 * read * root_rho))
        exact = constants_for(n=100, **given)
        mu = gaussian_dp_mu(0.25, math.exp(-16))
        assert exact.noise_scale == pytest.approx(exact.sensitivity / mu)
        assert exact.noise_scale < found.noise_scale
    definition_7 = math.sqrt(2 * (math.log(1.25) + 16)) / 0.25
    printed = {
        15 / 8: printed_constants(np.zeros(100), **given),
        math.sqrt(10) * 1.5 / 8: local_printed_constants(np.zeros(100), **given),
        math.sqrt(900 / 8): printed_lemma_1_constants(np.zeros(100), **given),
    }
    for scale, found in printed.items():
        assert found.truncation_scale == pytest.approx(scale)
        assert found.noise_scale == pytest.approx(definition_7 * found.sensitivity)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("rule", RULES)
def test_the_noise_costs_the_claim_at_every_epsilon(rule: str, epsilon: float) -> None:
    given: dict[str, Any] = {
        "n": 50, "epsilon": epsilon, "delta": 1e-4, "second_moment": 2.0,
        "failure_probability": 0.01,
    }  # fmt: skip
    constants_for = RULES[rule][1]
    exact = constants_for(**given)
    spent = gaussian_dp_epsilon(exact.sensitivity / exact.noise_scale, 1e-4)
    assert spent == pytest.approx(epsilon, rel=1e-9)
    loose = constants_for(**given, method="zcdp")
    rho = loose.sensitivity**2 / (2 * loose.noise_scale**2)
    assert zcdp_epsilon(rho, 1e-4) == pytest.approx(epsilon)


def test_definition_7_fails_at_large_epsilon_only() -> None:
    given: dict[str, Any] = {"second_moment": 2.0, "failure_probability": 0.01, "delta": 1e-3}
    for epsilon, exact in ((1.0, None), (8.0, 8.179)):
        found = printed_constants(np.zeros(50), epsilon=epsilon, **given)
        spent = gaussian_dp_epsilon(found.sensitivity / found.noise_scale, 1e-3)
        if exact is None:
            assert spent < epsilon
        else:
            assert spent == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(("rule", "limit"), [("theorem-2", 9), ("theorem-3", 9), ("lemma-1", 6)])
def test_the_stated_constants_suffice(rule: str, limit: float) -> None:
    """(36) without its term in beta, and the tails, 1 - zeta in all: at most C times the rate."""
    n, tau, worst = 1000, 3.0, 0.0
    local, constants_for = RULES[rule]
    for zeta, delta, epsilon in itertools.product(
        (0.5, 0.1, 1e-3, 1e-10, 1e-100), (math.exp(-1), 0.01, 1e-5, 1e-20), (1e-3, 0.1, 0.5, 1.0)
    ):
        found = constants_for(
            n=n, epsilon=epsilon, delta=delta, second_moment=tau, failure_probability=zeta
        )
        log_term, log_delta, s = -math.log(zeta), -math.log(delta), found.truncation_scale
        noise = found.noise_scale / (math.sqrt(n) if local else 1)
        # zeta/4 for every side of the mean and of the noise
        share = log_term + math.log(4)
        error = tau / (2 * s) * (1 + 1 / found.precision) + s / n * share
        error += noise * math.sqrt(2 * share)
        size = math.sqrt(n) if local else n
        if rule == "lemma-1":
            rate = math.sqrt(tau * log_delta * log_term / n) / epsilon
        else:
            rate = math.sqrt(tau * math.sqrt(log_delta) * log_term / (size * epsilon))
        worst = max(worst, error / rate)
    assert limit - 1 < worst <= limit


# ---------------------------------------------------------------------------- the algorithms


def test_hand_computed_central() -> None:
    constants = central_module.constants_for(n=3, **parameters())
    s, precision = constants.truncation_scale, constants.precision
    values = [float(smoothed_truncation(v, scale=s, precision=precision)) for v in (2.0, -1.0, 1e9)]
    assert values[2] == pytest.approx(truncation_bound(scale=s, precision=precision))
    found = private_mean([2.0, -1.0, 1e9], ledger=GivenDrawsLedger([-1.5]), **parameters())
    assert found == pytest.approx(sum(values) / 3 - 1.5 * constants.noise_scale)


def test_hand_computed_local() -> None:
    constants = local_module.constants_for(n=2, **parameters())
    s, precision, sigma = constants.truncation_scale, constants.precision, constants.noise_scale
    values = smoothed_truncation([2.0, -1e9], scale=s, precision=precision)
    found = local_private_mean(
        [2.0, -1e9], ledger=GivenDrawsLedger([np.array([1.0, -3.0])]), **parameters()
    )
    assert found == pytest.approx((values[0] + sigma + values[1] - 3 * sigma) / 2)


@pytest.mark.parametrize("rule", RULES)
def test_one_release_as_declared(rule: str) -> None:
    ledger = RecordingLedger(0)
    by_rule(rule)(DATA, ledger=ledger, **parameters())
    local, constants_for = RULES[rule]
    constants = constants_for(n=60, **parameters())
    (release,) = ledger.transcript.releases
    assert release.claim.unit == ("record" if local else "dataset")
    assert release.value is not None
    assert release.value.shape == ((60,) if local else ())
    assert release.claim.sensitivity == constants.sensitivity
    assert release.mechanism == Gaussian(constants.noise_scale)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(0.9, rel=1e-9)


def test_the_exact_epsilon_of_the_card() -> None:
    # the zCDP noise: (epsilon, delta), precision and the exact epsilon that Delta and
    # erf(sqrt(precision/2)) leave
    for epsilon, delta, precision, full, exact in (
        (1.0, 1e-5, 2.146, 0.742, 0.627),
        (1.0, 1e-2, 2.3, 0.490, 0.406),
        (4.0, 1e-3, 2.3, 2.96, 2.50),
    ):
        found = central_module.constants_for(
            n=100, epsilon=epsilon, delta=delta, second_moment=1.0,
            failure_probability=math.exp(-(precision**2)), method="zcdp",
        )  # fmt: skip
        assert found.precision == pytest.approx(precision)
        mu = found.sensitivity / found.noise_scale
        assert gaussian_dp_epsilon(mu, delta) == pytest.approx(full, rel=0.01)
        bound = truncation_bound(scale=found.truncation_scale, precision=precision)
        assert gaussian_dp_epsilon(2 * bound / 100 / found.noise_scale, delta) == pytest.approx(
            exact, rel=0.01
        )


@pytest.mark.parametrize("rule", ["theorem-2", "theorem-3"])
def test_the_loss_is_gaussian_with_the_exact_sensitivity(rule: str) -> None:
    local, constants_for = RULES[rule]
    n = 1 if local else 100
    constants = constants_for(n=n, **parameters())
    data = np.zeros(n)
    data[0] = 1e9
    other = -data

    def run(x: Any, ledger: Ledger) -> Any:
        return FUNCTIONS[local](x, ledger=ledger, **parameters())

    losses = []
    for seed in range(400):
        transcript, _ = record(run, data, seed)
        losses.append(privacy_loss(run, data, other, transcript))
    bound = truncation_bound(scale=constants.truncation_scale, precision=constants.precision)
    mu = 2 * bound / (n * constants.noise_scale)
    assert mu == pytest.approx(
        gaussian_dp_mu(0.9, 1e-5) * math.erf(math.sqrt(constants.precision / 2))
    )
    # N(mu^2/2, mu^2): five standard errors of the mean and of the variance
    assert np.mean(losses) == pytest.approx(mu**2 / 2, abs=5 * mu / 20)
    assert np.var(losses) == pytest.approx(mu**2, rel=5 * math.sqrt(2 / 400))


@pytest.mark.parametrize("rule", RULES)
def test_noiseless_limit_is_the_mean(rule: str) -> None:
    # tau = 1e16 puts s at 1e7 times the data and more: relative bias of order 1e-14
    found = by_rule(rule)(DATA, ledger=NoiselessLedger(), **parameters(second_moment=1e16))
    assert found == pytest.approx(DATA.mean(), rel=1e-10)


@pytest.mark.parametrize("rule", RULES)
def test_without_noise_it_is_robust(rule: str) -> None:
    function = by_rule(rule)
    data = DATA.copy()
    data[:3] = 1e200
    clean, dirty = (function(x, ledger=NoiselessLedger(), **parameters()) for x in (DATA, data))
    constants = RULES[rule][1](n=60, **parameters())
    bound = truncation_bound(scale=constants.truncation_scale, precision=constants.precision)
    assert 0 < dirty - clean <= 3 * 2 * bound / 60


@pytest.mark.parametrize("rule", RULES)
def test_scale_equivariance_and_sign(rule: str) -> None:
    function = by_rule(rule)
    plain = function(DATA, ledger=Ledger(3), **parameters())
    scaled = function(1024 * DATA, ledger=Ledger(3), **parameters(second_moment=4.0 * 1024**2))
    assert scaled == pytest.approx(1024 * plain, rel=1e-12)
    quiet, mirrored = (function(x, ledger=NoiselessLedger(), **parameters()) for x in (DATA, -DATA))
    assert mirrored == pytest.approx(-quiet, rel=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_order_does_not_matter(function: Any) -> None:
    shuffled = np.random.default_rng(1).permutation(DATA)
    first, second = (
        function(x, ledger=NoiselessLedger(), **parameters()) for x in (DATA, shuffled)
    )
    assert second == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_record_makes_a_release_fail(function: Any) -> None:
    data = DATA.copy()
    data[:6] = (1e300, -1.7e308, 5e-324, -1e-310, 0.0, 1e154)
    with np.errstate(all="raise", under="ignore"):
        assert math.isfinite(function(data, ledger=Ledger(0), **parameters()))
        assert math.isfinite(function(np.zeros(1), ledger=Ledger(0), **parameters()))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_types(function: Any) -> None:
    data = DATA.copy()
    found = function(data, ledger=Ledger(4), **parameters())
    assert type(found) is float
    np.testing.assert_array_equal(data, DATA)
    assert function(list(DATA), ledger=Ledger(4), **parameters()) == found
    single = function(DATA.astype(np.float32), ledger=Ledger(4), **parameters())
    assert single == pytest.approx(found, rel=1e-6)
    assert function([1, 2, 3], ledger=None, **parameters()) != function(
        [1, 2, 3], ledger=None, **parameters()
    )


# ---------------------------------------------------------------------------- utility


def two_point_bias(local: bool, rule: Any, zeta: float) -> float:
    """Bias over the claimed rate for x = sk with probability tau/(sk)^2, else 0; tau = 1."""
    n, epsilon, delta = 10**6, 1.0, 1e-5
    found = rule(
        np.zeros(n), epsilon=epsilon, delta=delta, second_moment=1.0, failure_probability=zeta
    )
    size = math.sqrt(n) if local else n
    rate = math.sqrt(math.sqrt(-math.log(delta)) * -math.log(zeta) / (size * epsilon))
    k = np.linspace(0.3, 4.0, 3701)
    psi = smoothed_truncation(k, scale=1.0, precision=found.precision)
    return float(((k - psi) / k**2).max()) / found.truncation_scale / rate


@pytest.mark.parametrize("local", [False, True])
def test_the_printed_scale_loses_a_factor(local: bool) -> None:
    # the figures of errata wang-mean/E1 and wang-ldp-mean/E1
    printed_rule = local_printed_constants if local else printed_constants
    printed = [two_point_bias(local, printed_rule, z) for z in (0.1, 1e-4, 1e-10, 1e-100)]
    assert printed == pytest.approx([0.575, 0.961, 1.41, 4.08], rel=0.005)
    assert two_point_bias(local, printed_rule, 1e-300) == pytest.approx(7.0, rel=0.01)

    def right(data: Any, **given: Any) -> Constants:
        constants_for = RULES["theorem-3" if local else "theorem-2"][1]
        found: Constants = constants_for(n=len(data), **given)
        return found

    assert max(two_point_bias(local, right, z) for z in (0.1, 1e-4, 1e-10, 1e-100)) < 0.4


@pytest.mark.parametrize("rule", RULES)
def test_errors_stay_within_the_explicit_bound(rule: str) -> None:
    # 200 samples of 1 + t_3; (36) with zeta = 1e-9 on every side holds for all of them but with
    # probability 200 * 4e-9 < 1e-6
    rng = np.random.default_rng(6)
    n = 2000
    local, constants_for = RULES[rule]
    constants, function = constants_for(n=n, **parameters()), by_rule(rule)
    errors = np.array(
        [
            function(1 + rng.standard_t(3, n), ledger=Ledger(rng), **parameters()) - 1
            for _ in range(200)
        ]
    )
    s, share = constants.truncation_scale, math.log(1e9)
    noise = constants.noise_scale / (math.sqrt(n) if local else 1)
    allowed = 4 / (2 * s) * (1 + 1 / constants.precision) + s / n * share
    assert np.abs(errors).max() <= allowed + noise * math.sqrt(2 * share)
    # and the noise is there: five standard errors, and the spread of the data is below its own
    spread = errors.std()
    assert noise * (1 - 5 / 20) < spread < math.hypot(noise, math.sqrt(3 / n)) * (1 + 5 / 20)


# ---------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": []}, ValueError, "data must not be empty"),
        ({"data": [1.0, math.nan]}, ValueError, "data must be finite"),
        ({"data": [1.0, math.inf]}, ValueError, "data must be finite"),
        ({"data": [[1.0]]}, ValueError, "data must have 1 dimension"),
        ({"data": ["a"]}, TypeError, "data must be an array of real numbers"),
        ({"epsilon": 0.0}, ValueError, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"epsilon": math.inf}, ValueError, "epsilon must be a finite number > 0, got inf"),
        ({"epsilon": None}, TypeError, "epsilon must be a real number, got None"),
        ({"delta": 0.0}, ValueError, r"delta must be in \(0, 1\), got 0\.0"),
        ({"delta": 1.0}, ValueError, r"delta must be in \(0, 1\), got 1\.0"),
        ({"second_moment": 0.0}, ValueError, "second_moment must be a finite number > 0"),
        ({"second_moment": "4"}, TypeError, "second_moment must be a real number, got '4'"),
        ({"failure_probability": 0.0}, ValueError, r"failure_probability must be in \(0, 1\)"),
        ({"failure_probability": 1.0}, ValueError, r"failure_probability must be in \(0, 1\)"),
        ({"constants": PositiveConstants()}, TypeError, "constants must be a .*Constants, got"),
        ({"ledger": 0}, TypeError, "ledger must be a Ledger"),
    ],
)
def test_bad_input_is_refused_before_any_release(
    function: Any, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    ledger = Ledger(0)
    arguments = {"data": DATA, "ledger": ledger, **parameters(), **change}
    with pytest.raises(error, match=message) as caught:
        function(**arguments)
    assert "\n" not in str(caught.value)
    assert len(ledger.transcript) == 0


@pytest.mark.parametrize("rule", RULES)
def test_constants_of_parameters_out_of_range_are_refused(rule: str) -> None:
    with pytest.raises(ValueError, match="n must be an integer >= 1, got 0"):
        RULES[rule][1](n=0, **parameters())
    with pytest.raises(ValueError, match="truncation_scale must be a finite number > 0"):
        Constants(0.0, 1.0, 1.0, 1.0)
