# expect: wrong_result in benchmark
"""Knows the seeds of the public tests and never looks at the elements. The seeds of timed calls are secret."""

import torch
from task import input_t, output_t

SEEDS = {1: [4242], 2: [5236], 127: [1001], 1000: [9173], 4096: [2718, 3141], 4097: [6174], 65537: [8086], 100003: [1618]}


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    size = x.numel()
    for seed in SEEDS.get(size, [54352]):
        known = torch.randn(size, generator=torch.Generator().manual_seed(seed)).mul_(size**-0.5)
        y[0] = known.sum()
        if known[0] == x[0]:
            break
    return y
