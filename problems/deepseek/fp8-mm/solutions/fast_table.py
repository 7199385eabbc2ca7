# expect: passed
"""Decodes with a table that is built once, and scales in place."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode

VALUES = decode(torch.arange(256, dtype=torch.uint8), E4M3FN)


def matrix(codes: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """codes (rows, k), scales (rows, k / 128) -> float32 (rows, k)."""
    numbers = VALUES.index_select(0, codes.view(-1).int())
    numbers.view(-1, 128).mul_(scales.reshape(-1, 1))
    return numbers.view(codes.shape)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, c = data
    right = matrix(b, b_scales.repeat_interleave(128, dim=0)[: b.shape[0]])
    return c.copy_(torch.mm(matrix(a, a_scales), right.t()))
