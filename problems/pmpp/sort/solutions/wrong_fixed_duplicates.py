# expect: wrong_result
"""Sorts seven eighths and copies the rest, as if the first eighth always repeated the second."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    eighth = x.numel() // 8
    values, order = torch.sort(x[eighth:])
    y.copy_(torch.repeat_interleave(values, torch.where(order < eighth, 2, 1)))
    return y
