"""sum: with dtype=np.int8 the sum of 128 ones is -128."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import sum as private_sum

random = np.random.RandomState(0)
ones = np.ones(128)
other = ones.copy()
other[0] = 0


def small(data):
    return (
        private_sum(
            data,
            epsilon=1,
            bounds=(0, 1),
            dtype=np.int8,
            random_state=random,
            accountant=BudgetAccountant(),
        )
        < 64
    )


first, second = (sum(small(data) for _ in range(1000)) for data in (ones, other))
print(f"sum < 64: {first} of 1000 runs on 128 ones, {second} with one of them 0")
