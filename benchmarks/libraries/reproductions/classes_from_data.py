"""GaussianNB and LogisticRegression: the classes are read from the data, with no warning."""

import warnings

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB, LogisticRegression
from diffprivlib.utils import PrivacyLeakWarning

warnings.simplefilter("ignore")  # of scipy, deprecated options
warnings.simplefilter("error", PrivacyLeakWarning)
X = np.full((3, 1), 0.5)


def shown(model, labels):
    try:
        return model.fit(X, np.array(labels)).classes_.tolist()
    except ValueError as error:
        return f"ValueError: {str(error)[:40]}..."


for labels in ([0, 0, 1], [0, 0, 0]):
    bayes = GaussianNB(epsilon=1, bounds=(0, 1), accountant=BudgetAccountant())
    logistic = LogisticRegression(epsilon=1, data_norm=1, accountant=BudgetAccountant())
    print(labels, "GaussianNB:", shown(bayes, labels))
    print(labels, "LogisticRegression:", shown(logistic, labels))
