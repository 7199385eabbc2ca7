# expect: passed
"""Finds the order of the elements, then gathers them."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    return torch.gather(x, 0, torch.argsort(x), out=y)
