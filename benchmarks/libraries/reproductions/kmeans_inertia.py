"""KMeans: inertia_ is computed from the data without noise."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import KMeans

random = np.random.RandomState(0)
first, second = np.array([[0.0]] * 9 + [[1.0]]), np.zeros((10, 1))


def exact(data, guess):
    model = KMeans(
        1, epsilon=1, bounds=(0, 1), random_state=random, accountant=BudgetAccountant()
    ).fit(data)
    return np.isclose(model.inertia_, ((guess - model.cluster_centers_[0]) ** 2).sum())


runs = 1000
found = [sum(exact(data, first) for _ in range(runs)) for data in (first, second)]
print("event: inertia_ is the sum of squares of nine 0 and a 1 around the released centre")
print(f"{found[0]} of {runs} runs on nine 0 and a 1, {found[1]} on ten 0")
