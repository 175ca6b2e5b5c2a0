"""mean: without bounds they are taken from the data (the library warns)."""

import warnings

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import mean
from diffprivlib.utils import PrivacyLeakWarning

random = np.random.RandomState(0)
first, second = np.full(5, 0.5), np.array([1000.0, 0.5, 0.5, 0.5, 0.5])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for data in (first, second):
        same = sum(
            mean(data, epsilon=1, random_state=random, accountant=BudgetAccountant()) == 0.5
            for _ in range(1000)
        )
        print(f"{data[0]:g} and four times 0.5: {same} of 1000 outputs are exactly 0.5")
print("warned:", any(issubclass(w.category, PrivacyLeakWarning) for w in caught))
