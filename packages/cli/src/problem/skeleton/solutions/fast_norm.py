# expect: passed
"""Reads x twice and writes y once: a norm of each row, and the products straight into the output buffer."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    scale = torch.linalg.vector_norm(x, dim=1, keepdim=True).square_().div_(x.shape[1]).add_(1e-6).rsqrt_()
    return torch.mul(x, scale, out=y).mul_(w)
