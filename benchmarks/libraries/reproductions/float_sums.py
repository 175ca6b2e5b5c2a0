"""sum: replacing one double moves the sum of doubles by 1024 times the sensitivity."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import sum as private_sum

random = np.random.RandomState(0)
step = np.nextafter(1.0, 2.0)  # the next double after 1
first = np.r_[np.full(1023, step), 1.0, 1.0]
second = np.r_[np.full(1024, step), 1.0]  # one record replaced
print(f"sensitivity {step - 1:.3g}, the sums differ by {second.sum() - first.sum():.3g}")


def release(data):
    return private_sum(
        data, epsilon=1, bounds=(1.0, step), random_state=random, accountant=BudgetAccountant()
    )


for data in (first, second):
    print("outputs of 1000 runs:", {float(release(data)) for _ in range(1000)})
