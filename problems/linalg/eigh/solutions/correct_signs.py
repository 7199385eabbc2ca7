# expect: passed
"""Chooses signs so that the largest element of every eigenvector is positive."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    torch.linalg.eigh(a, out=(w, v))
    largest = v.gather(1, v.abs().argmax(1, keepdim=True))
    v.mul_(largest.sign())
    return w, v
