"""By default a run spends all of its epsilon: no algorithm adds more noise than its claim needs."""

import pytest

from auditor.described import left_out, modules
from reference.catalogue import entry
from reference.privacy.ledger import RecordingLedger

IDENTIFIERS = [
    identifier
    for identifier, name in modules().items()
    if name.split(".")[2] in ("basic", "convex", "matrices", "nonconvex")
]


@pytest.mark.parametrize("epsilon", [0.1, 1.4])
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_all_of_epsilon_is_spent(identifier, epsilon, arguments_of):
    arguments = {**arguments_of(identifier), "epsilon": epsilon}
    if "constants" in arguments:
        arguments["constants"] = None
    ledger = RecordingLedger(0)
    entry(identifier).function(**{**arguments, "ledger": ledger})
    spent = ledger.spent(delta=arguments.get("delta") or 0.0).epsilon / epsilon
    sampled = any(release.claim.sample for release in ledger.transcript.releases)
    # the accountant of samples is exact to its grid
    assert (spent < (0.999 if sampled else 1 - 1e-9)) == ("all of epsilon" in left_out(identifier))
    assert spent <= 1 + 1e-9
