"""Histograms and forests protect the addition of a record, the other tools its replacement."""

import numpy as np
from diffprivlib import BudgetAccountant, tools
from diffprivlib.models import DecisionTreeClassifier

random = np.random.RandomState(0)
runs = 20_000


def common():
    return {"epsilon": 1, "random_state": random, "accountant": BudgetAccountant()}


def bins(data):
    return tools.histogram(data, bins=2, range=(0, 1), **common())[0]


def counted(data):
    return sum(bool(b[0] >= 3 and b[1] <= 0) for b in (bins(data) for _ in range(runs)))


first, second = counted([0.1, 0.1, 0.1]), counted([0.1, 0.1, 0.9])
print(f"histogram at least 3 and 0, one of three records replaced: {first} or {second} of {runs}")
print(f"  epsilon >= {np.log(first / second):.2f} (point estimate), claimed 1")


def label(labels):
    tree = DecisionTreeClassifier(max_depth=1, bounds=(0, 1), classes=[0, 1], **common())
    return tree.fit(np.full((len(labels), 1), 0.5), np.array(labels)).predict([[0.5]])[0]


first, second = (sum(label(y) == 1 for _ in range(runs)) for y in ([0, 1], [0, 0]))
print(f"tree says 1, one of two labels replaced: {first} or {second} of {runs}")
print(f"  epsilon >= {np.log(first / second):.2f} (point estimate), claimed 1")


def total(size):
    return tools.sum(np.full(size, 10.0), bounds=(10, 11), **common())


first, second = (sum(total(size) >= 30 for _ in range(runs)) for size in (3, 2))
print(f"sum at least 30, bounds (10, 11), three or two records 10: {first} or {second} of {runs}")
