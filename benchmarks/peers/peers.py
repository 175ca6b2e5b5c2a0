"""Auditors from the package index, each in an environment of its own.

An environment is made when it is first needed: ``python -m venv``, and ``pip install`` of the
peer's pinned requirements. An adapter (see ``adapters/protocol.py``) runs in it; nothing of a peer
is ever imported here.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks.peers.subjects import FEATURED

HERE = Path(__file__).parent


@dataclass(frozen=True)
class PeerMethod:
    """One way in which a peer bounds epsilon.

    Attributes
    ----------
    name : str
        What the adapter calls it.
    guarantee : str
        ``"certificate"`` if the bound holds with the stated confidence at any sample size; else
        what is missing.
    most : int
        Samples a side beyond which it takes too long for this benchmark.
    only : tuple of str
        For the slow ones: the mechanisms with which it is run, with one seed. Empty for all.
    """

    name: str
    guarantee: str = "certificate"
    most: int = 10**7
    only: tuple[str, ...] = ()

    def takes(self, mechanism: str, samples: int, seed: int) -> bool:
        """Return whether it is run."""
        return samples <= self.most and (not self.only or (mechanism in self.only and seed == 0))


@dataclass(frozen=True)
class Peer:
    """A package, and its methods that are compared."""

    package: str
    methods: tuple[PeerMethod, ...]

    @property
    def adapter(self) -> Path:
        """The script that runs in the peer's environment."""
        return HERE / "adapters" / f"{self.package.replace('-', '_')}_adapter.py"

    @property
    def requirements(self) -> Path:
        """The file with the packages of its environment."""
        return HERE / "requirements" / f"{self.package}.txt"


UNPAID = "not proven: thresholds chosen on the runs that certify are not all paid for"

PEERS = (
    Peer(
        "privacy-estimates",
        (
            PeerMethod("beta"),
            PeerMethod("jeffreys", "Bayesian credible interval"),
            PeerMethod(
                "joint-beta",
                "Bayesian credible interval",
                most=10**4,
                only=("laplace", "parallel-laplace"),
            ),
        ),
    ),
    Peer(
        "jax-privacy",
        (
            PeerMethod("clopper-pearson", UNPAID),
            PeerMethod("clopper-pearson, split"),
            PeerMethod("clopper-pearson, 100 splits", most=10**4),
            PeerMethod("one run", UNPAID),
            PeerMethod("one run, split", "sides must be chosen by coins; here they are equal"),
        ),
    ),
    Peer("opake-auditing", (PeerMethod("one run", UNPAID),)),
    Peer(
        "opendp-smartnoise",
        (
            PeerMethod(
                "histogram test",
                "normal approximation, cells set by all runs",
                most=10**4,
                only=FEATURED,
            ),
        ),
    ),
    Peer(
        "pystatdp",
        (PeerMethod("hypothesis test", "averaged p-values", most=10**5, only=FEATURED),),
    ),
)


class PeerError(RuntimeError):
    """A peer's environment cannot be made, or its adapter ended."""


def make_environment(peer: Peer, folder: Path) -> Path:
    """Return the Python of a peer's environment, which is made unless it is there.

    Raises
    ------
    PeerError
        If the requirements cannot be installed; the message says why in one line.
    """
    try:
        return environments.make_environment(peer.package, peer.requirements, folder)
    except environments.EnvironmentFailure as failure:
        raise PeerError(f"{failure} Leave it out with --without {peer.package}") from None


class Adapter:
    """A peer's adapter at work."""

    def __init__(self, peer: Peer, python: Path, timeout: float) -> None:
        self._peer = peer
        self._timeout = timeout
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [str(python), str(peer.adapter)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(
        self,
        path: Path,
        methods: Sequence[str],
        *,
        held: int,
        delta: float,
        alpha: float,
        seed: int,
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return what every method makes of the scores in a file, see the protocol.

        Raises
        ------
        PeerError
            If the adapter ended or did not answer in time.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        request = {
            "path": str(path),
            "methods": list(methods),
            "held": held,
            "delta": delta,
            "alpha": alpha,
            "seed": seed,
        }
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise PeerError(f"the adapter of {self._peer.package} ended") from None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            if not ready.select(self._timeout):
                self.close()
                raise PeerError(f"{self._peer.package} took over {self._timeout:g} seconds")
        line = process.stdout.readline()
        if not line:
            raise PeerError(f"the adapter of {self._peer.package} ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the adapter."""
        self._process.kill()
        self._process.wait()
