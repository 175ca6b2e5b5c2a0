"""mean, sum, var and median: one NaN makes the release NaN, always."""

import numpy as np
from diffprivlib import BudgetAccountant, tools

random = np.random.RandomState(0)
data = np.full(5, 0.5)
gap = data.copy()
gap[0] = np.nan
for tool in (tools.mean, tools.sum, tools.var, tools.median):
    first, second = (
        sum(
            np.isnan(
                tool(
                    x, epsilon=1, bounds=(0, 1), random_state=random, accountant=BudgetAccountant()
                )
            )
            for _ in range(1000)
        )
        for x in (gap, data)
    )
    print(f"{tool.__name__} is NaN: {first} of 1000 runs with a NaN, {second} without")
