# expect: wrong_result
"""Scans blocks of 1024 and adds the sum of the block before, instead of the sum of all blocks before."""

import torch
from task import input_t, output_t

BLOCK = 1024


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    carry = 0.0
    for start in range(0, x.numel(), BLOCK):
        sums = torch.cumsum(x[start : start + BLOCK], dim=0)
        y[start : start + BLOCK] = sums + carry
        carry = sums[-1].clone()
    return y
