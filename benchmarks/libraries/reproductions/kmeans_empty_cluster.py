"""KMeans: the centre of an empty cluster does not move, that of one record is replaced by noise."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import KMeans

random = np.random.RandomState(0)


def both_low(data):
    model = KMeans(2, epsilon=1, bounds=(0, 1), random_state=random, accountant=BudgetAccountant())
    return model.fit(data).cluster_centers_.max() < 0.4


runs = 2000
first = sum(both_low(np.array([[0.0]] * 9 + [[1.0]])) for _ in range(runs))
second = sum(both_low(np.zeros((10, 1))) for _ in range(runs))
print(f"both centres below 0.4: {first} of {runs} runs on nine 0 and a 1, {second} on ten 0")
