"""A mechanism whose privacy is known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.runs.blocks import Outputs
from reference._validation import FloatArray

BatchedMechanism = Callable[[Any, np.random.Generator, int], Outputs]


@dataclass(frozen=True)
class Specimen:
    """Mechanism of the zoo with its true privacy.

    Attributes
    ----------
    name : str
        Short, in kebab case, unique.
    mechanism : callable
        ``mechanism(data, rng, size)``: outputs of ``size`` independent runs, an array with a
        leading axis of runs or a list of any objects. A module-level function or a partial of one
        (it can be pickled). Its docstring derives the truth.
    pair : (Any, Any)
        Neighbouring data sets on which the mechanism is at its worst (as far as known).
    truth : callable
        ``truth(delta)``: the smallest epsilon for which outputs on ``pair`` are
        (epsilon, delta)-indistinguishable, both ways round; infinite where no epsilon is enough.
        Exact: closed form, enumeration, or quadrature to 1e-6.
    source : str
        Where the mechanism, or the mistake, comes from.
    epsilon, delta : float
        The claim that the mechanism's designer would make.
    broken : bool
        Whether the claim is false: ``truth(delta) > epsilon``.
    log_ratio : callable or None
        ``log_ratio(outputs)``: log P(output | D)/P(output | D') of every output, exactly; given
        for the vector mechanisms, as the best attack there can be.
    arithmetic : bool
        The leak is of floating-point arithmetic: the mechanism is private over the reals, and only
        low-order bits give the data away.
    """

    name: str
    mechanism: BatchedMechanism
    pair: tuple[Any, Any]
    truth: Callable[[float], float]
    source: str
    epsilon: float = 1.0
    delta: float = 0.0
    broken: bool = False
    log_ratio: Callable[[Any], FloatArray] | None = None
    arithmetic: bool = False

    @property
    def vector(self) -> bool:
        """True if an output has 10 coordinates or more, each of which leaks a little."""
        return self.log_ratio is not None

    def __call__(self, data: Any, rng: np.random.Generator, size: int) -> Outputs:
        """Run the mechanism; the specimen itself can be given to ``auditor.check``."""
        return self.mechanism(data, rng, size)


Broken = partial(Specimen, broken=True)
