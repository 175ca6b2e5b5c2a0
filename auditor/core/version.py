"""The version that is installed; a module of its own, because what asks for it should load fast."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """Return the installed version."""
    return metadata.version("dp-touchstone")
