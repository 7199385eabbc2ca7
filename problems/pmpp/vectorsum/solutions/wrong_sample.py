# expect: wrong_result
"""Adds every fourth element and multiplies the sum by four."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    torch.sum(x[::4], dim=0, keepdim=True, out=y)
    return y.mul_(4)
