"""LinearRegression: the noise of the sum of x^2 is scaled by the lower bound of x alone."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import LinearRegression

random = np.random.RandomState(0)


def slope(x):
    model = LinearRegression(
        epsilon=1,
        bounds_X=(0, 1),
        bounds_y=(0, 1),
        random_state=random,
        accountant=BudgetAccountant(),
    )
    return model.fit(np.array([[x]]), np.array([1.0])).coef_[0]


runs = 2000
first = sum(abs(slope(0.1)) > 100 for _ in range(runs))
second = sum(abs(slope(1.0)) > 100 for _ in range(runs))
print(f"|slope| > 100: {first} of {runs} runs on x = 0.1, {second} on x = 1")
print(f"epsilon 1 allows {np.e:.2f} times as many, here {first / second:.0f}")
