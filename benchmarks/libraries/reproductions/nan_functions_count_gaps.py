"""nanmean and nanvar: the sensitivity counts the NaN that the statistic leaves out."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import nanmean, nanvar

random = np.random.RandomState(0)


def released(tool, values):
    column = np.r_[values, np.full(100 - len(values), np.nan)]
    return tool(
        column, epsilon=1, bounds=(0, 1), random_state=random, accountant=BudgetAccountant()
    )


runs = 5000
first = sum(released(nanmean, [1.0]) > 0.5 for _ in range(runs))
second = sum(released(nanmean, [0.0]) > 0.5 for _ in range(runs))
print(f"nanmean > 0.5: {first} of {runs} runs on 1 and 99 NaN, {second} on 0 and 99 NaN")
first = sum(released(nanvar, [0.0, 1.0]) > 0.125 for _ in range(runs))
second = sum(released(nanvar, [0.0, 0.0]) > 0.125 for _ in range(runs))
print(f"nanvar > 0.125: {first} of {runs} runs on 0, 1 and 98 NaN, {second} on 0, 0 and 98 NaN")
