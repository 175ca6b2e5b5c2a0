"""Properties that an algorithm must have in all its settings, whatever it computes.

The test suite checks them for the catalogue's algorithms. To check your own::

    @pytest.mark.parametrize("it", auditor.properties(my_algorithm, SETTINGS), ids=str)
    def test_it(it):
        assert it.wrong() == ""
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.core.setting import Algorithm, Setting
from auditor.questions.accounting import account
from auditor.questions.control_flow import first_difference
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP
from reference.privacy.ledger import (
    GivenDrawsLedger,
    Ledger,
    NoiselessLedger,
    PublicEntry,
    RecordingLedger,
    SubsampleEntry,
)

CLOSE = 1e-9
"""Relative to the largest number of a result: what another order of summation may change."""


def claim_of(arguments: Mapping[str, Any]) -> Guarantee:
    """Return the claim that epsilon and delta among the arguments make, of a replaced record."""
    if arguments.get("delta") is None:
        return PureDP(arguments["epsilon"])
    return ApproximateDP(arguments["epsilon"], arguments["delta"])


@dataclass(frozen=True)
class Property:
    """Something that must be true of an algorithm in its settings.

    Attributes
    ----------
    name : str
    check : callable
        Returns what is wrong in a setting, nothing if it is true of it.
    settings : sequence of Setting
    """

    name: str
    check: Callable[[Setting], str | None]
    settings: Sequence[Setting]

    def wrong(self) -> str:
        """Return the first setting that it is not true of, and how; empty if there is none."""
        for setting in self.settings:
            found = self.check(setting)
            if found:
                return f"{setting.name}: {found}"
        return ""

    def __str__(self) -> str:
        return self.name


def properties(
    algorithm: Algorithm,
    settings: Sequence[Setting],
    *,
    claim: Callable[[Mapping[str, Any]], Guarantee] = claim_of,
    in_order: str = "",
) -> tuple[Property, ...]:
    """Return what must be true of an algorithm in its settings.

    Parameters
    ----------
    algorithm : callable
        ``algorithm(**arguments, ledger=...)``, its data first among the arguments.
    settings : sequence of Setting
    claim : callable
        The claim at the arguments of a setting; by default what their epsilon and delta say.
    in_order : str
        Why the result depends on the order of the records, if it does.

    Raises
    ------
    ValueError
        If there is no setting.
    """
    if not settings:
        raise ValueError("settings must hold a Setting at least: there is nothing to ask")
    checks: dict[str, Callable[[Algorithm, Setting], str | None]] = {
        "it leaves its input as it is": _leaves_input,  # first: after it, what changes is changed
        "the same seed gives the same": _repeats,
        "its noise is all that it draws": _draws_nothing_else,
        "its draws give its result again": _follows_from_draws,
        "it takes any layout of its data": _takes_any_layout,
        "it spends what it claims at most": partial(_spends, claim),
        "its result is made of finite numbers": _is_finite,
        "without noise it gives what is known": _gives_what_is_known,
    }
    if not in_order:
        checks["the order of records does not matter"] = _any_order
    return tuple(
        Property(name, partial(check, algorithm), tuple(settings)) for name, check in checks.items()
    )


def _run(algorithm: Algorithm, setting: Setting, ledger: Any, **changes: Any) -> Any:
    return algorithm(**{**setting.arguments, **changes}, ledger=ledger)


def _repeats(algorithm: Algorithm, setting: Setting) -> str | None:
    ledgers = RecordingLedger(setting.seed), RecordingLedger(setting.seed)
    one, two = (_run(algorithm, setting, ledger) for ledger in ledgers)
    first, second = ([made.output for made in ledger.transcript.releases] for ledger in ledgers)
    return first_difference(one, two) or first_difference(first, second, "releases")


def _draws_nothing_else(algorithm: Algorithm, setting: Setting) -> str | None:
    """Without noise two seeds give the same, unless something public is drawn."""
    ledger = NoiselessLedger(setting.seed)
    one = _run(algorithm, setting, ledger)
    if _draws_in_public(ledger):
        return None
    return first_difference(one, _run(algorithm, setting, NoiselessLedger(setting.seed + 1)))


def _follows_from_draws(algorithm: Algorithm, setting: Setting) -> str | None:
    ledger = RecordingLedger(setting.seed)
    one = _run(algorithm, setting, ledger)
    two = _run(algorithm, setting, GivenDrawsLedger(ledger.transcript.draws))
    return first_difference(one, two)


def _leaves_input(algorithm: Algorithm, setting: Setting) -> str | None:
    before = copy.deepcopy(dict(setting.arguments))
    _run(algorithm, setting, RecordingLedger(setting.seed))
    return first_difference(before, dict(setting.arguments), "arguments")


def _takes_any_layout(algorithm: Algorithm, setting: Setting) -> str | None:
    """Read-only, column by column, every second entry of a larger array, and lists."""
    one = _run(algorithm, setting, RecordingLedger(setting.seed))
    for name, change in LAYOUTS.items():
        data = _each_part(setting.data, change)
        changes = {setting.data_name: data}
        two = _run(algorithm, setting, RecordingLedger(setting.seed), **changes)
        found = _other(one, two)
        if found:
            return f"{name}: {found}"
    return None


def _spends(
    claim: Callable[[Mapping[str, Any]], Guarantee], algorithm: Algorithm, setting: Setting
) -> str | None:
    """Unless its caller fixes its constants, on which depends what a run spends."""
    if setting.arguments.get("constants") is not None:
        return None
    ledger = RecordingLedger(setting.seed)
    _run(algorithm, setting, ledger)
    found = account(ledger.transcript, claim(setting.arguments))
    if found.certified:
        return None
    return f"{found.parameter} {found.accounted!r} for {found.claimed!r}"


def _is_finite(algorithm: Algorithm, setting: Setting) -> str | None:
    result = _run(algorithm, setting, RecordingLedger(setting.seed))
    wrong = [where for where, array in numbers_of(result) if not np.isfinite(array).all()]
    return f"{wrong[0]} is not finite" if wrong else None


def _gives_what_is_known(algorithm: Algorithm, setting: Setting) -> str | None:
    if setting.noiseless is None:
        return None
    known = setting.noiseless
    expected = known(**setting.arguments) if callable(known) else known
    found = _run(algorithm, setting, NoiselessLedger(setting.seed))
    return _other(expected, found)


def _any_order(algorithm: Algorithm, setting: Setting) -> str | None:
    """Without noise, unless records are chosen by their place: at random, or block by block."""
    ledger = NoiselessLedger(setting.seed)
    one = _run(algorithm, setting, ledger)
    blocks = any(release.claim.records is not None for release in ledger.transcript.releases)
    if blocks or _draws_in_public(ledger):
        return None
    turned = _each_part(setting.data, lambda part: part[::-1])
    changes = {setting.data_name: turned}
    return _other(one, _run(algorithm, setting, NoiselessLedger(setting.seed), **changes))


def _draws_in_public(ledger: Ledger) -> bool:
    return any(isinstance(entry, (PublicEntry, SubsampleEntry)) for entry in ledger.transcript)


def _each_part(data: Any, change: Callable[[np.ndarray], Any]) -> Any:
    if isinstance(data, tuple):
        return tuple(change(np.array(part)) for part in data)
    return change(np.array(data))


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _with_strides(array: np.ndarray) -> np.ndarray:
    wide = np.zeros((2 * array.shape[0], *array.shape[1:]), dtype=array.dtype)
    wide[::2] = array
    return wide[::2]


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "read-only": _read_only,
    "in columns": lambda array: np.array(array, order="F"),
    "with strides": _with_strides,
    "in lists": lambda array: array.tolist(),
}


def numbers_of(result: Any, path: str = "result") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numbers that a result is made of as arrays, each with where it is."""
    if isinstance(result, (np.ndarray, np.generic, int, float)):
        array = np.asarray(result)
        if array.dtype != object:
            yield path, array.astype(float) if array.dtype.kind in "biuf" else array
            return
        result = array.tolist()
    if hasattr(result, "__dataclass_fields__"):
        result = {name: getattr(result, name) for name in result.__dataclass_fields__}
    if isinstance(result, Mapping):
        for key, item in result.items():
            yield from numbers_of(item, f"{path}.{key}")
    elif isinstance(result, (list, tuple)):
        for index, item in enumerate(result):
            yield from numbers_of(item, f"{path}[{index}]")


def _other(one: Any, two: Any) -> str | None:
    """Return where the numbers of two results differ by more than :data:`CLOSE`."""
    first, second = list(numbers_of(one)), list(numbers_of(two))
    if [(where, a.shape) for where, a in first] != [(where, a.shape) for where, a in second]:
        return f"{[where for where, _ in first]}, then {[where for where, _ in second]}"
    finite = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for _, a in first]
    most = float(max(finite, default=0.0))
    for (where, a), (_, b) in zip(first, second, strict=True):
        if not np.allclose(a, b, rtol=0.0, atol=CLOSE * most, equal_nan=True):
            return f"{where}: {a.ravel()[:5]}, then {b.ravel()[:5]}"
    return None
