# expect: wrong_result
"""Computes only whole blocks of 32 elements."""

import torch.nn.functional as F
from task import input_t, output_t

BLOCK = 32


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    dim, width = w.shape
    whole = max(BLOCK, x.shape[-1] // BLOCK * BLOCK)
    y[..., :whole] = F.conv1d(F.pad(x[..., :whole], (width - 1, 0)), w[:, None], bias, groups=dim)
    return y
