# expect: wrong_result
"""Adds only whole blocks of 256 elements."""

import torch
from task import input_t, output_t

BLOCK = 256


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    end = x.numel() // BLOCK * BLOCK
    return torch.sum(x[:end], dim=0, keepdim=True, out=y)
