"""A test that is a mechanism: what the plugin gives it, and what fixtures do."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from auditor.checking.result import CheckResult


def not_a_mechanism(function: Callable[..., Any], takes: tuple[str, ...]) -> str | None:
    """Return why a marked test is no mechanism, if it is none."""
    if getattr(function, "is_hypothesis_test", False):
        return "is a property test; call assert_private inside of it instead"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return "is asynchronous; it must return the output of the mechanism"
    if "data" not in takes:
        return "takes no argument 'data'; it must be a mechanism, (data, rng) -> output"
    if "rng" in takes and "ledger" in takes:
        return "takes both 'rng' and 'ledger'; a mechanism has its noise from one of them"
    return None


def fixtures_of(item: pytest.Function) -> dict[str, Any]:
    """Return the values of the fixtures and parameters that a test takes."""
    needed = (p for p in inspect.signature(item.obj).parameters.values() if p.default is p.empty)
    return {p.name: item.funcargs[p.name] for p in needed if p.name in item.funcargs}


class MarkedMechanism:
    """A test function as a mechanism: the fixtures are in place."""

    def __init__(
        self, function: Callable[..., Any], takes: tuple[str, ...], fixtures: dict[str, Any]
    ) -> None:
        self._function = function
        self._takes = takes
        self._fixtures = fixtures
        self._runs = 0
        self._nones = 0

    def returns_nothing(self, result: CheckResult) -> bool:
        """Return whether every run returned None, as a test without a return does."""
        if self._runs:
            return self._runs == self._nones
        # the runs were made in other processes: at least they always returned the same
        return [finding["kind"] for finding in result.findings].count("constant") == 2

    def takes_what_it_needs(self) -> Callable[..., Any]:
        """Return the mechanism, with the arguments that say to a check what it is."""

        def with_rng(data: Any, rng: Any) -> Any:
            return self._run(data=data, rng=rng)

        def with_size(data: Any, rng: Any, size: int) -> Any:
            return self._run(data=data, rng=rng, size=size)

        def with_ledger(data: Any, ledger: Any) -> Any:
            return self._run(data=data, ledger=ledger)

        if "ledger" in self._takes:
            return with_ledger
        return with_size if "size" in self._takes else with_rng

    def _run(self, **ours: Any) -> Any:
        given = {name: ours[name] for name in self._takes}
        output = self._function(**given, **self._fixtures)
        self._runs += 1
        self._nones += output is None
        return output
