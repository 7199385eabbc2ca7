# expect: wrong_result
"""Convolves blocks of 64 elements, each as if it were preceded by zeros."""

import torch.nn.functional as F
from task import input_t, output_t

BLOCK = 64


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    dim, width = w.shape
    for start in range(0, x.shape[-1], BLOCK):
        block = slice(start, start + BLOCK)
        y[..., block] = F.conv1d(F.pad(x[..., block], (width - 1, 0)), w[:, None], bias, groups=dim)
    return y
