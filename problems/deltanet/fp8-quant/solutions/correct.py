# expect: passed
"""Computes the exponent of each quotient, and rounds to a multiple of the spacing of the format at that exponent."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, q, s = data
    groups = x.unflatten(1, (s.shape[1], -1))
    s.copy_(groups.abs().amax(-1) / 448)
    ratios = (groups / s[..., None]).flatten(1)
    exponents = (torch.frexp(ratios).exponent - 1).clamp(min=-6)
    steps = torch.round(torch.ldexp(ratios.abs(), 3 - exponents)).to(torch.int32)
    # Multiples of 2^(exponent - 3): 8 to 16 of them, or fewer below 2^-6.
    codes = steps + 8 * (exponents + 6)
    q.copy_(codes + 128 * (ratios < 0))
    return q, s
