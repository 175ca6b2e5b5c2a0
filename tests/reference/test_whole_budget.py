"""By default a run spends all of its epsilon: no algorithm adds more noise than its claim needs."""

import pytest

from auditor.described import modules
from reference.catalogue import entry
from reference.privacy.ledger import RecordingLedger

IDENTIFIERS = [
    identifier
    for identifier, name in modules().items()
    if name.split(".")[2] in ("basic", "convex", "matrices", "nonconvex")
]
SPENT = {
    "diss-2.sgd-accountant": 0.999,  # the accountant of sampling is exact to its grid
    "diss-3.1.1": 0.999,
    "diss-3.1.2": 0.999,
    "diss-3.1.3": 0.999,
    "diss-4.3.29": 0.999,
    "diss-4.3.27": 0.5,  # a first-order step releases no Hessian
    "diss-6.3.51-W2": 0.8,  # a whole number of degrees
    "diss-6.3-SULQ": 0.0,  # the noise of the literature, 25 times the least
}
"""The part of epsilon that is spent at least, where it is not all."""


@pytest.mark.parametrize("epsilon", [0.1, 1.4])
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_all_of_epsilon_is_spent(identifier, epsilon, arguments_of):
    arguments = {**arguments_of(identifier), "epsilon": epsilon}
    if "constants" in arguments:
        arguments["constants"] = None
    ledger = RecordingLedger(0)
    entry(identifier).function(**{**arguments, "ledger": ledger})
    spent = ledger.spent(delta=arguments.get("delta") or 0.0).epsilon / epsilon
    assert SPENT.get(identifier, 1 - 1e-9) <= spent <= 1 + 1e-9
