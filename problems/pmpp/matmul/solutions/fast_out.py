# expect: passed
"""Writes the product straight to the output buffer: no tensor is allocated and nothing is copied."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    return torch.mm(a, b, out=c)
