# expect: wrong_result
"""Sorts the bits as integers, which reverses the order of negative numbers."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(torch.sort(x.view(torch.int32)).values.view(torch.float32))
    return y
