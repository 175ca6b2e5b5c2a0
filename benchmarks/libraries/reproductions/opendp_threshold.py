"""OpenDP: a key with count 1 appears more often than delta, its neighbour never shows it."""

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")
release = dp.m.make_laplace_threshold(
    dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64")),
    dp.l01inf_distance(dp.absolute_distance(T="i64")),
    scale=1.0,
    threshold=3,
)
# one key, whose count differs by 1: all three distances are 1
print(f"claimed for {{'a': 1}} and {{}}: epsilon, delta = {release.map((1, 1, 1))}")

noise = np.arange(-60, 61)
law = np.exp(-np.abs(noise)) * (1 - np.exp(-1)) / (1 + np.exp(-1))  # discrete Laplace, scale 1
print(f"exact chance of 'a' if counts of 3 or more are released: {law[1 + noise >= 3].sum():.4f}")
print(f"exact chance of 'a' if only those above 3 were: {law[1 + noise > 3].sum():.4f}")

runs = 20_000
counts = [found["a"] for found in (release({"a": 1}) for _ in range(runs)) if found]
print(f"released: {len(counts)} of {runs} runs ({len(counts) / runs:.4f}), least {min(counts)}")
print(f"without the key: {sum(bool(release({})) for _ in range(runs))} of {runs}")
