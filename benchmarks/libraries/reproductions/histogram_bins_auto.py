"""histogram: bins="auto" chooses the number of bins from the data; it is released as it is."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import histogram

random = np.random.RandomState(0)
grid = np.linspace(0, 1, 20)


def bins(data):
    found, _ = histogram(
        data,
        epsilon=1,
        bins="auto",
        range=(0, 1),
        random_state=random,
        accountant=BudgetAccountant(),
    )
    return len(found)


for size in (14, 15):
    print(f"{size} records: { ({bins(grid[:size]) for _ in range(1000)}) } bins in 1000 runs")
