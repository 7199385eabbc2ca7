# expect: wrong_result
"""Computes the exclusive prefix sum."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y[0] = 0
    torch.cumsum(x[:-1], dim=0, out=y[1:])
    return y
