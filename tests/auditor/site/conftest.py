"""Contents that the pages of these tests are made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.site.content import Content, gather
from auditor.suite import task
from auditor.suite.proofs import run_all
from auditor.suite.run import audit
from auditor.suite.store import Settings, Store
from proofs_checks.statement import find

CHECKED = ("000 Theorem 4", "000 (23)", "000 Theorem 1", "002 Lemma 3.1")


@pytest.fixture(scope="session")
def content(
    tmp_path_factory: pytest.TempPathFactory, as_the_catalogue_says: Callable[..., Any]
) -> Content:
    """Return the content after four statements were checked and wang-2 had two questions.

    The other questions are answered as expected.
    """
    store, ask = Store(tmp_path_factory.mktemp("results")), task.ask

    def answer(case: Any, unit: Any, *more: Any) -> Any:
        asked = unit.question in ("accounting", "sensitivity")
        return (ask if asked else as_the_catalogue_says)(case, unit, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task, "ask", answer)
        audit(["wang-2"], Settings(), store, workers=1)
    return gather(store, run_all([find(key) for key in CHECKED]))
