"""The libraries of the extra ``proofs``, imported when a check first uses them.

``sp`` is sympy, ``z3`` is z3-solver, ``flint`` is python-flint. Without one of them the checks
that need it raise :class:`MissingExtraError` and are reported as not run here; the others run.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

INSTALL = "pip install 'dp-touchstone[proofs]'"


class MissingExtraError(ImportError):
    """A library of the extra ``proofs`` is not installed."""


class _Lazy:
    def __init__(self, module: str, package: str) -> None:
        self._module = module
        self._package = package
        self._loaded: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if self._loaded is None:
            try:
                self._loaded = importlib.import_module(self._module)
            except ImportError as error:
                raise MissingExtraError(f"needs {self._package}; {INSTALL}") from error
        return getattr(self._loaded, name)


sp: Any = _Lazy("sympy", "sympy")
z3: Any = _Lazy("z3", "z3-solver")
flint: Any = _Lazy("flint", "python-flint")
