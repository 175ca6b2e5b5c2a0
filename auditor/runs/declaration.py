"""A declared noise primitive: where it is, what it reads, what it claims, and whether it can be."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.runs.values import same
from reference._validation import IntArray

Given = str | float | Callable[..., Any]
"""An argument's name, a constant, or a function of the arguments that its parameters name."""


class _Kind(NamedTuple):
    """A kind of noise: the ledger's method, its parameters, and whether noise is added."""

    method: str
    parameters: tuple[str, ...]
    additive: bool


KINDS = {
    "laplace": _Kind("laplace", ("sensitivity", "scale"), True),
    "gaussian": _Kind("gaussian", ("sensitivity", "scale"), True),
    "exponential": _Kind("exponential", ("sensitivity", "epsilon"), False),
    "noisy max": _Kind("noisy_max", ("sensitivity", "scale"), False),
    "randomized response": _Kind("randomized_response", ("epsilon", "categories"), False),
}
"""Kinds of release that a primitive can declare. The ledger adds no discrete noise."""

FEW = 50
"""Largest number of unhashable outcomes of a selection that are compared with each other."""

_BESIDE = {"result": {"output"}, "records": {"call"}}
"""Arguments that a function of a declaration may take in addition to the primitive's."""


@dataclass(frozen=True)
class Primitive:
    """A callable that makes a release: where it is, what it reads and what it claims.

    Parameters
    ----------
    target : str, callable or (object, str)
        ``"module:function"`` or ``"module:Class.method"``, the function itself, or an object and
        the name of its attribute. ``"numpy.random:Generator.laplace"`` is a method of the
        generator that the mechanism is given or makes by ``default_rng``.
    noise : str
        ``"laplace"``, ``"gaussian"`` (value + noise, of standard deviation ``scale``),
        ``"exponential"`` (an index is selected with probability proportional to
        exp(epsilon score/(2 sensitivity))), ``"noisy max"`` (index of the largest score + Laplace
        noise) or ``"randomized response"`` (an integer below ``categories`` is kept, or changed to
        any other, at budget ``epsilon``).
    value : str, int, callable or None
        The argument with the private value (for a selection, the scores): its name, its position
        (``self`` not counted), or a function of arguments. ``None``: the callable returns noise
        alone (Laplace or Gaussian), which the mechanism adds itself. It may then write
        ``value + noise`` or ``value - noise``, with the noise multiplied by a number before, and
        must use every noise once; anything else is refused.
    sensitivity : str, float or callable
        Claimed: l1 for Laplace, l2 for Gaussian noise, the largest change of a score for a
        selection. An argument's name, a constant, or a function whose parameters are called like
        the arguments it needs, e.g. ``lambda self: self.sensitivity``.
    scale, epsilon, categories : str, float or callable
        Likewise, where the kind of noise has them (``categories`` is 2 by default).
    records : slice, sequence of int, str or callable, optional
        The records that a release reads, by number: noisy values about disjoint records cost a
        record one of them, not all. An argument's name, or a function of arguments and of
        ``call``, the number of calls of this callable before in the run (0, 1, ...), e.g.
        ``lambda call: slice(100 * call, 100 * (call + 1))``. If not given, any release may read
        any record, and the account, which then charges one record with all, refutes nothing.
    result : callable, optional
        What the callable returns, if not the release itself: a function of ``output`` (the
        ledger's) and of arguments, e.g. ``lambda output, candidates: candidates[output]``. Where
        it makes different things of all outcomes of a selection, the outcome of the callable's own
        draw is read off what it returned; of other noise it cannot be, and its draws are not
        tested.

    Examples
    --------
    >>> Primitive("numpy.random:Generator.laplace", noise="laplace", value="loc",
    ...           sensitivity=1.0, scale="scale").name
    'Generator.laplace'
    """

    target: str | Callable[..., Any] | tuple[Any, str]
    _: KW_ONLY
    noise: str
    value: str | int | Callable[..., Any] | None = None
    sensitivity: Given | None = None
    scale: Given | None = None
    epsilon: Given | None = None
    categories: Given | None = None
    records: slice | Sequence[int] | IntArray | str | Callable[..., Any] | None = None
    result: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """The callable's name inside its module."""
        if isinstance(self.target, str):
            return self.target.rpartition(":")[2]
        if isinstance(self.target, tuple):
            return str(self.target[1])
        return str(getattr(self.target, "__qualname__", self.target))


# ---------------------------------------------------------------------- a declaration, resolved


class Declared:
    """A primitive that was found, with its declaration checked against its signature."""

    def __init__(self, primitive: Primitive) -> None:
        self.primitive = primitive
        self.name = primitive.name
        if primitive.noise not in KINDS:
            raise InputError(
                f"{self.name}: noise must be one of {', '.join(KINDS)}, got {primitive.noise!r}; "
                "check a mechanism with another kind as a black box"
            )
        self.kind = KINDS[primitive.noise]
        self.owner, self.attribute = _located(primitive)
        self.raw: Any = getattr(self.owner, self.attribute)
        self.original: Callable[..., Any] = self.raw
        if isinstance(self.owner, type):  # what a class holds is not yet bound to it
            self.raw = inspect.getattr_static(self.owner, self.attribute)
            is_wrapped = isinstance(self.raw, (staticmethod, classmethod))
            self.original = self.raw.__func__ if is_wrapped else self.raw
        if isinstance(self.original, type) or not callable(self.original):
            raise InputError(f"{self.name} is no function; name the callable that adds the noise")
        self.of_generator = self.owner is np.random.Generator
        self._read_signature()
        self._check_parameters()

    @property
    def adds_later(self) -> bool:
        """Return whether the callable returns noise alone."""
        return self.primitive.value is None

    def _read_signature(self) -> None:
        try:
            self.signature = inspect.signature(self.original)
        except (TypeError, ValueError):
            raise InputError(
                f"the arguments of {self.name} cannot be inspected; declare a Python function "
                "that calls it"
            ) from None
        parameters = self.signature.parameters
        names = list(parameters)
        is_method = isinstance(self.owner, type) and not isinstance(self.raw, staticmethod)
        self.positions = names[1:] if is_method else names
        self.names = set(names)
        self.open = any(p.kind is p.VAR_KEYWORD for p in parameters.values())

    def _check_parameters(self) -> None:
        needed = self.kind.parameters
        for parameter in ("sensitivity", "scale", "epsilon", "categories"):
            given = getattr(self.primitive, parameter)
            if given is not None and parameter not in needed:
                raise InputError(
                    f"{self.name}: {self.primitive.noise} noise has no {parameter}; it has "
                    f"{' and '.join(needed)}"
                )
            if given is None and parameter in needed and parameter != "categories":
                raise InputError(f"{self.name}: {self.primitive.noise} noise needs {parameter}=")
            self._check_given(parameter, given)
        if self.adds_later and not self.kind.additive:
            raise InputError(f"{self.name}: {self.primitive.noise} needs value=")
        if isinstance(self.primitive.value, int):
            self._at(self.primitive.value)
        else:
            self._check_given("value", self.primitive.value)
        self._check_given("result", self.primitive.result)
        if isinstance(self.primitive.records, str) or callable(self.primitive.records):
            self._check_given("records", self.primitive.records)
        else:
            self._records_of(self.primitive.records)

    def _check_given(self, what: str, given: Given | None) -> None:
        if isinstance(given, str):
            used = [given]
        elif callable(given):
            used = _parameters_of(given, f"{what}= of {self.name}")
        else:
            if given is not None:
                _positive(given, what, self.name)
            return
        known = self.names | _BESIDE.get(what, set())
        missing = [name for name in used if name not in known]
        if missing and not self.open:
            raise InputError(
                f"{self.name} has no argument {missing[0]!r} (for {what}=); it takes "
                f"({', '.join(self.signature.parameters)})"
            )

    def _at(self, position: int) -> str:
        if not 0 <= position < len(self.positions):
            raise InputError(
                f"{self.name} has no argument at position {position}; it takes "
                f"({', '.join(self.positions)})"
            )
        return self.positions[position]

    # ------------------------------------------------------------------ one call

    def arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments of a call by name, defaults included."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found = dict(bound.arguments)
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                found.update(found.pop(name))
        return found

    def parameters(self, arguments: Mapping[str, Any]) -> dict[str, float]:
        """Return what the ledger needs to know, all positive.

        Raises
        ------
        InputError
            If one is not a positive number.
        """
        found: dict[str, float] = {}
        for parameter in self.kind.parameters:
            given = getattr(self.primitive, parameter)
            if given is not None:
                found[parameter] = _positive(self._read(given, arguments), parameter, self.name)
        if "categories" in found:
            found["categories"] = int(found["categories"])
        return found

    def records(self, arguments: Mapping[str, Any], call: int) -> slice | IntArray | None:
        """Return the records that a call reads; ``None`` if they are not declared.

        Raises
        ------
        InputError
            If they are no slice with an end, and no record numbers.
        """
        given = self.primitive.records
        if isinstance(given, str) or callable(given):
            given = self._read(given, {"call": call, **arguments})
        return self._records_of(given)

    def _records_of(self, given: Any) -> slice | IntArray | None:
        if given is None:
            return None
        if isinstance(given, slice):
            numbers = [given.start or 0, given.stop, 1 if given.step is None else given.step]
            whole = all(isinstance(number, (int, np.integer)) for number in numbers)
            if whole and 0 <= numbers[0] <= numbers[1] and numbers[2] > 0:
                return given
        else:
            array = np.atleast_1d(np.asarray(given))
            if array.ndim == 1 and array.dtype.kind in "iu" and (array >= 0).all():
                return array.astype(np.int64)
        raise InputError(
            f"the records of {self.name} must be a slice with an end or a list of record numbers, "
            f"got {given!r}"
        )

    def value(self, arguments: Mapping[str, Any]) -> Any:
        """Return the private value of a call."""
        given = self.primitive.value
        assert given is not None
        value = self._read(self._at(given) if isinstance(given, int) else given, arguments)
        size = arguments.get("size") if self.of_generator else None
        return value if size is None else np.broadcast_to(value, size)

    def returned(self, output: Any, value: Any, arguments: Mapping[str, Any]) -> Any:
        """Return what the callable would: of the type of the value, or as declared."""
        if self.primitive.result is not None:
            return self._call(self.primitive.result, {**arguments, "output": output})
        if self.kind.method in ("exponential", "noisy_max"):
            return output
        if isinstance(value, (list, tuple)):
            return type(value)(np.asarray(output).tolist())
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(output)[()]
        return np.asarray(output).item()

    def read_off(
        self,
        returned: Any,
        value: Any,
        parameters: Mapping[str, Any],
        arguments: Mapping[str, Any],
    ) -> int | None:
        """Return which outcome of a selection was returned.

        ``None`` if that cannot be told, whatever is returned.

        Raises
        ------
        InputError
            If ``result=`` makes what was returned of no outcome.
        """
        is_selection = "categories" not in self.kind.parameters
        if self.kind.additive or np.ndim(value) != is_selection:
            return None
        outcomes = len(value) if is_selection else int(parameters.get("categories", 2))
        results = [self.returned(outcome, value, arguments) for outcome in range(outcomes)]
        if not _all_different(results):
            return None
        for outcome, result in enumerate(results):
            if _alike(result, returned):
                return outcome
        raise InputError(
            f"{self.name} returned {returned!r}, which result= makes of none of its {outcomes} "
            "outcomes"
        )

    def _read(self, given: Given, arguments: Mapping[str, Any]) -> Any:
        if isinstance(given, str):
            if given not in arguments:
                raise InputError(f"{self.name} was called without its argument {given!r}")
            return arguments[given]
        return self._call(given, arguments) if callable(given) else given

    def _call(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
        used = _parameters_of(function, self.name)
        missing = [name for name in used if name not in arguments]
        if missing:
            raise InputError(f"{self.name} was called without its argument {missing[0]!r}")
        return function(*(arguments[name] for name in used))


def _located(primitive: Primitive) -> tuple[Any, str]:
    """Return the object in which a primitive is looked up, and its name there."""
    target = primitive.target
    if isinstance(target, tuple):
        owner, attribute = target
        if not hasattr(owner, attribute):
            raise InputError(f"{owner!r} has no attribute {attribute!r}")
        return owner, attribute
    if not isinstance(target, str):
        module, qualname = getattr(target, "__module__", None), primitive.name
        if module is not None and "<" not in qualname:
            owner, attribute = _looked_up(module, qualname)
            if getattr(owner, attribute) == target:
                return owner, attribute
        raise InputError(
            f"{target!r} is not where its name says; give 'module:name' or (object, 'name')"
        )
    module, colon, qualname = target.partition(":")
    if not colon or not module or not qualname:
        raise InputError(f"{target!r} is not module:name or module:Class.method")
    return _looked_up(module, qualname)


def _looked_up(module: str, qualname: str) -> tuple[Any, str]:
    try:
        owner: Any = importlib.import_module(module)
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(f"importing {module} failed with {one_line(error)}") from error
    *path, attribute = qualname.split(".")
    for part in path:
        owner = getattr(owner, part, None)
    if owner is None or not hasattr(owner, attribute):
        raise InputError(f"{module} has no {qualname!r}")
    return owner, attribute


def _parameters_of(function: Callable[..., Any], what: str) -> list[str]:
    """Return the names of the arguments that a function of a declaration needs."""
    try:
        parameters = inspect.signature(function).parameters
        return [name for name, p in parameters.items() if p.default is p.empty]
    except (TypeError, ValueError):
        raise InputError(f"{what}: the arguments of {function!r} cannot be inspected") from None


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are the same, or equal like 1 and numpy's 1."""
    try:
        return same(one, other) or bool(one == other)
    except BaseException as error:  # what cannot be compared
        pass_interrupts(error)
        return False


def _all_different(values: Sequence[Any]) -> bool:
    """Return whether values are known to differ from each other."""
    try:
        return len(set(values)) == len(values)
    except TypeError:  # arrays and lists have no hash
        return len(values) <= FEW and not any(
            same(one, other) for i, one in enumerate(values) for other in values[:i]
        )


def _positive(given: Any, what: str, name: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        raise InputError(f"the {what} of {name} must be one number, got {given!r}") from None
    if not 0 < number < math.inf:
        raise InputError(f"the {what} of {name} must be positive and finite, got {number:g}")
    return number
