"""A request for a check: plain values that can be sent to another process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.checking.check_options import RandomArgument

GRACE, GRACE_SHARE = 30.0, 1.5
"""A check that goes on after its time is killed when this many seconds and this share are over."""

MADE_UP = ("scalar", "box", "l1", "l2", "linf", "binary", "counts", "reals")
"""Words for domains whose records are nobody's."""


@dataclass(frozen=True)
class Request:
    """A request for a check: the mechanism, the pair and the options.

    Parameters
    ----------
    target : str or None
        ``package.module:callable`` or ``path.py:callable``.
    command : str or None
        Instead: a program that speaks the line protocol.
    pair_file, pair_from, domain : str or None
        Exactly one: a ``.json`` or ``.npy`` file with [D, D'], a callable that returns (D, D') or
        a strategy of pairs, or a domain, see :func:`auditor.checking.loading.load_domain`.
    kind : {"ledger", "rng"} or None
        What the target's second argument is; ``None`` goes by its name.
    arguments : mapping
        Further arguments of the target, by name.
    claims : mapping
        At most one claim in another currency: ``rho``, ``mu``, ``renyi`` (a pair) or
        ``trade_off`` (a callable's name).
    relation : str or None
        "replace", "add-remove", "replace-label" or "any".
    options : mapping
        Further keywords of :func:`auditor.check`.
    folder : str or None
        What relative paths start from; ``None`` is the current folder.
    """

    target: str | None = None
    command: str | None = None
    pair_file: str | None = None
    pair_from: str | None = None
    domain: str | None = None
    kind: RandomArgument | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)
    relation: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None

    @property
    def code(self) -> tuple[str, ...]:
        """Return what is run or imported: the command, and the names of Python code."""
        named = self.domain if self.domain and _imports(self.domain) else None
        found = (self.command, self.target, self.pair_from, named, self.claims.get("trade_off"))
        return tuple(dict.fromkeys(one for one in found if one))

    @property
    def name(self) -> str:
        """Return what is checked, in a word."""
        return self.target or self.command or "nothing"


def _imports(domain: str) -> bool:
    return domain.partition(":")[0] not in (*MADE_UP, "table")


def may_be_real(domain: str | None) -> bool:
    """Return whether the records of a domain in words may be somebody's.

    Those of a table are, and those of a domain that code names may be.
    """
    return domain is not None and domain.partition(":")[0] not in MADE_UP


def longest(request: Request) -> float:
    """Return after how many seconds a check is killed that goes on after its ``timeout``."""
    timeout = request.options.get("timeout")
    return math.inf if timeout is None else GRACE_SHARE * timeout + GRACE
