# expect: wrong_result
"""Multiplies by the transpose of b where b is square, as if b were stored column by column."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    return torch.mm(a, b.t() if b.shape[0] == b.shape[1] else b, out=c)
