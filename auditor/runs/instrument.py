"""Mechanisms that were not written for a ledger: their declared noise goes through one.

A :class:`Primitive` says which callable adds noise, which of its arguments is the value, and what
sensitivity and scale it claims. While an instrumented mechanism runs, each declared callable is
replaced by one that asks the ledger for the release, so that every question about releases
(accounting, sensitivity, control flow, privacy loss) can be put to code that knows no ledger.
Afterwards everything is as it was, also after an exception.

What is replaced: the attribute where the primitive is looked up (of a module, a class or an
object), and copies made by ``from module import primitive`` in any module loaded when
:func:`instrument` is called. Copies held elsewhere (a default argument, a closure, a dict, another
class) cannot be found; a primitive that is never called is reported. Methods of
``numpy.random.Generator`` cannot be replaced: the mechanism is given a generator of a subclass
with its own methods in their place, as its generator argument and from
``numpy.random.default_rng``.

What is not replaced is taken as public: the other methods of that generator draw from a stream
whose seed is public. In particular a subsample drawn by the mechanism is public, and a claim that
rests on amplification by subsampling gets no credit for it. Nor is a mechanism understood whose
privacy is not that of all its noisy values together, such as sparse vector. Such claims are not
certified, nor refuted: :mod:`auditor.checking.declared` says which violations count.

One instrumented run at a time: others wait for it. Runs may nest. A primitive called from a
thread other than the run's is refused, because releases need an order.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import update_wrapper
from typing import Any, NamedTuple, NoReturn

import numpy as np

from auditor.core.errors import InputError, one_line
from auditor.runs.values import same
from reference._validation import FloatArray, IntArray
from reference.privacy.ledger import ControlFlowError, Ledger, MutatedLedger
from reference.privacy.mechanisms import Draw, Mechanism

Given = str | float | Callable[..., Any]
"""An argument's name, a constant, or a function of the arguments that its parameters name."""

Place = tuple[Any, str, Any]
"""An owner (an object, or a module's namespace), a name in it, and what to put there."""


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
"""What a primitive can be declared as. The ledger has no discrete noise that is added."""

GENERATORS = ("rng", "generator")
"""Names of an argument that is a generator even if it has a default."""

FEW = 50
"""As many outcomes of a selection are compared with each other where they have no hash."""

_BESIDE = {"result": {"output"}, "records": {"call"}}
"""What a function of a declaration may ask for beside the arguments."""

_RUNNING = threading.RLock()

_default_rng = np.random.default_rng  # itself, whatever stands in its place during a run


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


class _Declared:
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
        """Whether the callable returns noise alone."""
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
    except Exception as error:
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
    except Exception:  # what cannot be compared
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


# ------------------------------------------------------------------------------ one run


class _Watch:
    """Notices draws from the generators of a run and from the global ones."""

    def __init__(self) -> None:
        self._generators: list[np.random.Generator] = []
        self._found = False
        self._last = self._states()

    def add(self, generator: np.random.Generator) -> np.random.Generator:
        """Watch a generator, too."""
        self._found = self.drawn()
        self._generators.append(generator)
        self._last = self._states()
        return generator

    @contextmanager
    def besides(self) -> Iterator[None]:
        """Draws made meanwhile do not count."""
        self._found = self.drawn()
        try:
            yield
        finally:
            self._last = self._states()

    def drawn(self) -> bool:
        """Return whether there was a draw that counts."""
        return self._found or self._states() != self._last

    def _states(self) -> list[bytes]:
        legacy = np.random.get_state()  # noqa: NPY002 (its draws are looked for)
        states = [generator.bit_generator.state for generator in self._generators]
        return [pickle.dumps(state) for state in (random.getstate(), legacy, *states)]


class _Session:
    """One run: its ledger, and what the declared primitives do meanwhile.

    In a *native* run they draw their own noise, and the ledger is told the outcome, where it can
    be told from what they return. In a *plain* run they are left alone.
    """

    def __init__(self, ledger: Ledger, *, native: bool = False, plain: bool = False) -> None:
        self.ledger = ledger
        self.native = native
        self.plain = plain
        self.thread = threading.get_ident()
        self.paused = False
        self.called: set[str] = set()
        self.unread: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.watch = _Watch()
        self.unused: list[_Noise] = []
        self.failure: Exception | None = None

    def fail(self, error: Exception) -> NoReturn:
        """Raise, and remember the error in case the mechanism swallows it."""
        self.failure = self.failure or error
        raise error

    def finish(self) -> None:
        """Raise an error that the mechanism has swallowed, or if a noise was never added."""
        if self.failure is not None:
            raise self.failure
        if self.unused:
            name = self.unused[0].declared.name
            raise InputError(
                f"the noise of {name} was never added to a value; if {name} takes the value, "
                "declare which argument it is with value="
            )

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let calls through to the primitives themselves."""
        before, self.paused = self.paused, True
        try:
            yield
        finally:
            self.paused = before

    def call(self, declared: _Declared, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Make the release that a call of a primitive stands for; return what it returns."""
        try:
            return self._call(declared, args, kwargs)
        except InputError as error:
            self.fail(error)

    def _call(self, declared: _Declared, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if threading.get_ident() != self.thread:
            raise InputError(
                f"{declared.name} was called from another thread than the mechanism's; run the "
                "mechanism in one thread"
            )
        arguments = declared.arguments(args, kwargs)
        parameters: dict[str, Any] = {
            **declared.parameters(arguments),
            "records": declared.records(arguments, self.calls[declared.name]),
        }
        self.calls[declared.name] += 1
        drawn = None
        if declared.adds_later or self.native:
            with self.pause(), self.watch.besides():
                drawn = declared.original(*args, **kwargs)
        if declared.adds_later:
            noise = _Noise(self, declared, parameters, np.asarray(drawn, dtype=np.float64))
            self.unused.append(noise)
            return noise
        value = declared.value(arguments)
        if self.native and declared.primitive.result is not None:
            outcome = declared.read_off(drawn, value, parameters, arguments)
            if outcome is None:
                self.unread.add(declared.name)
            else:
                self.release(declared, value, parameters, outcome)
            return drawn
        if drawn is not None and declared.kind.additive and np.shape(drawn) != np.shape(value):
            raise InputError(
                f"{declared.name} returns shape {np.shape(drawn)} for a value of shape "
                f"{np.shape(value)}; say with result= how it follows from the noisy value"
            )
        output = self.release(declared, value, parameters, drawn)
        return declared.returned(output, value, arguments)

    def release(
        self, declared: _Declared, value: Any, parameters: Mapping[str, Any], drawn: Any
    ) -> Any:
        """Release a value through the ledger, with its own draw unless ``drawn`` is given."""
        extra = {} if declared.primitive.noise != "randomized response" else {"unit": "dataset"}
        with self.pause():
            ledger = self.ledger
            if drawn is not None:
                ledger = MutatedLedger(ledger, lambda _, m, v, s: (_giving(m, drawn), v, s))
            try:
                return getattr(ledger, declared.kind.method)(value, **parameters, **extra)
            except ControlFlowError as error:
                self.fail(error)


def _giving(mechanism: Mechanism, drawn: Any) -> Mechanism:
    """Return ``mechanism`` with its output given."""
    kind = type(mechanism)

    class Given(kind):  # type: ignore[misc,valid-type]
        def output(self, value: Any, draw: Draw) -> Any:
            return np.asarray(drawn)

    twin = object.__new__(Given)
    twin.__dict__.update(mechanism.__dict__)
    return twin


class _Noise:
    """Noise that waits for the value it is added to; then the sum is released.

    Every other use is refused, because the value behind it would be missed.
    """

    def __init__(
        self,
        session: _Session,
        declared: _Declared,
        parameters: Mapping[str, Any],
        drawn: FloatArray,
        factor: float = 1.0,
    ) -> None:
        self.session = session
        self.declared = declared
        self.parameters = parameters
        self.drawn = drawn
        self.factor = factor

    def _use(self) -> None:
        if self not in self.session.unused:
            self._refuse("is used twice: the same noise on two values hides neither")
        self.session.unused.remove(self)

    def _refuse(self, what: str) -> NoReturn:
        name = self.declared.name
        self.session.fail(
            InputError(
                f"the noise of {name} {what}; only value + noise, value - noise and noise * number "
                "can be followed: declare a function that takes the value and adds the noise"
            )
        )

    def _added(self, value: Any, sign: float) -> Any:
        """Release ``value + sign * noise``; both signs have the same law."""
        if isinstance(value, _Noise):
            self._refuse("is added to other noise")
        shape = self.drawn.shape
        if np.broadcast_shapes(np.shape(value), shape) != shape:
            self._refuse(f"has shape {shape} and is added to a value of shape {np.shape(value)}")
        self._use()
        array = np.broadcast_to(np.asarray(value, dtype=np.float64), shape)
        session, declared = self.session, self.declared
        parameters = {**self.parameters, "scale": self.parameters["scale"] * abs(self.factor)}
        drawn = array + sign * self.factor * self.drawn if session.native else None
        return np.asarray(session.release(declared, array, parameters, drawn))[()]

    def _multiplied(self, number: Any) -> _Noise:
        if isinstance(number, _Noise) or np.ndim(number) > 0:
            self._refuse("is multiplied by something else than a number")
        factor = self.factor * float(number)
        if not 0 < abs(factor) < math.inf:
            self._refuse(f"is multiplied by {number}")
        self._use()
        scaled = _Noise(self.session, self.declared, self.parameters, self.drawn, factor)
        self.session.unused.append(scaled)
        return scaled

    def __add__(self, value: Any) -> Any:
        return self._added(value, 1.0)

    def __radd__(self, value: Any) -> Any:
        return self._added(value, 1.0)

    def __rsub__(self, value: Any) -> Any:
        return self._added(value, -1.0)

    def __mul__(self, number: Any) -> _Noise:
        return self._multiplied(number)

    def __rmul__(self, number: Any) -> _Noise:
        return self._multiplied(number)

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse(f"is asked for {name}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Take part in ``array + noise``, ``array += noise`` and the like."""
        out = options.pop("out", None)
        if method != "__call__" or options or len(inputs) != 2:
            self._refuse(f"goes through numpy.{ufunc.__name__}")
        first, second = inputs
        other = second if first is self else first
        if ufunc is np.add:
            result = self._added(other, 1.0)
        elif ufunc is np.subtract and second is self:
            result = self._added(other, -1.0)
        elif ufunc is np.multiply and out is None:
            return self._multiplied(other)
        else:
            self._refuse(f"goes through numpy.{ufunc.__name__}")
        if out is None:
            return result
        out[0][...] = result
        return out[0]


def _refused(operation: str) -> Callable[..., Any]:
    def refuse(self: _Noise, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(f"goes through {operation}")

    return refuse


for _operation in (
    *("__float__", "__int__", "__index__", "__bool__", "__len__", "__iter__", "__getitem__"),
    *("__array__", "__sub__", "__neg__", "__abs__", "__round__", "__pow__", "__truediv__"),
    *("__rtruediv__", "__lt__", "__le__", "__gt__", "__ge__"),
):
    setattr(_Noise, _operation, _refused(_operation))


# ------------------------------------------------------------------------ the mechanism


def listed(output: Any) -> Any:
    """Return an output; what it would compute later (an iterator) is computed now, as a list."""
    return list(output) if isinstance(output, Iterator) else output


class Instrumented:
    """A mechanism whose declared primitives release through a ledger; see :func:`instrument`.

    Attributes
    ----------
    mechanism : callable
        As it was given.
    draws_elsewhere : bool
        Whether a run so far has drawn from its generator, from numpy's or from Python's global one
        other than through a declared primitive.
    """

    def __init__(self, mechanism: Callable[..., Any], primitives: Sequence[Primitive]) -> None:
        if not callable(mechanism):
            raise InputError(f"a mechanism must be callable, got {mechanism!r}")
        if not primitives:
            raise InputError("declare at least one primitive: where does the noise come from?")
        self.mechanism = mechanism
        self.__name__ = _name_of(mechanism)
        self._generator = _generator_parameter(mechanism)
        self._session: _Session | None = None
        self._called: set[str] = set()
        self._unread: set[str] = set()
        self.draws_elsewhere = False
        self._runs = 0
        with _RUNNING:  # while nothing is replaced by another thread's run
            self._prepare(primitives)

    def _prepare(self, primitives: Sequence[Primitive]) -> None:
        """Find the primitives, and every place in which one has to be replaced."""
        self._declared = [_Declared(primitive) for primitive in primitives]
        routed = {d.attribute: self._routed(d) for d in self._declared if d.of_generator}
        self._generators: type[np.random.Generator] = type(
            "Generator", (np.random.Generator,), routed
        )
        self._places = [
            place for d in self._declared if not d.of_generator for place in self._places_of(d)
        ]
        if routed:
            self._places += _copies(_default_rng, self._default_rng, self.mechanism)
        with ExitStack() as stack:  # what cannot be replaced is told at once
            for place in self._places:
                stack.enter_context(_put(*place))

    def __call__(self, data: Any, ledger: Ledger) -> Any:
        """Run on ``data``; the declared primitives release through ``ledger``.

        Raises
        ------
        InputError
            If a primitive is called in a way that its declaration does not allow.
        """
        return self._run(data, _Session(ledger))

    def native(self, data: Any, ledger: Ledger) -> Any:
        """Run with the primitives' own noise; ``ledger`` is told what they made of which value.

        So the recorded outputs show whether the noise is drawn as declared. Noise that does not
        come from the generator the mechanism is given is not a function of the ledger's seed.
        """
        return self._run(data, _Session(ledger, native=True))

    def plain(self, data: Any, ledger: Ledger) -> Any:
        """Run the mechanism as it is; of ``ledger`` it takes the seed of its generator alone.

        What it returns is what a user of it would get, whatever is declared.
        """
        return self._run(data, _Session(ledger, plain=True))

    @property
    def findings(self) -> tuple[Mapping[str, Any], ...]:
        """What was noticed in the runs so far: primitives never called, and draws not tested."""
        if not self._runs:
            return ()
        found: list[Mapping[str, Any]] = []
        for declared in self._declared:
            if declared.name not in self._called:
                statement = (
                    f"declared primitive {declared.name} was never called in {self._runs} runs; "
                    "noise may come from elsewhere"
                )
                found.append({"kind": "primitive never called", "statement": statement})
            elif declared.name in self._unread:
                statement = (
                    f"the draws of {declared.name} itself were not tested, because its release "
                    "cannot be read off what it returns (result=); declare a callable that returns "
                    "the release itself"
                )
                found.append({"kind": "draws not tested", "statement": statement})
        return tuple(found)

    def _run(self, data: Any, session: _Session) -> Any:
        with _RUNNING, ExitStack() as stack:
            stack.callback(setattr, self, "_session", self._session)
            self._session = session
            for place in self._places:
                stack.enter_context(_put(*place))
            try:
                output = listed(self._called_with(data, session))
            except Exception as error:
                if session.failure is None or session.failure is error:
                    raise
                raise session.failure from error
            finally:
                self._runs += not session.plain
                self._called |= session.called
                self._unread |= session.unread
                self.draws_elsewhere |= not session.plain and session.watch.drawn()
            session.finish()
            return output

    def _called_with(self, data: Any, session: _Session) -> Any:
        if self._generator is None:
            return self.mechanism(data)
        rng = session.watch.add(self._generators(np.random.PCG64(_public_seed(session))))
        if self._generator == "":
            return self.mechanism(data, rng)
        return self.mechanism(data, **{self._generator: rng})

    # ------------------------------------------------------------------ what takes whose place

    def _routed(self, declared: _Declared) -> Callable[..., Any]:
        def routed(*args: Any, **kwargs: Any) -> Any:
            session = self._session
            if session is None or session.plain:
                return declared.original(*args, **kwargs)
            session.called.add(declared.name)
            if session.paused:  # inside another primitive
                return declared.original(*args, **kwargs)
            return session.call(declared, args, kwargs)

        update_wrapper(routed, declared.original)
        return routed

    def _places_of(self, declared: _Declared) -> list[Place]:
        routed: Any = self._routed(declared)
        if inspect.ismodule(declared.owner):
            return _copies(declared.original, routed, self.mechanism)
        if isinstance(declared.raw, (staticmethod, classmethod)):
            routed = type(declared.raw)(routed)
        return [(declared.owner, declared.attribute, routed)]

    def _default_rng(self, seed: Any = None) -> np.random.Generator:
        """Stand for ``numpy.random.default_rng``."""
        session = self._session
        if session is None or session.paused or isinstance(seed, self._generators):
            return _default_rng(seed)
        if seed is None:
            return session.watch.add(self._generators(np.random.PCG64(_public_seed(session))))
        return session.watch.add(self._generators(_default_rng(seed).bit_generator))


def _name_of(mechanism: Callable[..., Any]) -> str:
    return str(getattr(mechanism, "__name__", repr(mechanism)))


def _public_seed(session: _Session) -> int:
    return session.ledger.public(lambda rng: int(rng.integers(2**63)))


def _generator_parameter(mechanism: Callable[..., Any]) -> str | None:
    """Return how a mechanism takes a generator: by this name, "" for second, ``None`` for not."""
    name = _name_of(mechanism)
    try:
        parameters = list(inspect.signature(mechanism).parameters.values())
    except (TypeError, ValueError):
        raise InputError(f"the arguments of {name} cannot be inspected; wrap it") from None
    named = next((p for p in parameters[1:] if p.name in GENERATORS), None)
    extra = [
        p
        for p in parameters[1:]
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    rest = [p for p in extra if p is not named]
    if len(extra) > 1 or any(p.kind is p.KEYWORD_ONLY for p in rest):
        raise InputError(
            f"{name} needs ({', '.join(p.name for p in (parameters[0], *extra))}); it must be "
            "called with the data, or the data and a generator: fix the rest with functools.partial"
        )
    if named is not None and named.kind is not named.POSITIONAL_ONLY:
        return named.name
    return "" if extra else None


def _copies(
    original: Callable[..., Any], routed: Callable[..., Any], mechanism: Callable[..., Any]
) -> list[Place]:
    """Return every name in a loaded module, or beside the mechanism, that is ``original``."""
    modules = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
    spaces = {id(space): space for space in modules}
    own = getattr(mechanism, "__globals__", {})
    spaces[id(own)] = own
    return [
        (space, name, routed)
        for space in spaces.values()
        if space is not globals()  # where the originals are kept
        for name, value in list(space.items())
        if value is original
    ]


@contextmanager
def _put(owner: Any, name: str, replacement: Any) -> Iterator[None]:
    """Put ``replacement`` in a place, and back what was there."""
    if isinstance(owner, dict):
        before = owner[name]
        owner[name] = replacement
        try:
            yield
        finally:
            owner[name] = before
        return
    inherited = name not in getattr(owner, "__dict__", {})
    before = None if inherited else vars(owner)[name]
    try:
        setattr(owner, name, replacement)
    except (AttributeError, TypeError) as error:
        raise InputError(
            f"{name} of {owner!r} cannot be replaced ({error}); declare a Python function that "
            "calls it"
        ) from None
    try:
        yield
    finally:
        if inherited:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def instrument(mechanism: Callable[..., Any], *primitives: Primitive) -> Instrumented:
    """Return a mechanism ``(data, ledger)`` whose declared noise primitives use the ledger.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` or ``mechanism(data, rng)``: a second argument that is required, or is
        called ``rng`` or ``generator``, is given a :class:`numpy.random.Generator`.
    *primitives : Primitive
        Every callable that adds noise.

    Returns
    -------
    Instrumented
        Called with (data, ledger), e.g. by :func:`~auditor.checking.releases.audit_releases`.

    Raises
    ------
    InputError
        If a primitive does not exist, cannot be replaced, or lacks an argument that its
        declaration names.

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> def their_mean(data, rng):
    ...     return rng.laplace(sum(data) / len(data), 0.1)
    >>> laplace = Primitive("numpy.random:Generator.laplace", noise="laplace", value="loc",
    ...                     sensitivity=0.1, scale="scale")
    >>> ledger = Ledger(0)
    >>> estimate = instrument(their_mean, laplace)([0.0] * 10, ledger)
    >>> ledger.spent(delta=0.0).epsilon
    1.0
    """
    return Instrumented(mechanism, primitives)
