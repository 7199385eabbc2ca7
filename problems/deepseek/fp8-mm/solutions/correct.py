# expect: passed
"""Multiplies the codes block by block, and scales the sums."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode

BLOCK = 128


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, c = data
    total = torch.zeros(c.shape, device=c.device)
    rows = torch.arange(b.shape[0], device=b.device) // BLOCK
    for block in range(a_scales.shape[1]):
        inner = slice(block * BLOCK, (block + 1) * BLOCK)
        sums = decode(a[:, inner], E4M3FN) @ decode(b[:, inner], E4M3FN).t()
        total += sums * a_scales[:, block, None] * b_scales[rows, block]
    c.copy_(total)
    return c
