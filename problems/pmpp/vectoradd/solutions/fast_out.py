# expect: passed
"""Writes the sum straight to the output buffer: no tensor is allocated and nothing is copied."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    return torch.add(a, b, out=c)
