"""The ledger whose releases have exactly the law of real noise, rounded."""

from __future__ import annotations

from typing import Self

import numpy as np

from reference._validation import FloatArray, ParameterTypeError, require_kind
from reference.privacy.exact.releases import exact_output
from reference.privacy.exact.sources import ByteSource, KnownBytes, RandomBits, SystemBytes
from reference.privacy.ledger.book import RandomState
from reference.privacy.ledger.live import Ledger
from reference.privacy.ledger.modes import RecordingLedger
from reference.privacy.ledger.transcript import SubsampleEntry
from reference.privacy.mechanisms import Draw, Mechanism, Output


class _ExactDraws(Ledger):
    """A ledger whose outputs are drawn by :mod:`reference.privacy.exact`."""

    _bits: RandomBits

    def _drawn(self, mechanism: Mechanism, array: FloatArray) -> tuple[Draw, Output]:
        return None, exact_output(mechanism, array, self._bits)


class ExactLedger(_ExactDraws):
    """A live ledger whose releases are exact: a :class:`Ledger` for data of people.

    Every algorithm runs on it as on :class:`Ledger`, with the same account. A release is R(v + X),
    of ideal real noise X: R rounds to a grid of 2^-30 of the noise scale (of the largest power of
    two that is not above it), and is a function of v + X alone. What is proved of real noise holds,
    as nothing that is released depends on v otherwise. Noise of a private scale is rounded to 30
    significant bits; selections and coins have their exact probabilities.

    Its bytes are those of the operating system. Subsamples come from them as well. What is drawn in
    public (:meth:`public`) comes from a generator of numpy of its own.

    Not covered: how the value v was rounded on its way here (``SECURITY.md``), how long a release
    takes, memory that is not wiped, and the process around it.

    Parameters
    ----------
    seed : None
        A seed is refused: whoever knows it has the noise.
    limit : (epsilon, delta), optional
        As for :class:`Ledger`.
    insecure_bytes : ByteSource, optional
        For tests and vectors only: :class:`~reference.privacy.exact.sources.KnownBytes`, which
        everybody can compute.

    Examples
    --------
    >>> ledger = ExactLedger()
    >>> mean = ledger.gaussian([0.25], sensitivity=0.01, scale=0.05)
    >>> bool(mean[0] * 2.0**35 == int(mean[0] * 2.0**35))  # on the grid of 0.05, 2^(-5 - 30)
    True
    >>> round(ledger.spent(delta=1e-5).epsilon, 3)
    0.726
    """

    def __init__(
        self,
        seed: None = None,
        *,
        limit: tuple[float, float] | None = None,
        insecure_bytes: ByteSource | None = None,
    ) -> None:
        if seed is not None:
            raise ParameterTypeError(
                "seed",
                "be left out: whoever knows it has the noise (Ledger(seed) repeats a run)",
                got=f"{type(seed).__name__}",
            )
        source: ByteSource = SystemBytes()
        if insecure_bytes is not None:
            kinds = (KnownBytes, SystemBytes)
            require_kind("insecure_bytes", insecure_bytes, kinds, "KnownBytes, for tests only")
            source = insecure_bytes
        super().__init__(int.from_bytes(source.take(32), "little"), limit=limit)
        self._bits = RandomBits(source)

    def _others(self, count: int) -> list[Self]:
        return [self._of_noise(source) for source in self._bits.source.spawn(count)]

    def _sent_noise(self) -> object:
        return self._bits.source

    @classmethod
    def _of_noise(cls, noise: ByteSource) -> Self:
        return cls(insecure_bytes=noise)

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        draw = self._bits.integers if replace else self._bits.subset
        base = draw(population, size)
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)


class RecordingExactLedger(_ExactDraws, RecordingLedger):
    """A recording ledger with the releases of :class:`ExactLedger`, repeatable: for audits only.

    A transcript keeps values and outputs, and ``None`` for a draw: an output is no function of a
    finite standardised draw.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
        Its bytes follow from it.
    target : int, optional
        As for :class:`RecordingLedger`.
    """

    def __init__(self, seed: RandomState = None, *, target: int | None = None) -> None:
        super().__init__(seed, target=target)
        self._bits = RandomBits(KnownBytes(self._rng.bytes(32).hex()))
