# expect: passed
"""Sorts the indices, then gathers the elements."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    return torch.gather(x, 0, torch.argsort(x), out=y)
