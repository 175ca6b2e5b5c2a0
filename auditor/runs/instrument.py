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
certified, nor refuted: :mod:`auditor.checking.declared_noise` says which violations count.

One instrumented run at a time: others wait for it. Runs may nest. A primitive called from a
thread other than the run's is refused, because releases need an order.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import update_wrapper
from typing import Any

import numpy as np

from auditor.core.errors import InputError, pass_interrupts
from auditor.runs.declaration import Declared, Primitive
from auditor.runs.session import Session
from reference.privacy.ledger import Ledger

Place = tuple[Any, str, Any]
"""An owner (an object, or a module's namespace), a name in it, and what to put there."""

GENERATORS = ("rng", "generator")
"""Names of an argument that is a generator even if it has a default."""

_RUNNING = threading.RLock()

_default_rng = np.random.default_rng  # itself, whatever stands in its place during a run


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
        for primitive in primitives:
            if not isinstance(primitive, Primitive):
                raise InputError(
                    "primitives are given one by one, instrument(mechanism, Primitive(...), ...); "
                    f"got {primitive!r:.60}"
                )
        self.mechanism = mechanism
        self.__name__ = _name_of(mechanism)
        self._generator = _generator_parameter(mechanism)
        self._session: Session | None = None
        self._called: set[str] = set()
        self._unread: set[str] = set()
        self.draws_elsewhere = False
        self._runs = 0
        with _RUNNING:  # while nothing is replaced by another thread's run
            self._prepare(primitives)

    def _prepare(self, primitives: Sequence[Primitive]) -> None:
        """Find the primitives, and every place in which one has to be replaced."""
        self._declared = [Declared(primitive) for primitive in primitives]
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
        return self._run(data, Session(ledger))

    def native(self, data: Any, ledger: Ledger) -> Any:
        """Run with the primitives' own noise; ``ledger`` is told what they made of which value.

        So the recorded outputs show whether the noise is drawn as declared. Noise that does not
        come from the generator the mechanism is given is not a function of the ledger's seed.
        """
        return self._run(data, Session(ledger, native=True))

    def plain(self, data: Any, ledger: Ledger) -> Any:
        """Run the mechanism as it is; of ``ledger`` it takes the seed of its generator alone.

        What it returns is what a user of it would get, whatever is declared.
        """
        return self._run(data, Session(ledger, plain=True))

    @property
    def findings(self) -> tuple[Mapping[str, Any], ...]:
        """Return what was noticed so far: primitives never called, and draws not tested."""
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

    def _run(self, data: Any, session: Session) -> Any:
        with _RUNNING, ExitStack() as stack:
            stack.callback(setattr, self, "_session", self._session)
            self._session = session
            for place in self._places:
                stack.enter_context(_put(*place))
            try:
                output = listed(self._called_with(data, session))
            except BaseException as error:
                pass_interrupts(error)
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

    def _called_with(self, data: Any, session: Session) -> Any:
        if self._generator is None:
            return self.mechanism(data)
        rng = session.watch.add(self._generators(np.random.PCG64(_public_seed(session))))
        if self._generator == "":
            return self.mechanism(data, rng)
        return self.mechanism(data, **{self._generator: rng})

    # ------------------------------------------------------------------ what takes whose place

    def _routed(self, declared: Declared) -> Callable[..., Any]:
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

    def _places_of(self, declared: Declared) -> list[Place]:
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


def _public_seed(session: Session) -> int:
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
