# expect: wrong_result
"""Adds only whole blocks of 1024 elements; the remainder is not written."""

import torch
from task import input_t, output_t

BLOCK = 1024


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    end = a.numel() // BLOCK * BLOCK
    torch.add(a[:end], b[:end], out=c[:end])
    return c
