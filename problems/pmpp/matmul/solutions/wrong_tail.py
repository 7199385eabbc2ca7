# expect: wrong_result
"""Sums only whole blocks of 32 elements; the remainder of the inner dimension is dropped."""

import torch
from task import input_t, output_t

BLOCK = 32


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    end = a.shape[1] // BLOCK * BLOCK
    return torch.mm(a[:, :end], b[:end], out=c)
