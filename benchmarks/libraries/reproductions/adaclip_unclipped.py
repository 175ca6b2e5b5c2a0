"""AdaClipDPOptimizer: the next clipping bound tells whether a large record was in the batch."""

import math

import torch
from opacus import GradSampleModule
from opacus.optimizers import AdaClipDPOptimizer

torch.manual_seed(0)
small = torch.tensor([[0.1]] * 10)
for batch in (small, torch.vstack([small, torch.tensor([[100.0]])])):
    seen = 0
    for _ in range(1000):
        model = GradSampleModule(torch.nn.Linear(1, 1, bias=False), loss_reduction="sum")
        optimizer = AdaClipDPOptimizer(
            torch.optim.SGD(model.parameters(), lr=1.0),
            noise_multiplier=1.0,
            target_unclipped_quantile=0.5,
            clipbound_learning_rate=0.2,
            max_clipbound=1e9,
            min_clipbound=1e-9,
            unclipped_num_std=0.6,
            max_grad_norm=1.0,
            expected_batch_size=1,
            loss_reduction="sum",
        )
        model(batch).sum().backward()
        optimizer.step()
        seen += 0.5 - math.log(float(optimizer.max_grad_norm)) / 0.2 > 0.955
    print(f"{len(batch)} records: unclipped share of the new bound > 0.955 in {seen} of 1000")
print("with noise multiplier 1, an event of 20% has at most 56% on the other side")
