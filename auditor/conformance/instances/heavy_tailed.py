"""Cases of the heavy-tailed algorithms."""

from __future__ import annotations

from collections.abc import Callable

from auditor.conformance.instance import Instance

INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {}
