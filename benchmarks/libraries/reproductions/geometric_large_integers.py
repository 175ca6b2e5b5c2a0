"""Geometric: value and noise are added in doubles, which cannot tell integers beyond 2^53 apart."""

import numpy as np
from diffprivlib.mechanisms import Geometric

mechanism = Geometric(epsilon=1, sensitivity=1, random_state=np.random.RandomState(0))
first = {mechanism.randomise(2**60 + 128) for _ in range(5000)}
second = {mechanism.randomise(2**60 + 129) for _ in range(5000)}
print(f"2^60 + 128: outputs {first}")
print(f"2^60 + 129: outputs {second}")
