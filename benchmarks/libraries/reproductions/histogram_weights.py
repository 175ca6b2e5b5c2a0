"""histogram: with weights a record counts for more than one, the noise does not."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import histogram

random = np.random.RandomState(0)


def count(records):
    found, _ = histogram(
        [0.5] * records,
        weights=[10] * records,
        epsilon=1,
        bins=1,
        range=(0, 1),
        random_state=random,
        accountant=BudgetAccountant(),
    )
    return found[0]


runs = 5000
first, second = (sum(count(records) >= 15 for _ in range(runs)) for records in (2, 1))
print(f"count >= 15: {first} of {runs} runs on two records of weight 10, {second} on one")
