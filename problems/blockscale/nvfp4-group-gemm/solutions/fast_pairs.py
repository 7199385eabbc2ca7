# expect: passed
"""Decodes all matrices at once, both elements of a byte with one table lookup."""

import torch
from task import input_t, output_t
from utils import E2M1, E4M3FN, decode, unpack

PAIRS = decode(unpack(torch.arange(256, dtype=torch.uint8).view(256, 1)), E2M1)
SCALES = decode(torch.arange(256, dtype=torch.uint8), E4M3FN)


def matrix(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    blocks = PAIRS.index_select(0, packed.view(-1).int()).view(-1, 16)
    blocks *= SCALES.index_select(0, scales.view(-1).int()).view(-1, 1)
    return blocks.view(*packed.shape[:-1], -1)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, m, c = data
    for left, right, factor, out in zip(matrix(a, a_scales).split(m), matrix(b, b_scales), alpha, c.split(m)):
        out.copy_(torch.mm(left, right.t()).mul_(factor))
    return c
