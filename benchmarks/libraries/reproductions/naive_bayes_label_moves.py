"""GaussianNB: a record that changes its class takes x from one sum and brings it to another."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB

random = np.random.RandomState(0)


def fitted(labels):
    model = GaussianNB(
        epsilon=1, bounds=(100, 101), random_state=random, accountant=BudgetAccountant()
    )
    model.fit(np.full((10, 1), 100.5), np.array(labels))
    return model.class_count_[0], model.theta_[0, 0]


def event(labels):
    count, mean = fitted(labels)
    return count == 5 and mean > 100


runs = 5000
first = sum(event([0] * 5 + [1] * 5) for _ in range(runs))
second = sum(event([0] * 4 + [1] * 6) for _ in range(runs))
print("event: the count of class 0 is 5 and its mean is above 100")
print(f"{first} of {runs} runs on labels five and five, {second} on four and six")
