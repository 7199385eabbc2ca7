# expect: passed
"""Rounds a by adding and subtracting a constant, and decodes both codes of a byte with one table lookup."""

import torch
from task import input_t, output_t
from utils import E2M1, decode, unpack

PAIRS = decode(unpack(torch.arange(256, dtype=torch.uint8).view(256, 1)), E2M1)


def power(exponents: torch.Tensor) -> torch.Tensor:
    """Returns two to the power of int32 exponents, built from the bits of a float32."""
    return ((exponents + 127) << 23).view(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    a, b, b_scales, c = data
    blocks = a.float().view(-1, 32)
    largest = blocks.abs().amax(1, keepdim=True)
    scale = power((largest.view(torch.int32) >> 23) - 129)
    x = blocks.div_(scale)
    # 1.5 * 2 ^ 23 times the spacing: 2 for numbers of at least 4, 1 of at least 2, else 0.5.
    magic = power(((x.view(torch.int32) >> 23 & 255) - 128).clamp_(-1, 1)).mul_(1.5 * 2**23)
    x = x.add_(magic).sub_(magic).clamp_(-6, 6).mul_(scale).view(a.shape)
    y = PAIRS.index_select(0, b.view(-1).int()).view(-1, 32)
    y *= power(b_scales.view(-1, 1).int() - 127)
    return c.copy_(x @ y.view(c.shape[1], -1).t())
