# expect: passed
"""Decodes both elements of a byte with one table lookup, and scales them in place."""

import torch
from task import input_t, output_t
from utils import E2M1, E4M3FN, decode, unpack

PAIRS = decode(unpack(torch.arange(256, dtype=torch.uint8).view(256, 1)), E2M1)
SCALES = decode(torch.arange(256, dtype=torch.uint8), E4M3FN)


def matrix(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    blocks = PAIRS.index_select(0, packed.view(-1).int()).view(-1, 16)
    blocks *= SCALES.index_select(0, scales.view(-1).int()).view(-1, 1)
    return blocks.view(packed.shape[0], -1)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    return c.copy_(torch.mm(matrix(a, a_scales), matrix(b, b_scales).t()).mul_(alpha))
