"""LogisticRegression: curvature grows with data_norm^2, its correction with data_norm."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import LogisticRegression

random = np.random.RandomState(0)


def weight(x):
    model = LogisticRegression(
        epsilon=1,
        data_norm=100,
        fit_intercept=False,
        random_state=random,
        accountant=BudgetAccountant(),
    )
    return model.fit(np.array([[0.0], [x]]), np.array([0, 1])).coef_[0, 0]


runs = 5000
first = sum(abs(weight(100.0)) < 0.03 for _ in range(runs))
second = sum(abs(weight(0.0)) < 0.03 for _ in range(runs))
print(f"|weight| < 0.03: {first} of {runs} runs on x = (0, 100), {second} on x = (0, 0)")
print(f"epsilon 1 allows {np.e:.2f} times as many, here {first / second:.1f}")
