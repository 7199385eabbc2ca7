# expect: passed
"""Writes the product directly into the output buffer: no allocation, no copy."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    return torch.mm(a, b, out=c)
