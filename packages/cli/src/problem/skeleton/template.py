"""RMS normalization: write the normalized rows to y. The inputs change with every call, so nothing can be kept."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    y.copy_(x * torch.rsqrt(x.square().mean(1, keepdim=True) + 1e-6) * w)
    return y
