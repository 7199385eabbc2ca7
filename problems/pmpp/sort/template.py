"""sort: write the elements of x to y in ascending order. The inputs change with every call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(torch.sort(x).values)
    return y
