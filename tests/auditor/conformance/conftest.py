"""The vectors, read once."""

from __future__ import annotations

import pytest

from auditor.conformance import store
from auditor.conformance.kinds import Case

Vectors = dict[tuple[str, str], list[Case]]


@pytest.fixture(scope="session")
def vectors() -> Vectors:
    """The cases of every file by kind and name; reading them holds them against their schema."""
    return {(kind, of): store.read(path) for kind, of, path in store.files()}
