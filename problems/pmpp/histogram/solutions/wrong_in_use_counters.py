# expect: wrong_result in application
"""Counts blocks of 65536 bytes in counters of 16 bits, which overflow where all bytes of a block are equal: no case of
the stages test and ranked has such a block."""

import torch
from task import input_t, output_t

BLOCK = 65536


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    counts.zero_()
    for block in values.split(BLOCK):
        counts += torch.bincount(block, minlength=256).to(torch.int16).long() & 0xFFFF
    return counts
