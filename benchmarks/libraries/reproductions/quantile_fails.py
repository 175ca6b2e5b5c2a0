"""median: all probabilities underflow on one data set and not on its neighbour."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import median

random = np.random.RandomState(0)


def fails(data):
    try:
        median(data, epsilon=1, bounds=(0, 1), random_state=random, accountant=BudgetAccountant())
    except RuntimeError:
        return True
    return False


with np.errstate(invalid="ignore"):
    ties = np.full(2978, 0.5)
    print("2978 times 0.5:", sum(fails(ties) for _ in range(1000)), "of 1000 runs fail")
    ties[0] = 0.2
    print("one of them 0.2:", sum(fails(ties) for _ in range(1000)), "of 1000 runs fail")
