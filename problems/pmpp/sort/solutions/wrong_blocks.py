# expect: wrong_result
"""Sorts blocks of 1024 without merging them."""

import torch
from task import input_t, output_t

BLOCK = 1024


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    for start in range(0, x.numel(), BLOCK):
        y[start : start + BLOCK] = torch.sort(x[start : start + BLOCK]).values
    return y
