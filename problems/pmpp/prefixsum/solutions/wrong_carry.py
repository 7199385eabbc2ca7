# expect: wrong_result
"""Scans blocks of 1024 and carries the sum of the previous block instead of all previous blocks."""

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
