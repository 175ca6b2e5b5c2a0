"""KMeans: the budgets of counts and sums are swapped, so that many columns cost more than epsilon.

One iteration costs one count and the sum of every column (line 238 takes what line 291 returns).
"""

from diffprivlib.models import KMeans

model = KMeans(n_clusters=1, epsilon=1.0, bounds=(0, 1))
for columns in (1, 4, 5, 100, 1000):
    count, column = model._split_epsilon(columns, total_iters=1)
    print(f"{columns} columns: {count + columns * column:.3f} spent of 1")
