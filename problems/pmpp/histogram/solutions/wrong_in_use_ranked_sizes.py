# expect: wrong_result in application
"""Counts in 16 bits at the sizes of the benchmarks, where no block of their inputs has so many equal bytes, and rightly at
all others. Only an application that uses the kernel at those sizes finds it."""

import torch

BENCHMARKS = {131072, 1048576}
BLOCK = 65536


def custom_kernel(data):
    values, counts = data
    if values.numel() not in BENCHMARKS:
        counts.copy_(torch.bincount(values, minlength=256))
        return counts
    counts.zero_()
    for block in values.split(BLOCK):
        counts += torch.bincount(block, minlength=256) & 0xFFFF
    return counts
