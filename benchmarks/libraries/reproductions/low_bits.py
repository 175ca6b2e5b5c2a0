"""Laplace and Gaussian: releases of 1 are multiples of 2^-54, those of 0 are not."""

import numpy as np
from diffprivlib.mechanisms import Gaussian, Laplace

random = np.random.RandomState(0)
runs = 10_000
mechanisms = {
    "Laplace": Laplace(epsilon=1, sensitivity=1, random_state=random),
    "Gaussian": Gaussian(epsilon=1, delta=0.05, sensitivity=1, random_state=random),
}
for name, mechanism in mechanisms.items():
    for value in (0.0, 1.0):
        # scaling by a power of two is exact
        fine = sum((mechanism.randomise(value) * 2.0**54) % 1 != 0 for _ in range(runs))
        print(f"{name} of {value:g}: {fine} of {runs} releases are no multiple of 2^-54")
