"""Joint counts: a record that moves between two cells moves two, each with noise 1/epsilon."""

import numpy as np
import pandas
from DataSynthesizer.lib.PrivBayes import get_noisy_distribution_of_attributes

np.random.seed(0)  # noqa: NPY002
cells = [(0, 0)] * 10 + [(1, 1)] * 10
for table in (cells, [(1, 1), *cells[1:]]):
    data = pandas.DataFrame(table, columns=["a", "b"])
    seen = 0
    for _ in range(1000):
        noisy = get_noisy_distribution_of_attributes(["a", "b"], data, 1.0)["count"].tolist()
        seen += noisy[0] >= 10 and noisy[3] <= 10
    print(f"{table.count((0, 0))} in a cell: it >= 10, the other <= 10 in {seen} of 1000 runs")
