"""LinearRegression: without an intercept, records are not clipped, with no warning."""

import warnings

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import LinearRegression
from diffprivlib.utils import PrivacyLeakWarning

random = np.random.RandomState(0)


def slope(x):
    model = LinearRegression(
        epsilon=1,
        bounds_X=(-1, 1),
        bounds_y=(-1, 1),
        fit_intercept=False,
        random_state=random,
        accountant=BudgetAccountant(),
    )
    return model.fit(np.array([[1.0], [x]]), np.array([1.0, 1.0])).coef_[0]


warnings.simplefilter("error", PrivacyLeakWarning)
runs = 2000
for x in (1000.0, 1.0):
    near = sum(abs(slope(x) - 0.001) < 0.0005 for _ in range(runs))
    print(f"slope within 0.0005 of 0.001: {near} of {runs} runs on x = (1, {x:g})")
