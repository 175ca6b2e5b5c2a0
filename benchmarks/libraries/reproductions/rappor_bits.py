"""RAPPORClient: the bit of one's own item is always set."""

import random

from pure_ldp.frequency_oracles.rappor import RAPPORClient

random.seed(0)
f = RAPPORClient(0.5, 4, [[int]], 1).convert_eps_to_f(1.0)
client = RAPPORClient(f, 4, [[int]], 1)
for item in (1, 2):
    clear = sum(client.privatise(item)[0][0] == 0 for _ in range(1000))
    print(f"f = {f}, item {item}: the bit of item 1 is 0 in {clear} of 1000 reports")
