"""One run of an instrumented mechanism: its declared noise becomes releases of a ledger."""

from __future__ import annotations

import math
import pickle
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from auditor.core.errors import InputError
from auditor.runs.declaration import Declared
from reference._validation import FloatArray
from reference.privacy.ledger import ControlFlowError, Ledger, MutatedLedger
from reference.privacy.mechanisms import Draw, Mechanism


class _Watch:
    """Notices draws from the generators of a run and from the global ones."""

    def __init__(self) -> None:
        self._generators: list[np.random.Generator] = []
        self._found = False
        self._last = self._states()

    def add(self, generator: np.random.Generator) -> np.random.Generator:
        """Watch a generator, too."""
        self._generators.append(generator)
        self._last.append(_state(generator))
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

    def _states(self) -> list[Any]:
        # looked at before and after every run: comparing them as they are is faster than pickles
        name, key, *others = np.random.get_state()  # noqa: NPY002 (its draws are looked for)
        legacy = (name, np.asarray(key).tobytes(), *others)
        return [random.getstate(), legacy, *map(_state, self._generators)]


def _state(generator: np.random.Generator) -> bytes:
    return pickle.dumps(generator.bit_generator.state)  # of some kinds, with arrays inside


class Session:
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

    def call(self, declared: Declared, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Make the release that a call of a primitive stands for; return what it returns."""
        try:
            return self._call(declared, args, kwargs)
        except InputError as error:
            self.fail(error)

    def _call(self, declared: Declared, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
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
        self, declared: Declared, value: Any, parameters: Mapping[str, Any], drawn: Any
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
        session: Session,
        declared: Declared,
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
