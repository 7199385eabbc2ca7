# expect: passed
"""For cpu: counts pairs of bytes in 65536 counters, which halves the increments, then sums them for each byte."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    even = values.numel() // 2 * 2
    pairs = values[:even].view(torch.int16).to(torch.int32).bitwise_and_(0xFFFF)
    table = torch.bincount(pairs, minlength=65536).view(256, 256)
    torch.add(table.sum(0), table.sum(1), out=counts)
    if even < values.numel():
        counts[values[-1].long()] += 1
    return counts
