"""How every algorithm of the catalogue is audited: one file per algorithm, named as its own.

Every module defines ``CASES``, a dict from algorithm id to a function that builds its
:class:`~auditor.core.case.Case` (lazily, in the worker that needs it).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from auditor.core.case import Case


@cache
def builders() -> dict[str, Callable[[], Case]]:
    """Return the case builders by algorithm id, from every module of :mod:`auditor.cases`."""
    found: dict[str, Callable[[], Case]] = {}
    for info in pkgutil.walk_packages(__path__, f"{__name__}."):
        module = importlib.import_module(info.name)
        for identifier, build in getattr(module, "CASES", {}).items():
            if identifier in found:
                raise RuntimeError(f"two audit cases are called {identifier!r}")
            found[identifier] = build
    return dict(sorted(found.items()))


def build_case(identifier: str) -> Case:
    """Build the case of one algorithm; raise KeyError if there is none."""
    case = builders()[identifier]()
    if case.id != identifier:
        raise RuntimeError(f"the builder of {identifier!r} made a case called {case.id!r}")
    return case
