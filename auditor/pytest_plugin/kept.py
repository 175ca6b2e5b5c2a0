"""Tests that passed before with the same code, as ``--private-changed`` keeps them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from auditor.suite.keys import Sources

SAID = "touchstone."
"""Prefix of the names of properties that a marked test gets in a junit file."""


def say(item: pytest.Item, **properties: object) -> None:
    """Give the report of a test properties."""
    item.user_properties += [(SAID + name, str(value)) for name, value in properties.items()]


def key_of(item: pytest.Function, sources: Sources, options: object) -> str:
    """Return a hash of what a marked test depends on: its code, versions, and the options."""
    from auditor.suite.keys import code

    plugins = item.config.pluginmanager.get_plugins()
    conftests = [p for p in plugins if Path(str(getattr(p, "__file__", ""))).name == "conftest.py"]
    roots = [__package__ or ""]
    for module in [item.module, *conftests]:
        # the names of two conftest.py can be the same; a path from here is the same elsewhere
        name = os.path.relpath(module.__file__, item.config.rootpath)
        sources.read(name, Path(module.__file__), module.__package__ or "")
        roots.append(name)
    content = json.dumps([code(sources, *sorted(set(roots))), options], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _place(item: pytest.Function) -> str:
    """Return where pytest's cache has what was said of a test that passed."""
    return f"touchstone/{hashlib.sha256(item.nodeid.encode()).hexdigest()}"


def passed_before(item: pytest.Function, key: str) -> bool:
    """Say of a test what was said when it passed with the same key; return whether it did."""
    assert item.config.cache is not None  # the option requires it
    earlier = item.config.cache.get(_place(item), None)
    if not isinstance(earlier, dict) or earlier.get("key") != key:
        return False
    say(item, **earlier["said"], kept=True)
    return True


def keep(item: pytest.Function, key: str) -> None:
    """Keep what is said of a test that passes because its claim holds."""
    assert item.config.cache is not None  # the option requires it
    said = {
        name.removeprefix(SAID): value
        for name, value in item.user_properties
        if name.startswith(SAID)
    }
    if said["status"] == "holds":
        item.config.cache.set(_place(item), {"key": key, "said": said})
