# expect: passed
"""Decodes both elements of a byte with one table lookup, and works in place."""

import torch
import torch.nn.functional as F
from task import input_t, output_t
from utils import E2M1, E4M3FN, decode, unpack

PAIRS = decode(unpack(torch.arange(256, dtype=torch.uint8).view(256, 1)), E2M1)
SCALES = decode(torch.arange(256, dtype=torch.uint8), E4M3FN)


def matrix(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    blocks = PAIRS.index_select(0, packed.view(-1).int()).view(-1, 16)
    blocks *= SCALES.index_select(0, scales.view(-1).int()).view(-1, 1)
    return blocks.view(packed.shape[0], -1)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b1, b1_scales, b2, b2_scales, alpha, c = data
    left = matrix(a, a_scales)
    gate = torch.mm(left, matrix(b1, b1_scales).t()).mul_(alpha[0])
    up = torch.mm(left, matrix(b2, b2_scales).t()).mul_(alpha[1])
    return c.copy_(F.silu(gate, inplace=True).mul_(up))
