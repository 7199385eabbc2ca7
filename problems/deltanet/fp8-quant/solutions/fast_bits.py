# expect: passed
"""Rounds by integer arithmetic on the bits of the quotients, and multiplies by the reciprocals of the scales."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, q, s = data
    groups = x.view(*s.shape, -1)
    largest = torch.linalg.vector_norm(groups, float("inf"), dim=-1)
    torch.div(largest, 448, out=s)
    ratios = groups * s.reciprocal()[..., None]
    signs = ratios.view(torch.int32).bitwise_right_shift(24).bitwise_and_(0x80)
    magnitudes = ratios.abs_()
    # Below 2^-6 the format has a spacing of 2^-9, as float32 has above 2^14: adding 2^14 rounds.
    small = (magnitudes + 16384.0).view(torch.int32) - 0x46800000
    bits = magnitudes.view(torch.int32)
    # 3 bits of the mantissa, rounded to even, with exponents counted from 2^-7, whose code would be 0.
    odd = bits.bitwise_right_shift(20).bitwise_and_(1)
    normal = odd.add_(bits).add_(0x7FFFF - (960 << 20)).bitwise_right_shift_(20)
    codes = torch.where(normal < 8, small, normal).bitwise_or_(signs)
    q.copy_(codes.view(q.shape))
    return q, s
