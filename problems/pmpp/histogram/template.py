"""histogram: write how often each byte value occurs in data to counts. The inputs change with every call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    counts.copy_(torch.bincount(values, minlength=256))
    return counts
