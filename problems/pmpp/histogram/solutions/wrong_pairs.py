# expect: wrong_result
"""Counts pairs of bytes and omits the last byte of an odd size."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    even = values.numel() // 2 * 2
    pairs = values[:even].view(torch.int16).to(torch.int32).bitwise_and_(0xFFFF)
    table = torch.bincount(pairs, minlength=65536).view(256, 256)
    return torch.add(table.sum(0), table.sum(1), out=counts)
