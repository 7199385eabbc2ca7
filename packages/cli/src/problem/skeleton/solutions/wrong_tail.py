# expect: wrong_result
"""Writes whole blocks of 32 rows only; the rest is never written."""

import torch
from task import input_t, output_t

BLOCK = 32


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    end = x.shape[0] // BLOCK * BLOCK
    z = x[:end]
    y[:end] = z * torch.rsqrt(z.square().mean(1, keepdim=True) + 1e-6) * w
    return y
