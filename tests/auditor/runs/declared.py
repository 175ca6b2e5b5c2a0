"""Declarations of a third party's noise, on two data sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from auditor.runs.declaration import Primitive
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import RecordingLedger

QUESTIONS = ("accounting", "sensitivity", "control_flow", "privacy_loss", "samplers")
D = np.zeros(20)
D2 = np.concatenate([[0.0, 0.0, 1.0], np.zeros(17)])
ONE = PureDP(1.0)
HOLDS = dict.fromkeys(QUESTIONS, "holds")


def laplace(target: Any, **options: Any) -> Primitive:
    """Declare Laplace noise of sensitivity 0.05, unless it is said otherwise."""
    given = {"noise": "laplace", "value": "x", "sensitivity": 0.05, "scale": "b", **options}
    return Primitive(target, **given)


ADD_LAPLACE = laplace("their_noise.noise:add_laplace", sensitivity="sens")
SAMPLE_LAPLACE = laplace("their_noise.noise:sample_laplace", value=None)
RANDOMISE = laplace(
    "their_noise.objects:Laplace.randomise",
    value="value",
    sensitivity=lambda self: self.sensitivity,
    scale=lambda self: self.sensitivity / self.epsilon,
)
GENERATOR_LAPLACE = laplace("numpy.random:Generator.laplace", value="loc", scale="scale")
GENERATOR_NOISE = replace(GENERATOR_LAPLACE, value=None)
PICK = Primitive(
    "their_noise.noise:pick",
    noise="exponential",
    value="utilities",
    sensitivity="sens",
    epsilon="eps",
    result=lambda output, candidates: candidates[output],
)
UNIT = replace(GENERATOR_LAPLACE, sensitivity=1.0)


def released(mechanism: Any, data: Any = D2, seed: int = 0) -> tuple[Any, ...]:
    ledger = RecordingLedger(seed)
    mechanism(data, ledger)
    return ledger.transcript.releases
