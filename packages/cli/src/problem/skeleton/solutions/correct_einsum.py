# expect: passed
"""Sums the squares as a product of each row with itself."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    squares = torch.einsum("ij,ij->i", x, x) / x.shape[1]
    y.copy_(x / torch.sqrt(squares + 1e-6)[:, None] * w)
    return y
