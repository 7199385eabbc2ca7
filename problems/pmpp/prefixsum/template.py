"""prefixsum: write the running sums of x to y. The inputs change with every call."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(torch.cumsum(x, dim=0))
    return y
