import pytest

from auditor.core.context import Context
from auditor.described import build_case
from auditor.questions import accounting, control_flow, sensitivity


def test_the_pair_attains_the_sensitivity():
    form = build_case("diss-7.1.54").forms["corrected"]
    assert sensitivity.largest_ratio(form.run, *form.pair).ratio == pytest.approx(1.0)


def test_raw_initialisation_is_seen_in_what_is_returned():
    # nothing else can tell: the releases are those of the algorithm
    mutant = build_case("diss-7.1.54").mutants["raw majority initialisation"]
    context = Context()
    assert accounting.audit(mutant, context).status == "holds"
    assert sensitivity.audit(mutant, context, search=False).status == "holds"
    assert control_flow.audit(mutant, context).status == "violated"
