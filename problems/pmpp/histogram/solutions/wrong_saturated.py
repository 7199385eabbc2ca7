# expect: wrong_result
"""Counts in 8 bits, which overflow above 255."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    counts.copy_(torch.bincount(values, minlength=256).to(torch.uint8))
    return counts
