"""Mechanisms with their true privacy, right ones and broken ones.

Every module of this package ends with its ``SPECIMENS``; :func:`specimens` collects them.
"""

from __future__ import annotations

import importlib
import pkgutil

from auditor.zoo.specimen import Specimen

__all__ = ["Specimen", "specimens"]


def specimens() -> dict[str, Specimen]:
    """Return all specimens by name, the right ones first.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found: dict[str, Specimen] = {}
    for module in pkgutil.iter_modules(__path__):
        for specimen in getattr(
            importlib.import_module(f"{__name__}.{module.name}"), "SPECIMENS", ()
        ):
            if specimen.name in found:
                raise ValueError(f"two specimens are called {specimen.name}")
            found[specimen.name] = specimen
    return dict(sorted(found.items(), key=lambda item: (item[1].broken, item[0])))
